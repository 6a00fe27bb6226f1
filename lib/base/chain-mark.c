/* SPDX-License-Identifier: MIT */
/*
 * One marker of user space: the chain is complete, as nearly all are. Three markers: the end is a
 * number with three digits, of those markers that every perf knows.
 *
 * Source: linux/perf_event.h, enum perf_callchain_context; of those that perf knows: perf script
 * 6.1, measured.
 */
#include "chain-mark.h"

#include <xperf/record.h>

enum { DIGITS = 3 };

static const uint64_t digits[DIGITS] = { XP_CONTEXT_USER, XP_CONTEXT_KERNEL, XP_CONTEXT_HV };

size_t xp_chain_mark(enum xp_chain_end end, uint64_t words[XP_CHAIN_MARK_MAX])
{
	unsigned int left = (unsigned int)end;

	words[0] = XP_CONTEXT_USER;
	if (end == XP_CHAIN_COMPLETE)
		return 1;
	for (size_t i = XP_CHAIN_MARK_MAX; i-- > 0; left /= DIGITS)
		words[i] = digits[left % DIGITS];
	return XP_CHAIN_MARK_MAX;
}

static int digit_of(uint64_t word)
{
	for (int i = 0; i < DIGITS; i++)
		if (digits[i] == word)
			return i;
	return -1;
}

/* The kernel can have no room for the first address of user space, only for its marker. */
static bool is_in_user_part(const uint64_t *chain, size_t nr)
{
	while (nr && chain[nr - 1] < XP_CONTEXT_MAX)
		nr--;
	return nr && chain[nr - 1] == XP_CONTEXT_USER;
}

enum xp_chain_end xp_chain_marked(const uint64_t *chain, size_t nr, size_t *ret_nr)
{
	size_t len = 0;
	int end = 0;

	*ret_nr = nr;
	while (len < nr && digit_of(chain[nr - 1 - len]) >= 0)
		len++;
	if ((len != 1 && len != XP_CHAIN_MARK_MAX) || len == nr ||
	    chain[nr - len - 1] >= XP_CONTEXT_MAX || !is_in_user_part(chain, nr - len))
		return XP_NR_CHAIN_ENDS;
	for (size_t i = nr - len; i < nr; i++)
		end = end * DIGITS + digit_of(chain[i]);
	if (end >= XP_NR_CHAIN_ENDS || (len == 1) != (end == XP_CHAIN_COMPLETE))
		return XP_NR_CHAIN_ENDS;
	*ret_nr = nr - len;
	return (enum xp_chain_end)end;
}

bool xp_chain_end_is_in_file(enum xp_chain_end end)
{
	switch (end) {
	case XP_CHAIN_NO_RULES:
	case XP_CHAIN_NO_FILE:
	case XP_CHAIN_NO_LIBRARY:
	case XP_CHAIN_STACK_END:
	case XP_CHAIN_DAMAGED:
	case XP_CHAIN_COMPLEX:
		return true;
	default:
		return false;
	}
}
