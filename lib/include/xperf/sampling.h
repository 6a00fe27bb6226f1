/* SPDX-License-Identifier: MIT */
/* Sampling: what events ask of the kernel when they are recorded, and their rings. */
#ifndef XPERF_SAMPLING_H
#define XPERF_SAMPLING_H

#include <sys/types.h>
#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;
struct xp_evlist;
struct xp_evsel;
struct xp_open_opts;
struct xp_record;
struct xp_ring;
struct xp_threads;
struct xp_time_conv;

XP_BEGIN_DECLS

/** enum xp_callchain - how callers are found */
enum xp_callchain {
	XP_CALLCHAIN_NONE,
	XP_CALLCHAIN_FP,    /* frame pointers, by the kernel */
	XP_CALLCHAIN_DWARF, /* user registers and a copy of the stack */
	XP_CALLCHAIN_LBR,   /* the processor's branch records */
};

/** What else each sample bears; bits for struct xp_sampling_opts, most of them options of record.
 */
enum xp_sampling_flag {
	XP_SAMPLING_ADDRESS = 1 << 0,        /* -d: data address */
	XP_SAMPLING_PHYS_ADDRESS = 1 << 1,   /* --phys-data */
	XP_SAMPLING_DATA_PAGE_SIZE = 1 << 2, /* --data-page-size */
	XP_SAMPLING_CODE_PAGE_SIZE = 1 << 3, /* --code-page-size */
	XP_SAMPLING_WEIGHT = 1 << 4,         /* -W */
	XP_SAMPLING_TRANSACTION = 1 << 5,    /* --transaction */
	XP_SAMPLING_PERIOD = 1 << 6,         /* -P */
	XP_SAMPLING_TIME = 1 << 7,           /* -T; without it, as perf: on unless NO_TIME */
	XP_SAMPLING_NO_TIME = 1 << 8,        /* --no-timestamp */
	XP_SAMPLING_CPU = 1 << 9,            /* --sample-cpu */
	XP_SAMPLING_IDENTIFIER = 1 << 10,    /* --sample-identifier */
	XP_SAMPLING_RAW = 1 << 11,           /* -R */
	XP_SAMPLING_COUNTS = 1 << 12,        /* -s: READ records of inherited counts at task exit */
	XP_SAMPLING_RUNNING_TIME = 1 << 13,  /* --running-time */
	XP_SAMPLING_ONCE = 1 << 14,          /* -n: no samples */
	XP_SAMPLING_CGROUP = 1 << 15,        /* --all-cgroups */
	XP_SAMPLING_NAMESPACES = 1 << 16,    /* --namespaces */
	XP_SAMPLING_SWITCHES = 1 << 17,      /* --switch-events */
	XP_SAMPLING_TEXT_POKES = 1 << 18,    /* --kcore, with AUX events */
	XP_SAMPLING_NO_BPF = 1 << 19,        /* --no-bpf-event */
	XP_SAMPLING_NO_BUFFERING = 1 << 20,  /* --no-buffering: wake up at each sample */
	XP_SAMPLING_OVERWRITE = 1 << 21,     /* --overwrite: the rings keep the newest */
	XP_SAMPLING_ALL_USER = 1 << 22,      /* --all-user */
	XP_SAMPLING_ALL_KERNEL = 1 << 23,    /* --all-kernel */
	XP_SAMPLING_NO_USER_CHAIN = 1 << 24, /* --kernel-callchains */
	XP_SAMPLING_NO_KERNEL_CHAIN = 1 << 25, /* --user-callchains */
	XP_SAMPLING_DEFER = 1 << 26,           /* --call-graph fp,defer; Linux 6.19 */
	XP_SAMPLING_DATA_MAPS = 1 << 27,       /* -d, too: maps that are not executable */
	XP_SAMPLING_NO_BUILD_IDS = 1 << 28,    /* the kernel need not put build ids into MMAP2 */
	XP_SAMPLING_STRICT_FREQ = 1 << 29,     /* --strict-freq */
	XP_SAMPLING_FALLBACK = 1 << 30,        /* a clock for cycles that cannot be sampled */
};

