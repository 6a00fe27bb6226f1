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
						".lto_priv.",  "@@",     "@GLIBC" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *at = strstr(name, suffixes[i]);

		if (at && at > name)
			*at = '\0';
	}
	cut_rust_hash(name);
}

/* The "-2.36" before ".so"; NULL: there is no version. */
static char *version_before(char *name, char *so)
{
	char *dash = so;

	while (dash > name && strchr("0123456789.", dash[-1]))
		dash--;
	bool is_version = memchr(dash, '.', (size_t)(so - dash)) && dash > name + 1;
	return is_version && dash[-1] == '-' ? dash - 1 : NULL;
}

/* "libc.so.6" and "libc-2.36.so" are "libc.so". */
void normalize_file(char *name)
{
	char *so = strstr(name, ".so"), *version;

	if (!so || strspn(so + 3, "0123456789.") != strlen(so + 3) || (so[3] && so[3] != '.'))
		return;
	so[3] = '\0';
	version = version_before(name, so);
	if (version)
		memmove(version, so, sizeof(".so"));
}
