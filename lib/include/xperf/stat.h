/* SPDX-License-Identifier: MIT */
/* From counts to numbers for people: aggregation, statistics over runs, derived metrics. */
#ifndef XPERF_STAT_H
#define XPERF_STAT_H

#include <xperf/api.h>
#include <xperf/cpus.h>

struct xp_counts;
struct xp_cpus;
struct xp_ctx;
struct xp_evlist;
struct xp_evsel;
struct xp_threads;

XP_BEGIN_DECLS

/** enum xp_aggr_mode - which cells of a table of counts make one row */
enum xp_aggr_mode {
	XP_AGGR_GLOBAL, /* all */
	XP_AGGR_SOCKET,
	XP_AGGR_DIE,
	XP_AGGR_CORE,
	XP_AGGR_NODE,
	XP_AGGR_CPU, /* perf's --no-aggr */
	XP_AGGR_THREAD,
	XP_AGGR_CLUSTER,
	XP_AGGR_CACHE, /* the last level, or that of xp_aggr_new_by_cache() */
	XP_AGGR_NR_MODES,
};

/**
 * struct xp_aggr_id - what one row stands for; fields that the mode does not use are -1
 * @place:      socket, die, core, node, cluster, cache
 * @cpu:        the CPU, in mode XP_AGGR_CPU
 * @thread_idx: position of the thread, in mode XP_AGGR_THREAD
 * @nr_cpus:    CPU positions that fall into the row
 */
struct xp_aggr_id {
	struct xp_place place;
	struct xp_cpu cpu;
	int thread_idx;
	int nr_cpus;
};

/** struct xp_aggr - a plan that maps (CPU, thread) positions to rows */
struct xp_aggr;

/**
 * xp_aggr_new - plan the rows
 * @cpus, @threads: the sets the events are open on. References are kept
 *
 * Returns 0, -EINVAL (no such mode; or one by place or CPU, but the events follow threads across
 * CPUs), -ENOMEM.
 */
XP_API int xp_aggr_new(struct xp_ctx *ctx, enum xp_aggr_mode mode, struct xp_cpus *cpus,
		       struct xp_threads *threads, struct xp_aggr **ret_aggr);
/**
 * xp_aggr_new_by_cache - plan a row for each cache of a level
 * @level: 1 to XP_CACHE_LEVEL_MAX; 0: the last level that each CPU has, and where the kernel lists
 *         no caches, as many machines do, a row for each die, whose cache is -1
 *
 * Returns as xp_aggr_new(), with -ENODATA if no CPU has a cache of this level.
 */
XP_API int xp_aggr_new_by_cache(struct xp_ctx *ctx, int level, struct xp_cpus *cpus,
				struct xp_threads *threads, struct xp_aggr **ret_aggr);
/** xp_aggr_free - free a plan; may be NULL. */
XP_API void xp_aggr_free(struct xp_aggr *aggr);
/** xp_aggr_get_mode - the plan's mode. Returns it. */
XP_API enum xp_aggr_mode xp_aggr_get_mode(const struct xp_aggr *aggr);
/** xp_aggr_nr - rows, sorted by place, CPU or thread. Returns >= 1. */
XP_API int xp_aggr_nr(const struct xp_aggr *aggr);
/** xp_aggr_id_at - what a row stands for. Returns it, or NULL: there is no such row;
 * lives as long as the plan. */
XP_API const struct xp_aggr_id *xp_aggr_id_at(const struct xp_aggr *aggr, int row);
/** xp_aggr_nr_cpus - CPU positions of a row on which an event counts. Returns >= 0; those of the
 * row in mode XP_AGGR_THREAD. */
XP_API int xp_aggr_nr_cpus(const struct xp_aggr *aggr, int row, const struct xp_evsel *evsel);
/** xp_aggr_row_of_cpu - the row a CPU's counts fall into. Returns it, or -1 (no such CPU, or the
 * mode is XP_AGGR_THREAD). */
XP_API int xp_aggr_row_of_cpu(const struct xp_aggr *aggr, struct xp_cpu cpu);
/** xp_aggr_threads - the threads of the plan. Returns them, owned by the plan. */
XP_API struct xp_threads *xp_aggr_threads(const struct xp_aggr *aggr);

/**
 * struct xp_total - one event summed over one row
 * @raw:        events counted, not scaled
 * @scaled:     estimate for the whole time enabled: each cell scaled by its own share, cells that
 *              never ran extrapolated from those that did; equals @raw when nothing was multiplexed
 * @enabled_ns: sum of times enabled, nanoseconds
 * @running_ns: sum of times running, nanoseconds; 0: never counted
 */
