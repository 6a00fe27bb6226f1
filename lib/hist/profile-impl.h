/* SPDX-License-Identifier: MIT */
/*
 * A profile's inside. First stage (profile.c): raw values and how often they came. Second stage
 * (places.c, resolve.c): places, rows, and which chains lead to which rows. chains.c makes trees of
 * those, order.c puts the rows in order.
 */
#ifndef HIST_PROFILE_IMPL_H
#define HIST_PROFILE_IMPL_H

#include <xperf/profile.h>

#include "epochs.h"
#include "intern.h"
#include "sample-layout.h"
#include "table.h"

#define NO_NODE    UINT32_MAX
#define KERNEL_PID (-1)

enum {
	DEFAULT_STACK = 127, /* Source: linux/perf_event.h, PERF_MAX_STACK_DEPTH */
	MODE_LEAF = 1 << 9,  /* the sample's own address */
	MODE_SPACE =
		1 << 10,    /* of a node: no address, but the space of those that follow inwards */
	MODE_ANY = 1 << 11, /* of a branch: whose address it is the maps say; the sample's own mode
			     * says whose time it took */
	MODE_RETURN =
		1 << 12, /* of a node: the call before it is meant; only where that is asked */
	MODE_JOINED = 1 << 13, /* of a node: of an earlier sample */
	MODE_CUT = 1 << 14,    /* of an outermost node: its callers were not recorded */
	END_SHIFT = 16,        /* likewise, from this bit on: the end that its chain has of its own,
				* plus 1; 0: it has none */
	MODE_END = 31 << END_SHIFT,
	RECENT = 64, /* a power of two */
	WAITING = 32,
};

/* Entries of the tables: keys without padding, and what is known of them. */
struct who {
	uint32_t event;
	int32_t pid, tid, cpu;
	const char *comm;
	uint32_t tag, unused;
};

/* An address space as it was for a while; the kernel's has pid -1. @time_ns: then, for one */
struct space {
	int32_t pid;
	uint32_t epoch;
	uint64_t time_ns;
};

/* An address in a call chain, seen from the outermost, which has NO_NODE as parent. */
struct node {
	uint32_t parent;
	uint32_t mode;
	uint64_t ip; /* MODE_SPACE: number of the space */
};

/* A call chain as it was recorded, by 128 bits of its hash. @node: its innermost */
struct stack {
	uint64_t hash[2];
	uint32_t node, unused;
};

/* @first_ns: time of the earliest of them */
struct sum {
	uint64_t period, samples;
	uint64_t first_ns;
};

struct raw {
	uint32_t who, space;
	uint32_t chain; /* its innermost node, or NO_NODE */
	uint32_t mode;
	uint64_t ip;
	struct sum sum;
};

/* A sample that is to be added to its entry. @raw.sum: its period */
struct waiting {
	uint64_t hash;
	struct raw raw;
};

/* Where the last samples were: the next one is by and large of the same thread. @nr: of whos, of
 * spaces; @epoch: as long as that is right */
struct recent {
	struct epoch epoch;
	struct who who; /* not of spaces */
	uint32_t nr;
	bool used;
};

/* The chain that was added last: the next new one often begins alike. */
struct path {
	uint32_t nr, cap;
	struct node *nodes; /* innermost first, as they come */
	struct node *last;  /* outermost first */
	uint32_t *nrs;
};

/* A call chain that ends at a row, or passes through it. */
struct item {
	uint32_t group;
	uint32_t skip; /* its first places, in the order of the profile, that do not count */
};

/* Samples of one row, event and chain. @who: the first of them */
struct group {
	uint32_t row, chain;
	uint32_t event, unused;
	struct sum sum;
	uint64_t latency;
	uint32_t who, unused2;
};

/* A place in a call chain of places, seen from the outermost. @is_joined: of an earlier sample;
 * @is_cut: its callers were not recorded; @depth: places of the chain down to here */
struct call {
	uint32_t parent, place;
	uint16_t is_joined, is_cut;
	uint32_t depth;
};

/* A call as it is drawn in the tree of a row. @tree: number of the tree, from 1 on; @skip: of the
 * chains that it is in; @step: its own; @nr_joined: of the chains down to it */
struct drawn_call {
	uint32_t tree, skip;
	uint32_t step, nr_joined;
};

struct row {
	struct xp_profile_row shown;
	uint32_t event, who; /* the event: that of the whole group */
	uint64_t first_ns;
	struct xp_profile_sum *members; /* per event of the group, from @event on */
	uint64_t *numbers;              /* NULL: there are none */
	uint32_t depth;                 /* of the longest chain from here on */
	uint32_t last_group;            /* that has been counted here, plus one */
	struct item *items;
	uint32_t nr_items, cap_items;
};

struct xp_profile {
	const struct xp_timeline *timeline;
	struct xp_profile_opts opts;
	enum xp_key *keys;
	bool has_key[XP_NR_KEYS];
	struct xp_joined joined;
	struct epochs names, maps; /* borrowed from the one it was forked from, if so */
	bool is_forked, has_samples, is_resolved;
	int nr_threads;    /* that have filled it */
	xp_go_on_fn go_on; /* of xp_profile_watch(); NULL: nobody watches */
	void *go_on_data;

	struct recent whos_seen[RECENT], spaces_seen[RECENT];
	struct table whos, spaces, stacks, nodes, raws;
	struct path path;
	int *leaders; /* per event */
	struct waiting waiting[WAITING];
	uint32_t nr_waiting;
	struct xp_profile_total *totals; /* per event */

