/* SPDX-License-Identifier: MIT */
/*
 * Regions of a program, counted by name: what happened between their begin and their end, thread by
 * thread, in a summary when the program ends.
 *
 *     XP_REGION_BEGIN("solve");
 *     …
 *     XP_REGION_END("solve");
 *
 * Without -DXPERF_REGIONS the macros are nothing. With it the program is linked with libxperf, and
 * counts if the environment says where the summary goes: XPERF_REGIONS=FILE, and which events:
 * XPERF_EVENTS. Without XPERF_REGIONS in the environment a macro costs a load and a branch.
 * The program, its libraries and its plugins count into one summary. Each of them is linked with
 * libxperf.so: a copy of libxperf.a has regions of its own.
 */
#ifndef XPERF_REGIONS_H
#define XPERF_REGIONS_H

#include <sys/types.h>
#include <xperf/api.h>
#include <xperf/diag.h>

struct xp_count;
struct xp_ctx_opts;

XP_BEGIN_DECLS

/**
 * struct xp_regions - the regions of a program, in all its threads
 *
 * Any thread may begin and end regions; each counts itself, with events of its own, opened when it
 * begins its first region and closed when it ends; what it counted is kept for the summary. A child
 * by fork(2) counts nothing and writes no summary. Signal handlers must not begin or end regions.
 */
struct xp_regions;

/**
 * struct xp_regions_opts - what is counted in regions
 * @size:   sizeof(struct xp_regions_opts), lets the struct grow
 * @events: as for xp_evlist_parse(); NULL: "cycles:u,instructions:u,branches:u,branch-misses:u,
 *          task-clock". Events in braces are read together, and all from user space or by one call
 * @ctx:    how the contexts of the threads reach the machine; NULL: this machine. What it points to
 *          is borrowed until xp_regions_free()
 */
struct xp_regions_opts {
	size_t size;
	const char *events;
	const struct xp_ctx_opts *ctx;
};

/**
 * xp_regions_new - make a set of regions
 * @opts: may be NULL
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Opens nothing yet. It does not fail if this machine does not have an event; the summary reports
 * that.
 *
 * Returns 0, or what xp_evlist_parse() says of the events, -EINVAL (there are none), -ENOMEM,
 * -EAGAIN (the program has too many thread-specific keys).
 */
XP_API int xp_regions_new(const struct xp_regions_opts *opts, struct xp_regions **ret_regions,
			  struct xp_diag *diag);

/**
 * xp_regions_from_env - make a set of regions if the environment asks for it
 * @ret_regions: NULL if it does not
 * @diag:        on failure, a sentence for the user; may be NULL
 *
 * XPERF_REGIONS is the file xp_regions_write() writes by default: "%p" in it becomes the process's
 * number, "-" is stderr. XPERF_EVENTS are the events. A program that runs with more privileges than
 * its user has, secure_getenv(3), does not look at either.
 *
 * Returns as xp_regions_new().
 */
XP_API int xp_regions_from_env(struct xp_regions **ret_regions, struct xp_diag *diag);

/**
 * xp_region_begin - begin a region in the calling thread
 * @name: UTF-8; copied when the thread meets it for the first time
 *
 * Regions nest, and within another one a region is counted apart from where it is elsewhere.
 * What a region counts includes the regions within and what beginning and ending those takes.
 *
 * Returns 0, or
 *   -EPERM   a child by fork(2), or the process is ending
 *   -ENOMEM
 * Other negative errno: the events could not be opened in this thread, or not be read. A thread
 * that cannot open them is not tried again; the summary reports why.
 */
XP_API int xp_region_begin(struct xp_regions *regions, const char *name);

/**
 * xp_region_end - end the innermost region of that name in the calling thread
 *
 * Regions within it that were not ended are dropped, without their counts.
 *
 * Returns 0, -EINVAL (no such region has begun), or as xp_region_begin().
 */
XP_API int xp_region_end(struct xp_regions *regions, const char *name);

/**
 * xp_regions_write - write the summary, in JSON
 * @path: a file, overwritten; "-": stderr; NULL: as the environment had it. /dev/stdout and
 *        /dev/stderr are the descriptors 1 and 2
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Regions that have not ended are not in it. Other threads may go on.
 *
 * Returns 0, -EPERM (a child by fork(2)), -EINVAL (no file is known), -ENOMEM, or why the file
 * could not be written.
 */
XP_API int xp_regions_write(struct xp_regions *regions, const char *path, struct xp_diag *diag);

