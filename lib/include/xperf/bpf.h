/* SPDX-License-Identifier: MIT */
/*
 * Counting inside the kernel, by BPF programs that the library carries. They are loaded by
 * libbpf, when it is there, and are gone when what they count is closed or the process ends;
 * nothing is pinned.
 */
#ifndef XPERF_BPF_H
#define XPERF_BPF_H

#include <xperf/api.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>

XP_BEGIN_DECLS

/** enum xp_bpf_events - which events of a list BPF counts */
enum xp_bpf_events {
	XP_BPF_MARKED, /* those with the modifier "b" */
	XP_BPF_ALL,    /* all that the kernel counts */
};

/**
 * xp_bpf_count_events - let BPF count events of a list
 * @evlist: with all its events and their cgroups; not open
 *
 * Each different event is opened once on each CPU, whatever the number of cgroups and tasks; a
 * BPF program reads it when another cgroup or task begins to run, and adds the difference to
 * what ran. Counts, their times and the errors of the functions of <xperf/evlist.h> are those
 * of ordinary counting; xp_evlist_open() loads the programs, xp_evlist_close() removes them.
 * Events of a list with cgroups that are in none, or in that of all tasks, are counted as
 * before, so are those whose PMU counts for CPUs only.
 *
 * xp_evlist_open() returns, besides what it says,
 *   -ENOSYS  this library was built without libbpf, or libbpf cannot be loaded
 *   -EPERM, -EACCES  the kernel does not let this process load BPF programs
 *   -ESRCH   the kernel does not describe its structures (BTF)
 *   -E2BIG   there are more than 64 different events
 *   -EOPNOTSUPP  tasks are named from within a namespace of process ids
 * and xp_evsel_enable() and xp_evsel_disable() of such an event -ENOTCONN: it is switched with its
 * list.
 *
 * Returns the number of events that BPF will count, -EBUSY (the list is open), or -ENOMEM.
 */
XP_API int xp_bpf_count_events(struct xp_evlist *evlist, enum xp_bpf_events which);

XP_END_DECLS

#endif
