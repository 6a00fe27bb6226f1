/* SPDX-License-Identifier: MIT */
/* One event: what to count, where it is open, what it has counted. */
#ifndef XPERF_EVSEL_H
#define XPERF_EVSEL_H

#include <xperf/api.h>

struct xp_attr;
struct xp_cpus;
struct xp_ctx;
struct xp_diag;
struct xp_threads;

XP_BEGIN_DECLS

/**
 * struct xp_count - one reading of one counter
 * @value:      events counted, raw; not scaled for multiplexing
 * @enabled_ns: time the event was enabled, nanoseconds
 * @running_ns: time it was on a hardware counter, nanoseconds; <= @enabled_ns.
 *              0 with @enabled_ns > 0: never scheduled, @value means nothing
 * @lost:       samples lost on this event; 0 for events that only count
 *
 * Source: linux/perf_event.h, "struct read_format".
 */
struct xp_count {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t lost;
};

/**
 * enum xp_tool_event - what xperf measures itself, without a kernel counter
 *
 * Times are in nanoseconds. The others are snapshots, see xp_evsel_is_snapshot(): they are read
 * when the event is opened, and are not supported where their value is not known. The largest
 * resident size is what xp_evlist_set_max_rss() says.
 *
 * Source: perf-list(1) of perf 7.2, "tool".
 */
enum xp_tool_event {
	XP_TOOL_NONE,
	XP_TOOL_DURATION_TIME,   /* wall time from enabling to reading */
	XP_TOOL_USER_TIME,       /* user time of what is measured */
	XP_TOOL_SYSTEM_TIME,     /* system time of what is measured */
	XP_TOOL_NUM_CPUS,        /* CPUs that are present */
	XP_TOOL_NUM_CPUS_ONLINE, /* CPUs that are online */
	XP_TOOL_NUM_CORES,       /* cores with a CPU that is online; dies and packages likewise */
	XP_TOOL_NUM_DIES,
	XP_TOOL_NUM_PACKAGES,
	XP_TOOL_SMT_ON,          /* 1: a core has two or more CPUs that are online; else 0 */
	XP_TOOL_SYSTEM_TSC_FREQ, /* Hz of x86's time stamp counter */
	XP_TOOL_HAS_PMEM,        /* 1: the firmware describes persistent memory; else 0 */
	XP_TOOL_CORE_WIDE,       /* 1: all that runs on the cores of its CPUs is counted; else 0 */
	XP_TOOL_TARGET_CPU,      /* 1: CPUs are counted, 0: tasks are */
	XP_TOOL_SLOTS,           /* slots for operations in a cycle of an arm64 processor */
	XP_TOOL_MAX_RSS,         /* bytes, the largest resident size of a command that has ended */
};

/** enum xp_support - what became of an event when it was opened */
enum xp_support {
	XP_NOT_OPENED,    /* not tried yet */
	XP_SUPPORTED,     /* counts somewhere */
	XP_NOT_SUPPORTED, /* the kernel refused it; xp_evsel_reason() says why */
};

/** struct xp_evsel - one event, with its descriptors once it is open */
struct xp_evsel;

/**
 * xp_evsel_new - make an event from a kernel attribute
 * @attr: copied; @attr->size may be 0: one that holds the content is used
 * @name: copied; how it is shown
 *
 * Returns 0, -EINVAL (@attr->size is larger than the struct), -ENOMEM.
 */
XP_API int xp_evsel_new(struct xp_ctx *ctx, const struct xp_attr *attr, const char *name,
			struct xp_evsel **ret_evsel);

/** xp_evsel_free - close and free an event; @evsel may be NULL. One in a list is the list's, and
 * stays. */
XP_API void xp_evsel_free(struct xp_evsel *evsel);

/** xp_evsel_name - the event's name, as given, plus what opening it had to add (":u"). Returns it;
 * valid until the event is opened or freed. */
XP_API const char *xp_evsel_name(const struct xp_evsel *evsel);
/** xp_evsel_own_name - the name that distinguishes an event from those it is merged with:
 * "uncore_imc_0/cas_count_read/". Returns xp_evsel_name() if there are none; lives as that does. */
XP_API const char *xp_evsel_own_name(const struct xp_evsel *evsel);
/**
 * xp_evsel_merged_into - the first of the events that are shown as one
 *
 * One name can mean the same event of several boxes of the machine ("uncore_imc/cas_count_read/"
 * for uncore_imc_0, uncore_imc_1, ...), for the places of a marker, or, after
 * xp_pmus_merge_core(), for the kinds of CPU: each is an event of the list, their sum is what is
 * asked for.
 *
 * Returns it; @evsel itself if it stands for itself. Owned by the list.
 */
