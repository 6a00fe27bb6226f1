/* SPDX-License-Identifier: MIT */
/* Data packed with xz, as .gnu_debugdata has them. */
#ifndef SYMBOL_XZ_H
#define SYMBOL_XZ_H

#include <stddef.h>

/*
 * Unpacks all of @in, to @limit bytes at most. Returns 0 with *ret the caller's to free;
 * -EBADMSG: it is damaged; -EFBIG: it would be more; -ENOSYS: no liblzma; -ENOMEM.
 */
int xp_xz_unpack(const void *in, size_t len, size_t limit, void **ret, size_t *ret_len);

#endif
