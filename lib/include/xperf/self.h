/* SPDX-License-Identifier: MIT */
/* Counting oneself: a thread reads its own counters, where it can without entering the kernel. */
#ifndef XPERF_SELF_H
#define XPERF_SELF_H

#include <xperf/api.h>

struct xp_count;
struct xp_diag;
struct xp_evlist;

XP_BEGIN_DECLS

/** enum xp_self_path - how an event's last reading was taken */
enum xp_self_path {
	XP_PATH_NONE,  /* not at all: not read yet, not supported, or a tool event */
	XP_PATH_RDPMC, /* from the counter itself (x86: RDPMC, arm64: MRS), without a system call */
	XP_PATH_READ   /* read(2) */
};

/**
 * struct xp_self - the events of a list, counting one thread for itself
 *
 * Only the thread that opened it may read it: a counter read from user space is that of the
 * CPU the caller is on. A program with many threads has one for each, with a list and a context of
 * its own each. After fork(2) it is the parent's alone: in the child reading it fails, closing it
 * is right and touches nothing of the parent's. Between vfork(2) and exec it must not be used.
 * exec closes the descriptors. A signal handler may call xp_page_read() only, see struct
 * xp_self_event.
 */
struct xp_self;

/**
 * xp_self_start - count events of the calling thread, in one call
 * @events:   as for xp_evlist_parse(): "cycles", "cycles,instructions:u"
 * @ret_self: read with xp_self_stop(), or as one of xp_self_open(). xp_self_close() frees it,
 *            and the context and the list that it has of its own
 * @diag:     on failure, a sentence for the user; may be NULL
 *
 * The events count when it returns. On failure nothing is open.
 *
 * Returns 0, what xp_evlist_parse() and xp_self_open() return, or
 *   -EOPNOTSUPP  one of the events cannot be counted here; @diag says why
 */
XP_API int xp_self_start(const char *events, struct xp_self **ret_self, struct xp_diag *diag);

/** xp_self_nr - number of counts that xp_self_stop() and xp_self_read() write, one per event of the
 * list: on machines with CPUs of two kinds, one name can be two events. Returns at least 1. */
XP_API int xp_self_nr(const struct xp_self *self);

/**
 * xp_self_stop - read what was counted since xp_self_start(), and stop the events
 * @ret_counts: room for xp_self_nr() of them, one per event, in the order of @events; written on
 *              success only
 *
 * What xp_self_read() gives counts from where each event was switched on, a little earlier: of
 * those, and of xp_self_event_read(), subtract one from another.
 *
 * The times of a count are those since xp_self_start(), too: xp_count_scale() estimates what an
 * event would have counted if it had been on a counter all the time.
 *
 * Returns 0, -EINVAL (@self is not from xp_self_start()), or as xp_self_read().
 */
XP_API int xp_self_stop(struct xp_self *self, struct xp_count *ret_counts);

/** xp_self_evlist - the events. Returns the list, valid until xp_self_close(). */
XP_API struct xp_evlist *xp_self_evlist(const struct xp_self *self);

/**
 * xp_self_open - open the events of a list on the calling thread, and start them
 * @evlist: not open, at least one event; borrowed until xp_self_close(), which must come before
 *          xp_evlist_free(). Meanwhile it may be read, enabled and disabled as any open list
 * @diag:   on failure, a sentence for the user; may be NULL
 *
 * The events follow the thread to any CPU and do not count its children. They count from here
 * on. Software events outside groups are opened as one group. An event this machine cannot count
 * does not make it fail: it becomes XP_NOT_SUPPORTED with a reason. On failure nothing is open.
 *
 * Returns 0, or
 *   -EALREADY  the list is open
 *   -EINVAL    the list is empty
 *   -EACCES, -EPERM  the kernel does not let this process count
 *   -EMFILE    too many descriptors for RLIMIT_NOFILE, see struct xp_ctx_opts, raise_limits
 *   -ENOMEM
 * Other negative errno: as the kernel gave it.
 */
