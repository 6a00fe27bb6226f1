/* SPDX-License-Identifier: MIT */
/* Looks at the samples that were recorded, at the end: at their call chains, and where they were.
 */
#ifndef CLI_RECORD_CHAINS_H
#define CLI_RECORD_CHAINS_H

#include <xperf/api.h>

struct xp_chain_ends;
struct xp_ctx;

/*
 * Counts how the first chains in a file end: those in its first megabytes, so that it takes the
 * same time however large the file is. *ret_is_all: these are all. Returns 0 or a negative errno;
 * the table is then the caller's.
 */
int chains_judge(struct xp_ctx *ctx, const char *path, struct xp_chain_ends **ret_ends,
		 bool *ret_is_all);

/*
 * Prints a line on standard error that says where most of the cost is, of the first event that has
 * samples in the first megabytes of the file: "82 % in hash_it (hot.c:4), called by parse_line".
 * Prints nothing where nothing is known.
 * @with_caller: chains have all callers, as those by frame pointers do not
 */
void chains_say_found(struct xp_ctx *ctx, const char *path, bool with_caller);

#endif
