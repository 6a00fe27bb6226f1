/* SPDX-License-Identifier: MIT */
/* All rules of a file, for what walks stacks without asking for one address after the other. */
#ifndef UNWIND_EACH_RULE_H
#define UNWIND_EACH_RULE_H

#include <xperf/api.h>

#include "rule.h"

struct xp_unwind_file;

/* @start, @end: in the file's own addresses; @rule: of kind RULE_NONE where nothing is described.
 * Return 0; any other value ends it and is returned. */
typedef int (*xp_rule_fn)(void *data, uint64_t start, uint64_t end, const struct rule *rule);

/*
 * Hands over the rules of a file in the order of addresses, without gaps between the first function
 * and the last. Gaps of less than 16 bytes, which fill the space between functions, belong to the
 * rule before them. Other threads may use the file meanwhile.
 *
 * Returns 0, what @fn returned, or
 *   -ENOENT      the file cannot be read, or is not of x86-64
 *   -ENODATA     nothing describes its code, and no symbol says where functions begin
 *   -EOPNOTSUPP  its code is described, but not so that it can be said which
 *   -ENOMEM
 */
int xp_unwind_file_each_rule(struct xp_unwind_file *file, xp_rule_fn fn, void *data);

/* Where code that is mapped from an offset in the file on is in the file's own addresses. Returns
 * false: it cannot be read, or its machine is not x86-64. */
bool xp_unwind_file_place(struct xp_unwind_file *file, uint64_t offset, uint64_t *ret_address);

/* Bytes of the file; 0: it cannot be read. */
uint64_t xp_unwind_file_size(struct xp_unwind_file *file);

/* Closes the file, and forgets what can be read again: by xp_unwind_file_each_rule(), as long as
 * the file is there. */
void xp_unwind_file_forget(struct xp_unwind_file *file);

#endif
