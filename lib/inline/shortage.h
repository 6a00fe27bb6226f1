/* SPDX-License-Identifier: MIT */
/* Errors that say nothing of what was looked for: a moment later there may be enough again. */
#ifndef INLINE_SHORTAGE_H
#define INLINE_SHORTAGE_H

#include <errno.h>
#include <stdbool.h>

/* There is no memory, or no descriptor. */
static inline bool xp_is_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

#endif
