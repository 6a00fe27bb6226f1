/* SPDX-License-Identifier: MIT */
/*
 * Samples in the kernel: BPF programs that see the samples of an event before they are written,
 * and drop them, or sum them by call chain.
 *
 * They need libbpf, and CAP_BPF with CAP_PERFMON or root; without them one sentence says so.
 */
#ifndef XPERF_BPF_SAMPLES_H
#define XPERF_BPF_SAMPLES_H

#include <xperf/api.h>
#include <xperf/record.h>
#include <xperf/recorder.h>

struct xp_chain_ends;
struct xp_diag;
struct xp_evlist;
struct xp_evsel;
struct xp_recorder;
struct xp_unwind;

XP_BEGIN_DECLS

/**
 * xp_evsel_add_sample_filter - keep only samples of an event for which conditions hold
 * @evsel:  neither a tracepoint nor a probe (xp_evsel_add_filter() is for these); not open
 * @filter: "period > 1000, ip < 0x8000000000000000 || uid == 0"; copied. All conditions that ","
 *          joins have to hold, one of those that "||" joins, which binds tighter
 * @diag:   on failure, what is wrong with @filter, where, and the nearest name; may be NULL
 *
 * The event's samples get what the conditions are about. A second filter narrows the first.
 * xp_sample_filters_load() has to follow, or the filter has no effect.
 *
 * Returns 0, or
 *   -EINVAL      @filter is wrong
 *   -EOPNOTSUPP  @evsel is a tracepoint or probe
 *   -EBUSY       @evsel is open
 *   -ENOMEM
 *
 * Source: perf-record(1) of perf 6.4 to 7.2, "--filter".
 */
XP_API int xp_evsel_add_sample_filter(struct xp_evsel *evsel, const char *filter,
				      struct xp_diag *diag);

/** struct xp_sample_filters - the filters of a list of events, in the kernel */
struct xp_sample_filters;

/**
 * struct xp_sample_tally - what filters did, in all of a list's events
 * @size:           sizeof(struct xp_sample_tally), set by the caller
 * @kept, @dropped: samples
 * @kept_period, @dropped_period: sums of their periods, events
 */
struct xp_sample_tally {
	size_t size;
	uint64_t kept;
	uint64_t kept_period;
	uint64_t dropped;
	uint64_t dropped_period;
};

/**
 * xp_sample_filters_load - load the filters of a list into the kernel
 * @evlist: configured, not open; borrowed until xp_sample_filters_free(). When it is opened, also
 *          again on a CPU that came back, the filters see its samples
 * @diag:   on failure, a sentence for the user; may be NULL
 *
 * Returns 0, with NULL if no event has a filter, or
 *   -ENOSYS      there is no libbpf
 *   -EOPNOTSUPP  the kernel has what a condition is about only since a later version
 *   -EPERM       the kernel does not allow it
 * Other negative errno: as the kernel gave it.
 */
XP_API int xp_sample_filters_load(struct xp_evlist *evlist, struct xp_sample_filters **ret_filters,
				  struct xp_diag *diag);
/** xp_sample_filters_tally - what they have kept and dropped up to now. Returns 0, -EINVAL (the
 * size of @ret_tally is not set) or the kernel's errno. */
XP_API int xp_sample_filters_tally(const struct xp_sample_filters *filters,
				   struct xp_sample_tally *ret_tally);
/** xp_sample_filters_free - free it, when the list is closed; NULL is allowed. */
XP_API void xp_sample_filters_free(struct xp_sample_filters *filters);

/** struct xp_stack_sums - samples of a list of events, summed in the kernel by task and call chain
 */
struct xp_stack_sums;

/**
 * struct xp_stack_sums_stats - what has been summed up to now
 * @size:    sizeof(struct xp_stack_sums_stats), set by the caller
 * @samples, @period: that were summed, and the sum of their periods, events
 * @missed, @missed_period: for which there was no room
 * @written: records that xp_stack_sums_read() made of them
 * @first_ns, @last_ns: times of these records; 0: there are none
 * @bytes:   of memory that the kernel has for them, about
 * @waits_not_followed: that began where there was no room for the task; they are in no other number
 * @switches: of the event whose waits are summed
 * @switches_unseen: of those, how many the kernel ran no program at, so that a wait was not seen,
 *           or a preemption, which is none; exact when the events are disabled
 */
struct xp_stack_sums_stats {
	size_t size;
	uint64_t samples;
	uint64_t period;
	uint64_t missed;
	uint64_t missed_period;
	uint64_t written;
	uint64_t first_ns, last_ns;
	uint64_t bytes;
	uint64_t waits_not_followed;
	uint64_t switches, switches_unseen;
};

