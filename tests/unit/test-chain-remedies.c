/* SPDX-License-Identifier: MIT */
/* What is said to help call chains helps: in this build, on this machine, for this recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/recording/chain-reasons.h"

#define FULL .can_unwind = true, .has_library = true

static const struct {
	int line;
	enum xp_chain_end end;
	struct chain_facts facts;
	const char *helps; /* a part of it; "": nothing does */
} rows[] = {
	{ __LINE__, XP_CHAIN_INSIDE, { FULL }, "--call-graph dwarf" },
	{ __LINE__, XP_CHAIN_INSIDE, { 0 }, "-fno-omit-frame-pointer" },
	{ __LINE__, XP_CHAIN_INSIDE, { FULL, .is_unwound = true }, "" },
	{ __LINE__, XP_CHAIN_NOWHERE, { FULL }, "--call-graph dwarf" },
	{ __LINE__, XP_CHAIN_NOWHERE, { 0 }, "-fno-omit-frame-pointer" },
	{ __LINE__, XP_CHAIN_NOWHERE, { .is_unwound = true }, "" },
	{ __LINE__, XP_CHAIN_NO_CALL, { FULL }, "--call-graph dwarf" },
	{ __LINE__, XP_CHAIN_NO_CALL, { 0 }, "-fno-omit-frame-pointer" },
	{ __LINE__, XP_CHAIN_NO_CALL, { FULL, .is_unwound = true }, "" },
	{ __LINE__, XP_CHAIN_UNNAMED, { FULL }, "symbols" },
	{ __LINE__, XP_CHAIN_LIMIT, { FULL }, "kernel.perf_event_max_stack" },
	{ __LINE__, XP_CHAIN_NO_RULES, { FULL }, "install debug symbols" },
	{ __LINE__, XP_CHAIN_NO_RULES, { 0 }, "" },
	{ __LINE__, XP_CHAIN_NO_FILE, { FULL }, "" },
	{ __LINE__, XP_CHAIN_NO_LIBRARY, { FULL }, "install libdw" },
	{ __LINE__, XP_CHAIN_NO_LIBRARY, { 0 }, "built without" },
	{ __LINE__, XP_CHAIN_STACK_END, { FULL, .stack_bytes = 16384 }, "dwarf,65528" },
	{ __LINE__, XP_CHAIN_STACK_END, { FULL, .stack_bytes = 65528 }, "" },
	{ __LINE__, XP_CHAIN_NO_STACK, { FULL, .stack_bytes = 8192 }, "" },
	{ __LINE__, XP_CHAIN_MAX, { FULL, .is_raw = true }, "--max-stack" },
	{ __LINE__, XP_CHAIN_MAX, { FULL }, "" },
	{ __LINE__, XP_CHAIN_MADE_CODE, { FULL, .file = "/usr/bin/python3.12" }, "-X perf_jit" },
	{ __LINE__, XP_CHAIN_MADE_CODE, { FULL, .file = "/usr/bin/node" }, "--perf-prof" },
	{ __LINE__, XP_CHAIN_MADE_CODE, { FULL, .file = "/jvm/libjvm.so" }, "-XX:+Preserve" },
	{ __LINE__, XP_CHAIN_MADE_CODE, { FULL, .file = "/usr/bin/other" }, "" },
	{ __LINE__, XP_CHAIN_MADE_CODE, { FULL }, "" },
	{ __LINE__, XP_CHAIN_DAMAGED, { FULL }, "" },
};

static void what_helps_depends_on_the_facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *helps = chain_remedy(rows[i].end, &rows[i].facts);

		if (*rows[i].helps ? !strstr(helps, rows[i].helps) : *helps)
			fail_msg("line %d: '%s'", rows[i].line, helps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_helps_depends_on_the_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
