/* SPDX-License-Identifier: MIT */
/* The inside of sums, for what loads and what reads them. */
#ifndef BPF_STACK_SUMS_IMPL_H
#define BPF_STACK_SUMS_IMPL_H

#include <stdbool.h>
#include <stdint.h>
#include <xperf/diag.h>

#include "stack-chains.h"
#include "stack-sums.h"
#include "stack-wakers.h"

struct xp_bpf;
struct xp_evsel;

/* Of one event. */
struct program {
	struct xp_evsel *evsel;
	struct xp_bpf *bpf;
	int sums[2], chains[2]; /* descriptors of the maps, by generation */
	int generation, sums_of;
	uint32_t now;                  /* the generation that is added to */
	uint64_t old_sums, old_chains; /* elements that were added before it, or at its beginning */
	uint64_t reported_missed;      /* samples without room that records tell of */
	int waits;                     /* descriptor of the map; -1: the event has none */
	uint64_t min_ns;               /* of them */
};

struct xp_stack_sums {
	struct program *programs;
	int nr;
	struct stack_chains read; /* of the generation that is read */
	struct stack_walk *walk;  /* NULL: frame pointers are followed */
	struct xp_diag no_walk;   /* why */
	struct stack_wakers wakers;
	uint64_t written, first_ns, last_ns;
	uint64_t stopped_ns;              /* when nothing was added any more; 0: it goes on */
	uint64_t nr_open, open_ns;        /* waits that went on then, and their sum */
	uint64_t open_ends[RULE_NR_ENDS]; /* of their chains */
};

#endif
