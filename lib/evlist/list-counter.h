/* SPDX-License-Identifier: MIT */
/* What counts events of a list that have no descriptors of their own. */
#ifndef EVLIST_LIST_COUNTER_H
#define EVLIST_LIST_COUNTER_H

#include <xperf/api.h>

struct xp_counts;
struct xp_diag;
struct xp_evlist;
struct xp_open_opts;

/*
 * Counts the events of a list that are by_bpf (lib/bpf). Calls of a list go on to it; its calls
 * return 0 or a negative errno. It belongs to the list.
 */
struct xp_list_counter {
	/* The list is open but for these events, whose support is to be set. */
	int (*open)(struct xp_list_counter *counter, struct xp_evlist *evlist,
		    const struct xp_open_opts *opts, struct xp_diag *diag);
	int (*enable)(struct xp_list_counter *counter);
	int (*disable)(struct xp_list_counter *counter);
	/* CPUs have gone, or come. @open_new: what was not counted before is from now on */
	void (*update)(struct xp_list_counter *counter, bool open_new);
	/* Fills the cells of its events. */
	int (*read)(struct xp_list_counter *counter, struct xp_evlist *evlist,
		    struct xp_counts *counts);
	void (*close)(struct xp_list_counter *counter);
	void (*free)(struct xp_list_counter *counter);
};

/* The list owns @counter from now on. Returns 0, or -EBUSY: it is open, or has one. */
int xp_evlist_set_counter(struct xp_evlist *evlist, struct xp_list_counter *counter);

#endif
