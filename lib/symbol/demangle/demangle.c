/* SPDX-License-Identifier: MIT */
/*
 * Names as they are in the source. A library demangles those of C++; what is cut off before, and
 * which names it must not see, is decided here.
 *
 * A mangled name refers to parts of itself: 300 bytes can stand for gigabytes of text, or for a
 * search that does not end. Names are untrusted, so such ones are shown as they are.
 *
 * Source: the Itanium C++ ABI, 5.1 "External Names".
 */
#include "demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "ocaml.h"
#include "rust.h"

/* --- names the library must not see --- */

static const char code_digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Whether a reference, such as S_, S1A_ or T0_, is at @at. Returns its length; 0: it is none. */
static size_t reference_len(const char *at)
{
	size_t digits = at[0] ? strspn(at + 1, code_digits) : 0;

	return (at[0] == 'S' || at[0] == 'T') && at[1 + digits] == '_' ? digits + 2 : 0;
}

/*
 * A part has all that is referred to in it, and parts before it only. So the text grows by no more
 * than the product of the numbers of uses, one added to each, of all the parts. Arguments of
 * templates are the same but in a function that is named inside another, which a Z begins.
 */
double xp_demangle_growth(const char *mangled)
{
	enum { MAX_PARTS = 1024 };
	uint16_t uses[MAX_PARTS] = { 0 };
	double growth = 1, arguments = 0, functions = 0;

	for (const char *at = mangled; *at; at++) {
		size_t len = reference_len(at);

		functions += *at == 'Z';
		arguments += len && *at == 'T';
		if (!len || *at != 'S')
			continue;
		size_t part = len > 2 ? strtoul(at + 1, NULL, 36) + 1 : 0;
		uint16_t *its = &uses[part < MAX_PARTS ? part : MAX_PARTS - 1];
		growth *= (*its + 2.0) / (*its + 1.0);
		*its += *its < UINT16_MAX;
	}
	for (double left = functions; left > 0 && growth < 1e300; left--)
		growth *= 1 + arguments / functions;
	return growth;
}

/*
 * The pack of an expansion or of sizeof... is looked for in all that is expanded, without text that
 * could be counted; where that is an argument of a template it is found at once.
 */
static bool has_long_search(const char *mangled)
{
	static const char *const packs[] = { "Dp", "sp", "sZ" };
	enum { LONG = 1 << 18 };
	bool is_any = false;

	for (size_t i = 0; !is_any && i < XP_ARRAY_LEN(packs); i++)
		for (const char *at = mangled; !is_any && (at = strstr(at, packs[i]));) {
			at += 2;
			at += strspn(at, "ROKV");
			is_any = *at != 'T' || !reference_len(at);
		}
	return is_any && xp_demangle_growth(mangled) > LONG;
}

/* A template argument in a conversion operator is parsed twice if it has arguments itself. */
static bool has_long_parse(const char *mangled)
{
	enum { MAX_TEMPLATES = 8 };
	const char *at = strstr(mangled, "cv");
	unsigned int nr = 0;

	for (; at && *at; at++)
		nr += *at == 'T' && reference_len(at) && at[reference_len(at)] == 'I';
	return nr > MAX_TEMPLATES;
}

/* --- parameters --- */

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
		return xp_cxx_text(demangler, mangled);
	}
	for (int tries = 0; !found && tries < MAX_TRIES && (at = strchr(at, 'E')); tries++) {
		char kept = *++at;

		*at = '\0';
		found = xp_cxx_text(demangler, mangled);
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

	if (!mangled)
		return NULL;
	mangled[strcspn(mangled, demangler->in_full ? "@" : ".@")] = '\0';
	if (has_long_parse(mangled) || has_long_search(mangled))
		return NULL;
	if (demangler->in_full)
		return xp_cxx_text(demangler, mangled);
	char *full = xp_cxx_text(demangler, mangled);
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

	if (len < 3 || len > MAX_LEN)
		return NULL;
	if (name[0] != '_')
		return xp_ocaml_demangle(name, len);
	if (name[1] == 'Z' || (name[1] == '_' && name[2] == 'Z')) {
		char *rust = xp_rust_demangle(name, len);

		return rust ? rust : cxx_demangle(demangler, name, len);
	}
	if (name[1] == 'R' || (name[1] == '_' && name[2] == 'R'))
		return xp_rust_v0_demangle(name, len);
	return NULL;
}

/* A stub through which a function is called stays one. */
char *xp_demangle(struct demangler *demangler, const char *name, size_t len)
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
