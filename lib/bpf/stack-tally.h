/* SPDX-License-Identifier: MIT */
/* What the program of an event has summed and added, on all CPUs. */
#ifndef BPF_STACK_TALLY_H
#define BPF_STACK_TALLY_H

#include "stack-sums.h"

struct xp_bpf;

/* Adds the tallies of all CPUs. Returns 0, -ENOMEM or the kernel's errno. */
int xp_stack_tally_add(struct xp_bpf *bpf, struct stack_tally *all);

#endif
