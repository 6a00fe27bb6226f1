/* SPDX-License-Identifier: MIT */
/* Complaints about a text: one sentence, its position, the nearest name. */
#include "source.h"

#include <stdarg.h>
#include <stdio.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "names.h"
#include "str.h"
#include "suggest.h"

bool xp_span_has_only(struct xp_span span, const char *set)
{
	for (size_t i = 0; i < span.len; i++)
		if (!span.at[i] || !strchr(set, span.at[i]))
			return false;
	return true;
}

/* What would break the line or drive the terminal becomes '?'. */
static void make_printable(char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c == 0x7f)
			*text = c == '\t' || c == '\n' ? ' ' : '?';
	}
}

/* Gives the position in the text, or in an excerpt that starts nearby if the text is too long. */
static void point_at(struct xp_diag *diag, const char *text, struct xp_span span)
{
	enum { BEFORE = 100 };
	size_t pos = (size_t)(span.at - text);
	size_t cut = 0;

	if (pos > BEFORE && pos + strlen(span.at) >= sizeof(diag->input))
		cut = pos - BEFORE;
	size_t room = sizeof(diag->input) - 1 - (pos - cut);
	xp_diag_at(diag, text + cut, (int)(pos - cut), (int)(span.len < room ? span.len : room));
	make_printable(diag->input);
}

int xp_source_error(const struct xp_source *source, int err, struct xp_span span, const char *fmt,
		    ...)
{
	struct xp_diag *diag = source->diag;
	va_list ap;

	if (!diag)
		return err;
	xp_diag_set(diag, err, "%s", "");
	va_start(ap, fmt);
	vsnprintf(diag->what, sizeof(diag->what), fmt, ap);
	va_end(ap);
	make_printable(diag->what);
	point_at(diag, source->text, source->blame.at ? source->blame : span);
	return err;
}

void xp_source_suggest(const struct xp_source *source, const struct xp_suggest *suggest,
		       const char *otherwise)
{
	if (suggest->best)
		xp_diag_hint(source->diag, "Did you mean '%s'?", suggest->best);
	else
		xp_diag_hint(source->diag, "%s", otherwise);
}

void xp_source_suggest_from(const struct xp_source *source, struct xp_span word,
			    const struct xp_names *names, const char *lead)
{
	struct xp_suggest suggest = { .word = word.at, .len = word.len };
	struct xp_str all = { 0 };

	for (int i = 0; i < names->nr; i++) {
		xp_suggest_offer(&suggest, names->at[i]);
		xp_str_addf(&all, "%s%s", i ? ", " : ": ", names->at[i]);
	}
	if (suggest.best)
		xp_diag_hint(source->diag, "Did you mean '%s'?", suggest.best);
	else if (names->nr)
		xp_diag_hint(source->diag, "%s%s", lead, xp_str_text(&all));
	xp_str_fini(&all);
}
