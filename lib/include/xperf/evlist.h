/* SPDX-License-Identifier: MIT */
/* Events together: parsing, groups, opening all, one read per group. */
#ifndef XPERF_EVLIST_H
#define XPERF_EVLIST_H

#include <xperf/api.h>

struct xp_count;
struct xp_counts;
struct xp_cpus;
struct xp_ctx;
struct xp_data_event;
struct xp_diag;
struct xp_evsel;
struct xp_exit;
struct xp_threads;
struct xp_workload;

XP_BEGIN_DECLS

/** struct xp_evlist - events in the order they were given, and their groups */
struct xp_evlist;

/** xp_evlist_new - make an empty list. Returns 0 or -ENOMEM. */
XP_API int xp_evlist_new(struct xp_ctx *ctx, struct xp_evlist **ret_evlist);
/** xp_evlist_free - close and free a list with its events; @evlist may be NULL. */
XP_API void xp_evlist_free(struct xp_evlist *evlist);
/** xp_evlist_nr - number of events. Returns >= 0. */
XP_API int xp_evlist_nr(const struct xp_evlist *evlist);
/** xp_evlist_at - event at position @idx. Returns NULL outside 0 .. nr-1; owned by the list. */
XP_API struct xp_evsel *xp_evlist_at(const struct xp_evlist *evlist, int idx);

/**
 * xp_evlist_add - append an event
 * @evsel: owned by the list on success, which frees it
 *
 * Returns 0, -EBUSY (the list or the event is open, or the event is in a list), -ENOMEM.
 */
XP_API int xp_evlist_add(struct xp_evlist *evlist, struct xp_evsel *evsel);

/**
 * xp_evlist_parse - append the events of an event string
 * @text: as after -e: "cycles,{instructions,branch-misses}:u,r1a8,sched:sched_switch"
 * @diag: on failure, what is wrong, where in @text, and the nearest names
 *
 * On failure nothing is appended.
 *
 * Returns 0, or
 *   -EINVAL  @text is not an event string
 *   -ENOENT  a name in it exists nowhere
 *   -EACCES  tracefs is not readable
 *   -EBUSY   the list is open
 *   -EOPNOTSUPP  the kernel's probes are older than what @text asks of them
 * and, of a file that a probe names, as xp_symbol_find() and xp_sdt_walk() say, but -ENOENT
 * where that has no such symbol or marker.
 *
 * Source: perf-list(1), perf 6.1: names, modifiers, groups.
 */
XP_API int xp_evlist_parse(struct xp_evlist *evlist, const char *text, struct xp_diag *diag);

/**
 * xp_evlist_parse_vendor - append events named as libpfm4 names them
 * @text: as after --pfm-events: "skx::INST_RETIRED:ANY_P:u,{inst_retired,unhalted_core_cycles}"
 * @diag: as for xp_evlist_parse()
 *
 * Names without a PMU are those of this machine's PMUs.
 *
 * Returns as xp_evlist_parse(), or
 *   -ENOSYS  this library was built without libpfm4, or libpfm4 cannot be loaded
 */
XP_API int xp_evlist_parse_vendor(struct xp_evlist *evlist, const char *text, struct xp_diag *diag);

/**
 * xp_evlist_add_recorded - append an event of a recording of counts
 * @event: of xp_data_event_at(), copied; one without ids was not supported
 * @cpus:  that were counted on, in the order of the counts
 *
 * The list is not to be opened: the counts are those of the recording's STAT records.
 *
 * Returns 0, -EBUSY (the list is open), -ENOMEM.
 */
XP_API int xp_evlist_add_recorded(struct xp_evlist *evlist, const struct xp_data_event *event,
				  const struct xp_cpus *cpus);

/** enum xp_default_set - which standard events to append; each includes the ones before */
enum xp_default_set {
	XP_DEFAULT_BASIC, /* clock, switches, migrations, faults, cycles, instructions, branches */
	XP_DEFAULT_DETAILED,   /* -d: + L1d and last-level cache loads */
	XP_DEFAULT_DETAILED_2, /* -dd: + L1i, dTLB, iTLB */
	XP_DEFAULT_DETAILED_3, /* -ddd: + L1d prefetches */
};

/**
 * xp_evlist_add_default - append the standard events
 * @system_wide: count cpu-clock instead of task-clock
 *
 * Stalled cycles are included where the PMU lists them.
 *
 * Returns 0, -EBUSY (the list is open), -EINVAL (@set), -ENOMEM. Source: perf-stat(1) of perf 6.1,
 * "-d".
 */
XP_API int xp_evlist_add_default(struct xp_evlist *evlist, enum xp_default_set set,
				 bool system_wide);
/**
 * xp_evlist_add_detailed - append what a set has more than the basic one
 *
 * Returns 0 (also for XP_DEFAULT_BASIC, which has nothing more), or as xp_evlist_add_default().
 */
XP_API int xp_evlist_add_detailed(struct xp_evlist *evlist, enum xp_default_set set);

