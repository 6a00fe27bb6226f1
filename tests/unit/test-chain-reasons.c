/* SPDX-License-Identifier: MIT */
/* The table of reasons: each end is in it once, and docs/call-stacks.md has the same table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording/chain-reasons.h"

enum { ROOM = 1 << 20, ROW = 2000 };

static void each_end_is_there_once(void **state)
{
	int seen[XP_NR_CHAIN_ENDS] = { 0 };
	const struct chain_reason *reason;

	(void)state;
	for (size_t i = 0; (reason = chain_reason_at(i)) != NULL; i++) {
		assert_true(reason->end < XP_NR_CHAIN_ENDS);
		assert_int_equal(seen[reason->end]++, 0);
		assert_ptr_equal(chain_reason_of(reason->end), reason);
		assert_true(*reason->name && *reason->what);
	}
	for (int end = 0; end < XP_NR_CHAIN_ENDS; end++)
		assert_int_equal(seen[end], 1);
}

/* "| `limit` | have as many frames as were recorded | raise ... |", the remedies apart by <br> */
static void make_row(const struct chain_reason *reason, char row[ROW])
{
	const char *helps, *sep = " | ";
	int at = snprintf(row, ROW, "\n| `%s` | %s%s%s", reason->name,
			  reason->verb ? reason->verb[1] : "", reason->verb ? " " : "",
			  reason->what);

	for (size_t i = 0; (helps = chain_remedy_at(reason->end, i)) != NULL; i++) {
		/* The same text can be there for several cases. */
		if (strstr(row, helps + strlen("; ")))
			continue;
		at += snprintf(row + at, (size_t)(ROW - at), "%s%s", sep, helps + strlen("; "));
		sep = "<br>";
	}
	snprintf(row + at, (size_t)(ROW - at), "%s |\n", *sep == ' ' ? " | " : "");
}

static void the_document_has_the_same_table(void **state)
{
	const char *source = getenv("SOURCE_DIR");
	const struct chain_reason *reason;
	char path[1000], row[ROW];
	char *text = calloc(1, ROOM);

	(void)state;
	assert_non_null(text);
	snprintf(path, sizeof(path), "%s/docs/call-stacks.md", source ? source : ".");
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, ROOM - 1, file) < ROOM - 1);
	fclose(file);
	size_t nr = 0, nr_rows = 0;
	for (; (reason = chain_reason_at(nr)) != NULL; nr++) {
		make_row(reason, row);
		if (!strstr(text, row))
			fail_msg("%s lacks:%s", path, row);
	}
	for (const char *at = text; (at = strstr(at, "\n| `")) != NULL; at++)
		nr_rows++;
	assert_int_equal(nr_rows, nr);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_is_there_once),
		cmocka_unit_test(the_document_has_the_same_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
