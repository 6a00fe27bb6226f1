/* SPDX-License-Identifier: MIT */
/*
 * The text of a probe: fields that colons separate, and paths in them, which the punctuation of
 * other events does not cut. A field may be quoted, or begin with a quoted part.
 */
#ifndef EVSEL_PROBE_TEXT_H
#define EVSEL_PROBE_TEXT_H

#include "source.h"

/* sdt:PATH:PROVIDER:NAME:MODIFIERS has the most behind its first colon. */
enum { XP_PROBE_FIELDS_MAX = 4 };

struct xp_probe_text {
	struct xp_span fields[XP_PROBE_FIELDS_MAX]; /* quotes included */
	int nr;
	struct xp_span rest; /* behind the last field there may be; absent: nothing is */
};

/* True if a probe's text follows a name and its colon. */
bool xp_probe_text_follows(struct xp_span name, const char *behind_colon);

/* The end of a probe's text; NULL: a quote is not closed, *ret_quote. */
const char *xp_probe_text_end(const char *text, const char **ret_quote);

void xp_probe_text_split(struct xp_span text, struct xp_probe_text *ret_text);

/* What is between the quotes that @field begins with, or all of it; *ret_rest is what follows. */
struct xp_span xp_probe_text_unquote(struct xp_span field, struct xp_span *ret_rest);

#endif
