/* SPDX-License-Identifier: MIT */
/* In place of liblzma.c where the build has no liblzma: nothing is unpacked. */
#include <errno.h>

#include "xz.h"

int xp_xz_unpack(const void *in, size_t len, size_t limit, void **ret, size_t *ret_len)
{
	(void)in, (void)len, (void)limit, (void)ret, (void)ret_len;
	return -ENOSYS;
}
