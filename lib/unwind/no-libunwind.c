/* SPDX-License-Identifier: MIT */
/* In place of libunwind.c where the build has no libunwind: it does not open. */
#include <errno.h>

#include "remote.h"

int xp_remote_open(struct xp_remote **ret_remote)
{
	(void)ret_remote;
	return -ENOSYS;
}

void xp_remote_close(struct xp_remote *remote)
{
	(void)remote;
}

int xp_remote_machine(const struct xp_remote *remote)
{
	(void)remote;
	return 0;
}

enum remote_end xp_remote_walk(struct xp_remote *remote, const struct remote_thread *thread)
{
	(void)remote, (void)thread;
	return REMOTE_BAD;
}
