/* SPDX-License-Identifier: MIT */
/*
 * Samples whose user call chain was made in the kernel, while they are on their way: raw data of an
 * event of BPF in the rings (kernel-walk.h), samples of their event in the file.
 */
#ifndef SESSION_WALKED_H
#define SESSION_WALKED_H

#include <xperf/chain-ends.h>

#include "recorder-impl.h"
#include "walker.h"

/*
 * Makes a sample of it, in place.
 * @attr: of the samples as they are in the rings
 * @walker: shows what was mapped then
 * @ret_end: how its call chain ends
 * Returns its bytes; 0: it is none.
 */
size_t xp_walked_write(const struct xp_record *record, const struct xp_attr *attr,
		       const struct xp_shed *events, struct xp_walker *walker, char *to,
		       enum xp_chain_end *ret_end);

#endif
