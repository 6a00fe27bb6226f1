/* SPDX-License-Identifier: MIT */
/* In place of libdw.c where the build has no libdw: no file opens, so nothing else is called. */
#include <errno.h>

#include "cfi.h"

int xp_cfi_open(const struct cfi_image *image, struct xp_cfi **ret_cfi)
{
	(void)image, (void)ret_cfi;
	return -ENOSYS;
}

void xp_cfi_close(struct xp_cfi *cfi)
{
	(void)cfi;
}

int xp_cfi_find(struct xp_cfi *cfi, uint64_t address, const uint8_t *regs, size_t nr,
		struct cfi_row *ret_row)
{
	(void)cfi, (void)address, (void)regs, (void)nr, (void)ret_row;
	return -ENOENT;
}

int xp_cfi_starts(struct xp_cfi *cfi, uint64_t **ret_starts, size_t *ret_nr)
{
	(void)cfi, (void)ret_starts, (void)ret_nr;
	return -ENODATA;
}