	struct table functions; /* struct function; none once all places are known */
	uint32_t nr_places;
	struct xp_location **places;
	uint64_t *place_samples;
	uint32_t cap_places, cap_place_samples;
	uint32_t *file_names;     /* per DSO; equal names have equal numbers */
	struct table addresses;   /* struct address */
	uint32_t *node_addresses; /* per node that is an address, its number; NULL: not known yet */
	uint32_t *drawn; /* per place, plus 1: what stands for it in trees of chains; 0: itself */
	uint32_t cap_drawn;
	uint32_t *inlined; /* of addresses: how many, places from the outside inwards */
	uint32_t nr_inlined, cap_inlined;
	struct xp_intern texts; /* of lines */

	struct table calls; /* call chains of places */
	struct table groups;
	struct table row_keys;
	struct row *rows;
	uint32_t cap_rows;
	uint32_t *order; /* rows, by event and weight */
	uint32_t *first; /* per event, in order; one more at the end */

	struct forest *forest;          /* of the row that was asked for last */
	struct drawn_call *drawn_calls; /* per call; NULL: none yet */
	uint32_t nr_trees;
};

/* Which of two rows of an event is shown first: less than 0, if @a. Of three it may not be of one
 * mind: see xp_rows_sort(). */
int xp_row_compare(const struct xp_profile *profile, const struct row *a, const struct row *b);
/* The order in which rows are laid before they are sorted, by event first. */
int xp_row_lay(const struct xp_profile *profile, const struct row *a, const struct row *b);
/* The more of it, the earlier a row is shown; of equal ones xp_row_compare() decides. */
uint64_t xp_row_weight(const struct xp_profile *profile, const struct row *row);
/* lay.c: lays numbers of rows, by as many threads as have counted. Returns 0 or -ENOMEM. */
int xp_rows_lay(const struct xp_profile *profile, uint32_t *rows, uint32_t nr);
/* Sorts numbers of rows of one event, which are laid already. Returns 0 or -ENOMEM. */
int xp_rows_sort(const struct xp_profile *profile, uint32_t *rows, uint32_t nr);
/* The numbers by which rows are distinguished. Returns how many they are, which is the same for all
 * rows of a profile. */
enum { ROW_KEY_WORDS = 21 };
uint32_t xp_row_key(const struct xp_profile *profile, uint32_t event,
		    const struct xp_profile_row *row, uint64_t words[ROW_KEY_WORDS]);

/* Another profile with the same options, that has been given the same: for a part of the
 * recording, of one thread. @profile outlives it. Returns 0 or -ENOMEM. */
int xp_profile_fork(struct xp_profile *profile, struct xp_profile **ret_profile);

/* count.c: counts a sample of an event that is one. Returns 0 or -ENOMEM. */
int xp_profile_count(struct xp_profile *profile, int event, const struct sample_head *seen);
/* All that were counted are in the tables then. Returns 0 or -ENOMEM. */
int xp_profile_flush(struct xp_profile *profile);
/* The number of the space an address was in. Returns 0 or -ENOMEM. */
int xp_profile_space(struct xp_profile *profile, int32_t pid, uint64_t time_ns, uint32_t *ret_nr);
/* Adds what was summed up elsewhere. */
static inline void xp_sum_add(struct sum *sum, const struct sum *other)
{
	if (!sum->samples || other->first_ns < sum->first_ns)
		sum->first_ns = other->first_ns;
	sum->period += other->period;
	sum->samples += other->samples;
}

/* sums.c: whether samples of an event are in the row's own sum, not only in that of their member.
 */
bool xp_row_shows(const struct xp_profile *profile, const struct row *row, uint32_t event);
/* Charges a row with samples of its own. */
void xp_row_charge(const struct xp_profile *profile, struct row *row, uint32_t event,
		   const struct raw *raw, uint64_t latency);
/* Charges with samples it led to. */
void xp_sum_charge(struct xp_profile_sum *sum, const struct group *group);
/* The tag of the row of samples with a tag. */
uint32_t xp_profile_row_tag(const struct xp_profile *profile, uint32_t tag);
/* The part of a period that passed as time; 0 if that is not asked for. */
uint64_t xp_profile_latency(const struct xp_profile *profile, uint32_t tag, uint64_t period);

/* places.c: makes the tables. Returns 0 or -ENOMEM. */
int xp_places_init(struct xp_profile *profile);
/* No more changes come. */
void xp_profile_start(struct xp_profile *profile);

/* Whether a place of a call chain can become a row. */
static inline bool xp_profile_charges_callers(const struct xp_profile_opts *opts)
{
	return opts->children || opts->is_root;
}

/* lines.c: whether places of call chains are asked for their line, or what is inlined there. */
bool xp_profile_asks_chains(const struct xp_profile *profile);
/* The same of an address of any mode. */
bool xp_profile_asks_lines(const struct xp_profile *profile, uint32_t mode);
/* Whether its line is shown, or makes it another place. */
bool xp_profile_shows_lines(const struct xp_profile *profile, uint32_t mode);
/* Makes the texts of a place's line. Returns 0 or -ENOMEM. */
int xp_profile_show_line(struct xp_profile *profile, struct xp_location *place,
			 const struct xp_line *line);

/* How many threads what has been counted is worth. */
static inline int xp_profile_threads(const struct xp_profile *profile)
{
	return profile->opts.nr_threads ? profile->opts.nr_threads : profile->nr_threads;
}

/* files.c: reads the symbols of all files there are addresses in, with as many threads as have
 * counted samples. Returns 0 or -ENOMEM. */
int xp_profile_open_files(const struct xp_profile *profile, struct xp_resolver *resolver);

void xp_forest_free(struct forest *forest);

/*
 * Adds what another profile has counted.
 * @other: of the same timeline, with the same options; neither is resolved yet. Is not changed
 *
 * Returns 0, -EBUSY, -ENOMEM.
 */
int xp_profile_merge(struct xp_profile *profile, struct xp_profile *other);

#endif
