/* SPDX-License-Identifier: MIT */
/*
 * How the user part of a call chain ends, in the chain itself: markers behind its last address. No
 * address follows them, so other programs pass over them.
 */
#ifndef BASE_CHAIN_MARK_H
#define BASE_CHAIN_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xperf/chain-ends.h>

enum { XP_CHAIN_MARK_MAX = 3 };

/* Returns the words to put behind the last address, XP_CHAIN_MARK_MAX at most. */
size_t xp_chain_mark(enum xp_chain_end end, uint64_t words[XP_CHAIN_MARK_MAX]);
/*
 * Finds them in a chain.
 * @ret_nr: its words without them; @nr if there are none
 * Returns XP_NR_CHAIN_ENDS: there are none.
 */
enum xp_chain_end xp_chain_marked(const uint64_t *chain, size_t nr, size_t *ret_nr);

/* Whether the file of the last address has to do with how a chain that was computed ends. */
bool xp_chain_end_is_in_file(enum xp_chain_end end);

#endif
