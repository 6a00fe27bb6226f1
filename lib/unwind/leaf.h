/* SPDX-License-Identifier: MIT */
/* Functions that leave the return address where the call has put it. */
#ifndef UNWIND_LEAF_H
#define UNWIND_LEAF_H

#include "rule.h"

enum { LEAF_INSTRUCTIONS = 4096 }; /* more are not looked at */

/* Makes a rule of all the code of a function. Returns false: something in it writes, or may write,
 * to the stack pointer or to the return address; or it is another machine. */
bool xp_leaf_rule(const struct machine *machine, const uint32_t *code, size_t nr,
		  struct rule *rule);

#endif
