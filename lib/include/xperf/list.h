/* SPDX-License-Identifier: MIT */
/* Which events there are on this machine, and whether they can be opened. */
#ifndef XPERF_LIST_H
#define XPERF_LIST_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;

XP_BEGIN_DECLS

/** enum xp_event_kind - where an event's name comes from; the order in which they are listed */
enum xp_event_kind {
	XP_EVENT_HARDWARE,   /* PERF_TYPE_HARDWARE */
	XP_EVENT_SOFTWARE,   /* PERF_TYPE_SOFTWARE */
	XP_EVENT_TOOL,       /* measured by xperf itself */
	XP_EVENT_CACHE,      /* PERF_TYPE_HW_CACHE */
	XP_EVENT_PMU,        /* a file in the events/ of a PMU */
	XP_EVENT_RAW,        /* not a name but how one is written: rNNN, PMU/TERMS/ */
	XP_EVENT_BREAKPOINT, /* likewise: mem:ADDRESS */
	XP_EVENT_TRACEPOINT, /* SUBSYSTEM:EVENT of tracefs */
	XP_EVENT_VENDOR,     /* PMU::EVENT of libpfm4 */
	XP_EVENT_SDT,        /* sdt:PATH:PROVIDER:NAME, a marker in an ELF file */
	XP_EVENT_NR_KINDS,
};

/** enum xp_event_state - whether an event can be opened on this process */
enum xp_event_state {
	XP_EVENT_OPENS,     /* yes; with a reason: after giving something up */
	XP_EVENT_FORBIDDEN, /* it is there, but this user may not */
	XP_EVENT_ABSENT,    /* this machine or kernel has no such event */
};

/**
 * struct xp_event_info - one event
 * @name:     parses as an event string, but for XP_EVENT_RAW and XP_EVENT_BREAKPOINT
 * @alias:    second name of the same event, "" if there is none
 * @pmu:      the PMU's name in sysfs, or libpfm4's for XP_EVENT_VENDOR, "" for events of no
 * particular one
 * @encoding: the same event by numbers ("0:0x1") or terms ("msr/event=0x00/"), which parses too;
 *            "" if there is none or it was not asked for
 * @desc:     what it counts, one clause; "" if nobody says
 * @state:    asked of the kernel once for what shares the answer: a PMU, all tracepoints, caches
 *            where there is no PMU
 * @reason:   a clause without full stop: why it does not open, or what it gives up; may be ""
 *
 * Valid during the callback.
 */
struct xp_event_info {
	enum xp_event_kind kind;
	const char *name;
	const char *alias;
	const char *pmu;
	const char *encoding;
	const char *desc;
	enum xp_event_state state;
	const char *reason;
};

/**
 * xp_event_fn - called once per event
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_event_fn)(const struct xp_event_info *event, void *data);

/**
 * struct xp_list_opts - which events, and what to report about them
 * @size:     sizeof(struct xp_list_opts), lets the struct grow
 * @kinds:    bits 1 << enum xp_event_kind; 0: all but XP_EVENT_SDT
 * @sdt_path: the file for XP_EVENT_SDT; as for xp_sdt_walk()
 * @encoding: fill in xp_event_info.encoding; reads one more file per PMU event and tracepoint
 */
struct xp_list_opts {
	size_t size;
	const char *sdt_path;
	unsigned int kinds;
	bool encoding;
	uint8_t padding[3]; /* never used */
};

/**
 * xp_events_list - go through the events of this machine, kind by kind, PMU by PMU
 * @opts: may be NULL: all kinds, no encodings
 * @diag: says why the tracepoints cannot be listed, if they cannot; everything else was then
 *        listed all the same. May be NULL
 *
 * Returns 0, what @fn returned, or
 *   -EINVAL  unknown bits in @opts->kinds; no @opts->sdt_path
 *   -ENOENT  tracefs is not mounted
 *   -EACCES  this user may not read it
 *   -EMFILE  no descriptor is left to look for it
 *   -ENOMEM
 * For XP_EVENT_SDT as xp_sdt_walk().
 *
 * Source: perf-list(1), perf 6.1: kinds and order.
 */
XP_API int xp_events_list(struct xp_ctx *ctx, const struct xp_list_opts *opts, xp_event_fn fn,
			  void *data, struct xp_diag *diag);

XP_END_DECLS

#endif
