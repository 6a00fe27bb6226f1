/* SPDX-License-Identifier: MIT */
/* How dumps of JIT compilers are called. Source:
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef INLINE_JIT_DUMP_H
#define INLINE_JIT_DUMP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* True if a file is called as dumps are: "/tmp/jit-12.dump". @ret_pid: 12, or NULL */
static inline bool xp_jit_is_dump(const char *path, int *ret_pid)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int pid, end = 0;

	if (sscanf(name, "jit-%d.dump%n", &pid, &end) != 1 || !end || name[end])
		return false;
	if (ret_pid)
		*ret_pid = pid;
	return true;
}

#endif
