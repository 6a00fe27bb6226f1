/* SPDX-License-Identifier: MIT */
/* The vendor events of this machine, by names that parse. */
#ifndef EVSEL_VENDOR_LIST_H
#define EVSEL_VENDOR_LIST_H

#include "pfm.h"

struct xp_ctx;

/* @attr: what the kernel is asked for it. The texts are valid during the call. */
typedef int xp_vendor_name_fn(const char *pmu, const char *name, const char *desc,
			      const struct xp_attr *attr, void *data);

/*
 * Calls @fn for each event of this machine's PMUs, and for each of its unit masks, that can be
 * counted under its name alone. Returns 0, what @fn returned, -ENOMEM. Without libpfm4, and with
 * another root path, there are none.
 */
int xp_vendor_list(const struct xp_ctx *ctx, xp_vendor_name_fn *fn, void *data);

#endif
