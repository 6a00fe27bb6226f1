/* SPDX-License-Identifier: MIT */
/* In place of libtraceevent.c where the build has no libtraceevent. */
#include "format.h"

#include <errno.h>

int xp_format_walk(const char *text, size_t len, xp_format_fn *fn, void *data, struct xp_diag *diag)
{
	(void)text;
	(void)len;
	(void)fn;
	(void)data;
	xp_diag_set(diag, -ENOSYS,
		    "the fields of tracepoints cannot be read: built without libtraceevent");
	xp_diag_hint(diag, "install the libtraceevent development package and build again");
	return -ENOSYS;
}
