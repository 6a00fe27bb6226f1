/* SPDX-License-Identifier: MIT */
/* The rows of one file, as the kernel's table has them. */
#ifndef BPF_RULE_ROWS_H
#define BPF_RULE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "rule.h"
#include "stack-rules.h"

struct xp_unwind_file;

struct rule_rows {
	struct rule_row *at;
	size_t nr, room;
};

/* Returns 0, -ENOMEM, -ENOSPC (more than any table has room for), -ERANGE (code beyond 4 GiB), or
 * what xp_unwind_file_each_rule() does; then there are none. */
int xp_rule_rows_make(struct xp_unwind_file *file, struct rule_rows *ret_rows);
void xp_rule_rows_fini(struct rule_rows *rows);

/* A rule as a row has it. */
uint32_t xp_rule_row_of(const struct rule *rule);

#endif
