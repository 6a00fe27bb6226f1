/* SPDX-License-Identifier: MIT */
/* The table of metrics: kinds of events, and formulas over them. */
#ifndef STAT_METRIC_H
#define STAT_METRIC_H

#include <xperf/api.h>

struct xp_evsel;

/* What an event means to a formula. */
enum metric_kind {
	KIND_OTHER,
	KIND_CLOCK,
	KIND_CYCLES,
	KIND_INSTRUCTIONS,
	KIND_CACHE_REFS,
	KIND_CACHE_MISSES,
	KIND_BRANCHES,
	KIND_BRANCH_MISSES,
	KIND_STALLED_FRONT,
	KIND_STALLED_BACK,
	KIND_L1D_LOADS,
	KIND_L1D_MISSES,
	KIND_L1I_LOADS,
	KIND_L1I_MISSES,
	KIND_LLC_LOADS,
	KIND_LLC_MISSES,
	KIND_DTLB_LOADS,
	KIND_DTLB_MISSES,
	KIND_ITLB_LOADS,
	KIND_ITLB_MISSES,
	KIND_CYCLES_TX,
	KIND_CYCLES_TX_COMMITTED,
	KIND_TX_START,
	KIND_EL_START,
	KIND_TD_RETIRING,
	KIND_TD_BAD_SPEC,
	KIND_TD_FRONTEND,
	KIND_TD_BACKEND,
	KIND_TD_HEAVY_OPS,
	KIND_TD_BR_MISPREDICT,
	KIND_TD_FETCH_LATENCY,
	KIND_TD_MEMORY_BOUND,
};

enum { METRIC_PARTNERS_MAX = 4 };

/*
 * One metric of one kind of event. @compute gets the event's own count, then the partners' in the
 * order they are listed (0 for an optional one that is not there), then the wall time in
 * nanoseconds; what is not a finite number is not shown.
 */
struct metric_formula {
	enum metric_kind kind;
	enum metric_kind partners[METRIC_PARTNERS_MAX]; /* KIND_OTHER: no more */
	bool partners_optional;
	double (*compute)(double own, const double *partners, double wall_ns);
	const char *unit; /* NULL: events per second, with the prefix that fits */
	const char *suffix;
	uint8_t width;
	uint8_t precision;
	bool own_line;
	bool hide_zero;
	double yellow, magenta, red; /* from above these; 0: never */
};

extern const struct metric_formula xp_metric_formulas[];
extern const size_t xp_metric_nr_formulas;

/* What an event is. */
enum metric_kind xp_metric_kind_of(const struct xp_evsel *evsel);

#endif
