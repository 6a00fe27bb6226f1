/* SPDX-License-Identifier: MIT */
/* Which way to find callers is chosen, by what program, kernel and processor can do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/record/call-graph.h"

static const struct {
	int line;
	struct call_graph_facts facts;
	const char *mode;
	const char *said; /* a part of it */
} rows[] = {
	{ __LINE__, { .is_known = false }, "fp", "" },
	{ __LINE__, { .is_known = false, .has_lbr = true, .defers = true }, "fp", "" },
	{ __LINE__, { .is_known = true, .keeps_pointers = true }, "fp", "keeps frame pointers" },
	{ __LINE__,
	  { .is_known = true, .keeps_pointers = true, .has_lbr = true, .unwinds = true },
	  "fp",
	  "keeps frame pointers" },
	{ __LINE__,
	  { .is_known = true, .keeps_pointers = true, .defers = true },
	  "fp,defer",
	  "once per system call" },
	{ __LINE__,
	  { .is_known = true, .has_lbr = true, .unwinds = true },
	  "lbr",
	  "branch records" },
	{ __LINE__, { .is_known = true, .defers = true, .unwinds = true }, "dwarf", "no frame" },
	{ __LINE__, { .is_known = true, .defers = true }, "fp", "--call-graph dwarf" },
};

static void the_first_mode_that_fits_is_chosen(void **state)
{
	struct xp_sampling_opts sampling = { .size = sizeof(sampling) };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct call_graph_row *row = call_graph_for(&rows[i].facts);

		if (strcmp(row->mode, rows[i].mode) != 0 ||
		    (!strstr(row->why, rows[i].said) && !strstr(row->instead, rows[i].said)))
			fail_msg("line %d: %s, %s%s", rows[i].line, row->mode, row->why,
				 row->instead);
		assert_true(value_callchain(row->mode, &sampling));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_mode_that_fits_is_chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