/**
 * struct xp_open_opts - where and how a list is opened
 * @size:           sizeof(struct xp_open_opts), lets the struct grow
 * @cpus:           CPUs to count on; NULL: wherever the threads run. A reference is kept
 * @threads:        threads to count; NULL: every task on @cpus. A reference is kept. Neither
 *                  @threads nor @cpus: every task on all CPUs that are online
 * @inherit:        count, or record, the children of @threads too
 * @enable_on_exec: start when the thread execs; else nothing counts before xp_evlist_enable()
 * @join_software:  open software events that stand outside groups as one group, so that one
 *                  read fetches all; they can always be scheduled, so nothing else changes
 * @read_on_cpus:   xp_evlist_read() moves the calling thread to each CPU it reads where there are
 *                  many events, which is faster than reading from another CPU. It is put back
 */
struct xp_open_opts {
	size_t size;
	struct xp_cpus *cpus;
	struct xp_threads *threads;
	bool inherit;
	bool enable_on_exec;
	bool join_software;
	bool read_on_cpus;
	uint8_t padding[4]; /* never used */
};

/**
 * xp_evlist_group - make events one group, as braces around them do
 * @first, @nr: their positions; groups they are in are dissolved
 *
 * Returns 0, -EBUSY (open), -EINVAL (no such positions, or they cut a group).
 */
XP_API int xp_evlist_group(struct xp_evlist *evlist, int first, int nr);

/**
 * xp_evlist_open - open every event on every CPU and thread, group by group
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Events this machine cannot count do not make it fail: they become XP_NOT_SUPPORTED with a
 * reason. On failure no descriptor stays open.
 *
 * Returns 0, or
 *   -EALREADY  the list is open
 *   -EINVAL    threads are given where events are of cgroups
 *   -ENODEV, -EINVAL  a CPU of @opts->cpus is not online, or does not exist
 *   -EACCES, -EPERM  the kernel does not let this process count these CPUs or threads
 *   -ESRCH     all threads have ended
 *   -EMFILE    too many descriptors for RLIMIT_NOFILE, see struct xp_ctx_opts, raise_limits
 * Other negative errno: as the kernel gave it.
 */
XP_API int xp_evlist_open(struct xp_evlist *evlist, const struct xp_open_opts *opts,
			  struct xp_diag *diag);

/** xp_evlist_close - close all descriptors; the events can be opened again. */
XP_API void xp_evlist_close(struct xp_evlist *evlist);

/**
 * xp_evlist_close_behind - as xp_evlist_close(), but a background process does what takes long
 *
 * Closing a tracepoint waits for a grace period in the kernel, some 40 ms each. If the list has
 * such events, their descriptors go to a short-lived child process; call it from programs that
 * may fork. Measured: 20 tracepoints, Linux 6.18, 788 ms of waiting against 3.
 */
XP_API void xp_evlist_close_behind(struct xp_evlist *evlist);

/** xp_evlist_enable - start all events. Returns 0, -EPERM (in a child by fork(2)), -ENOTCONN (not
 * open), or the kernel's errno. */
XP_API int xp_evlist_enable(struct xp_evlist *evlist);
/** xp_evlist_disable - stop all events. Returns as xp_evlist_enable(). */
XP_API int xp_evlist_disable(struct xp_evlist *evlist);

/** xp_evlist_cpus - CPUs the list is open on. Returns NULL when it is not open; owned by the list.
 */
XP_API struct xp_cpus *xp_evlist_cpus(const struct xp_evlist *evlist);
/** xp_evlist_threads - threads the list is open on. Returns NULL when it is not open; owned by the
 * list. */
XP_API struct xp_threads *xp_evlist_threads(const struct xp_evlist *evlist);

/**
 * xp_evlist_update - see what has changed under an open list
 *
 * Events of a CPU that went offline are stopped for good by the kernel: what they counted is kept,
 * and when the CPU is back they are opened again. The time from the call before this is added to
 * their enabled time then, for they may have missed it; so call it often, ten times a second. Lists
 * opened for recording are not opened again, but by xp_recorder_update_cpus(). Events get a reason
 * where a CPU went offline or came online later, or a cgroup was removed and made again.
 *
 * Returns the number of changes, -ENOTCONN (not open), -ENOMEM, or as xp_cpus_online().
 */
XP_API int xp_evlist_update(struct xp_evlist *evlist);

/**
 * xp_evlist_update_cpus - as xp_evlist_update(), and count CPUs that came online later, too
 *
 * For lists that count all CPUs, opened on none or on those of xp_cpus_online(): events are opened
 * on CPUs that came online since, and count if the others do. A list of CPUs that was named stays
 * that. xp_evlist_cpus() is a larger set then, in which a CPU can be at another position than
 * before, and a struct xp_counts of the new dimensions is needed. The time from the call before
 * this is added to the enabled time of a new CPU, too. No CPU leaves the set. What was counted
 * before stays in the counts of later readings.
 *
 * Returns the number of changes, or as xp_evlist_update(). On failure the set is as before.
 */
XP_API int xp_evlist_update_cpus(struct xp_evlist *evlist);