/**
 * struct xp_stack_sums_opts - how samples are summed
 * @size:    sizeof(struct xp_stack_sums_opts), set by the caller
 * @unwind:  has rules by which callers in user space are found, so that code needs no frame
 *           pointers: x86-64 only. Borrowed until xp_stack_sums_free(), and used by a thread. NULL:
 *           frame pointers are followed, also where the kernel cannot do it by rules,
 *           xp_stack_sums_why_pointers()
 * @off_cpu: an event of the list, context-switches with a period of 1, of which not the switches
 *           are summed, but how long the tasks waited that left their CPUs, in nanoseconds, from
 *           switch to switch: xp_recorder_opts.off_cpu, which has to be NULL then. NULL: none
 * @off_cpu_min_ns: shorter waits are left out
 * @waking:  an event of the list, sched:sched_waking, of which samples are made that show who
 *           ended the waits, with call chain; waits are summed by that, too. It should have no
 *           samples of its own: a filter that nothing passes. NULL: none
 * @rules_cpu_ppm: the share of a CPU, in millionths, that making rules of files may take for long;
 *           beyond it files in which chains have ended are first. 0: any; at most 1,000,000
 */
struct xp_stack_sums_opts {
	size_t size;
	struct xp_unwind *unwind;
	const struct xp_evsel *off_cpu;
	uint64_t off_cpu_min_ns;
	struct xp_evsel *waking;
	uint64_t rules_cpu_ppm;
};

/**
 * xp_stack_sums_load - load what sums samples into the kernel
 * @evlist: configured with call chains by frame pointers, with the clock CLOCK_MONOTONIC, and not
 *          open; borrowed until xp_stack_sums_free(). When it is opened, nothing is written into
 *          its rings but the side band
 * @opts:   may be NULL: by frame pointers, without waits
 * @diag:   on failure, a sentence for the user; may be NULL
 *
 * Memory is constant: 16384 sums and 8192 parts of call chains for each event, twice; 8192 tasks
 * whose waits are followed; 2097152 rules for all files, beyond which frame pointers are followed.
 *
 * Returns 0, or
 *   -EINVAL     an event cannot be summed: a tracepoint, or its samples have more than task, time,
 *               CPU, cgroup, period and call chain; or it has a filter. Or waits are wanted of
 *               another event, or a share is too large
 *   -ENOSYS     there is no libbpf
 *   -EPERM      the kernel does not allow it
 * Other negative errno: as the kernel gave it.
 */
XP_API int xp_stack_sums_load(struct xp_evlist *evlist, const struct xp_stack_sums_opts *opts,
			      struct xp_stack_sums **ret_sums, struct xp_diag *diag);
/** xp_stack_sums_why_pointers - why frame pointers are followed though there was an @unwind.
 * Returns a sentence, valid as long as @sums, "" if there was none; NULL: callers are found by
 * rules. */
XP_API const char *xp_stack_sums_why_pointers(const struct xp_stack_sums *sums);
/** xp_stack_sums_files_beyond - files whose frame pointers are followed because there was no room
 * for their rules. Returns their number. */
XP_API uint64_t xp_stack_sums_files_beyond(const struct xp_stack_sums *sums);
/**
 * xp_stack_sums_note - what a record says of maps and tasks, for the walk by rules
 * @record:  others are ignored, but for LOST: then no process that there is has rules any more
 * @time_ns: its time; 0: it describes what is there already, as xp_synth_*() do
 *
 * Records come in the order of time, those of struct xp_band among others. They have an effect with
 * the next xp_stack_sums_known(). Any thread may call both.
 */
XP_API void xp_stack_sums_note(struct xp_stack_sums *sums, const struct xp_record *record,
			       uint64_t time_ns);
/** xp_stack_sums_known - all records up to a time, in nanoseconds of CLOCK_MONOTONIC, have been
 * noted. What a process executes after the last such time has no rules. */
XP_API void xp_stack_sums_known(struct xp_stack_sums *sums, uint64_t until_ns);
/** xp_stack_sums_describe - read from /proc what processes have mapped that were sampled without
 * having rules, as records of them were lost, and put files whose rules are missed in front of
 * others. Several times a second, by one thread. */
XP_API void xp_stack_sums_describe(struct xp_stack_sums *sums);
/** xp_stack_sums_wait - wait until rules are there of all files that are known to be mapped; for
 * thousands of files it takes many seconds. */
XP_API void xp_stack_sums_wait(struct xp_stack_sums *sums);
/** xp_stack_sums_chain_ends - how call chains ended that were made by rules; @ret_ends is the
 * caller's to free. Returns 0, -ENODATA (there are no rules), -ENOMEM or the kernel's errno. */
XP_API int xp_stack_sums_chain_ends(const struct xp_stack_sums *sums,
				    struct xp_chain_ends **ret_ends);
