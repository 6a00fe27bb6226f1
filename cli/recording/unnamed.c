/* SPDX-License-Identifier: MIT */
/* Why samples are in no known function, per file, the same for record and report. */
#include "unnamed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/resolve.h>

#include "chain-reasons.h"
#include "escape.h"

enum { REASONS_SHOWN = 5 };

/* Unresolved samples per file. */
struct reason {
	const struct xp_dso *dso;
	const struct xp_symtab *symtab;
	const char *made_helps; /* against code without names that was made at run time */
	uint64_t samples;
};

static int compare_reasons(const void *a, const void *b)
{
	const struct reason *l = a, *r = b;

	return (l->samples < r->samples) - (l->samples > r->samples);
}

static const char *why_unresolved(const struct reason *reason)
{
	const char *why = reason->symtab ? xp_symtab_reason(reason->symtab) : "";

	if (*why)
		return why;
	return reason->dso ? "its symbols have no function at these addresses"
			   : "no map of the process has these addresses";
}

/* Names of memory that is no file's, with code in it. */
static bool is_made(const struct xp_dso *dso)
{
	static const char perf_map[] = "/tmp/perf-";

	return dso && !strncmp(dso->name, perf_map, sizeof(perf_map) - 1);
}

/* The options by which runtimes write names, by the beginning of a file that they have mapped. */
static const struct {
	const char *file, *helps;
} runtimes[] = {
	{ "libjvm.so", "; record with java -XX:+DumpPerfMapAtExit" },
	{ "node", "; record with node --perf-basic-prof" },
	{ "libpython3", "; record with PYTHONPERFSUPPORT=1 (python 3.12)" },
	{ "python3", "; record with PYTHONPERFSUPPORT=1 (python 3.12)" },
};

/* The option of the runtime that was recorded; of none or several, all are named. */
static const char *runtime_option(const struct xp_timeline *timeline)
{
	static const char any[] = "; if this is JIT code, record with node --perf-basic-prof, java "
				  "-XX:+DumpPerfMapAtExit, or PYTHONPERFSUPPORT=1";
	const char *found = NULL;

	for (int i = 0; i < xp_timeline_nr_dsos(timeline); i++)
		for (size_t k = 0; k < sizeof(runtimes) / sizeof(runtimes[0]); k++) {
			if (!file_name_begins(xp_timeline_dso(timeline, i)->name, runtimes[k].file))
				continue;
			if (found && strcmp(found, runtimes[k].helps) != 0)
				return any;
			found = runtimes[k].helps;
		}
	return found ? found : any;
}

/* What the user can do about it; "" if nothing general helps. */
static const char *remedy(const struct reason *reason)
{
	if (!reason->dso || !reason->symtab)
		return "";
	if (is_made(reason->dso))
		return reason->made_helps;
	switch (xp_symtab_get_state(reason->symtab)) {
	case XP_SYMTAB_STRIPPED:
		return "; install its debug symbols, or use --debuginfod";
	case XP_SYMTAB_NO_FILE:
		return "; --symfs names a directory with the recorded files";
	case XP_SYMTAB_NOT_A_FILE:
		/* The kernel's own pages have no names. */
		return *reason->dso->name == '[' ? "" : reason->made_helps;
	default:
		return "";
	}
}

/* All files with the same reason are one line. */
static void put_reason(FILE *file, const char *prefix, struct reason *reasons, size_t nr)
{
	const char *why = why_unresolved(&reasons[0]), *helps = remedy(&reasons[0]), *sep = "";

	fputs(prefix, file);
	for (size_t i = 0; i < nr; i++) {
		if (!reasons[i].samples || strcmp(why_unresolved(&reasons[i]), why) != 0 ||
		    strcmp(remedy(&reasons[i]), helps) != 0)
			continue;
		fprintf(file, "%s%" PRIu64 " in %s", sep, reasons[i].samples,
			reasons[i].dso ? escaped(reasons[i].dso->name) : "no known file");
		sep = ", ";
		if (i)
			reasons[i].samples = 0;
	}
	fprintf(file, ": %s%s\n", why, helps);
}

void unnamed_print(FILE *file, const char *prefix, const struct xp_timeline *timeline,
		   struct xp_profile *profile, bool only_made)
{
	size_t nr = (size_t)xp_timeline_nr_dsos(timeline) + 1;
	struct reason *reasons = calloc(nr, sizeof(*reasons));
	const char *made_helps = runtime_option(timeline);
	const struct xp_location *location;
	uint64_t samples;

	if (!reasons)
		return;
	for (size_t i = 0; (location = xp_profile_location(profile, i, &samples)) != NULL; i++) {
		const struct xp_dso *dso = location->frame.map.dso;
		struct reason *reason = &reasons[dso ? dso->index + 1 : 0];

		if (location->frame.function.name || (only_made && !is_made(dso)))
			continue;
		reason->dso = dso;
		reason->made_helps = made_helps;
		reason->symtab = location->frame.symtab;
		reason->samples += samples;
	}
	qsort(reasons, nr, sizeof(*reasons), compare_reasons);
	if (nr > REASONS_SHOWN)
		nr = REASONS_SHOWN;
	for (size_t i = 0; i < nr; i++)
		if (reasons[i].samples)
			put_reason(file, prefix, &reasons[i], nr - i);
	free(reasons);
}
