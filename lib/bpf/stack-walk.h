/* SPDX-License-Identifier: MIT */
/* The walk by rules as a whole: tables in the kernel, rows of files, maps of processes. */
#ifndef BPF_STACK_WALK_H
#define BPF_STACK_WALK_H

#include <xperf/api.h>

#include "stack-sums.h"

struct stack_walk;
struct xp_bpf;
struct xp_chain_ends;
struct xp_diag;
struct xp_evlist;
struct xp_record;
struct xp_unwind;

/* @cpu_ppm: see struct xp_stack_sums_opts; others: see struct rule_files */
struct stack_walk_opts {
	struct xp_unwind *unwind;
	uint64_t cpu_ppm;
	bool on_demand, is_thrifty;
};

/* Whether processes can be walked here at all. Returns 0, -EOPNOTSUPP with @diag filled. */
int xp_stack_walk_check(struct xp_diag *diag);
/* Loads tables that are empty, for a list that has events. Returns 0 or a negative errno with @diag
 * filled. */
int xp_stack_walk_open(const struct xp_evlist *evlist, const struct stack_walk_opts *opts,
		       struct stack_walk **ret_walk, struct xp_diag *diag);
void xp_stack_walk_close(struct stack_walk *walk);
/* An object that is not loaded yet walks by these tables; @walk NULL: by none. */
int xp_stack_walk_use(const struct stack_walk *walk, struct xp_bpf *bpf);
/* rule-band.h; by any thread. */
void xp_stack_walk_note(struct stack_walk *walk, const struct xp_record *record, uint64_t time_ns);
void xp_stack_walk_known(struct stack_walk *walk, uint64_t until_ns);
void xp_stack_walk_describe(struct stack_walk *walk);
void xp_stack_walk_wait(struct stack_walk *walk);
/* Adds chains by how they end; @counts: of all CPUs and objects. Returns 0 or -ENOMEM. */
int xp_stack_walk_add_ends(struct stack_walk *walk, const struct stack_ends *counts,
			   struct xp_chain_ends *ends);
/* Files without rows for lack of room. */
uint64_t xp_stack_walk_beyond(struct stack_walk *walk);
/* Bytes of the tables. */
uint64_t xp_stack_walk_bytes(void);

#endif