/**
 * xp_evlist_is_frozen - whether a CPU of an open list is offline
 * @cpu_idx: position in xp_evlist_cpus()
 *
 * Its counts stay what they were when it went offline. Known since the last xp_evlist_update() or
 * xp_evlist_update_cpus().
 *
 * Returns true or false.
 */
XP_API bool xp_evlist_is_frozen(const struct xp_evlist *evlist, int cpu_idx);

/**
 * struct xp_tool_times - what the tool events of time read
 * @duration_ns, @user_ns, @system_ns: nanoseconds
 * @no_times:    user and system time are not known: their events are not counted
 */
struct xp_tool_times {
	uint64_t duration_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	bool no_times;
};

/**
 * xp_evlist_read - read every counter now
 * @tool:   values for tool events of time; NULL: zeros
 * @counts: made by xp_counts_new() for this list's numbers of events, CPUs and threads
 *
 * One read() per group, CPU and thread. Cells of events that are not open there (not supported,
 * thread ended before it was opened), and of pinned events that could not be scheduled, become 0.
 * When the kernel fails half-way, some cells are new and some old; it can be tried again.
 *
 * The affinity of the calling thread changes only with struct xp_open_opts, read_on_cpus.
 *
 * Returns 0, -EPERM (in a child by fork(2)), -ENOTCONN (not open), -EOPNOTSUPP (open for
 * recording), -EINVAL (@counts has other dimensions), or the kernel's errno.
 */
XP_API int xp_evlist_read(struct xp_evlist *evlist, const struct xp_tool_times *tool,
			  struct xp_counts *counts);

/**
 * xp_evlist_set_max_rss - what the event max_rss reads from now on
 * @bytes: the largest resident size of the command, see xp_workload_usage(); 0: it is not known, so
 *         that the event is not counted
 *
 * Opening the list forgets it.
 */
XP_API void xp_evlist_set_max_rss(struct xp_evlist *evlist, uint64_t bytes);

/**
 * xp_evlist_explain - find out why events were never on a counter
 * @counts: a reading of the list, made by xp_evlist_read()
 *
 * Sets xp_evsel_reason() of events that were enabled and never ran: the group does not fit on
 * the counters that are free, the NMI watchdog holds one, a pinned event failed. Events that
 * counted, or were not supported, keep their reasons.
 */
XP_API void xp_evlist_explain(struct xp_evlist *evlist, const struct xp_counts *counts);

/**
 * xp_evlist_check_workload - see whether the kernel let a workload be counted
 * @workload: that was counted and has ended
 * @exit:     its end
 * @counts:   a reading of the list made since; made zeros if it was not let
 *
 * The kernel stops the counters of ordinary users at the exec of a privileged program, see
 * xp_workload_is_privileged(). The events get a reason then.
 *
 * Returns true if it was counted.
 */
XP_API bool xp_evlist_check_workload(struct xp_evlist *evlist, const struct xp_workload *workload,
				     const struct xp_exit *exit, struct xp_counts *counts);

/**
 * xp_evlist_misses_cpus - tasks could run where an event could not count them
 * @event: its position
 *
 * It followed tasks when the list was opened last, and counts on some CPUs only: those that were
 * given, or those of the kind its PMU is for. What of its time it did not count is then not for
 * want of a counter.
 *
 * Returns true or false.
 */
XP_API bool xp_evlist_misses_cpus(const struct xp_evlist *evlist, int event);

/** struct xp_counts - counts by event, CPU and thread */
struct xp_counts;

/**
 * xp_counts_new - make a table of zeros
 *
 * Returns 0, -EINVAL (a dimension < 1), -ENOMEM.
 */
XP_API int xp_counts_new(int nr_events, int nr_cpus, int nr_threads, struct xp_counts **ret_counts);
/** xp_counts_free - free a table; may be NULL. */
XP_API void xp_counts_free(struct xp_counts *counts);
/** xp_counts_nr_events - rows. Returns >= 1. */
XP_API int xp_counts_nr_events(const struct xp_counts *counts);
/** xp_counts_nr_cpus - CPU positions. Returns >= 1. */
XP_API int xp_counts_nr_cpus(const struct xp_counts *counts);
/** xp_counts_nr_threads - thread positions. Returns >= 1. */
XP_API int xp_counts_nr_threads(const struct xp_counts *counts);
/** xp_counts_at - one cell. Returns it, or NULL outside the table; lives as long as the table. */
XP_API struct xp_count *xp_counts_at(const struct xp_counts *counts, int event, int cpu_idx,
				     int thread_idx);
/** xp_counts_copy - copy all cells. Returns 0, -EINVAL (the dimensions are not equal). */
XP_API int xp_counts_copy(struct xp_counts *dst, const struct xp_counts *src);
/** xp_counts_subtract - @counts -= @before, cell by cell. Returns 0, -EINVAL (the dimensions are
 * not equal). */
XP_API int xp_counts_subtract(struct xp_counts *counts, const struct xp_counts *before);

XP_END_DECLS

#endif
