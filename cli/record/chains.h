/* SPDX-License-Identifier: MIT */
/* Looks at the call chains that were recorded, at the end. */
#ifndef CLI_RECORD_CHAINS_H
#define CLI_RECORD_CHAINS_H

#include <xperf/chain-ends.h>
#include <xperf/ctx.h>

/*
 * Counts how the first chains in a file end: those in its first megabytes, so that it takes the
 * same time however large the file is. *ret_is_all: these are all. Returns 0 or a negative errno;
 * the table is then the caller's.
 */
int chains_judge(struct xp_ctx *ctx, const char *path, struct xp_chain_ends **ret_ends,
		 bool *ret_is_all);

#endif