struct xp_total {
	uint64_t raw;
	double scaled;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/** xp_aggr_sum - sum one event over one row of the plan; all 0 where there is no such event or row.
 */
XP_API void xp_aggr_sum(const struct xp_aggr *aggr, const struct xp_counts *counts, int event,
			int row, struct xp_total *ret_total);

/**
 * struct xp_stats - running statistics of a series of values (Welford); zero-initialised is empty
 * @n:    values seen
 * @mean: their mean
 * @m2:   sum of squared differences from the mean
 * @min, @max: extremes, when n > 0
 */
struct xp_stats {
	uint64_t n;
	double mean;
	double m2;
	double min;
	double max;
};

/** xp_stats_add - add a value. */
XP_API void xp_stats_add(struct xp_stats *stats, double value);
/**
 * xp_stats_stderr - standard error of the mean: s / sqrt(n), s the sample standard deviation
 *
 * Returns it in the unit of the values; 0 for less than two values.
 */
XP_API double xp_stats_stderr(const struct xp_stats *stats);
/**
 * xp_stats_difference - between what two means can differ: 95 % confidence, Welch's interval
 * @ret_low, @ret_high: of the mean of @b less that of @a; written on success only
 *
 * A series of one value is assumed to vary as much as the other one.
 *
 * Returns 0, -ENODATA (both series have one value, one has none, or no spread is known).
 *
 * Source: B. L. Welch, "The generalization of 'Student's' problem when several different population
 * variances are involved", Biometrika 34 (1947).
 */
XP_API int xp_stats_difference(const struct xp_stats *a, const struct xp_stats *b, double *ret_low,
			       double *ret_high);
/** xp_stats_stderr_pct - standard error in percent of the mean. Returns 0 when the mean is 0. */
XP_API double xp_stats_stderr_pct(const struct xp_stats *stats);

/** enum xp_metric_level - how remarkable a metric is; perf's thresholds for colour */
enum xp_metric_level { XP_METRIC_NORMAL, XP_METRIC_YELLOW, XP_METRIC_MAGENTA, XP_METRIC_RED };

/**
 * struct xp_metric - a number derived from counts
 * @value:     in @unit
 * @unit:      text after the number: "insn per cycle", "M/sec", "of all branches"; static storage
 * @suffix:    what follows the number directly in text: "", " ", "%", " %"; static storage
 * @width:     least width of the number when shown
 * @precision: digits after the point when shown
 * @own_line:  shown on a line of its own below the event, not beside it
 * @level:     for colour
 */
struct xp_metric {
	double value;
	const char *unit;
	const char *suffix;
	uint8_t width;
	uint8_t precision;
	bool own_line;
	enum xp_metric_level level;
};

enum { XP_METRICS_PER_EVENT_MAX = 2 };

/** struct xp_metrics - which metrics the events of a list have, and from which other events */
struct xp_metrics;

/**
 * xp_metrics_new - find the metrics of a list's events
 * @evlist: the events, after they were opened: those that are not supported serve no metric.
 *          Borrowed for the call
 *
 * A metric that compares two events takes the nearest of several candidates: one of the same
 * group before others, and only one of the same cgroup that counts at the same privilege levels
 * (":u"), save for the clocks, which know no levels.
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_metrics_new(const struct xp_evlist *evlist, struct xp_metrics **ret_metrics);
/** xp_metrics_free - free what xp_metrics_new() found; may be NULL. */
XP_API void xp_metrics_free(struct xp_metrics *metrics);

/**
 * xp_metrics_of - metrics shown beside one event
 * @totals: totals of the same row, one per event of the list, by position
 * @event:  position of the event
 * @wall_ns: time the totals stand for, nanoseconds
 * @ret_metrics: room for XP_METRICS_PER_EVENT_MAX
 *
 * Returns how many were written; 0: the event has none, or its partner was not counted.
 *
 * Source: perf-stat(1) and the output of perf 6.1.
 */
XP_API int xp_metrics_of(const struct xp_metrics *metrics, const struct xp_total *totals, int event,
			 double wall_ns, struct xp_metric *ret_metrics);

/**
 * struct xp_metric_info - a metric there is
 * @name:   the text after its number: "insn per cycle"; static storage
 * @events: the events it is computed from, as an event string; first the one it is shown beside.
 *          Valid during the callback
 */
struct xp_metric_info {
	const char *name;
	const char *events;
};

/**
 * xp_metric_fn - called once per metric
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_metric_fn)(const struct xp_metric_info *metric, void *data);

/** xp_metrics_list - go through the metrics that have a name, of any machine. Returns 0 or what
 * @fn returned. */
XP_API int xp_metrics_list(xp_metric_fn fn, void *data);

XP_END_DECLS

#endif
