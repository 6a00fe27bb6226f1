/* SPDX-License-Identifier: MIT */
/* Rules of a function that nothing describes, from its instructions. */
#ifndef UNWIND_CODE_RULE_H
#define UNWIND_CODE_RULE_H

#include <stddef.h>

#include "rule.h"

/* Functions that are longer are not read. */
enum { CODE_RULE_BYTES = 1 << 16 };

/* Bytes from @start to @end of the function have one rule, or RULE_NONE. */
typedef void (*xp_code_rule_fn)(void *data, size_t start, size_t end, const struct rule *rule);

/*
 * Follows a function of x86-64 or i386 along all its branches, from its first byte on, where its
 * caller has just called it. Where paths that meet have not done the same to the frame, or the
 * function returns from another place than it was called from, nothing is known.
 * @fn: called for all parts of the function in order; with none if not even that can be done
 */
void xp_code_rules(const struct machine *machine, const uint8_t *code, size_t len,
		   xp_code_rule_fn fn, void *data);

#endif
