/* SPDX-License-Identifier: MIT */
/* Where the kernel's symbols are from: files that the user names, or the copy of the kernel that
 * `record --kcore` puts beside a recording. */
#ifndef CLI_KERNEL_COPY_H
#define CLI_KERNEL_COPY_H

#include <limits.h>
#include <xperf/symtab.h>

/* Lets a symbolizer take its symbols, if @recording is a directory with one and the user has named
 * no others. @path: PATH_MAX bytes, kept as long as the options. */
void kernel_copy_use(struct xp_symbols_opts *opts, const char *recording, char path[PATH_MAX]);

/* Files that the user names must be readable. NULL: none is named. Returns 0 or a negative errno.
 */
int kernel_files_check(const char *vmlinux, const char *kallsyms, struct xp_diag *diag);

#endif
