/* SPDX-License-Identifier: MIT */
/*
 * Values of record's options that are names. Source: perf-record(1) of perf 6.1, and 7.2 for
 * "defer"; clock_gettime(2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xperf/cpus.h>
#include <xperf/sampling.h>

#include "values.h"

/* What a copied stack can have at most: the kernel counts its bytes with 16 bits. */
enum { STACK_MAX = 65528 };

struct name {
	const char *name;
	uint64_t value;
};

static const struct name synths[] = {
	{ "no", 0 },
	{ "all", SYNTH_ALL },
	{ "task", SYNTH_TASK },
	{ "mmap", SYNTH_TASK | SYNTH_MMAP },
	{ "cgroup", SYNTH_CGROUP },
	{ NULL, 0 },
};

/* The first of several names is the one that is shown. */
static const struct name clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
	{ "clock_tai", CLOCK_TAI },
	{ "process_cputime_id", CLOCK_PROCESS_CPUTIME_ID },
	{ "thread_cputime_id", CLOCK_THREAD_CPUTIME_ID },
	{ "mono", CLOCK_MONOTONIC },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "real", CLOCK_REALTIME },
	{ "boot", CLOCK_BOOTTIME },
	{ NULL, 0 },
};

static const struct name *find(const struct name *names, const char *text, size_t len)
{
	for (; names->name; names++)
		if (strlen(names->name) == len && !strncasecmp(names->name, text, len))
			return names;
	return NULL;
}

/* A list of names separated by commas: the bits of all. */
static bool list(const struct name *names, const char *text, uint64_t *ret_bits)
{
	uint64_t bits = 0;

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		const struct name *name = find(names, p, len);

		if (!name)
			return false;
		bits |= name->value;
		p += len;
		if (!*p)
			break;
	}
	*ret_bits = bits;
	return true;
}

bool value_synth(const char *text, unsigned int *ret_bits)
{
	uint64_t bits;

	if (!list(synths, text, &bits))
		return false;
	*ret_bits = (unsigned int)bits;
	return true;
}

bool value_clock(const char *text, int32_t *ret_clock)
{
	const struct name *name;
	uint64_t number;

	if (value_number(text, &number) && number <= INT32_MAX) {
		*ret_clock = (int32_t)number;
		return true;
	}
	if (!strncasecmp(text, "clock_", 6))
		text += 6;
	name = find(clocks, text, strlen(text));
	if (name)
		*ret_clock = (int32_t)name->value;
	return name;
}

const char *clock_name(int32_t clock)
{
	for (const struct name *name = clocks; name->name; name++)
		if ((int32_t)name->value == clock)
			return name->name;
	return NULL;
}

static bool is_cpu_list(const char *text, size_t len)
{
	struct xp_cpus *cpus = NULL;
	char *list = strndup(text, len);
	bool good = list && len && !xp_cpus_parse(list, &cpus, NULL);

	xp_cpus_unref(cpus);
	free(list);
	return good;
}

bool value_threads(const char *text)
{
	static const struct name places[] = {
		{ "cpu", 0 }, { "core", 0 }, { "package", 0 }, { "numa", 0 }, { NULL, 0 },
	};

	if (find(places, text, strlen(text)))
		return true;
	for (const char *p = text;; p++) {
		size_t read = strcspn(p, "/:"),
		       by = p[read] == '/' ? strcspn(p + read + 1, "/:") : 0;

		if (!is_cpu_list(p, read) || !is_cpu_list(p + read + 1, by))
			return false;
		p += read + 1 + by;
		if (*p != ':')
			return !*p;
	}
}

bool value_affinity(const char *text)
{
	static const struct name modes[] = {
		{ "sys", 0 },
		{ "node", 0 },
		{ "cpu", 0 },
		{ NULL, 0 },
	};

	return find(modes, text, strlen(text));
}

static bool frame_pointers(const char *rest, struct xp_sampling_opts *sampling)
{
	uint64_t frames = 0;

	if (rest && !strcmp(rest, "defer")) {
		sampling->flags |= XP_SAMPLING_DEFER;
	} else if (rest && (!value_number(rest, &frames) || !frames || frames > UINT16_MAX)) {
		return false;
	}
	sampling->max_stack = (uint32_t)frames;
	return true;
}

/* A number; a comma with nothing behind it changes nothing. */
static bool stack_bytes(const char *text, size_t len, uint64_t *ret_bytes)
{
	char digits[24];

	if (len && text[len - 1] == ',')
		len--;
	return snprintf(digits, sizeof(digits), "%.*s", (int)len, text) < (int)sizeof(digits) &&
	       value_number(digits, ret_bytes) && *ret_bytes && *ret_bytes <= STACK_MAX;
}

/* "4096", "4096,raw", "raw". */
static bool copied_stacks(const char *rest, struct xp_sampling_opts *sampling)
{
	static const char raw[] = "raw";
	size_t len = rest ? strlen(rest) : 0;
	bool is_raw = len >= strlen(raw) && !strcmp(rest + len - strlen(raw), raw);
	uint64_t bytes = 0;

	if (is_raw)
		len -= strlen(raw);
	if (len && !stack_bytes(rest, len, &bytes))
		return false;
	/* Nothing but a comma is in front of it. */
	if (is_raw && len && rest[len - 1] != ',')
		return false;
	sampling->stack_bytes = (uint32_t)((bytes + 7) & ~7ULL);
	sampling->unwinds = !is_raw;
	return true;
}

static bool branch_records(const char *rest, struct xp_sampling_opts *sampling)
{
	(void)sampling;
	return !rest;
}

static const struct {
	const char *name;
	enum xp_callchain callchain;
	bool (*parse)(const char *rest, struct xp_sampling_opts *sampling);
} callchains[] = {
	{ "fp", XP_CALLCHAIN_FP, frame_pointers },
	{ "dwarf", XP_CALLCHAIN_DWARF, copied_stacks },
	{ "lbr", XP_CALLCHAIN_LBR, branch_records },
};

void value_no_callchain(struct xp_sampling_opts *sampling)
{
	sampling->callchain = XP_CALLCHAIN_NONE;
	sampling->flags &= ~(uint64_t)XP_SAMPLING_DEFER;
	sampling->stack_bytes = sampling->max_stack = 0;
	sampling->unwinds = true;
}

bool value_callchain(const char *text, struct xp_sampling_opts *sampling)
{
	struct xp_sampling_opts result = *sampling;
	size_t len = strcspn(text, ",");
	const char *rest = text[len] && text[len + 1] ? text + len + 1 : NULL;

	for (size_t i = 0; i < sizeof(callchains) / sizeof(callchains[0]); i++) {
		if (strlen(callchains[i].name) != len || strncmp(callchains[i].name, text, len))
			continue;
		value_no_callchain(&result);
		result.callchain = callchains[i].callchain;
		if (!callchains[i].parse(rest, &result))
			return false;
		*sampling = result;
		return true;
	}
	return false;
}
