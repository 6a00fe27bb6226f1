/* SPDX-License-Identifier: MIT */
/* What libpfm4 is asked for beyond vendor-walk.h. */
#ifndef EVSEL_PFM_H
#define EVSEL_PFM_H

#include <xperf/api.h>

#include "vendor-walk.h"

struct xp_attr;

/*
 * Encodes PMU::EVENT[:ATTRIBUTE...] into what the kernel is asked. Periods are left out.
 * @ret_why: on -EINVAL, a sentence about what is wrong; static storage
 * Returns 0, -ENOTSUP (only a machine that has this PMU can encode it), -EINVAL, -ENOMEM, -ENOSYS
 * (no libpfm4).
 */
int xp_pfm_encode(const char *text, struct xp_attr *ret_attr, const char **ret_why);

#endif