XP_API int xp_self_open(struct xp_evlist *evlist, struct xp_self **ret_self, struct xp_diag *diag);

/**
 * xp_self_read - read all events now
 * @ret_counts: room for xp_self_nr() of them, one per event, in the order of the list; written on
 *              success only
 *
 * Allocates nothing. A group whose every member is on a hardware counter is read without a
 * system call; any other group takes one read(2), and so do all software events together.
 * Values are raw, see struct xp_count and xp_count_scale(). Events that are not supported, and
 * pinned ones that could not be scheduled, become 0, and so do tool events.
 *
 * In a virtual machine whose clock is not the processor's (kvm-clock), the times of events read
 * without a system call lag: they are those of the last time the event was put on a counter. Their
 * ratio, and so the scaling, holds. On processors with two kinds of cores every event takes
 * read(2), because a counter that the core at hand does not have would end the program.
 *
 * Returns 0, or
 *   -EPERM     the caller is not the thread that opened it, or its child by fork(2)
 *   -ENOTCONN  the list was closed with xp_evlist_close()
 * Other negative errno: as read(2) gave it.
 *
 * On arm64 the kernel lets programs read counters if kernel.perf_user_access is 1; else every event
 * takes read(2).
 *
 * Source: perf_event_open(2), "MMAP layout".
 */
XP_API int xp_self_read(struct xp_self *self, struct xp_count *ret_counts);

/**
 * xp_self_read_event - read one event now
 * @idx:       position in the list
 * @ret_count: written on success only
 *
 * As xp_self_read(), which takes no more system calls where several are wanted. An event of a group
 * that is on no counter is read with its group.
 *
 * Returns an enum xp_self_path, XP_PATH_NONE for an event that is not counted, whose count is 0, or
 *   -EPERM     the caller is not the thread that opened it, or its child by fork(2)
 *   -ENOTCONN  the list was closed with xp_evlist_close()
 *   -EINVAL    there is no such event
 * Other negative errno: as read(2) gave it.
 */
XP_API int xp_self_read_event(struct xp_self *self, int idx, struct xp_count *ret_count);

struct xp_userpage;

/**
 * struct xp_self_event - one event, for xp_self_event_read() of <xperf/self-inline.h>
 * @self, @idx: of which it is
 * @page:       where it may be read without a system call; NULL: nowhere
 * @here:       0 in a child by fork(2), where the page is not
 */
struct xp_self_event {
	struct xp_self *self;
	const volatile struct xp_userpage *page;
	const volatile uint32_t *here;
	int idx;
};

/**
 * xp_self_event_init - prepare reading one event in line
 * @idx:       position in the list
 * @ret_event: valid until xp_self_close()
 *
 * Returns 0 or -EINVAL (there is no such event).
 */
XP_API int xp_self_event_init(struct xp_self *self, int idx, struct xp_self_event *ret_event);

/**
 * xp_self_path_at - how an event was read the last time
 * @idx: position in the list
 *
 * An event can change from one to the other at any reading, as it is put on a hardware counter
 * and taken away.
 *
 * Returns the path; XP_PATH_NONE outside 0 .. nr-1.
 */
XP_API enum xp_self_path xp_self_path_at(const struct xp_self *self, int idx);

/**
 * xp_self_reason - why the last reading of an event took read(2), or why it is not counted
 * @idx: position in the list
 *
 * Looks at the setting that lets programs read counters, if that may be why: not for loops.
 *
 * Returns a clause for the user, without full stop: "it was on no counter"; "" if it was read from
 * its counter. Valid until the next call or xp_self_close().
 */
XP_API const char *xp_self_reason(struct xp_self *self, int idx);

/** xp_self_close - stop and close the events; a list given to xp_self_open() can be opened again.
 * @self may be NULL. */
XP_API void xp_self_close(struct xp_self *self);

XP_END_DECLS

#endif
