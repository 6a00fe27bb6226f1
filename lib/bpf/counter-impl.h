/* SPDX-License-Identifier: MIT */
/* Events of a list that BPF counts, from inside: counter-*.c. */
#ifndef BPF_COUNTER_IMPL_H
#define BPF_COUNTER_IMPL_H

#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "counts.h"
#include "event.h"
#include "list-counter.h"

/* No slot, no event. */
enum { NONE = -1 };

/* One event of the list that was given. */
struct xp_bpf_counted {
	struct xp_evsel *evsel; /* the list's */
	int shared;             /* position in the shared list */
	int slot;               /* of its cgroup */
	int next;               /* with the same @shared and @slot; NONE: none */
};

/* Of one list. */
struct xp_bpf_counter {
	struct xp_list_counter list; /* first: it is what the list knows */
	struct xp_bpf_counted *events;
	int nr_events;
	uint32_t *programs; /* ids of BPF programs that are counted while they run; NULL: all is */
	int nr_programs;

	/* while open */
	struct xp_evlist *switches; /* one event; NULL: all that runs is counted as one */
	struct xp_evlist *shared;
	int offer; /* of them to other processes, a descriptor; NONE */
	struct xp_bpf_counts *counts;
	struct xp_cgroup const **cgroups; /* by slot */
	int *parents;                     /* by slot: that of the nearest cgroup above; NONE */
	int *first; /* by slot of cgroups, then shared event: position in @events */
	int nr_slots;
	bool is_on;
	struct xp_bpf_sum *sums; /* room for one reading */
};

/* Its events are of cgroups. */
static inline bool counts_cgroups(const struct xp_bpf_counter *counter)
{
	return counter->events[0].evsel->cgroup;
}

/* The list is open on threads. */
static inline bool follows_tasks(const struct xp_evlist *evlist)
{
	return xp_threads_tid(xp_evlist_threads(evlist), 0) >= 0;
}

/* The list is open on CPUs, not wherever its threads run. */
static inline bool counts_cpus(const struct xp_evlist *evlist)
{
	return xp_cpus_at(xp_evlist_cpus(evlist), 0).nr >= 0;
}

/*
 * Opens each different event of the list once on each CPU, or takes that of another process
 * (counter-shared.c). Returns 0 or a negative errno with @diag filled.
 */
int xp_bpf_open_shared(struct xp_bpf_counter *counter, struct xp_evlist *evlist,
		       struct xp_diag *diag);
/* Offers them to other processes as they are now. */
void xp_bpf_offer_shared(struct xp_bpf_counter *counter);
/* What became of an event is that of its copy. */
void xp_bpf_copy_back(struct xp_bpf_counter *counter);

/* Gives each event its slot (counter-slots.c). Returns likewise. */
int xp_bpf_plan_slots(struct xp_bpf_counter *counter, struct xp_evlist *evlist,
		      struct xp_diag *diag);

/* Whether each event can be counted while a program runs. Returns 0 or -EOPNOTSUPP with @diag. */
int xp_bpf_check_for_programs(const struct xp_evlist *evlist, struct xp_diag *diag);
/* Counts the programs from now on (counter-programs.c). Returns likewise. */
int xp_bpf_add_programs(struct xp_bpf_counter *counter, struct xp_diag *diag);
/* At a reading: the reason of each event, of what is not counted. */
void xp_bpf_report_runs(struct xp_bpf_counter *counter);

#endif