/**
 * struct xp_sampling_opts - what to ask of all events; terms of an event come before it
 * @size:        sizeof(struct xp_sampling_opts), lets the struct grow
 * @flags:       enum xp_sampling_flag
 * @freq_hz:     samples per second; 0: @period counts. UINT64_MAX: as many as are allowed
 * @period:      events per sample; 0 with @freq_hz 0: 4000 per second
 * @callchain:   for all events
 * @stack_bytes: of user stack to copy, a multiple of 8; 0: 8192, with @unwinds all
 *     (65528), or 16384 where samples may come more than 5000 times a second (of whole CPUs: 1000)
 * @max_stack:   frames; 0: as the kernel's sysctl says
 * @branch_type: branch_sample_type; 0: no branch stacks
 * @regs_user, @regs_intr: masks of registers; 0: none (DWARF adds what it needs)
 * @clockid:     with @use_clockid: the clock of time stamps
 * @aux_sample_bytes: of AUX area with each sample
 * @system_wide: all tasks of the CPUs are recorded. This and the next two are for
 *               xp_evlist_config_sampling(); xp_evlist_open_rings() finds them out
 * @cpu_list:    only some CPUs are
 * @has_workload: events start when the workload execs
 * @initial_delay: events are switched on later, by hand
 * @no_inherit:  children are not recorded, whatever struct xp_open_opts says
 * @unwinds:     stacks of XP_CALLCHAIN_DWARF are for @unwind of struct xp_recorder_opts: all
 *               registers come with them, data addresses and maps of data do not
 */
struct xp_sampling_opts {
	size_t size;
	uint64_t flags;
	uint64_t freq_hz;
	uint64_t period;
	uint64_t branch_type;
	uint64_t regs_user;
	uint64_t regs_intr;
	enum xp_callchain callchain;
	uint32_t stack_bytes;
	uint32_t max_stack;
	uint32_t aux_sample_bytes;
	int32_t clockid;
	bool use_clockid;
	bool system_wide;
	bool cpu_list;
	bool has_workload;
	bool initial_delay;
	bool no_inherit;
	bool unwinds;
	uint8_t padding[5]; /* never used */
};

/**
 * xp_evlist_add_default_sampling - append what is recorded when no event is named
 *
 * Cycles at the best precision. Where they cannot be sampled, xp_evlist_open_sampling() opens
 * task-clock or, for CPUs, cpu-clock in their place, as it does for other cycles with
 * XP_SAMPLING_FALLBACK.
 *
 * Returns 0, -EBUSY (the list is open), -ENOMEM.
 */
XP_API int xp_evlist_add_default_sampling(struct xp_evlist *evlist);

/**
 * xp_evlist_config_sampling - set the attributes of all events for recording
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Sets sample types, read formats, period or frequency, and the side band (maps, names, tasks) on
 * the first event, or on an event "dummy:HG" that is appended where perf appends it. What the
 * kernel is too old for is left out; xp_evsel_reason() reports it.
 *
 * Returns 0, -EBUSY (the list is open), -ENOMEM, or
 *   -EINVAL  options or terms exclude each other, or are unknown; a frequency over the limit with
 *            STRICT_FREQ
 *
 * Source: perf-record(1) of perf 6.1; tests/attr/ of perf: field by field.
 */
XP_API int xp_evlist_config_sampling(struct xp_evlist *evlist, const struct xp_sampling_opts *opts,
				     struct xp_diag *diag);

/**
 * xp_branch_type_parse - bits of branch_sample_type from their names
 * @text: names of perf record -j, separated by commas: "any_call,u", in either case
 *
 * Returns 0 with *@ret_type bits for struct xp_sampling_opts; if all names are levels (u, k, hv),
 * branches of all kinds. -EINVAL: a name is unknown.
 *
 * Source: perf-record(1) of perf 6.1, "--branch-filter".
 */
XP_API int xp_branch_type_parse(const char *text, uint64_t *ret_type);

/** xp_max_sample_rate - kernel.perf_event_max_sample_rate. Returns it in Hz; 100000 if it cannot be
 * read. */
