/* SPDX-License-Identifier: MIT */
/* Where the symbols of a location are from: the path says it. */
#include "origin.h"

#include <fnmatch.h>
#include <string.h>
#include <xperf/profile.h>
#include <xperf/symtab.h>

char symbols_origin(const struct xp_location *location)
{
	static const struct {
		const char *paths;
		char letter;
	} origins[] = {
		{ "*kallsyms", 'k' },         { "*/vmlinux*", 'v' },   { "*/.debug/*/debug", 'D' },
		{ "*/.debug/*", 'B' },        { "*/perf-*.map", 'j' }, { "*/.build-id/*", 'b' },
		{ "*/usr/lib/debug/*", 'u' }, { "*.ko.*", 'm' },       { "*.ko", 'K' },
		{ "*.debug", 'l' },
	};
	const struct xp_symtab *symtab = location->frame.symtab;
	const char *path = symtab ? xp_symtab_path(symtab) : NULL;

	if (!path || !*path || *xp_symtab_reason(symtab))
		return '!';
	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
		if (!fnmatch(origins[i].paths, path, 0))
			return origins[i].letter;
	return location->level == 'k' ? 'k' : 'd';
}
