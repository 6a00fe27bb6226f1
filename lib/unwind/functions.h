/* SPDX-License-Identifier: MIT */
/* Rules of code that no section of a file describes: from its instructions, function by function.
 */
#ifndef UNWIND_FUNCTIONS_H
#define UNWIND_FUNCTIONS_H

#include "rule.h"

struct xp_unwind_file;

/* A function as a symbol table has it. @end: @start if its size is not said; @is_part: it begins
 * where no caller calls it; @is_of_engine: it keeps a frame pointer; @is_first: a
 * chain that has reached it is complete: nothing calls it, or it is main; @is_clone: that is so
 * behind its call only, else it has the caller that makes a thread */
struct function {
	uint64_t start, end;
	bool is_part, is_of_engine, is_first, is_clone;
};

/* The function around an address, of a file that has been opened. With its lock. Returns false: no
 * symbol says so, or only a part of a function is there. */
bool xp_function_find(struct xp_unwind_file *file, uint64_t address, struct function *ret);

/* Addresses from @start on and before @end have one rule, or RULE_NONE. */
typedef void (*xp_function_fn)(void *data, uint64_t start, uint64_t end, const struct rule *rule);

/*
 * Hands over the rules of the function around an address, of a file that has been opened. With its
 * lock. With no symbol, or where the function is not understood, there are none.
 */
void xp_function_rules(struct xp_unwind_file *file, uint64_t address, xp_function_fn fn,
		       void *data);

/* The first function that begins at an address or after it. Returns as xp_function_find(). */
bool xp_function_next(struct xp_unwind_file *file, uint64_t address, struct function *ret);

#endif