XP_API const struct xp_evsel *xp_evsel_merged_into(const struct xp_evsel *evsel);
/** xp_evsel_cgroup - the cgroup whose tasks alone it counts, see <xperf/cgroup.h>. Returns its name
 * as given, NULL: none; events of a list that are in the same cgroup have the same pointer. */
XP_API const char *xp_evsel_cgroup(const struct xp_evsel *evsel);
/** xp_evsel_is_percore - the counts of a core's hardware threads belong together ("percore").
 * Returns true or false. Source: perf-stat(1), "percore". */
XP_API bool xp_evsel_is_percore(const struct xp_evsel *evsel);
/** xp_evsel_is_snapshot - a reading says how things are now; it is no sum that differences could be
 * made of. Returns true or false. */
XP_API bool xp_evsel_is_snapshot(const struct xp_evsel *evsel);
/** xp_evsel_attr - the kernel attribute, for reading and, before it is opened, for changing.
 * Returns it; lives as long as @evsel. */
XP_API struct xp_attr *xp_evsel_attr(struct xp_evsel *evsel);
/** xp_evsel_attr_const - the kernel attribute, for reading. Returns it; lives as long as
 * @evsel. */
XP_API const struct xp_attr *xp_evsel_attr_const(const struct xp_evsel *evsel);
/** xp_evsel_unit - unit of the shown value. Returns "msec", "ns", ""; static storage or as long as
 * @evsel. */
XP_API const char *xp_evsel_unit(const struct xp_evsel *evsel);
/** xp_evsel_scale - what a raw value is multiplied with to be in xp_evsel_unit(). Returns a factor
 * > 0. */
XP_API double xp_evsel_scale(const struct xp_evsel *evsel);
/** xp_evsel_tool - which tool event it is. Returns XP_TOOL_NONE for kernel events. */
XP_API enum xp_tool_event xp_evsel_tool(const struct xp_evsel *evsel);
/** xp_evsel_leader - leader of the group the user asked for. Returns @evsel itself outside groups.
 */
XP_API const struct xp_evsel *xp_evsel_leader(const struct xp_evsel *evsel);
/** xp_evsel_group_size - members of the group the user asked for, leader included. Returns 1
 * outside groups. */
XP_API int xp_evsel_group_size(const struct xp_evsel *evsel);
/** xp_evsel_index - position in its list. Returns -1 outside a list. */
XP_API int xp_evsel_index(const struct xp_evsel *evsel);
/** xp_evsel_support - what became of it when it was opened. Returns a state. */
XP_API enum xp_support xp_evsel_support(const struct xp_evsel *evsel);
/**
 * xp_evsel_reason - why an event is not supported, or what it gave up to be opened
 *
 * Returns a clause without full stop ("this virtual machine has no PMU"); "" if there is
 * nothing to report. Lives as long as @evsel.
 */
XP_API const char *xp_evsel_reason(const struct xp_evsel *evsel);
/**
 * xp_evsel_instead_of - the event that was asked for, where another one is sampled in its place
 *
 * xp_evsel_name() is then that of the other one, and xp_evsel_reason() says why.
 *
 * Returns "cycles"; NULL: the event is the one that was asked for. Lives as long as the library.
 */
XP_API const char *xp_evsel_instead_of(const struct xp_evsel *evsel);
/**
 * xp_evsel_own_cpus - the CPUs its PMU is on; on others it is not opened
 *
 * Returns NULL where it counts on any CPU. Lives as long as @evsel.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-*, "cpus" and "cpumask".
 */
XP_API const struct xp_cpus *xp_evsel_own_cpus(const struct xp_evsel *evsel);
/** xp_evsel_is_software - the kernel can always count it: a software event or tracepoint. Returns
 * true or false. */
XP_API bool xp_evsel_is_software(const struct xp_evsel *evsel);

/**
 * xp_evsel_add_filter - count a tracepoint or probe only where a condition holds
 * @evsel:  a tracepoint, uprobe, kprobe or marker, not open
 * @filter: "prev_pid != 0 && prev_comm ~ \"x*\""; copied
 * @diag:   on failure, what is wrong with @filter, where, and the nearest field; may be NULL
 *
 * A second filter narrows the first: both must hold. Field names are checked where the
 * tracepoint's format can be read, see xp_tracepoint_new(); the rest the kernel checks when the
 * event is opened, and refuses with -EINVAL or another errno. A probe has only the fields that all
 * tracepoints have, as common_pid and comm.
 *
 * Returns 0, or
 *   -EINVAL      @filter is wrong
 *   -EOPNOTSUPP  @evsel is neither
 *   -EBUSY       @evsel is open
 *   -ENOMEM
 *
 * Source: Documentation/trace/events.rst, "Event filtering".
 */
