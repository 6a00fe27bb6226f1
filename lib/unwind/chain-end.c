/* SPDX-License-Identifier: MIT */
/* From the end of a walk to a reason of the table. */
#include "chain-end.h"

#include <xperf/record.h>

#include "unwind-impl.h"

/* Memory is that of another program already, and the registers are the old ones. */
static bool is_in_execve(const struct xp_unwind_chain *chain, uint16_t misc)
{
	return (misc & XP_MISC_CPUMODE_MASK) == XP_MISC_KERNEL && chain->nr == 1 &&
	       (chain->end == XP_UNWIND_NOT_MAPPED || chain->end == XP_UNWIND_NO_STACK);
}

enum xp_chain_end xp_unwind_chain_end(const struct xp_unwind_chain *chain, size_t nr_joined,
				      uint16_t misc)
{
	static const enum xp_chain_end ends[] = {
		[XP_UNWIND_COMPLETE] = XP_CHAIN_COMPLETE,
		[XP_UNWIND_END_OF_DUMP] = XP_CHAIN_STACK_END,
		[XP_UNWIND_NO_INFO] = XP_CHAIN_NO_RULES,
		[XP_UNWIND_NOT_MAPPED] = XP_CHAIN_NOWHERE,
		[XP_UNWIND_LIMIT] = XP_CHAIN_MAX,
		[XP_UNWIND_BAD] = XP_CHAIN_DAMAGED,
		[XP_UNWIND_NO_STACK] = XP_CHAIN_STACK_END,
		[XP_UNWIND_NO_FILE] = XP_CHAIN_NO_FILE,
		[XP_UNWIND_NO_LIBRARY] = XP_CHAIN_NO_LIBRARY,
		[XP_UNWIND_PROBED] = XP_CHAIN_PROBED,
	};

	if (is_in_execve(chain, misc))
		return XP_CHAIN_NO_STACK;
	if (chain->end == XP_UNWIND_NO_INFO && xp_unwind_file_is_made(chain->end_file))
		return XP_CHAIN_MADE_CODE;
	return nr_joined && chain->end == XP_UNWIND_COMPLETE ? XP_CHAIN_JOINED : ends[chain->end];
}