/**
 * xp_stack_sums_read - make samples of the sums, and begin with new ones
 * @fn: gets each sample: its period is the sum, its time and CPU those of the last one in it. In
 *      front of a sum of waits is the sample of who ended them, if that is wanted and known: its
 *      period is their number, its time that of the last waking; in front of it, where it is
 *      needed, the waker's name, a COMM record. Finally, if there were any, a FINISHED_ROUND
 *
 * While the sums are read, others are added to: nothing is lost.
 *
 * Returns 0, what @fn returned, -ENOTCONN (the events are not open), -ENOMEM or the kernel's errno.
 */
XP_API int xp_stack_sums_read(struct xp_stack_sums *sums, xp_record_fn fn, void *data);
/**
 * xp_stack_sums_stop - add no more waits to the sums, since the events have been disabled
 * @now_ns: the time, in nanoseconds of CLOCK_MONOTONIC. The next xp_stack_sums_read() also makes
 *          samples of the waits that go on, up to then
 *
 * Returns 0 or the kernel's errno.
 */
XP_API int xp_stack_sums_stop(struct xp_stack_sums *sums, uint64_t now_ns);
/** xp_stack_sums_are_filling - whether more than half of the room for sums, or for call chains, of
 * an event has been taken since the last xp_stack_sums_read(), which is due then. Returns 1, 0,
 * -ENOMEM or the kernel's errno. */
XP_API int xp_stack_sums_are_filling(const struct xp_stack_sums *sums);
/** xp_stack_sums_get_stats - how it goes. Returns 0, -EINVAL (the size of @ret_stats is not set) or
 * the kernel's errno. */
XP_API int xp_stack_sums_get_stats(const struct xp_stack_sums *sums,
				   struct xp_stack_sums_stats *ret_stats);
/** xp_stack_sums_free - free it, when the list is closed; NULL is allowed. */
XP_API void xp_stack_sums_free(struct xp_stack_sums *sums);

/** struct xp_stack_walks - call chains in user space that the kernel makes at each sample */
struct xp_stack_walks;

/**
 * xp_stack_walks_load - let the kernel make call chains of a list that copies stacks
 * @evlist: configured with copies of stacks, ids in samples (XP_SAMPLING_IDENTIFIER) and the clock
 *          CLOCK_MONOTONIC, and not open; borrowed until xp_stack_walks_free()
 * @unwind: has the rules by which callers are found; borrowed until then, too, and
 *          used by a thread
 * @diag:   on failure, a sentence for the user; may be NULL
 *
 * Nothing is different until xp_stack_walks_begin(): this costs less than a millisecond.
 *
 * Returns 0, or
 *   -EOPNOTSUPP  not on this machine, not in this container, or not of these events: tracepoints,
 *                probes, filtered ones, and those whose samples have more than task, time, CPU,
 *                period and call chain
 *   -ENOSYS      there is no libbpf
 *   -EPERM       the kernel does not allow it
 * Other negative errno: as the kernel gave it.
 */
XP_API int xp_stack_walks_load(struct xp_evlist *evlist, struct xp_unwind *unwind,
			       struct xp_stack_walks **ret_walks, struct xp_diag *diag);
/**
 * xp_stack_walks_begin - from here on samples have their call chains from the kernel
 * @recorder: of the list, which is open, with the band of xp_stack_walks_band() and the unwinder
 * @is_thrifty: rules of a file are made when copies of stacks that had to do with it have cost as
 *            much as that does; otherwise as soon as one had
 * @diag:     on failure, a sentence for the user; may be NULL
 *
 * A sample whose chain cannot be made by rules whole, up to 1,023 frames, has a copy of its stack
 * as before: of new processes and files, and where rules are not what they are for most code. It
 * takes 30 ms of a CPU and 27 MB, and pays for itself after some ten thousand samples. Call it
 * once.
 *
 * Returns 0, or the kernel's errno; then all goes on with copies.
 */
XP_API int xp_stack_walks_begin(struct xp_stack_walks *walks, struct xp_recorder *recorder,
				bool is_thrifty, struct xp_diag *diag);
/** xp_stack_walks_look - read what is mapped in processes that were sampled without being known,
 * and make rules of files that are worth it. Some times a second, by one thread. */
XP_API void xp_stack_walks_look(struct xp_stack_walks *walks);
/** xp_stack_walks_band - who hears of maps and tasks, for struct xp_recorder_opts. Returns it; it
 * is valid as long as @walks. */
XP_API struct xp_band xp_stack_walks_band(struct xp_stack_walks *walks);
/** xp_stack_walks_free - free it, when the list is closed; NULL is allowed. */
XP_API void xp_stack_walks_free(struct xp_stack_walks *walks);

XP_END_DECLS

#endif
