/* SPDX-License-Identifier: MIT */
/* Why functions are not known: with -v, printed at the end for each file where some were not. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>
#include <xperf/timeline.h>

#include "escape.h"
#include "plural.h"
#include "script.h"

/* Of a file: how many addresses in it have no function. */
struct missing {
	const struct xp_dso *dso;
	const struct xp_symtab *symtab;
	uint64_t places;
};

void missing_note(struct script *script, const struct xp_frame *frame)
{
	const struct xp_dso *dso = frame->map.dso;

	if (!script->config->values->verbose || frame->function.name || !dso)
		return;
	if (!script->missing)
		script->missing = calloc((size_t)xp_timeline_nr_dsos(script->rec->timeline) + 1,
					 sizeof(*script->missing));
	if (!script->missing)
		return;
	struct missing *missing = &script->missing[dso->index];
	missing->dso = dso;
	missing->symtab = frame->symtab;
	missing->places++;
}

static int compare(const void *a, const void *b)
{
	const struct missing *l = a, *r = b;

	return (l->places < r->places) - (l->places > r->places);
}

void missing_print(struct script *script, FILE *file)
{
	size_t nr = script->missing ? (size_t)xp_timeline_nr_dsos(script->rec->timeline) : 0;

	if (nr)
		qsort(script->missing, nr, sizeof(*script->missing), compare);
	for (size_t i = 0; i < nr && script->missing[i].places; i++) {
		const struct missing *missing = &script->missing[i];
		const char *why = missing->symtab ? xp_symtab_reason(missing->symtab) : "";

		fprintf(file, "Note: %s at %" PRIu64 " %s in ",
			plural(missing->places, "the function", "functions"), missing->places,
			plural(missing->places, "address", "addresses"));
		escape_print(file, missing->dso->name);
		fprintf(file, " %s unknown: %s\n", plural(missing->places, "is", "are"),
			*why ? why : "its symbol table has no function there");
	}
}
