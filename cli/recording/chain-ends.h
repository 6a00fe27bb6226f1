/* SPDX-License-Identifier: MIT */
/* How many call chains are complete, and what helps the others. */
#ifndef RECORDING_CHAIN_ENDS_H
#define RECORDING_CHAIN_ENDS_H

#include <stdbool.h>
#include <stdio.h>
#include <xperf/chain-ends.h>

struct xp_chain_ends;
struct xp_data;
struct xp_profile;
struct xp_resolver;

#include "chain-reasons.h"

/* Counts the ends of a profile's chains. Returns 0 or -ENOMEM. */
int chain_ends_judge(const struct xp_data *data, struct xp_profile *profile,
		     struct xp_resolver *resolver, struct xp_chain_ends *ends);

/* True if there are chains, and all of them are complete. */
bool chain_ends_all_complete(const struct xp_chain_ends *ends);

/* What complete chains lack all the same, behind a word that says that they are: a function that
 * calls nothing has no frame pointer, and its caller is in none of its chains. */
const char *chain_ends_but(const struct xp_chain_ends *ends, const struct chain_facts *facts);

/* How chain_ends_print() writes. @prefix: of each line; @which: which chains these are: "the first
 * ",
 * ""; @grouped: digits are, "1,234" */
struct chain_words {
	const char *prefix, *which;
	bool grouped;
};
/* What is not complete, why, and what helps: a line for each reason. */
void chain_ends_print(FILE *file, const struct chain_words *words, const struct chain_facts *facts,
		      struct xp_chain_ends *ends);

#endif
