/* SPDX-License-Identifier: MIT */
/* Texts of the library with the options and commands of the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli.h"

static void phrases_become_those_of_the_program(void **state)
{
	static const struct {
		const char *library;
		const char *program;
	} rows[] = {
		{ "No event has a similar name",
		  "`xperf list` shows the events there are; calls of a function are counted by "
		  "xperf stat --functions" },
		{ "Run it as root, or without a real-time priority",
		  "Run it as root, or without -r" },
		{ "its PMU counts for whole CPUs: open it on CPUs",
		  "its PMU counts for whole CPUs: use -a or -C" },
		/* what stands for a '*' is kept */
		{ "Count a:b* instead of sampling it", "Count it: `xperf stat -e a:b*`" },
		{ "The section .note.stapsdt of /a b lists its markers",
		  "`xperf list sdt /a b` shows those it has" },
		/* two phrases in one text, and what follows */
		{ "give the program CAP_PERFMON (sudo setcap cap_perfmon=ep PROGRAM), or: ...",
		  "give xperf CAP_PERFMON (sudo setcap cap_perfmon=ep $(command -v xperf)), or: ..." },
		/* half a phrase */
		{ "Count a instead of b", "Count a instead of b" },
		{ "", "" },
	};
	struct wording buf;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(cli_words(rows[i].library, &buf), rows[i].program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phrases_become_those_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
