/* SPDX-License-Identifier: MIT */
/* Where a probe's text ends, and what its fields are. */
#include "probe-text.h"

#include "cleanup.h"

static bool is_quote(char c)
{
	return c == '\'' || c == '"';
}

bool xp_probe_text_follows(struct xp_span name, const char *behind_colon)
{
	static const char *const names[] = { "uprobe", "kprobe", "sdt" };

	for (size_t i = 0; i < XP_ARRAY_LEN(names); i++)
		if (xp_span_equals(name, names[i]))
			return true;
	return xp_span_equals(name, "mem") && *behind_colon == '&';
}

/* Where quotes may stand in a field: at its beginning, or behind "&". */
static const char *quote_in(const char *field)
{
	return *field == '&' ? field + 1 : field;
}

/* Behind the quoted part at @at, @at itself if there is none; NULL: it is not closed. */
static const char *behind_quoted(const char *at)
{
	if (!is_quote(*at))
		return at;
	const char *close = strchr(at + 1, *at);

	return close ? close + 1 : NULL;
}

const char *xp_probe_text_end(const char *text, const char **ret_quote)
{
	for (const char *field = text;; field++) {
		*ret_quote = quote_in(field);
		field = behind_quoted(*ret_quote);
		if (!field)
			return NULL;
		field += strcspn(field, ":,} \t\r\n");
		if (*field != ':')
			return field;
	}
}

void xp_probe_text_split(struct xp_span text, struct xp_probe_text *ret_text)
{
	const char *end = text.at + text.len;
	const char *field = text.at;

	*ret_text = (struct xp_probe_text){ 0 };
	for (;; field++) {
		const char *at = field < end ? behind_quoted(quote_in(field)) : end;

		if (ret_text->nr == XP_PROBE_FIELDS_MAX) {
			ret_text->rest = (struct xp_span){ field, (size_t)(end - field) };
			return;
		}
		while (at < end && *at != ':')
			at++;
		ret_text->fields[ret_text->nr++] = (struct xp_span){ field, (size_t)(at - field) };
		if (at == end)
			return;
		field = at;
	}
}

struct xp_span xp_probe_text_unquote(struct xp_span field, struct xp_span *ret_rest)
{
	const char *end = field.len ? behind_quoted(field.at) : field.at;

	*ret_rest = (struct xp_span){ field.at + field.len, 0 };
	if (end == field.at)
		return field;
	*ret_rest = (struct xp_span){ end, (size_t)(field.at + field.len - end) };
	return (struct xp_span){ field.at + 1, (size_t)(end - field.at) - 2 };
}
