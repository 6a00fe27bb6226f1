/* SPDX-License-Identifier: MIT */
/* Long names in few columns: what says least is left out first. */
#include "shorten.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "utf8.h"

static const char dots[] = "...";

/* Whether the bracket at @at is part of an operator's name: operator<, operator<<=, operator->. */
static bool is_operator(const char *text, const char *at)
{
	static const char word[] = "operator";
	const char *begin = at;

	while (begin > text && strchr("<>=-", begin[-1]))
		begin--;
	size_t len = sizeof(word) - 1;
	if ((size_t)(begin - text) < len || strncmp(begin - len, word, len) != 0 ||
	    (begin - text > (ptrdiff_t)len && (isalnum((unsigned char)begin[-(ptrdiff_t)len - 1]) ||
					       begin[-(ptrdiff_t)len - 1] == '_')))
		return false;
	/* The arguments of operator<<...> begin after two of them. */
	return at - begin < 2 || at[1] == '=';
}

/* Behind the bracket that closes the one at @open; NULL: there is none. */
static const char *find_close(const char *text, const char *open)
{
	char opening = *open, closing = opening == '<' ? '>' : ')';
	int depth = 0;

	for (const char *at = open; *at; at++) {
		if (*at != opening && *at != closing)
			continue;
		if (opening == '<' && (is_operator(text, at) || (at > text && at[-1] == '-')))
			continue;
		depth += *at == opening ? 1 : -1;
		if (!depth)
			return at + 1;
	}
	return NULL;
}

struct copy {
	char *buf;
	size_t len, room;
};

static void add(struct copy *copy, const char *text, size_t len)
{
	size_t left = copy->room - 1 - copy->len;

	if (len > left)
		len = left;
	memcpy(copy->buf + copy->len, text, len);
	copy->len += len;
	copy->buf[copy->len] = '\0';
}

/* Whether these brackets hold more than what would be in their place. */
static bool is_worth_it(const char *open, const char *close)
{
	static const char anonymous[] = "(anonymous namespace)";

	return (size_t)(close - open) > sizeof(dots) + 1 &&
	       strncmp(open, anonymous, sizeof(anonymous) - 1) != 0;
}

/* @text with dots in all outermost pairs of brackets of one kind. */
static const char *fold(const char *text, char opening, char *buf, size_t room)
{
	struct copy copy = { buf, 0, room };
	const char *at = text, *open;

	while ((open = strchr(at, opening))) {
		const char *close =
			opening == '<' && is_operator(text, open) ? NULL : find_close(text, open);

		add(&copy, at, (size_t)(open - at) + 1);
		at = open + 1;
		if (!close || !is_worth_it(open, close))
			continue;
		add(&copy, dots, sizeof(dots) - 1);
		add(&copy, close - 1, 1);
		at = close;
	}
	add(&copy, at, strlen(at));
	return buf;
}

const char *shorten_templates(const char *text, char *buf, size_t room)
{
	return strchr(text, '<') ? fold(text, '<', buf, room) : text;
}

/* Where @columns end that begin at @text. */
static const char *skip_columns(const char *text, int columns)
{
	while (*text && columns--) {
		size_t len = utf8_len((const unsigned char *)text);

		text += len ? len : 1;
	}
	return text;
}

/* Begin and end of a name are what it is known by; more of the end. */
static const char *cut_middle(const char *text, int columns, char *buf, size_t room)
{
	struct copy copy = { buf, 0, room };
	int left = columns - (int)sizeof(dots) + 1, head = left * 2 / 5;

	if (left < 2) {
		add(&copy, text, (size_t)(skip_columns(text, columns) - text));
		return buf;
	}
	add(&copy, text, (size_t)(skip_columns(text, head) - text));
	add(&copy, dots, sizeof(dots) - 1);
	const char *tail = skip_columns(text, utf8_columns(text) - (left - head));
	add(&copy, tail, strlen(tail));
	return buf;
}

const char *shorten(const char *text, int columns, char *buf, size_t room)
{
	enum { MOST_BYTES = 4096 };
	char templates[MOST_BYTES], parameters[MOST_BYTES];

	if (utf8_columns(text) <= columns)
		return text;
	const char *shorter = fold(text, '<', templates, sizeof(templates));
	if (utf8_columns(shorter) > columns)
		shorter = fold(shorter, '(', parameters, sizeof(parameters));
	if (utf8_columns(shorter) > columns)
		return cut_middle(shorter, columns, buf, room);
	struct copy copy = { buf, 0, room };
	add(&copy, shorter, strlen(shorter));
	return buf;
}
