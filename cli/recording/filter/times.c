/* SPDX-License-Identifier: MIT */
/* "--time": spans of a recording, in seconds or as shares of it. Source: perf-script(1). */
#include "times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/sample.h>

enum { NS_PER_S = 1000000000 };

/* "12.345678901" in nanoseconds, exactly. Returns what follows, NULL: it is no time. */
static const char *parse_seconds(const char *text, uint64_t *ret_ns)
{
	uint64_t digit = NS_PER_S / 10, seconds;
	char *end;

	if ((*text < '0' || *text > '9') && *text != '.')
		return NULL;
	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno || seconds > UINT64_MAX / NS_PER_S - 1)
		return NULL;
	*ret_ns = seconds * NS_PER_S;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++, digit /= 10)
			*ret_ns += (uint64_t)(*end - '0') * digit;
	return end;
}

/* "A,B": either may be missing. */
static bool parse_times(const char *text, struct time_span *span)
{
	*span = (struct time_span){ .to_ns = UINT64_MAX };
	if (*text != ',')
		text = parse_seconds(text, &span->from_ns);
	if (!text || *text != ',')
		return text && !*text;
	text++;
	if (*text)
		text = parse_seconds(text, &span->to_ns);
	return text && !*text && span->from_ns <= span->to_ns;
}

/* "10%/2" or "10%-20%"; what a share of all is cut into need not come out even. */
static bool parse_percent(const char *text, struct time_span *span)
{
	static const double most = 100.000001;
	char *end;
	double first = strtod(text, &end), second;

	if (end == text || end[0] != '%' || (end[1] != '/' && end[1] != '-'))
		return false;
	bool is_part = end[1] == '/';
	text = end + 2;
	second = strtod(text, &end);
	if (end == text || (!is_part && *end++ != '%') || *end)
		return false;
	span->from_percent = is_part ? first * (second - 1) : first;
	span->to_percent = is_part ? first * second : second;
	return span->from_percent >= 0 && span->from_percent <= span->to_percent &&
	       span->to_percent <= most;
}

int times_parse(const char *text, struct time_spans *spans, struct xp_diag *diag)
{
	if (!text || !*text)
		return 0;
	spans->need_bounds = strchr(text, '%');
	const char *separators = spans->need_bounds ? ", " : " ";
	char *copy = strdup(text), *rest = NULL;
	bool is_valid = true;

	spans->at = calloc(strlen(text) + 1, sizeof(*spans->at));
	if (!copy || !spans->at) {
		free(copy);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	for (char *word = strtok_r(copy, separators, &rest); word && is_valid;
	     word = strtok_r(NULL, separators, &rest)) {
		struct time_span *span = &spans->at[spans->nr++];

		is_valid = spans->need_bounds ? parse_percent(word, span) : parse_times(word, span);
	}
	free(copy);
	if (is_valid && spans->nr)
		return 0;
	return xp_diag_set(diag, -EINVAL,
			   "--time: '%s' is not a span such as 12.5,13, 10%%/2 or 0%%-10%%", text);
}

/* Farther than any recording reaches, and no farther than an int64_t. */
#define FARTHEST_NS 9.2e18

/* A percentage may be negative, or any number of hundreds. */
static uint64_t share_of(double percent, double whole)
{
	double ns = percent * whole / 100;

	return (uint64_t)(int64_t)(ns < -FARTHEST_NS  ? -FARTHEST_NS
				   : ns > FARTHEST_NS ? FARTHEST_NS
						      : ns);
}

void times_set_bounds(struct time_spans *spans, uint64_t first_ns, uint64_t last_ns)
{
	double whole = (double)(last_ns - first_ns);

	for (int i = 0; i < spans->nr && spans->need_bounds; i++) {
		struct time_span *span = &spans->at[i];

		span->from_ns = first_ns + share_of(span->from_percent, whole);
		span->to_ns = span->to_percent >= 100
				      ? last_ns
				      : first_ns + share_of(span->to_percent, whole);
	}
}

bool times_have(const struct time_spans *spans, uint64_t time_ns)
{
	for (int i = 0; i < spans->nr && time_ns != XP_NO_TIME; i++)
		if (time_ns >= spans->at[i].from_ns && time_ns <= spans->at[i].to_ns)
			return true;
	return !spans->nr;
}

/* The first of the spans that goes on after a time; NULL: none. */
static const struct time_span *span_after(const struct time_spans *spans, uint64_t time_ns)
{
	const struct time_span *first = NULL;

	for (int i = 0; i < spans->nr; i++)
		if (spans->at[i].to_ns > time_ns &&
		    (!first || spans->at[i].from_ns < first->from_ns))
			first = &spans->at[i];
	return first;
}

uint64_t times_within(const struct time_spans *spans, uint64_t from_ns, uint64_t to_ns,
		      uint64_t *ret_from_ns)
{
	const struct time_span *span;
	uint64_t sum = 0;

	if (!spans->nr) {
		*ret_from_ns = from_ns;
		return to_ns - from_ns;
	}
	/* Spans may overlap: what one has covered is behind @from_ns for the next. */
	while (from_ns < to_ns && (span = span_after(spans, from_ns)) && span->from_ns < to_ns) {
		uint64_t begin = span->from_ns > from_ns ? span->from_ns : from_ns;
		uint64_t end = span->to_ns < to_ns ? span->to_ns : to_ns;

		if (!sum)
			*ret_from_ns = begin;
		sum += end - begin;
		from_ns = end;
	}
	return sum;
}

void times_fini(struct time_spans *spans)
{
	free(spans->at);
	*spans = (struct time_spans){ 0 };
}
