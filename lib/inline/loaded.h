/* SPDX-License-Identifier: MIT */
/* Libraries that are loaded when something needs them, and not linked. */
#ifndef INLINE_LOADED_H
#define INLINE_LOADED_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* A function of a library, and where in a struct of function pointers its address goes. */
struct loaded_function {
	const char *name;
	size_t offset;
};

/*
 * Loads a library and looks up all of the functions. What it is for, and what is said without it,
 * is the caller's.
 * @flags: of dlopen() beside RTLD_NOW | RTLD_LOCAL
 * @ret:   the struct
 * Returns the handle for dlclose(); NULL: it is not there, or lacks a function.
 */
static inline void *library_load(const char *name, int flags,
				 const struct loaded_function *functions, size_t nr, void *ret)
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

#endif