XP_API uint64_t xp_max_sample_rate(struct xp_ctx *ctx);

/**
 * xp_evlist_open_sampling - open a configured list
 * @opts: as for xp_evlist_open(); join_software has no meaning here
 *
 * As xp_evlist_open(), but an event this machine cannot sample makes it fail, with the reason.
 * Cycles become a clock instead where XP_SAMPLING_FALLBACK or xp_evlist_add_default_sampling()
 * allows it and no branches are requested; xp_evsel_instead_of() reports it. Attributes are left as
 * configured, but children are recorded only if @opts->inherit asks for it, or the event's own
 * term. Where some CPUs are recorded, an appended dummy is opened on all that are online, because
 * tasks move: xp_evlist_cpus() has them all then.
 *
 * Returns as xp_evlist_open(), or
 *   -EINVAL      xp_evlist_config_sampling() was not called, or events were added since
 *   -ENOENT      there is no such event here
 *   -EOPNOTSUPP  it exists, but cannot be sampled, or not with these options
 */
XP_API int xp_evlist_open_sampling(struct xp_evlist *evlist, const struct xp_open_opts *opts,
				   struct xp_diag *diag);

/**
 * struct xp_rings_opts - how the rings of a list are mapped
 * @size:      sizeof(struct xp_rings_opts), lets the struct grow
 * @pages:     data pages of each ring, a power of two; 0: a default, less where the limits on
 *             locked memory ask for it
 * @aux_pages: of the AUX area of events that have one
 * @aux_snapshot: the AUX area keeps the newest
 */
struct xp_rings_opts {
	size_t size;
	size_t pages;
	size_t aux_pages;
	bool aux_snapshot;
	uint8_t padding[7]; /* never used */
};

/**
 * xp_evlist_map_rings - map one ring per CPU (or per thread, where there is no CPU), all events
 * of which write into it
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Events that overwrite get rings of their own. The rings go when the list is closed.
 *
 * Returns 0, -ENOTCONN (not open), -EALREADY, or as xp_ring_map(); -EPERM only where even one page
 * is too much, or where @opts->pages was given; -EINVAL also where children are recorded and no
 * CPUs were given to xp_evlist_open_sampling().
 */
XP_API int xp_evlist_map_rings(struct xp_evlist *evlist, const struct xp_rings_opts *opts,
			       struct xp_diag *diag);

/**
 * struct xp_ring_place - one ring of a list
 * @ring:      owned by the list
 * @fd:        polls readable at the watermark, and hangs up when all its tasks have ended
 * @cpu:       -1: the ring is a thread's
 * @tid:       -1: all threads
 * @overwrite: as mapped
 * @aux:       the event whose AUX area it has; NULL: none
 */
struct xp_ring_place {
	struct xp_ring *ring;
	int fd;
	int cpu;
	pid_t tid;
	bool overwrite;
	const struct xp_evsel *aux;
};

/** xp_evlist_nr_rings - rings that are mapped. Returns >= 0. */
XP_API int xp_evlist_nr_rings(const struct xp_evlist *evlist);
/** xp_evlist_ring - ring at position @idx. Returns NULL outside 0 .. nr-1; owned by the list. */
XP_API const struct xp_ring_place *xp_evlist_ring(const struct xp_evlist *evlist, int idx);
/** xp_evlist_ring_pages - data pages of each ring. Returns 0 before they are mapped. */
XP_API size_t xp_evlist_ring_pages(const struct xp_evlist *evlist);
/**
 * xp_evlist_open_rings - open events for sampling and map their rings, in one call
 * @sampling: what to ask of them; NULL: as zeros. system_wide, cpu_list and has_workload are
 *            derived from @open
 * @open:     where; NULL, or neither CPUs nor threads: all tasks on all CPUs that are online. With
 *            enable_on_exec they start when the workload execs, else by xp_evlist_enable()
 * @diag:     on failure, a sentence for the user; may be NULL
 *
 * The same as xp_evlist_config_sampling(), xp_evlist_open_sampling() and xp_evlist_map_rings() with
 * the default size. Threads whose children are recorded too are opened on each CPU.
 *
 * Returns 0, or as those. On failure nothing is open.
 */
