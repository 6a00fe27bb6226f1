/* SPDX-License-Identifier: MIT */
/* Counting what the tasks of a control group (cgroup) do. */
#ifndef XPERF_CGROUP_H
#define XPERF_CGROUP_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;
struct xp_evlist;

XP_BEGIN_DECLS

/**
 * xp_cgroup_fn - called once per cgroup
 * @name: relative to where cgroups are mounted, "/" is the whole; borrowed for the call
 *
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_cgroup_fn)(const char *name, void *data);

/**
 * xp_cgroups_walk - find the cgroups a list means
 * @names: names separated by commas. One that is no cgroup's and has characters of a regular
 *         expression stands for all cgroups it matches, in the order of their names, "/" first;
 *         an empty one for "/"
 * @diag:  on failure, which name and why; may be NULL
 *
 * A cgroup meant twice is given once.
 *
 * Returns 0, what @fn returned, or
 *   -ENOENT  there is no such cgroup, or none matches
 *   -ENODEV  cgroups that can be counted are not mounted
 *   -EINVAL  a name is no regular expression
 *   -EACCES  a cgroup may not be read
 *
 * Source: perf-stat(1), "--for-each-cgroup"; regex(7), extended.
 */
XP_API int xp_cgroups_walk(struct xp_ctx *ctx, const char *names, xp_cgroup_fn fn, void *data,
			   struct xp_diag *diag);

/**
 * xp_evlist_bind_cgroups - say of which cgroups the events of a list are
 * @names: as after -G, names separated by commas: the first is the first event's, the second the
 *         second's; an empty one leaves its event without. Given again, it goes on where the last
 *         one ended. If only one was given so far, it is that of all events there are
 * @diag:  on failure, which name and why; may be NULL
 *
 * Events that are shown as one (xp_evsel_merged_into()) are one. A cgroup is opened now and kept
 * until the list is freed; the list can then be opened on CPUs only, not on threads. On
 * failure, the names before the one in question are bound.
 *
 * Returns 0, or as xp_cgroups_walk(), or
 *   -ERANGE  there are more names than events
 *   -EBUSY   the list is open
 *
 * Source: perf-stat(1), "-G"; measured: perf 6.1.
 */
XP_API int xp_evlist_bind_cgroups(struct xp_evlist *evlist, const char *names,
				  struct xp_diag *diag);

/**
 * xp_evlist_bind_cgroup - put events of a list into one cgroup
 * @first: position of the first event; all events after it are bound, too
 * @name:  as xp_cgroups_walk() gives it
 *
 * Returns as xp_evlist_bind_cgroups().
 */
XP_API int xp_evlist_bind_cgroup(struct xp_evlist *evlist, int first, const char *name,
				 struct xp_diag *diag);

/** xp_evlist_has_cgroups - cgroups were named for events of the list, if only empty names. Returns
 * true or false. */
XP_API bool xp_evlist_has_cgroups(const struct xp_evlist *evlist);

XP_END_DECLS

#endif
