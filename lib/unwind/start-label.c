/* SPDX-License-Identifier: MIT */
/* Looks at the bytes before a return address, and at the rule after it. */
#include "start-label.h"

#include "unwind-impl.h"
#include "x86-call.h"

/* That of a function's first instruction: nothing but the return address is on the stack. */
static bool is_first(const struct machine *machine, const struct rule *rule)
{
	return rule->kind == RULE_FRAME && rule->cfa_reg == machine->sp && rule->saved == 1 &&
	       rule->cfa_offset == machine->word && rule->at[0] == -1 && !rule->is_signal;
}

bool xp_unwind_is_start_label(struct xp_unwind_file *file, const struct machine *machine,
			      uint64_t offset, const struct rule *before)
{
	enum { ALIGNED = 16 };
	uint8_t bytes[X86_CALL_MAX];

	/* Most return addresses are in the middle of what a rule describes. */
	if (!machine->is_call_pushing || before->is_signal || before->kind == RULE_POINTER ||
	    (before->kind != RULE_NONE && offset % ALIGNED) || offset < sizeof(bytes))
		return false;
	if (xp_unwind_file_copy(file, offset - sizeof(bytes), bytes, sizeof(bytes)) !=
		    sizeof(bytes) ||
	    x86_call_ends(bytes))
		return false;
	const struct rule rule = xp_unwind_file_rule(file, machine, offset, false);

	return is_first(machine, &rule);
}