XP_API int xp_evlist_open_rings(struct xp_evlist *evlist, const struct xp_sampling_opts *sampling,
				const struct xp_open_opts *open, struct xp_diag *diag);

/**
 * xp_evlist_poll - wait until there is something in the rings
 * @timeout_ns: nanoseconds; < 0: no limit. Rings are reported when they are half full, or at the
 *              first record with XP_SAMPLING_NO_BUFFERING: a limit lets a slow event be seen, too
 *
 * Returns how many rings there are that have something, or whose last task has ended; 0: the time
 * is over; or
 *   -ESRCH    all tasks of all rings have ended; what is left can be read once more
 *   -EINTR    a signal handler ran
 *   -ENOTCONN there are no rings
 *   -EPERM    in a child by fork(2)
 *   -ENOMEM
 */
XP_API int xp_evlist_poll(struct xp_evlist *evlist, int64_t timeout_ns);

/**
 * xp_drain_fn - called once per record
 * @record: borrowed for the call
 * @event:  position in the list; -1: the record belongs to none of its events
 *
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_drain_fn)(const struct xp_record *record, int event, void *data);

/**
 * xp_evlist_drain - read what is in the rings now, and give their room back to the kernel
 *
 * Ring by ring, each in the order of time; records of different rings are not in the order of
 * time. Does not wait. The record at which @fn stopped is not seen again. AUX areas are left alone.
 *
 * Returns 0, what @fn returned, -ENOTCONN (no rings), -EPERM (in a child by fork(2)), -ENOMEM, or
 *   -EBADMSG  a ring was damaged; what it held is dropped, and reading can go on
 */
XP_API int xp_evlist_drain(struct xp_evlist *evlist, xp_drain_fn fn, void *data);

/**
 * struct xp_event_id - the number by which records name an event at one place
 * @id: the kernel's, PERF_EVENT_IOC_ID
 */
struct xp_event_id {
	uint64_t id;
	int cpu;
	pid_t tid;
};

/**
 * xp_evsel_ids - the ids of an open event, one per descriptor, in the order CPU by CPU
 * @ret_ids: the caller's to free
 *
 * Returns their number, -ENOTCONN (not open), -ENOMEM, or the kernel's errno.
 */
XP_API int xp_evsel_ids(struct xp_evsel *evsel, struct xp_event_id **ret_ids);

/** struct xp_event_ids - whose the records in the rings of a list are; any threads may look up */
struct xp_event_ids;

/**
 * xp_event_ids_new - learn the ids of an open list
 * @evlist: as xp_evlist_config_sampling() made it. Not needed any more afterwards
 *
 * Returns 0, -ENOTCONN (not open), -ENOMEM, or the kernel's errno.
 */
XP_API int xp_event_ids_new(struct xp_evlist *evlist, struct xp_event_ids **ret_ids);
/** xp_event_ids_of - the event of a record. Returns its position in the list; -1: it names none of
 * them. */
XP_API int xp_event_ids_of(const struct xp_event_ids *ids, const struct xp_record *record);
/** xp_event_ids_free - free it; NULL is allowed. */
XP_API void xp_event_ids_free(struct xp_event_ids *ids);

/**
 * xp_evlist_exclude_self - make events leave out the threads of this process
 * (xp_evsel_exclude_self())
 *
 * To be called once, when all of its threads that read samples exist and before the events are
 * enabled. xp_recorder_start() does it.
 *
 * Returns 0 or the kernel's errno.
 */
XP_API int xp_evlist_exclude_self(struct xp_evlist *evlist, struct xp_diag *diag);

/** xp_evsel_lost - samples the kernel lost of an event, all places together (PERF_FORMAT_LOST).
 * Returns samples; 0 before Linux 6.0. */
XP_API uint64_t xp_evsel_lost(struct xp_evsel *evsel);
/** xp_evsel_counted - what an event that is sampled has counted, all places together. Returns
 * events, of a clock nanoseconds; not scaled. */
XP_API uint64_t xp_evsel_counted(struct xp_evsel *evsel);

XP_END_DECLS

#endif
