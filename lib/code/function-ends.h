/* SPDX-License-Identifier: MIT */
/* Where calls of a function end, found in its code. */
#ifndef CODE_FUNCTION_ENDS_H
#define CODE_FUNCTION_ENDS_H

#include "decoder.h"

/* Bytes of a function: all of them, or those that the compiler has put elsewhere. */
struct code_part {
	const uint8_t *bytes;
	size_t len;
	uint64_t address;
};

enum function_ends_state {
	FUNCTION_ENDS_FOUND,
	FUNCTION_ENDS_NO_SIZE,
	FUNCTION_ENDS_NO_DECODER,
	FUNCTION_ENDS_OTHER_MACHINE,
	FUNCTION_ENDS_NO_CODE,  /* some bytes are no instructions */
	FUNCTION_ENDS_COMPUTED, /* a jump goes where only the program knows: a table, a pointer */
	FUNCTION_ENDS_LEFT,     /* a jump goes to another function */
	FUNCTION_ENDS_OPEN,     /* its last instruction is followed by what is not its own */
	FUNCTION_ENDS_NONE,     /* it does not return */
	FUNCTION_ENDS_NO_PROBE, /* where it returns, no probe can be set */
	FUNCTION_ENDS_FAR,      /* it returns as interrupts do */
};

/*
 * @at:      addresses of the instructions that return; NULL but with FUNCTION_ENDS_FOUND
 * @left_to: where the jump goes, with FUNCTION_ENDS_LEFT
 * @repeats: a jump of the function goes to its beginning
 */
struct function_ends {
	enum function_ends_state state;
	uint64_t *at;
	size_t nr;
	uint64_t left_to;
	bool repeats;
};

/*
 * Looks for the ends of a function of x86-64. They are found when each of its bytes is decoded, and
 * each jump goes to an instruction of its own: then the function ends where it returns, if not by
 * longjmp(3), an exception or the end of the program.
 * @parts: the one that it begins with comes first
 * @ret_ends: function_ends_fini() follows
 * Returns 0 or -ENOMEM.
 */
int xp_function_ends(struct decoder *decoder, const struct code_part *parts, size_t nr_parts,
		     struct function_ends *ret_ends);
void xp_function_ends_fini(struct function_ends *ends);

/* Why there are none, a clause for the user: "it has a jump table"; "" if they were found. */
const char *xp_function_ends_reason(enum function_ends_state state);

#endif
