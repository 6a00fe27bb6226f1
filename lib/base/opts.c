/* SPDX-License-Identifier: MIT */
/*
 * Structures of options that can grow, with the rules of the kernel's copy_struct_from_user() and
 * of libbpf: a smaller structure is that of an older caller, a larger one that of a newer caller.
 */
#include "opts.h"

#include <errno.h>
#include <string.h>
#include <xperf/diag.h>

/* No structure gets so large: it is a size that was not set. */
enum { MOST = 4096 };

int xp_opts_copy(void *ret_opts, const void *opts, const char *type, size_t least, size_t known,
		 struct xp_diag *diag)
{
	const unsigned char *bytes = opts;
	size_t size = known;

	if (opts)
		memcpy(&size, opts, sizeof(size));
	if (size < least) {
		xp_diag_set(diag, -EINVAL, "%s has size %zu, too small for any libxperf", type,
			    size);
		xp_diag_hint(diag, "Set .size = sizeof(%s)", type);
		return -EINVAL;
	}
	if (size > MOST)
		return xp_diag_set(diag, -E2BIG, "%s has size %zu, too large for any libxperf",
				   type, size);
	for (size_t i = known; i < size; i++) {
		if (!bytes[i])
			continue;
		xp_diag_set(diag, -E2BIG,
			    "%s sets an option that this libxperf does not know (byte %zu)", type,
			    i);
		xp_diag_hint(diag, "Use the libxperf that the program was compiled for");
		return -E2BIG;
	}
	memset(ret_opts, 0, known);
	if (opts)
		memcpy(ret_opts, opts, size < known ? size : known);
	memcpy(ret_opts, &known, sizeof(known));
	return 0;
}

/* Not in line: where the compiler sees a structure of this library, it takes what lies after it, of
 * a caller that has more, for a mistake. */
__attribute__((noinline)) int xp_output_copy(void *ret_output, const void *output, size_t least,
					     size_t known)
{
	size_t size;

	memcpy(&size, ret_output, sizeof(size));
	if (size < least)
		return -EINVAL;
	if (size > MOST)
		return -E2BIG;
	memcpy((char *)ret_output + sizeof(size), (const char *)output + sizeof(size),
	       (size < known ? size : known) - sizeof(size));
	if (size > known)
		memset((char *)ret_output + known, 0, size - known);
	return 0;
}
