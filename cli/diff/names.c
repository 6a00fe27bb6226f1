/* SPDX-License-Identifier: MIT */
/* Names that differ between builds of the same: of functions, without what compilers add; of
 * libraries, without their versions. */
#include <string.h>

#include "diff.h"

enum { RUST_HASH = 16 };

/* "::h0123456789abcdef" */
static void cut_rust_hash(char *name)
{
	size_t len = strlen(name);
	char *hash = len > RUST_HASH + 3 ? name + len - RUST_HASH - 3 : NULL;

	if (hash && !memcmp(hash, "::h", 3) && strspn(hash + 3, "0123456789abcdef") == RUST_HASH)
		*hash = '\0';
}

void normalize_function(char *name)
{
	/* Source: GCC's and LLVM's names of clones. */
	static const char *const suffixes[] = { ".constprop.", ".isra.", ".part.",
						".cold",       ".llvm.", ".clone.",
						".lto_priv.",  "@GLIBC", "@@" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *at = strstr(name, suffixes[i]);

		if (at && at > name)
			*at = '\0';
	}
	cut_rust_hash(name);
}

/* "libc.so.6" and "libc-2.36.so" are "libc.so". */
void normalize_file(char *name)
{
	static const char digits[] = "0123456789.";
	char *so = strstr(name, ".so"), *dash;

	if (!so || (so[3] && so[3] != '.') || strspn(so + 3, digits) != strlen(so + 3))
		return;
	so[3] = '\0';
	*so = '\0';
	dash = strrchr(name, '-');
	*so = '.';
	if (dash && dash > name && so > dash + 1 &&
	    strspn(dash + 1, digits) == (size_t)(so + 3 - dash - 1) - 2)
		memmove(dash, so, 4);
}
