/* SPDX-License-Identifier: MIT */
/*
 * Names of the bits of branch_sample_type, as options and terms of events have them.
 * Source: perf-record(1) of perf 6.1, and 7.2 for "counter"; linux/perf_event.h, "enum
 * perf_branch_sample_type".
 */
#include "branch-words.h"

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/sampling.h>

const struct xp_word xp_branch_words[] = {
	{ "u", XP_BRANCH_USER },
	{ "k", XP_BRANCH_KERNEL },
	{ "hv", XP_BRANCH_HV },
	{ "any", XP_BRANCH_ANY },
	{ "any_call", XP_BRANCH_ANY_CALL },
	{ "any_ret", XP_BRANCH_ANY_RETURN },
	{ "ind_call", XP_BRANCH_IND_CALL },
	{ "ind_jmp", XP_BRANCH_IND_JUMP },
	{ "call", XP_BRANCH_CALL },
	{ "cond", XP_BRANCH_COND },
	{ "abort_tx", XP_BRANCH_ABORT_TX },
	{ "in_tx", XP_BRANCH_IN_TX },
	{ "no_tx", XP_BRANCH_NO_TX },
	{ "no_flags", XP_BRANCH_NO_FLAGS },
	{ "no_cycles", XP_BRANCH_NO_CYCLES },
	{ "save_type", XP_BRANCH_TYPE_SAVE },
	{ "stack", XP_BRANCH_CALL_STACK },
	{ "hw_index", XP_BRANCH_HW_INDEX },
	{ "priv", XP_BRANCH_PRIV_SAVE },
	{ "counter", XP_BRANCH_COUNTERS },
	{ 0 },
};

/* Where, not which: the kernel wants to know both. */
static const uint64_t levels = XP_BRANCH_USER | XP_BRANCH_KERNEL | XP_BRANCH_HV;

/* The bit of a name; 0: there is none. */
static uint64_t find(const char *name, size_t len)
{
	for (const struct xp_word *word = xp_branch_words; word->text; word++)
		if (strlen(word->text) == len && !strncasecmp(word->text, name, len))
			return word->value;
	return 0;
}

int xp_branch_type_parse(const char *text, uint64_t *ret_type)
{
	uint64_t type = 0;

	for (;; text++) {
		size_t len = strcspn(text, ",");
		uint64_t bit = find(text, len);

		if (!bit)
			return -EINVAL;
		type |= bit;
		text += len;
		if (!*text)
			break;
	}
	*ret_type = type & ~levels ? type : type | XP_BRANCH_ANY;
	return 0;
}
