/* SPDX-License-Identifier: MIT */
/* In place of libelf.c where the build has no libelf. */
#include <xperf/symbol.h>

#include <errno.h>

int xp_symbol_walk(const char *path, xp_symbol_fn fn, void *data, struct xp_diag *diag)
{
	(void)fn;
	(void)data;
	xp_diag_set(diag, -ENOSYS, "The symbols of '%s' cannot be read: built without libelf",
		    path);
	xp_diag_hint(diag, "Install the libelf development package and build again");
	return -ENOSYS;
}
