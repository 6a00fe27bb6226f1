/* SPDX-License-Identifier: MIT */
/* Libraries that are loaded when something needs them, and not linked. */
#ifndef BASE_LOADED_H
#define BASE_LOADED_H

#include <stddef.h>

/* A function of a library, and where in a struct of function pointers its address goes. */
struct xp_loaded_function {
	const char *name;
	size_t offset;
};

/*
 * Loads a library and looks up all of the functions.
 * @flags: of dlopen() beside RTLD_NOW | RTLD_LOCAL
 * @ret:   the struct
 * Returns the handle for dlclose(); NULL: it is not there, or lacks a function.
 */
void *xp_library_load(const char *name, int flags, const struct xp_loaded_function *functions,
		      size_t nr, void *ret);

#endif
