/* SPDX-License-Identifier: MIT */
/* Registers that a function has restored before it returns, on x86. */
#ifndef UNWIND_EPILOGUE_H
#define UNWIND_EPILOGUE_H

#include <stddef.h>

#include "rule.h"

enum { EPILOGUE_BYTES = 16 };

/* Whether a place where a rule says that a register is saved is below the stack pointer. */
bool xp_rule_has_popped(const struct machine *machine, const struct rule *rule);

/*
 * Compilers go on to say that a popped register is saved where it was, below the stack pointer. Of
 * that, copies of stacks have nothing; but where instructions that pop are all that is left before
 * the function returns, @code, the register has its value already. Makes @rule say so.
 */
void xp_epilogue_rule(const struct machine *machine, const uint8_t *code, size_t len,
		      struct rule *rule);

#endif
