/* SPDX-License-Identifier: MIT */
/* Rules out of the instructions where a function sets up its frame, or takes it down. */
#ifndef UNWIND_EDGES_H
#define UNWIND_EDGES_H

#include "rule.h"

enum { EDGE_INSTRUCTIONS = 24 };

/*
 * xp_edge_begin - what the instructions @code have done since nothing was saved
 * xp_edge_end - what the instructions @code will do until the function returns
 * xp_edge_jump - the same, until it jumps to another one, of @code from @nr_before on: only where
 * what is before has loaded the return address, which @rule has in memory still
 *
 * Some compilers describe the frame between both only, clang up to 14 on arm64. Return false, and
 * leave @rule alone: it is another machine, or not certain, or nothing was done.
 */
bool xp_edge_begin(const struct machine *machine, const uint32_t *code, size_t nr,
		   struct rule *rule);
bool xp_edge_end(const struct machine *machine, const uint32_t *code, size_t nr, struct rule *rule);
bool xp_edge_jump(const struct machine *machine, const uint32_t *code, size_t nr_before, size_t nr,
		  struct rule *rule);

#endif
