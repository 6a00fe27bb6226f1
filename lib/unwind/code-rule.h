/* SPDX-License-Identifier: MIT */
/* Rules of a function that nothing describes, from its instructions. */
#ifndef UNWIND_CODE_RULE_H
#define UNWIND_CODE_RULE_H

#include <stddef.h>

#include "code-step.h"
#include "rule.h"

/* Functions that are longer are not read. */
enum { CODE_RULE_BYTES = 1 << 16 };

/* Instructions from @start on and before @end, bytes of the function, have one frame; NULL: it is
 * not known. */
typedef void (*xp_code_frame_fn)(void *data, size_t start, size_t end,
				 const struct code_frame *frame);

/*
 * Follows a function of x86-64 or i386 along all its branches, from its first byte on, where its
 * caller has just called it. Where paths that meet have not done the same to the frame, or the
 * function returns from another place than it was called from, nothing is known.
 * @fn: called for all parts of the function in order; with none if not even that can be done
 */
void xp_code_frames(const struct machine *machine, const uint8_t *code, size_t len,
		    xp_code_frame_fn fn, void *data);

/* How the caller is found from a frame; @frame may be NULL. */
struct rule xp_code_rule(const struct machine *machine, const struct code_frame *frame);

#endif
