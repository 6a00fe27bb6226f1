/* SPDX-License-Identifier: MIT */
/*
 * Counting inside the kernel, by BPF programs that the library carries. They are loaded by
 * libbpf, when it is there, and are gone when what they count is closed or the process ends;
 * nothing is pinned.
 */
#ifndef XPERF_BPF_H
#define XPERF_BPF_H

#include <stdint.h>
#include <xperf/api.h>

struct xp_diag;
struct xp_evlist;

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
 * what ran. If another process of the same user, in the same namespace of process ids, has the
 * same event open for BPF, that one is read, which needs CAP_SYS_ADMIN and Linux 5.6; an event is
 * closed by the last that reads it.
 *
 * Counts, their times and the errors of the functions of <xperf/evlist.h> are those of ordinary
 * counting; xp_evlist_open() loads the programs, xp_evlist_close() removes them.
 *
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

/**
 * xp_bpf_count_programs - let BPF count events of a list while BPF programs run
 * @evlist: with all its events; not open, and to be opened on CPUs, for all tasks
 * @ids: of programs that are loaded, as bpftool-prog(8) shows them; @nr_ids of them, copied
 *
 * As xp_bpf_count_events(), but each event is read when one of the programs begins and when it
 * ends. Counts and their times are those of the runs in between, on each CPU, summed over the
 * programs; what runs within a run, such as an interrupt or another of the programs, is a part
 * of it. A run in which the CPU switched to another task is not counted; a reading sets the
 * reason of the events then (xp_evsel_reason()), to the number of runs. Tool events are counted as
 * before.
 *
 * xp_evlist_open() returns, besides what xp_bpf_count_events() says,
 *   -ENOENT  there is no such program
 *   -EPERM, -EACCES  this process may not look for programs, which needs CAP_SYS_ADMIN; or the
 *            kernel attaches nothing to BPF programs
 *   -EOPNOTSUPP  the program has no type information (BTF), or is not compiled
 *   -EINVAL  the kernel attaches nothing to a program of this kind
 *
 * Returns the number of events that BPF will count, -EOPNOTSUPP (an event is not one of a CPU, or
 * is of a cgroup), -EBUSY (the list is open), or -ENOMEM, with @diag filled.
 *
 * Source: bpf(2); kernel/bpf/trampoline.c.
 */
XP_API int xp_bpf_count_programs(struct xp_evlist *evlist, const uint32_t *ids, int nr_ids,
				 struct xp_diag *diag);

XP_END_DECLS

#endif
