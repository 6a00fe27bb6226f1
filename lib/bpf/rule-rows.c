/* SPDX-License-Identifier: MIT */
/* From rules of lib/unwind to rows of 8 bytes. */
#include "rule-rows.h"

#include <errno.h>
#include <stdlib.h>

#include "each-rule.h"
#include "vec.h"

/* Registers of x86-64, as DWARF numbers them, and where the rule has them. */
enum { REG_BP = 6, REG_SP = 7, SAVED_RA = 0, SAVED_BP = 1 };

static enum rule_row_kind kind_of(const struct rule *rule)
{
	switch (rule->kind) {
	case RULE_NONE:
		return ROW_NONE;
	case RULE_END:
		return ROW_OUTERMOST;
	case RULE_SIGNAL:
		return ROW_SIGNAL;
	case RULE_PLT:
		return ROW_PLT;
	case RULE_FRAME:
		return rule->cfa_reg == REG_SP   ? ROW_SP
		       : rule->cfa_reg == REG_BP ? ROW_BP
						 : ROW_ODD;
	case RULE_DEREF:
		return rule->cfa_reg == REG_BP ? ROW_DEREF_BP : ROW_ODD;
	default:
		return ROW_ODD;
	}
}

/* Whether registers and offsets are where a row can say. */
static bool fits(const struct rule *rule, int32_t offset)
{
	bool has_ra = rule->saved >> SAVED_RA & 1 && rule->at[SAVED_RA] == -1;
	int bp = rule->saved >> SAVED_BP & 1 ? rule->at[SAVED_BP] : 1;

	return has_ra && bp && bp >= INT8_MIN && bp <= INT8_MAX && offset <= ROW_OFFSET_MAX &&
	       offset >= -ROW_OFFSET_MAX;
}

uint32_t xp_rule_row_of(const struct rule *rule)
{
	enum rule_row_kind kind = kind_of(rule);
	int32_t offset = kind == ROW_PLT ? rule->plt_from : rule->cfa_offset;
	uint32_t bp = rule->saved >> SAVED_BP & 1 ? (uint8_t)rule->at[SAVED_BP] : 0;

	if (kind == ROW_NONE || kind == ROW_ODD || kind == ROW_OUTERMOST || kind == ROW_SIGNAL)
		return kind;
	if (!fits(rule, offset))
		return ROW_ODD;
	return kind | bp << ROW_BP_SHIFT | (uint32_t)offset << ROW_OFFSET_SHIFT;
}

/* Room for one more is needed for where the last function ends. */
static int add_row(void *data, uint64_t start, uint64_t end, const struct rule *rule)
{
	struct rule_rows *rows = data;
	uint32_t row = xp_rule_row_of(rule);

	/* Without a row, none of the file is right. */
	if (end > UINT32_MAX)
		return -ERANGE;
	if (rows->nr + 1 >= RULE_ROWS_MAX)
		return -ENOSPC;
	if (vec_reserve_more(&rows->at, rows->nr, 2, &rows->room, sizeof(*rows->at)))
		return -ENOMEM;
	if (!rows->nr || rows->at[rows->nr - 1].rule != row)
		rows->at[rows->nr++] = (struct rule_row){ (uint32_t)start, row };
	/* What follows is written over it. */
	rows->at[rows->nr] = (struct rule_row){ (uint32_t)end, ROW_NONE };
	return 0;
}

int xp_rule_rows_make(struct xp_unwind_file *file, struct rule_rows *ret_rows)
{
	*ret_rows = (struct rule_rows){ 0 };
	int err = xp_unwind_file_each_rule(file, add_row, ret_rows);

	xp_unwind_file_forget(file);
	if (err)
		xp_rule_rows_fini(ret_rows);
	else if (ret_rows->nr)
		ret_rows->nr++;
	return err;
}

void xp_rule_rows_fini(struct rule_rows *rows)
{
	free(rows->at);
	*rows = (struct rule_rows){ 0 };
}