XP_API int xp_evsel_add_filter(struct xp_evsel *evsel, const char *filter, struct xp_diag *diag);
/**
 * xp_evsel_exclude_self - leave what this process does out of a tracepoint or probe
 *
 * For an event that counts, these are the threads that exist when it is opened; for one that is
 * sampled, those at xp_evlist_exclude_self(). What it forks is not left out.
 *
 * Returns as xp_evsel_add_filter().
 */
XP_API int xp_evsel_exclude_self(struct xp_evsel *evsel, struct xp_diag *diag);

/** xp_evsel_filter - the condition of xp_evsel_add_filter(). Returns it; "": none. Valid until
 * another is added or @evsel is freed. */
XP_API const char *xp_evsel_filter(const struct xp_evsel *evsel);

/**
 * xp_evsel_open - open one counter per CPU and thread
 * @evsel:   the event, not open yet, in no list
 * @cpus:    CPUs to count on; NULL: wherever the threads run. A reference is kept
 * @threads: threads to count; NULL: every task on @cpus. A reference is kept
 * @diag:    on failure, a sentence for the user; may be NULL
 *
 * Opens nr(@cpus) x nr(@threads) close-on-exec descriptors. If the kernel refuses an
 * attribute the user did not ask for, retries without it and says so in xp_evsel_reason().
 * A thread of several that has ended is left out. On failure no descriptor stays open.
 *
 * The attribute decides what is counted when: with @disabled nothing before xp_evsel_enable().
 * Its read_format is set here.
 *
 * Returns 0, or
 *   -EALREADY   @evsel is open
 *   -EBUSY      @evsel is in a list; or another program holds the PMU
 *   -EINVAL     both sets are NULL
 *   -ENODEV, -EINVAL  a CPU of @cpus is not online, or does not exist
 *   -ENOENT     this machine cannot count the event, xp_evsel_reason() says why
 *   -EACCES, -EPERM   perf_event_paranoid or a missing CAP_PERFMON forbids it
 *   -ESRCH      all threads of @threads have ended
 *   -EMFILE     one descriptor per CPU and thread is more than RLIMIT_NOFILE allows, see struct
 *               xp_ctx_opts, raise_limits
 * Other negative errno: as the kernel gave it.
 *
 * Source: perf_event_open(2), "Arguments" and ERRORS.
 */
XP_API int xp_evsel_open(struct xp_evsel *evsel, struct xp_cpus *cpus, struct xp_threads *threads,
			 struct xp_diag *diag);

/** xp_evsel_close - close all descriptors; nothing happens if it is not open. */
XP_API void xp_evsel_close(struct xp_evsel *evsel);

/**
 * xp_evsel_enable - start counting. Returns 0, -EPERM (in a child by fork(2)), -ENOTCONN (not
 * open), or the kernel's errno.
 */
XP_API int xp_evsel_enable(struct xp_evsel *evsel);

/**
 * xp_evsel_disable - stop counting. Returns as xp_evsel_enable().
 */
XP_API int xp_evsel_disable(struct xp_evsel *evsel);

/**
 * xp_evsel_read - read one counter now
 * @cpu_idx, @thread_idx: positions in the sets given to xp_evsel_open(), not CPU or thread
 *             numbers; 0 for a set that was NULL
 * @ret_count: written on success only
 *
 * Returns 0, or
 *   -EPERM     in a child by fork(2)
 *   -ENOTCONN  not open there, or no such position
 *   -ENODATA   a pinned event that could not be scheduled; enable it again to recover
 *   -EOPNOTSUPP  it was opened in a group by its list: xp_evlist_read() reads it
 *
 * Source: perf_event_open(2), "pinned": reads then return end of file.
 */
XP_API int xp_evsel_read(struct xp_evsel *evsel, int cpu_idx, int thread_idx,
			 struct xp_count *ret_count);

/**
 * xp_count_scale - estimate what a counter would have counted had it run all the time
 *
 * Returns value * enabled / running, value itself when it always ran, 0 when it never did.
 * The unit is that of the count.
 */
XP_API double xp_count_scale(const struct xp_count *count);

XP_END_DECLS

#endif
