/* SPDX-License-Identifier: MIT */
/* What the program of an event has summed and added, on all CPUs. */
#include "stack-tally.h"

#include <errno.h>
#include <stdlib.h>

#include "bpf.h"

int xp_stack_tally_add(struct xp_bpf *bpf, struct stack_tally *all)
{
	int nr = xp_bpf_possible_cpus(bpf);
	struct stack_tally *tallies = nr > 0 ? calloc((size_t)nr, sizeof(*tallies)) : NULL;
	uint32_t zero = 0;

	if (!tallies)
		return nr > 0 ? -ENOMEM : nr;
	int err = xp_bpf_lookup(bpf, xp_bpf_map_fd(bpf, "tallies"), &zero, tallies);
	for (int i = 0; i < nr && !err; i++) {
		all->samples += tallies[i].samples;
		all->period += tallies[i].period;
		all->missed += tallies[i].missed;
		all->missed_period += tallies[i].missed_period;
		all->new_sums += tallies[i].new_sums;
		all->new_chains += tallies[i].new_chains;
		all->switches += tallies[i].switches;
		all->not_followed += tallies[i].not_followed;
	}
	free(tallies);
	return err;
}
