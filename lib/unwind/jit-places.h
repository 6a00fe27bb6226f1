/* SPDX-License-Identifier: MIT */
/* How the records of a dump become places of code; they are asked by jit-code.h. */
#ifndef UNWIND_JIT_PLACES_H
#define UNWIND_JIT_PLACES_H

#include "jit-code.h"

/* Code is at an address from now on, and what it covers is no longer there. Where there is no room
 * for it, nothing more is known. Returns 0 or -ENOMEM. */
int xp_jit_place_add(struct jit_code *code, struct jit_place place);
/* The code that begins at an address now. Returns NULL: none. */
struct jit_place *xp_jit_place_now(const struct jit_code *code, uint64_t start);
void xp_jit_place_end(struct jit_place *place, uint64_t time_ns);
/* Nothing more is known. */
void xp_jit_code_end(struct jit_code *code);

#endif
