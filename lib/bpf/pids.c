/* SPDX-License-Identifier: MIT */
/* BPF programs see tasks by the numbers that the kernel itself gives them. */
#include "pids.h"

#include <errno.h>
#include <sys/stat.h>
#include <xperf/diag.h>

#include "ctx.h"

int xp_bpf_check_pids(struct xp_ctx *ctx, struct xp_diag *diag)
{
	enum { INITIAL_PIDS = 0xEFFFFFFC }; /* linux/proc_ns.h, PROC_PID_INIT_INO */
	struct stat st;

	if (ctx->sys->stat(ctx->sys, "/proc/self/ns/pid", &st) || st.st_ino == INITIAL_PIDS)
		return 0;
	return xp_diag_set(diag, -EOPNOTSUPP,
			   "BPF cannot count tasks that are named from within a namespace of "
			   "process ids, such as a container's");
}
