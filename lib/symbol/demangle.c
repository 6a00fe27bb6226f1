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

static char *call(struct demangler *demangler, const char *mangled)
{
	int status;

	return demangler->cxa(mangled, NULL, NULL, &status);
}

/* Behind an identifier with its length in front; @at itself: there is none. */
static const char *skip_identifier(const char *at)
{
	const char *end = at + strspn(at, "0123456789");
	size_t len = end - at < 6 ? strtoul(at, NULL, 10) : 0;

	return end > at && len && strnlen(end, len) == len ? end + len : at;
}

/* Where the name of a function that is in nothing but perhaps std may end: behind an identifier and
 * its tags, or behind the two letters of an operator. */
static const char *skip_plain(const char *at)
{
	at += at[0] == 'S' && at[1] == 't' ? 2 : 0;
	at += at[0] == 'L' ? 1 : 0;
	const char *end = skip_identifier(at);
	if (end == at && at[0] && at[1])
		end += 2;
	for (const char *tag = end; *tag == 'B'; end = tag) {
		tag = skip_identifier(end + 1);
		if (tag == end + 1)
			break;
	}
	return end;
}

/*
 * The name without its parameters: what is behind it is cut off before it is demangled. It ends
 * with an E, of which there are others before it; the first that leaves a whole name is the one.
 */
static char *call_without_parameters(struct demangler *demangler, char *mangled)
{
	enum { MAX_TRIES = 256 };
	bool is_plain = !strchr("NZ", mangled[2]);
	char *at = is_plain ? (char *)skip_plain(mangled + 2) : mangled + 2;
	char *found = NULL;

	if (is_plain && *at != 'I') {
		*at = '\0';
		return call(demangler, mangled);
	}
	for (int tries = 0; !found && tries < MAX_TRIES && (at = strchr(at, 'E')); tries++) {
		char kept = *++at;

		*at = '\0';
		found = call(demangler, mangled);
		*at = kept;
	}
	return found;
}

/* A method's own qualifiers, which belong to its parameters. */
static void cut_qualifiers(const char *mangled, char *text)
{
	static const char *const qualifiers[] = { " const", " volatile", " &", " &&" };
	const char *local = strstr(mangled, "EN");
	bool is_qualified = (mangled[2] == 'N' && strchr("VKRO", mangled[3])) ||
			    (mangled[2] == 'Z' && local && strchr("VKRO", local[2]));

	for (size_t i = 0; is_qualified && i < XP_ARRAY_LEN(qualifiers); i++) {
		size_t len = strlen(text), its = strlen(qualifiers[i]);

		if (len > its && !strcmp(text + len - its, qualifiers[i])) {
			text[len - its] = '\0';
			i = (size_t)-1;
		}
	}
}

/* As perf has it: without parameters, but with those of functions around it; tables, guards and
 * thunks in full; without what the compiler added behind a dot. */
static char *cxx_demangle(struct demangler *demangler, const char *name, size_t len)
{
	xp_auto_free char *mangled = strndup(name + (name[1] == '_'), len - (name[1] == '_'));

	load(demangler);
	if (!mangled || !demangler->cxa)
		return NULL;
	mangled[strcspn(mangled, demangler->in_full ? "@" : ".@")] = '\0';
	if (demangler->in_full)
		return call(demangler, mangled);
	char *full = call(demangler, mangled);
	if (!full || strchr("TG", mangled[2]))
		return full;
	xp_auto_free char *whole = strdup(mangled);
	char *text = whole ? call_without_parameters(demangler, mangled) : NULL;
	if (!text)
		return full;
	cut_qualifiers(whole, text);
	free(full);
	return text;
}

static char *demangle_name(struct demangler *demangler, const char *name, size_t len)
{
	enum { MAX_LEN = 1 << 16 };

	if (len < 3 || len > MAX_LEN || name[0] != '_')
		return NULL;
	if (name[1] == 'Z' || (name[1] == '_' && name[2] == 'Z')) {
		char *rust = rust_demangle(name, len);

		return rust ? rust : cxx_demangle(demangler, name, len);
	}
	if (name[1] == 'R' || (name[1] == '_' && name[2] == 'R'))
		return rust_v0_demangle(name, len);
	return NULL;
}

/* A stub through which a function is called stays one. */
char *demangle(struct demangler *demangler, const char *name, size_t len)
{
	static const char plt[] = "@plt";
	size_t plt_len = sizeof(plt) - 1;
	bool is_stub = len > plt_len && !memcmp(name + len - plt_len, plt, plt_len);
	char *text = demangle_name(demangler, name, is_stub ? len - plt_len : len);
	size_t text_len = text && is_stub ? strlen(text) : 0;
	char *longer = text_len ? realloc(text, text_len + sizeof(plt)) : text;

	if (text_len && !longer)
		free(text);
	else if (text_len)
		memcpy(longer + text_len, plt, sizeof(plt));
	return longer;
}
