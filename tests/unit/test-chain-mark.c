/* SPDX-License-Identifier: MIT */
/* What a chain says of its own end comes back, and nothing else is taken for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <xperf/record.h>

#include "chain-mark.h"

#define U XP_CONTEXT_USER
#define K XP_CONTEXT_KERNEL

static void each_end_comes_back(void **state)
{
	(void)state;
	for (int end = 0; end < XP_NR_CHAIN_ENDS; end++) {
		uint64_t chain[8] = { K, 0xffffffff81000000, U, 0x1000 };
		size_t nr = 4 + xp_chain_mark((enum xp_chain_end)end, chain + 4), left;

		assert_int_equal(xp_chain_marked(chain, nr, &left), end);
		assert_int_equal(left, 4);
	}
}

static const struct {
	int line;
	uint64_t chain[6];
	size_t nr;
} others[] = {
	{ __LINE__, { 0 }, 0 },
	{ __LINE__, { U }, 1 },
	{ __LINE__, { U, U, U }, 3 },
	{ __LINE__, { U, 0x1000 }, 2 },
	{ __LINE__, { 0x1000, U }, 2 },
	/* no room for the first address of user space */
	{ __LINE__, { K, 0xffffffff81000000, U }, 3 },
	{ __LINE__, { U, 0x1000, U, U }, 4 },
	/* what is known elsewhere only: complete in three words, a number too large, a cookie */
	{ __LINE__, { U, 0x1000, U, U, U }, 5 },
	{ __LINE__, { U, 0x1000, XP_CONTEXT_HV, XP_CONTEXT_HV, XP_CONTEXT_HV }, 5 },
	{ __LINE__, { U, 0x1000, K }, 3 },
	{ __LINE__, { U, 0x1000, XP_CONTEXT_USER_DEFERRED }, 3 },
};

static void other_chains_say_nothing(void **state)
{
	size_t left;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (xp_chain_marked(others[i].chain, others[i].nr, &left) != XP_NR_CHAIN_ENDS ||
		    left != others[i].nr)
			fail_msg("line %d: an end was found", others[i].line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_comes_back),
		cmocka_unit_test(other_chains_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