/**
 * struct xp_region_info - what a region has counted up to now
 * @path, @depth: its name and those of the regions it is within, the outermost first
 * @tid:     the thread; 0: all threads together
 * @calls:   how often it was begun and ended
 * @wall_ns: time between, summed up
 * @counts:  by event, @nr_events of them; zeros for an event that is not counted
 * @without_call: by event: readings that took no system call
 */
struct xp_region_info {
	const char *const *path;
	int depth;
	pid_t tid;
	uint64_t calls;
	uint64_t wall_ns;
	int nr_events;
	const struct xp_count *counts;
	const uint64_t *without_call;
};

/**
 * xp_region_fn - called once per region
 * @region: borrowed for the call, with everything it points to. Made by the library: later versions
 *          may add fields at its end
 *
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_region_fn)(const struct xp_region_info *region, void *data);

/**
 * xp_regions_walk - go through what the regions have counted up to now
 * @by_thread: each thread for itself, in the order of their first regions; else all together
 *
 * Regions that have not ended yet are not counted, and other threads may go on meanwhile. From any
 * thread; @fn may begin and end regions.
 *
 * Returns 0, what @fn returned, -EPERM (a child by fork(2)), -ENOMEM.
 */
XP_API int xp_regions_walk(struct xp_regions *regions, bool by_thread, xp_region_fn fn, void *data);

/** xp_regions_event_name - name of the @idx-th event. Returns NULL after the last, and before the
 * first region has begun; owned by @regions. */
XP_API const char *xp_regions_event_name(struct xp_regions *regions, int idx);
/** xp_regions_event_reason - why the @idx-th event is not counted. Returns a clause for the user
 * without full stop, "" if it is counted; owned by @regions. */
XP_API const char *xp_regions_event_reason(struct xp_regions *regions, int idx);

/**
 * xp_regions_program - the regions of the process, which the macros count
 * @diag: on failure, a sentence for the user, and diag->err is not 0; may be NULL
 *
 * The first call makes the set, as xp_regions_from_env() does; a failure is reported to this
 * call only. The summary is written when the process ends. From any thread.
 *
 * Returns the set, which is not to be freed; NULL: the environment does not ask for it, or it could
 * not be made.
 */
XP_API struct xp_regions *xp_regions_program(struct xp_diag *diag);

/** xp_regions_free - close all events; no thread may be in a region. @regions may be NULL. */
XP_API void xp_regions_free(struct xp_regions *regions);

XP_END_DECLS

#ifdef XPERF_REGIONS

#include <stdio.h>

XP_BEGIN_DECLS

/*
 * The set of the process, NULL where the environment does not ask for regions. The program and each
 * library has this variable once, whatever number of its files include this: the linker keeps one.
 */
struct xp_regions *xp_regions_here __attribute__((weak, visibility("hidden")));

__attribute__((visibility("hidden"))) void xp_regions_start(void);

__attribute__((weak, constructor)) void xp_regions_start(void)
{
	struct xp_diag diag;

	xp_regions_here = xp_regions_program(&diag);
	if (diag.err)
		fprintf(stderr, "%s%s%s\n", diag.what, *diag.hint ? ". " : "", diag.hint);
}

/* The rest of the scope is the region. */
static inline const char *xp_region_enter(const char *name)
{
	if (xp_regions_here)
		(void)xp_region_begin(xp_regions_here, name);
	return name;
}

static inline void xp_region_leave(const char **name)
{
	if (xp_regions_here)
		(void)xp_region_end(xp_regions_here, *name);
}

XP_END_DECLS

#define XP_REGION_BEGIN(name) ((void)(xp_regions_here ? xp_region_begin(xp_regions_here, name) : 0))
#define XP_REGION_END(name)   ((void)(xp_regions_here ? xp_region_end(xp_regions_here, name) : 0))
#define XP_REGION_JOIN_(a, b) a##b
#define XP_REGION_VAR_(line)  XP_REGION_JOIN_(xp_region_, line)
#define XP_REGION_SCOPE(name)                                                                      \
	const char *XP_REGION_VAR_(__LINE__) __attribute__((unused, cleanup(xp_region_leave))) =   \
		xp_region_enter(name)

#else

#define XP_REGION_BEGIN(name) ((void)0)
#define XP_REGION_END(name)   ((void)0)
#define XP_REGION_SCOPE(name) ((void)0)

#endif

#endif
