/* SPDX-License-Identifier: MIT */
/* In place of libdw.c where the build has no libdw: no file opens, so nothing else is called. */
#include "dwarf-file.h"

#include <errno.h>

int xp_dwarf_open(const char *path, struct xp_dwarf **ret_dwarf)
{
	(void)path, (void)ret_dwarf;
	return -ENOSYS;
}

void xp_dwarf_close(struct xp_dwarf *dwarf)
{
	(void)dwarf;
}

int xp_dwarf_find(struct xp_dwarf *dwarf, uint64_t address,
		  struct xp_dwarf_frame frames[XP_DWARF_FRAMES])
{
	(void)dwarf, (void)address, (void)frames;
	return 0;
}
