/* SPDX-License-Identifier: MIT */
/* Loads a library at run time; what it is for, and what is said without it, is the caller's. */
#include "loaded.h"

#include <dlfcn.h>
#include <string.h>

void *xp_library_load(const char *name, int flags, const struct xp_loaded_function *functions,
		      size_t nr, void *ret)
{
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);

	for (size_t i = 0; handle && i < nr; i++) {
		void *address = dlsym(handle, functions[i].name);

		if (!address) {
			dlclose(handle);
			return NULL;
		}
		memcpy((char *)ret + functions[i].offset, &address, sizeof(address));
	}
	return handle;
}
