/* SPDX-License-Identifier: MIT */
/* The list of events from inside the library. */
#ifndef EVLIST_LIST_IMPL_H
#define EVLIST_LIST_IMPL_H

#include <xperf/sampling.h>

#include "event.h"
#include "list-counter.h"
#include "open.h"

/*
 * Events opened under one leader and read together: a group the user asked for, software events
 * joined by us, or a single event.
 */
struct xp_read_group {
	int nr;
	struct xp_evsel **members; /* [0] leads; once open, only events that are supported */
	bool weak;
	bool joined; /* by us */
};

/* What has become of a CPU of an open list. */
enum xp_cpu_state {
	XP_CPU_OPEN,    /* the events are open there, as far as is known */
	XP_CPU_OFFLINE, /* it went offline */
	XP_CPU_BACK,    /* it is online; to be recorded, the events have to be opened again */
};

struct xp_evlist {
	struct xp_ctx *ctx;
	struct xp_evsel **at;
	int nr;
	int nr_configured;               /* of them, by xp_evlist_config_sampling() */
	struct xp_list_counter *counter; /* NULL: all have descriptors */

	/* of the events (cgroups.c): opened once, kept until the list is freed */
	struct xp_cgroup **cgroups;
	int nr_cgroups;
	int nr_cgroup_names; /* given by xp_evlist_bind_cgroups(), empty ones included */

	/* how it was opened last */
	bool followed_tasks;
	bool on_named_cpus;
	bool read_on_cpus; /* struct xp_open_opts */

	/* while open */
	bool is_open;
	bool records; /* opened for recording: attributes are as they were configured */
	struct xp_cpus *cpus;
	struct xp_threads *threads;
	struct xp_read_group *groups;
	int nr_groups;
	uint64_t *read_buf; /* room for the largest group's reading */
	size_t read_buf_bytes;
	int *company;       /* alone.c: descriptors, by CPU and thread; NULL: not needed */
	bool was_not_alone; /* something was started to which events were not handed on */
	/* update.c */
	uint64_t updated_ns;           /* when was looked last; 0: never */
	enum xp_cpu_state *cpu_states; /* by position of the CPU; NULL: never looked */
	bool has_new_cpus;             /* CPUs are online that it is not open on */
	bool on_all_cpus;              /* that were online, and nobody has named */
	bool is_enabled;               /* by xp_evlist_enable() */
	struct xp_counts *kept; /* of descriptors that were closed since; NULL: there are none */
	struct xp_list_ring *rings; /* rings.c */
	int nr_rings;
	struct pollfd *polled;    /* poll.c: by ring, fd -1: its tasks have ended; NULL: not yet */
	struct xp_event_ids *ids; /* drain.c: of all events; NULL: not yet */
};

/* A list's ring, and where else the news of it can come from. */
struct xp_list_ring {
	struct xp_ring_place place;
	bool aux_overwrite;
	int cpu_idx;                  /* of all its events */
	int first_thread, nr_threads; /* positions of the threads that write into it */
	int thread;                   /* the one whose descriptor is place.fd */
};

/* Frees the events from position @nr on. */
void xp_evlist_shrink_to(struct xp_evlist *evlist, int nr);

/* Unmaps all rings; nothing happens if there are none. */
void xp_evlist_unmap_rings(struct xp_evlist *evlist);

/* As xp_evlist_open(), or, if it @records, with the attributes as they are (open.c). */
int xp_evlist_open_as(struct xp_evlist *evlist, const struct xp_open_opts *opts, bool records,
		      struct xp_diag *diag);
/* Adds what the events of one CPU have counted to @counts (read.c). Returns 0 or why not. */
int xp_evlist_add_cpu(struct xp_evlist *evlist, int cpu_idx, struct xp_counts *counts);
/* Closes the descriptors of a group on one CPU and thread, or opens them again (open.c). */
void xp_group_close_cell(const struct xp_read_group *group, int cell);
void xp_group_reopen_cell(const struct xp_read_group *group, const struct xp_open_args *args,
			  int cpu_idx, int thread_idx);
/*
 * Makes the list one of more CPUs (update-cpus.c). Where it was not open, nothing is yet, and the
 * state is XP_CPU_BACK.
 * @cpus: those it is open on are among them. Returns 0 or -ENOMEM.
 */
int xp_evlist_widen(struct xp_evlist *evlist, struct xp_cpus *cpus);
/*
 * Maps the ring of one more CPU, or of one whose events were opened again (rings.c). The ring that
 * it had is unmapped; others can get another number. Returns 0 or a negative errno; nothing is
 * mapped there then.
 */
int xp_evlist_map_cpu(struct xp_evlist *evlist, int cpu_idx, size_t pages);
/* The set of CPUs has grown from @before to evlist->cpus (rings.c). */
void xp_evlist_move_rings(struct xp_evlist *evlist, const struct xp_cpus *before);
/* When the list is closed (update.c). */
void xp_evlist_forget_updates(struct xp_evlist *evlist);
/* As xp_self_start(), in a context that belongs to the result; on failure it is the caller's
 * (self.c). */
struct xp_cgroup;
struct xp_counts;
struct xp_cpus;
struct xp_ctx;
struct xp_diag;
struct xp_event_ids;
struct xp_evsel;
struct xp_list_counter;
struct xp_open_args;
struct xp_open_opts;
struct xp_self;
struct xp_threads;
int xp_self_start_in(struct xp_ctx *ctx, const char *events, struct xp_self **ret_self,
		     struct xp_diag *diag);
/* Closes the cgroups' directories (cgroups.c). */
/* Looks whether they are those that they were; once each, however many events they have. */
void xp_evlist_check_cgroups(struct xp_evlist *evlist);
void xp_evlist_free_cgroups(struct xp_evlist *evlist);

/* The most software events that are joined in one group: their readings fit in one page. */
enum { XP_JOINED_MAX = 128 };

/*
 * Plans which events are opened under one leader (groups.c).
 * Returns 0 or -ENOMEM; evlist->groups is filled, members in the order of the list.
 */
int xp_evlist_plan_groups(struct xp_evlist *evlist, bool join_software);
void xp_evlist_free_groups(struct xp_evlist *evlist);
/* Replaces a group by one group per member, until the list is closed. Returns 0 or -ENOMEM. */
int xp_evlist_break_group(struct xp_evlist *evlist, int group_idx);

/*
 * Reads one group at one position into evlist->read_buf, values in the layout of struct
 * read_format. Returns the number of members read, 0 for a pinned group that could not be
 * scheduled, -EBADMSG for a group that is no longer whole, or -errno: -ECHILD if after @nr_pauses,
 * the first of 0.1 ms, each twice as long, a child still has but a part of it.
 */
int xp_group_read(struct xp_evlist *evlist, const struct xp_read_group *group, int cpu_idx,
		  int thread_idx, int nr_pauses);

/*
 * As above, into the cells of the members; zeros for a pinned group that could not be scheduled.
 * Groups the kernel cannot read at once are read one by one. Returns 0 or -errno.
 */
int xp_group_read_counts(struct xp_evlist *evlist, const struct xp_read_group *group, int cpu_idx,
			 int thread_idx, struct xp_counts *counts);

/* Events that follow tasks go with them; CPUs that were named are all that was asked for. */
static inline bool xp_evlist_counts_whole_cpus(const struct xp_evlist *evlist)
{
	return evlist->on_named_cpus && !evlist->followed_tasks;
}

#endif
