/* SPDX-License-Identifier: MIT */
/* Call chains of the processor's branch records, when these hold calls that have not returned. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/record.h>
#include <xperf/sample.h>

#include "sample-bits.h"

static bool has_call_stack(const struct xp_sample *sample, const struct xp_attr *attr)
{
	return attr->sample_type & XP_SAMPLE_CALLCHAIN &&
	       attr->sample_type & XP_SAMPLE_BRANCH_STACK &&
	       attr->branch_sample_type & XP_BRANCH_CALL_STACK && sample->nr_branches;
}

int xp_sample_use_lbr(struct xp_sample *sample, const struct xp_attr *attr,
		      struct xp_lbr_chain *chain)
{
	size_t nr = 0;

	if (sample->size < offsetof(struct xp_sample, aux_len))
		return -EINVAL;
	if (!has_call_stack(sample, attr))
		return 0;
	while (nr < sample->nr_callchain && sample->callchain[nr] != XP_CONTEXT_USER)
		nr++;
	/* All of it was in the kernel. */
	if (nr == sample->nr_callchain)
		return 0;
	nr++;
	size_t all = nr + 1 + sample->nr_branches;
	if (all > chain->room) {
		uint64_t *larger = reallocarray(chain->at, all, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		chain->at = larger;
		chain->room = all;
	}
	memcpy(chain->at, sample->callchain, nr * sizeof(*chain->at));
	chain->at[nr++] = sample->branches[0].to;
	for (size_t i = 0; i < sample->nr_branches; i++)
		chain->at[nr++] = sample->branches[i].from;
	sample->callchain = chain->at;
	sample->nr_callchain = nr;
	return 0;
}
