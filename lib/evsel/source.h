/* SPDX-License-Identifier: MIT */
/* The text being parsed, parts of it, and complaints about them. */
#ifndef EVSEL_SOURCE_H
#define EVSEL_SOURCE_H

#include <string.h>
#include <xperf/api.h>

struct xp_diag;
struct xp_names;
struct xp_suggest;

/* A part of a text; not NUL-terminated. @at NULL: absent. */
struct xp_span {
	const char *at;
	size_t len;
};

/* For "%.*s": the part, cut to what a sentence bears. */
enum { XP_SPAN_SHOWN_MAX = 80 };
#define XP_SPAN_ARGS(span)                                                                         \
	(int)((span).len < XP_SPAN_SHOWN_MAX ? (span).len : XP_SPAN_SHOWN_MAX), (span).at

static inline bool xp_span_equals(struct xp_span span, const char *text)
{
	return strlen(text) == span.len && !memcmp(span.at, text, span.len);
}

/* True if the part consists of the bytes in @set only; an empty one does. */
bool xp_span_has_only(struct xp_span span, const char *set);

/*
 * @text:  what the user gave
 * @blame: what complaints are about, whatever they point to; absent: what they point to. For text
 *         that comes from elsewhere in the name of a part of @text
 * @diag:  may be NULL
 */
struct xp_source {
	const char *text;
	struct xp_span blame;
	struct xp_diag *diag;
};

/* Says what is wrong with a part of the text. Returns @err. */
int xp_source_error(const struct xp_source *source, int err, struct xp_span span, const char *fmt,
		    ...) XP_PRINTF(4, 5);

/* Adds "Did you mean" to the last complaint, or @otherwise when no name is near. */
void xp_source_suggest(const struct xp_source *source, const struct xp_suggest *suggest,
		       const char *otherwise);

/* Likewise from a list of names, or shows all of them behind @lead. */
void xp_source_suggest_from(const struct xp_source *source, struct xp_span word,
			    const struct xp_names *names, const char *lead);

#endif
