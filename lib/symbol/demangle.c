/* SPDX-License-Identifier: MIT */
/*
 * C++ names are demangled by the C++ library, which is loaded when the first is seen and stays
 * loaded; where there is none they stay as they are.
 *
 * Source: the Itanium C++ ABI, "Demangler API": __cxa_demangle().
 */
#include "demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "rust.h"

void demangler_init(struct demangler *demangler)
{
	*demangler = (struct demangler){ 0 };
	pthread_mutex_init(&demangler->lock, NULL);
}

void demangler_fini(struct demangler *demangler)
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

static char *cxx_demangle(struct demangler *demangler, const char *name, size_t len)
{
	xp_auto_free char *text = strndup(name, len);
	int status;

	load(demangler);
	return text && demangler->cxa ? demangler->cxa(text, NULL, NULL, &status) : NULL;
}

char *demangle(struct demangler *demangler, const char *name, size_t len)
{
	enum { MAX_LEN = 1 << 16 };

	if (len < 3 || len > MAX_LEN || name[0] != '_')
		return NULL;
	if (name[1] == 'Z' || (name[1] == '_' && name[2] == 'Z')) {
		char *rust = rust_demangle(name, len);

		return rust ? rust : cxx_demangle(demangler, name, len);
	}
	return NULL;
}
