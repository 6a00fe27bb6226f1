/* SPDX-License-Identifier: MIT */
/* The copy of the kernel beside a recording: its symbols are those the addresses belong to. Source
 * of the names: perf record --kcore, 6.1. */
#include "kernel-copy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void kernel_copy_use(struct xp_symbols_opts *opts, const char *recording, char path[PATH_MAX])
{
	int len = snprintf(path, PATH_MAX, "%s/kcore_dir/kallsyms", recording);

	if (!opts->kallsyms && !opts->vmlinux && len < PATH_MAX && !access(path, R_OK))
		opts->kallsyms = path;
}

int kernel_files_check(const char *vmlinux, const char *kallsyms, struct xp_diag *diag)
{
	const char *const files[][2] = { { "vmlinux", vmlinux }, { "kallsyms", kallsyms } };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i][1] && access(files[i][1], R_OK))
			return xp_diag_set(diag, -errno, "--%s: '%s' cannot be read: %s",
					   files[i][0], files[i][1], strerror(errno));
	return 0;
}
