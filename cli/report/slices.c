/* SPDX-License-Identifier: MIT */
/* "--time": from-to in seconds, and shares of the recording: "10%/2", "0%-10%,30%-40%". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { MAX_SLICES = 64 };

struct slice {
	double from, to; /* seconds, or percent */
	uint64_t from_ns, to_ns;
};

struct time_slices {
	struct slice slices[MAX_SLICES];
	int nr;
	bool percent;
};

/* "12.345678901" in nanoseconds, exactly. NULL: too many, or below 0. */
static const char *read_seconds(const char *text, uint64_t *ret_ns)
{
	char *end;
	uint64_t seconds, ns, digit = 100000000;

	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno || (end != text && (*text < '0' || *text > '9')) ||
	    seconds > UINT64_MAX / 1000000000U - 1)
		return NULL;
	ns = seconds * 1000000000U;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++, digit /= 10)
			ns += (uint64_t)(*end - '0') * digit;
	*ret_ns = ns;
	return end;
}

static bool read_times(const char *text, struct slice *slice)
{
	slice->to_ns = UINT64_MAX;
	text = read_seconds(text, &slice->from_ns);
	if (!text || !*text)
		return text;
	if (*text != ',')
		return false;
	if (text[1])
		text = read_seconds(text + 1, &slice->to_ns);
	else
		text++;
	return text && !*text && slice->from_ns <= slice->to_ns;
}

/* "10%/2" or "10%-20%". */
static const char *read_percent(const char *text, struct slice *slice)
{
	char *end;
	double first = strtod(text, &end), second;

	if (end == text || end[0] != '%' || (end[1] != '/' && end[1] != '-'))
		return NULL;
	bool is_part = end[1] == '/';
	text = end + 2;
	second = strtod(text, &end);
	if (end == text || (!is_part && *end++ != '%'))
		return NULL;
	slice->from = is_part ? first * (second - 1) : first;
	slice->to = is_part ? first * second : second;
	return slice->from >= 0 && slice->from < slice->to && slice->to <= 100.000001 ? end : NULL;
}

static bool read_percents(const char *text, struct time_slices *slices)
{
	slices->percent = true;
	while (text && *text && slices->nr < MAX_SLICES) {
		text = read_percent(text, &slices->slices[slices->nr++]);
		if (text && *text)
			text += strspn(text, ", ");
	}
	return text && !*text;
}

struct time_slices *slices_parse(const char *text)
{
	struct time_slices *slices = calloc(1, sizeof(*slices));

	if (!slices)
		return NULL;
	bool valid = strchr(text, '%') ? read_percents(text, slices)
				       : read_times(text, &slices->slices[slices->nr++]);
	if (valid)
		return slices;
	fprintf(stderr, "Error: --time: '%s' is not a span, like 12.5,13 or 10%%/2 or 0%%-10%%\n",
		text);
	free(slices);
	return NULL;
}

bool slices_need_bounds(const struct time_slices *slices)
{
	return slices && slices->percent;
}

void slices_settle(struct time_slices *slices, uint64_t first_ns, uint64_t last_ns)
{
	if (!slices_need_bounds(slices))
		return;
	double whole = (double)(last_ns - first_ns);
	for (int i = 0; i < slices->nr; i++) {
		struct slice *slice = &slices->slices[i];

		slice->from_ns = first_ns + (uint64_t)(slice->from * whole / 100);
		slice->to_ns =
			slice->to >= 100 ? last_ns : first_ns + (uint64_t)(slice->to * whole / 100);
	}
}

bool slices_have(const struct time_slices *slices, uint64_t time_ns)
{
	if (!slices || time_ns == XP_NO_TIME)
		return true;
	for (int i = 0; i < slices->nr; i++)
		if (time_ns >= slices->slices[i].from_ns && time_ns <= slices->slices[i].to_ns)
			return true;
	return false;
}

void slices_free(struct time_slices *slices)
{
	free(slices);
}
