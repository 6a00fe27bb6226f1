/* SPDX-License-Identifier: MIT */
/*
 * The values of record's options, from text. Each function returns true and writes its result, or
 * false, and its result is untouched.
 */
#ifndef CLI_RECORD_VALUES_H
#define CLI_RECORD_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xp_sampling_opts;

/* A decimal number, nothing behind it. */
bool value_number(const char *text, uint64_t *ret_number);

/* "4096", "512K", "5M", "1G", "100B": bytes. */
bool value_size(const char *text, uint64_t *ret_bytes);

/* "128", "512K": pages of a ring, rounded up to a power of two; *ret_rounded if that changed it. */
bool value_pages(const char *text, size_t *ret_pages, bool *ret_rounded);

/* "100" or "-1" (for ever): milliseconds; "10-20,30-40": ranges of them. */
struct delay_range {
	uint64_t from_ms, to_ms; /* to_ms UINT64_MAX: no end */
};
struct delay {
	bool given;
	struct delay_range *ranges; /* in order, without overlap; none: for ever */
	int nr;
};
bool value_delay(const char *text, struct delay *ret_delay);

/* "1ms", "500us", "2s", "10": a time, in milliseconds if it has no unit. */
bool value_wait(const char *text, uint64_t *ret_ns);

/* When one file ends and the next begins. */
enum { SWITCH_ON_SIGNAL = 1, SWITCH_BY_SIZE = 2, SWITCH_BY_TIME = 4 };
struct switch_rule {
	unsigned int when; /* bits; 0: never */
	uint64_t bytes;
	uint64_t ns;
};
/* "signal", "5M" (B, K, M, G), "30s" (s, m, h, d), or several, "30s,signal"; NULL: signal. */
bool value_switch(const char *text, struct switch_rule *ret_rule);

/* "fp", "fp,32", "fp,defer", "dwarf", "dwarf,4096", "dwarf,4096,raw", "lbr". */
bool value_callchain(const char *text, struct xp_sampling_opts *sampling);
void value_no_callchain(struct xp_sampling_opts *sampling);

/* "monotonic", "CLOCK_MONOTONIC_RAW", "7". */
bool value_clock(const char *text, int32_t *ret_clock);
/* The name of a clock. Returns static text, NULL for a number without one. */
const char *clock_name(int32_t clock);

/* What is described that was there before: bits. */
enum { SYNTH_TASK = 1, SYNTH_MMAP = 2, SYNTH_CGROUP = 4, SYNTH_ALL = 7 };
/* "no", "all", "task,cgroup". */
bool value_synth(const char *text, unsigned int *ret_bits);

/* Whether a text is what --threads takes: "cpu", "core", "package", "numa", or "0-1/0:2-3/2": CPUs
 * that are read, and those that read them. */
bool value_threads(const char *text);
/* Likewise --affinity: "sys", "node", "cpu". */
bool value_affinity(const char *text);

#endif
