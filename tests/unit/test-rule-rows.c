/* SPDX-License-Identifier: MIT */
/* Rules as rows of 8 bytes: what fits, and that what does not fit ends chains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rule-rows.h"

enum { BX = 3, BP = 6, SP = 7, RA_SAVED = 1, BP_SAVED = 2 };

static uint32_t row(uint32_t kind, uint8_t bp, int32_t offset)
{
	return kind | (uint32_t)bp << ROW_BP_SHIFT | (uint32_t)offset << ROW_OFFSET_SHIFT;
}

static void rules_become_rows(void **state)
{
	static const struct {
		int line;
		struct rule rule;
		uint32_t kind;
		int8_t bp;
		int32_t offset;
	} rows[] = {
		{ __LINE__, { .kind = RULE_NONE }, ROW_NONE, 0, 0 },
		{ __LINE__, { .kind = RULE_END }, ROW_OUTERMOST, 0, 0 },
		{ __LINE__, { .kind = RULE_SIGNAL, .is_signal = true }, ROW_SIGNAL, 0, 0 },
		{ __LINE__, { .kind = RULE_ODD }, ROW_ODD, 0, 0 },
		{ __LINE__, { RULE_FRAME, SP, false, 0, 8, { -1 }, RA_SAVED, 0 }, ROW_SP, 0, 8 },
		{ __LINE__,
		  { RULE_FRAME, BP, false, 0, 16, { -1, -2 }, RA_SAVED | BP_SAVED, 0 },
		  ROW_BP,
		  -2,
		  16 },
		{ __LINE__,
		  { RULE_DEREF, BP, false, 0, -8, { -1, -2 }, RA_SAVED | BP_SAVED, 0 },
		  ROW_DEREF_BP,
		  -2,
		  -8 },
		{ __LINE__, { RULE_PLT, SP, false, 11, 8, { -1 }, RA_SAVED, 0 }, ROW_PLT, 0, 11 },
		/* Registers that the kernel does not follow, and places that do not fit */
		{ __LINE__, { RULE_FRAME, BX, false, 0, 8, { -1 }, RA_SAVED, 0 }, ROW_ODD, 0, 0 },
		{ __LINE__, { RULE_DEREF, SP, false, 0, 8, { -1 }, RA_SAVED, 0 }, ROW_ODD, 0, 0 },
		{ __LINE__, { RULE_FRAME, SP, false, 0, 8, { -2 }, RA_SAVED, 0 }, ROW_ODD, 0, 0 },
		{ __LINE__, { RULE_FRAME, SP, false, 0, 8, { 0 }, 0, 0 }, ROW_ODD, 0, 0 },
		{ __LINE__,
		  { RULE_FRAME, SP, false, 0, ROW_OFFSET_MAX, { -1 }, RA_SAVED, 0 },
		  ROW_SP,
		  0,
		  ROW_OFFSET_MAX },
		{ __LINE__,
		  { RULE_FRAME, SP, false, 0, ROW_OFFSET_MAX + 1, { -1 }, RA_SAVED, 0 },
		  ROW_ODD,
		  0,
		  0 },
		{ __LINE__,
		  { RULE_FRAME, SP, false, 0, 8, { -1, -129 }, RA_SAVED | BP_SAVED, 0 },
		  ROW_ODD,
		  0,
		  0 },
		{ __LINE__,
		  { RULE_FRAME, SP, false, 0, 8, { -1, 0 }, RA_SAVED | BP_SAVED, 0 },
		  ROW_ODD,
		  0,
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t expected = row(rows[i].kind, (uint8_t)rows[i].bp, rows[i].offset);

		if (xp_rule_row_of(&rows[i].rule) != expected)
			fail_msg("line %d: %#x", rows[i].line, xp_rule_row_of(&rows[i].rule));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rules_become_rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
