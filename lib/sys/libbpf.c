/* SPDX-License-Identifier: MIT */
/* Looks for libbpf as lib/bpf does, and lets go of it. Its name is its ABI's. */
#include "libbpf.h"

#include "loaded.h"

enum xp_libbpf xp_libbpf_look(void)
{
	void *handle = library_load("libbpf.so.1", 0, NULL, 0, NULL);

	if (!handle)
		return XP_LIBBPF_ABSENT;
	dlclose(handle);
	return XP_LIBBPF_FOUND;
}
