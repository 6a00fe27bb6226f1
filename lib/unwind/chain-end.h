/* SPDX-License-Identifier: MIT */
/* What the end of a walk says of its call chain: the same while recording and afterwards. */
#ifndef UNWIND_CHAIN_END_H
#define UNWIND_CHAIN_END_H

#include <xperf/chain-ends.h>
#include <xperf/unwind.h>

/*
 * @nr_joined: the last frames of the chain, that are of earlier samples
 * @misc: of the record of the sample
 */
enum xp_chain_end xp_unwind_chain_end(const struct xp_unwind_chain *chain, size_t nr_joined,
				      uint16_t misc);

#endif
