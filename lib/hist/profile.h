/* SPDX-License-Identifier: MIT */
/*
 * A profile's inside. First stage (profile.c): raw values and how often they came. Second stage
 * (resolve.c): places, rows, and which chains lead to which rows. chains.c makes trees of those.
 */
#ifndef HIST_PROFILE_H
#define HIST_PROFILE_H

#include <xperf/profile.h>

#include "epochs.h"
#include "table.h"

#define NO_NODE UINT32_MAX

enum {
	DEFAULT_STACK = 127,  /* Source: linux/perf_event.h, PERF_MAX_STACK_DEPTH */
	MODE_RETURN = 1 << 8, /* beside a processor mode: a return address */
	MODE_LEAF = 1 << 9,   /* the sample's own address */
};

/* Keys of the tables; no padding anywhere. */
struct who {
	uint32_t event;
	int32_t pid, tid, cpu;
	const char *comm;
};

/* An address space as it was for a while. */
struct space {
	int32_t pid;
	uint32_t epoch;
};

/* An address in a call chain, seen from the outermost. That has NO_NODE as parent, and no address,
 * but its space as mode. */
struct node {
	uint32_t parent;
	uint32_t mode;
	uint64_t ip;
};

struct raw {
	uint32_t who, space;
	uint32_t chain; /* its innermost node, or NO_NODE */
	uint32_t mode;
	uint64_t ip;
};

struct sum {
	uint64_t period, samples;
};

/* The chain that was added last: the next one often begins alike. */
struct path {
	uint32_t space;
	int nr;
	struct node *nodes; /* outermost first */
	uint32_t *nrs;
};

/* A call chain that ends at a row, or passes through it. */
struct item {
	uint32_t group;
	uint32_t skip; /* its first places, in the order of the profile, that do not count */
};

/* Samples of one row with one chain. */
struct group {
	uint32_t row, chain;
};

struct row {
	struct xp_profile_row shown;
	uint32_t event;
	uint32_t depth;      /* of the longest chain from here on */
	uint32_t last_group; /* that has been counted here, plus one */
	struct item *items;
	uint32_t nr_items, cap_items;
};

struct xp_profile {
	const struct xp_timeline *timeline;
	struct xp_profile_opts opts;
	enum xp_key *keys;
	bool has_key[XP_NR_KEYS];
	struct epochs names, maps;
	bool has_samples, is_resolved;

	struct epoch name_epoch, map_epoch; /* of the last sample */
	const char *comm;
	struct who last_who;
	uint32_t who, space;
	bool has_space;

	struct table whos, spaces, nodes, raws;
	uint64_t *space_times;
	uint32_t cap_space_times;
	struct sum *sums; /* per raw */
	uint32_t cap_sums;
	struct path path;
	struct xp_profile_total *totals; /* per event */

	struct table functions; /* struct function */
	struct xp_spot **places;
	uint64_t *place_samples;
	uint32_t cap_places, cap_place_samples;
	uint32_t *file_names; /* per DSO; equal names have equal numbers */
	struct table spots;   /* address in a space */
	uint32_t *spot_places;
	uint32_t cap_spot_places;

	struct table calls; /* call chains of places */
	struct table groups;
	struct sum *group_sums;
	uint32_t cap_group_sums;
	struct table row_keys;
	struct row *rows;
	uint32_t cap_rows;
	uint32_t *order; /* rows, by event and weight */
	uint32_t *first; /* per event, in order; one more at the end */

	struct forest *forest; /* of the row that was asked for last */
};

/* Which of two rows is shown first: less than 0, if @a. */
int xp_row_compare(const struct xp_profile *profile, const struct row *a, const struct row *b);
/* The numbers by which rows are told apart. Fills ROW_KEY_WORDS. */
enum { ROW_KEY_WORDS = 8 };
void xp_row_key(const struct xp_profile *profile, const struct xp_profile_row *row,
		uint64_t words[ROW_KEY_WORDS]);

void xp_forest_free(struct forest *forest);

#endif
