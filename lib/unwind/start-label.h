/* SPDX-License-Identifier: MIT */
/* Return addresses that no call has left: where a stack was made by hand. */
#ifndef UNWIND_START_LABEL_H
#define UNWIND_START_LABEL_H

#include "rule.h"

struct xp_unwind_file;

/*
 * Whether a function begins at a return address, with no call before it, as __start_context of the
 * GNU C library, which makecontext(3) puts below the first function of a fiber: it was not called,
 * and nothing called it. Of machines whose calls push.
 * @offset: of the return address in the file
 * @before: the rule of the byte before it
 */
bool xp_unwind_is_start_label(struct xp_unwind_file *file, const struct machine *machine,
			      uint64_t offset, const struct rule *before);

#endif
