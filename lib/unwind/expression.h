/* SPDX-License-Identifier: MIT */
/* Evaluates DWARF expressions of call frame information. */
#ifndef UNWIND_EXPRESSION_H
#define UNWIND_EXPRESSION_H

#include "machine.h"

/* What an expression can look at. @read: reads a number of up to 8 bytes; returns false: it is not
 * there */
struct surroundings {
	const struct machine *machine;
	const struct frame *frame;
	uint64_t cfa;
	bool (*read)(void *data, uint64_t address, size_t bytes, uint64_t *ret);
	void *data;
};

/* What the result is. */
enum result_kind { RESULT_ADDRESS, RESULT_VALUE };

/* Returns false: it cannot be computed. */
bool xp_expression_evaluate(const struct surroundings *around, const struct cfi_op *ops, size_t nr,
			    uint64_t *ret_result, enum result_kind *ret_kind);

#endif
