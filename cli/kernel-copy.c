/* SPDX-License-Identifier: MIT */
/* The copy of the kernel beside a recording: its symbols are those the addresses belong to. Source
 * of the names: perf record --kcore, 6.1. */
#include "kernel-copy.h"

#include <stdio.h>
#include <unistd.h>

void kernel_copy_use(struct xp_symbols_opts *opts, const char *recording, char path[PATH_MAX])
{
	int len = snprintf(path, PATH_MAX, "%s/kcore_dir/kallsyms", recording);

	if (!opts->kallsyms && !opts->vmlinux && len < PATH_MAX && !access(path, R_OK))
		opts->kallsyms = path;
}
