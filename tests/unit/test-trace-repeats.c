/* SPDX-License-Identifier: MIT */
/* What two events of one tracepoint record of one hit counts once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace-repeats.h"

static void a_hit_counts_once(void **state)
{
	static const struct {
		int line, cpu;
		struct trace_hit hit;
		int repeats;
	} hits[] = {
		{ __LINE__, 0, { 0, 0, 7, { 1 } }, 0 },
		{ __LINE__, 0, { 2, 0, 7, { 1 } }, 1 },
		{ __LINE__, 0, { 3, 0, 7, { 1 } }, 1 },
		/* the same event has a hit of its own each time */
		{ __LINE__, 0, { 0, 0, 7, { 1 } }, 0 },
		{ __LINE__, 1, { 2, 0, 7, { 1 } }, 0 },
		/* another tracepoint, task, number */
		{ __LINE__, 0, { 1, 1, 7, { 1 } }, 0 },
		{ __LINE__, 0, { 2, 1, 8, { 1 } }, 0 },
		{ __LINE__, 0, { 1, 1, 8, { 1, 0, 5 } }, 0 },
		/* no CPU, or none there can be: nothing is concluded */
		{ __LINE__, -1, { 0, 0, 7, { 1 } }, 0 },
		{ __LINE__, -1, { 2, 0, 7, { 1 } }, 0 },
		{ __LINE__, INT32_MAX, { 2, 0, 7, { 1 } }, 0 },
	};
	struct trace_repeats repeats = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(hits) / sizeof(hits[0]); i++)
		if (trace_repeats_add(&repeats, hits[i].cpu, &hits[i].hit) != hits[i].repeats)
			fail_msg("line %d", hits[i].line);
	trace_repeats_fini(&repeats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
