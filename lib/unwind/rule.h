/* SPDX-License-Identifier: MIT */
/* A rule: how the caller of a function is found from some of its instructions, in 32 bytes. */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include "machine.h"

enum rule_kind {
	RULE_NONE,    /* nothing is known */
	RULE_END,     /* there is no caller */
	RULE_FRAME,   /* CFA = register + offset */
	RULE_DEREF,   /* CFA = what is in memory at register + offset */
	RULE_PLT,     /* CFA = register + offset, and a word more from an instruction on */
	RULE_SIGNAL,  /* registers are where the kernel has left them for the end of the handler */
	RULE_POINTER, /* by the frame pointer: the code is of an engine that keeps them */
	RULE_ODD,     /* expressions: what libdw says is evaluated each time */
};

/*
 * @cfa_offset: bytes
 * @saved: bit i: the caller's value of machine->saved[i] is at CFA + at[i] words. If it is not set,
 *         the register still has it
 * @is_signal: the caller was interrupted by a signal; with RULE_END, the function itself was not
 *         called: its address is no return address
 * @plt_from: of RULE_PLT: the lowest 4 bits of pc from which on there is a word more
 */
struct rule {
	uint8_t kind;
	uint8_t cfa_reg;
	bool is_signal;
	uint8_t plt_from;
	int32_t cfa_offset;
	int16_t at[MACHINE_SAVED];
	uint16_t saved;
	uint16_t padding;
};

/*
 * xp_rule_pushed - words that were pushed, the return address among them, before the function began
 *
 * The linker's table does that for the function that finds others, _dl_runtime_resolve of the GNU C
 * library, which describes the place of the return address above its own frame. The frame of the
 * function that called ends beyond it. Not on machines whose calls push.
 *
 * xp_rule_move - makes so many words a part of the frame
 */
int xp_rule_pushed(const struct machine *machine, const struct cfi_row *row);
void xp_rule_move(const struct machine *machine, struct rule *rule, int words);

/* Makes a rule of what libdw says. */
struct rule xp_rule_of(const struct machine *machine, const struct cfi_row *row);

#endif
