/* SPDX-License-Identifier: MIT */
/*
 * Numbers, sizes, times and places as record's options take them. Source of the syntaxes:
 * perf-record(1) of perf 6.1.
 */
#include "values.h"
#include "vec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a letter behind a number multiplies it with. */
struct unit {
	char letter;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ 'B', 1 },       { 'K', 1 << 10 }, { 'M', 1 << 20 }, { 'G', 1 << 30 }, { 'b', 1 },
	{ 'k', 1 << 10 }, { 'm', 1 << 20 }, { 'g', 1 << 30 }, { '\0', 1 },
};
/* Only those a size does not share; 'm' is minutes here. */
static const struct unit switch_size_units[] = {
	{ 'B', 1 },       { 'K', 1 << 10 }, { 'M', 1 << 20 }, { 'G', 1 << 30 },
	{ 'k', 1 << 10 }, { 'g', 1 << 30 }, { '\0', 0 },
};
static const struct unit time_units[] = {
	{ 's', 1000000000ULL },
	{ 'm', 60 * 1000000000ULL },
	{ 'h', 3600 * 1000000000ULL },
	{ 'd', 86400 * 1000000000ULL },
	{ '\0', 0 },
};

/* Reads digits, blanks before them as strtol(3) does. Returns what is behind them, NULL if there
 * are none or too many. */
static const char *number(const char *text, uint64_t *ret_number)
{
	char *end;

	text += strspn(text, " \t");
	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno)
		return NULL;
	*ret_number = value;
	return end;
}

/* A table of units ends with the one for no letter; factor 0: a letter is needed. */
static bool with_unit(const char *text, const struct unit *units, uint64_t *ret_value)
{
	uint64_t value;
	const char *end = number(text, &value);
	const struct unit *unit = units;

	if (!end || (*end && end[1]))
		return false;
	while (unit->letter && unit->letter != *end)
		unit++;
	if (unit->letter != *end || !unit->factor)
		return false;
	return !__builtin_mul_overflow(value, unit->factor, ret_value);
}

bool value_number(const char *text, uint64_t *ret_number)
{
	uint64_t value;
	const char *end = number(text, &value);

	if (!end || *end)
		return false;
	*ret_number = value;
	return true;
}

bool value_size(const char *text, uint64_t *ret_bytes)
{
	return with_unit(text, size_units, ret_bytes);
}

bool value_pages(const char *text, size_t *ret_pages, bool *ret_rounded)
{
	uint64_t value, page = (uint64_t)sysconf(_SC_PAGESIZE);
	const char *end = number(text, &value);
	size_t pages = 1;

	if (!end || (*end && !value_size(text, &value)))
		return false;
	if (*end)
		value = value / page + (value % page != 0);
	/* More than half of the address space is no ring. */
	if (!value || value > (SIZE_MAX >> 1) / page)
		return false;
	while (pages < value)
		pages <<= 1;
	*ret_rounded = pages != value;
	*ret_pages = pages;
	return true;
}

static bool add_range(struct delay *delay, struct delay_range range)
{
	if (vec_add(&delay->ranges, (size_t)delay->nr, sizeof(*delay->ranges)))
		return false;
	delay->ranges[delay->nr++] = range;
	return true;
}

/* Milliseconds that are still milliseconds when they are nanoseconds. */
static const char *milliseconds(const char *text, uint64_t *ret_ms)
{
	const char *end = number(text, ret_ms);

	return end && *ret_ms <= UINT64_MAX / 1000000 / 2 ? end : NULL;
}

static bool add_ranges(const char *text, struct delay *delay)
{
	uint64_t before = 0;

	for (const char *p = text;; p++) {
		struct delay_range range = { 0, UINT64_MAX };

		p = milliseconds(p, &range.from_ms);
		if (p && *p == '-')
			p = milliseconds(p + 1, &range.to_ms);
		else if (p && p[0] != '\0')
			return false;
		/* A number alone is the beginning of the only range. */
		if (!p || range.from_ms < before || range.to_ms <= range.from_ms)
			return false;
		if (!add_range(delay, range))
			return false;
		before = range.to_ms;
		if (!*p)
			return delay->nr == 1 || range.to_ms != UINT64_MAX;
		if (*p != ',')
			return false;
	}
}

bool value_delay(const char *text, struct delay *ret_delay)
{
	struct delay delay = { .given = true };

	if (strcmp(text, "-1") && !add_ranges(text, &delay)) {
		free(delay.ranges);
		return false;
	}
	free(ret_delay->ranges);
	*ret_delay = delay;
	return true;
}

bool value_wait(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "", 1000000 },   { "ns", 1 },         { "us", 1000 },
		{ "ms", 1000000 }, { "s", 1000000000 },
	};
	uint64_t value;
	const char *end = number(text, &value);

	for (size_t i = 0; end && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit))
			return !__builtin_mul_overflow(value, units[i].ns, ret_ns);
	return false;
}

/* One of them. */
static bool add_switch(const char *text, struct switch_rule *rule)
{
	if (!strcmp(text, "signal"))
		rule->when |= SWITCH_ON_SIGNAL;
	else if (with_unit(text, time_units, &rule->ns) && rule->ns)
		rule->when |= SWITCH_BY_TIME;
	else if (with_unit(text, switch_size_units, &rule->bytes) && rule->bytes)
		rule->when |= SWITCH_BY_SIZE;
	else
		return false;
	return true;
}

bool value_switch(const char *text, struct switch_rule *ret_rule)
{
	struct switch_rule rule = { 0 };
	char word[32];

	for (const char *at = text ? text : "signal", *end; at; at = *end ? end + 1 : NULL) {
		end = strchrnul(at, ',');
		if ((size_t)(end - at) >= sizeof(word))
			return false;
		memcpy(word, at, (size_t)(end - at));
		word[end - at] = '\0';
		if (!add_switch(word, &rule))
			return false;
	}
	*ret_rule = rule;
	return true;
}
