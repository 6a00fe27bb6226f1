/* SPDX-License-Identifier: MIT */
/* What one instruction of x86 does to the frame of its function, and where it leads. */
#ifndef UNWIND_CODE_STEP_H
#define UNWIND_CODE_STEP_H

#include "machine.h"

/* Of the register for frame pointers. */
enum pointer_kind {
	POINTER_CALLERS, /* the caller's value */
	POINTER_FRAME,   /* it points into the frame */
	POINTER_OTHER,   /* anything else */
};

/*
 * The frame before an instruction. CFA is where the stack pointer was before the call.
 * @sp, @fp: bytes from what the register has up to CFA; @fp of POINTER_FRAME
 * @saved: bit i: the caller's value of machine->saved[i] is at CFA + at[i] words
 * @is_outermost: the code has cleared the frame pointer without saving the caller's: there is none
 */
struct code_frame {
	int32_t sp, fp;
	uint16_t saved;
	bool knows_sp, is_outermost;
	uint8_t pointer;    /* enum pointer_kind */
	uint8_t padding[3]; /* frames are compared as bytes */
	int16_t at[MACHINE_SAVED];
};

enum code_flow {
	FLOW_ON,      /* the next instruction follows */
	FLOW_CALL,    /* likewise, if the function that is called returns */
	FLOW_BRANCH,  /* or the one at the target */
	FLOW_JUMP,    /* that one only */
	FLOW_TABLE,   /* one that only the program knows */
	FLOW_RETURN,  /* the caller */
	FLOW_END,     /* nothing */
	FLOW_UNKNOWN, /* the instruction, or what it does to the frame, is not known */
};

/*
 * Executes the instruction at the beginning of @code, of x86-64 or i386.
 * @frame: changed
 * @ret_len: its bytes, at least 1 but with FLOW_UNKNOWN
 * @ret_target: of a branch or jump, bytes from the beginning of @code
 */
enum code_flow xp_code_step(const struct machine *machine, const uint8_t *code, size_t len,
			    struct code_frame *frame, size_t *ret_len, int64_t *ret_target);

#endif
