/* SPDX-License-Identifier: MIT */
/* How call chains end, for people: shares, files, and remedies. */
#include "chain-ends.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/profile.h>
#include <xperf/stacks.h>

#include "escape.h"
#include "feature.h"
#include "number.h"
#include "plural.h"

enum { FILES_SHOWN = 3, STACK_MAX = 65528 };

/* Of one chain, of several. */
static const char *const to_stop[] = { "stops", "stop" }, *const to_end[] = { "ends", "end" },
			 *const to_have[] = { "has", "have" };

static const struct {
	enum xp_chain_end end;
	const char *const *verb;
	const char *what; /* after the verb, before the files */
} reasons[] = {
	{ XP_CHAIN_INSIDE, to_stop, "at a function whose caller was not found" },
	{ XP_CHAIN_NOWHERE, to_end, "at an address where no code is mapped" },
	{ XP_CHAIN_NO_CALL, to_end, "at an address that no call returns to" },
	{ XP_CHAIN_UNNAMED, to_end, "in a function without a name, which may be the first one" },
	{ XP_CHAIN_LIMIT, to_have, "as many frames as were recorded" },
	{ XP_CHAIN_NO_RULES, to_end, "in a file without unwind information" },
	{ XP_CHAIN_NO_FILE, to_end, "in a file that is gone, was replaced or cannot be read" },
	{ XP_CHAIN_NO_LIBRARY, to_end,
	  "because libdw, which reads unwind information, is missing" },
	{ XP_CHAIN_STACK_END, to_end, "where the copy of the stack ends" },
	{ XP_CHAIN_NO_STACK, to_have,
	  "no copy of a stack: the process was in execve(), which replaces it" },
	{ XP_CHAIN_MAX, to_have, "as many frames as are computed" },
	{ XP_CHAIN_DAMAGED, to_end, "where the copy of the stack leads to no code" },
	{ XP_CHAIN_COMPLEX, to_end, "in code that no rule in the kernel describes" },
	{ XP_CHAIN_TOO_NEW, to_end,
	  "where a process or file was too new to have rules in the kernel" },
};

static bool always(const struct chain_facts *facts)
{
	(void)facts;
	return true;
}

static bool is_unwound(const struct chain_facts *facts)
{
	return facts->is_unwound;
}

static bool was_summed(const struct chain_facts *facts)
{
	return facts->is_summed;
}

static bool can_unwind(const struct chain_facts *facts)
{
	return facts->can_unwind;
}

static bool has_library(const struct chain_facts *facts)
{
	return facts->has_library;
}

static bool can_copy_more(const struct chain_facts *facts)
{
	return facts->stack_bytes < STACK_MAX;
}

/* In the file of chains that were computed, the end of a copy looks like any other. */
static bool may_end_with_copy(const struct chain_facts *facts)
{
	return facts->is_unwound && facts->stack_bytes && can_copy_more(facts);
}

static const char no_frame_pointers[] =
	"; code without frame pointers ends chains: record with --call-graph dwarf";
static const char too_new[] =
	"; where a process or file was new, the kernel had no rules for it yet";
static const char copy_may_end[] =
	"; where the copy of the stack ended, record more of it: --call-graph dwarf,65528";
static const char needs_frame_pointers[] =
	"; code without frame pointers ends chains: build it with -fno-omit-frame-pointer";

/* What helps against each: the first row that fits. Where none does, nothing is known to help. */
static const struct {
	enum xp_chain_end end;
	bool (*fits)(const struct chain_facts *facts);
	const char *helps; /* behind the files */
} remedies[] = {
	/* Where stacks were unwound or walked by rules, frame pointers are not what is missing. */
	{ XP_CHAIN_INSIDE, was_summed, too_new },
	{ XP_CHAIN_INSIDE, may_end_with_copy, copy_may_end },
	{ XP_CHAIN_INSIDE, is_unwound, "" },
	{ XP_CHAIN_INSIDE, can_unwind, no_frame_pointers },
	{ XP_CHAIN_INSIDE, always, needs_frame_pointers },
	{ XP_CHAIN_NOWHERE, was_summed, too_new },
	{ XP_CHAIN_NOWHERE, is_unwound, "" },
	{ XP_CHAIN_NOWHERE, can_unwind, no_frame_pointers },
	{ XP_CHAIN_NOWHERE, always, needs_frame_pointers },
	{ XP_CHAIN_NO_CALL, was_summed, too_new },
	{ XP_CHAIN_NO_CALL, is_unwound, "" },
	{ XP_CHAIN_NO_CALL, can_unwind, no_frame_pointers },
	{ XP_CHAIN_NO_CALL, always, needs_frame_pointers },
	{ XP_CHAIN_UNNAMED, always, "; symbols of the file would show it" },
	{ XP_CHAIN_LIMIT, always, "; raise sysctl kernel.perf_event_max_stack" },
	{ XP_CHAIN_NO_RULES, can_unwind, "; install debug symbols" },
	{ XP_CHAIN_NO_LIBRARY, has_library, "; install libdw" },
	{ XP_CHAIN_NO_LIBRARY, always, "; this xperf was built without it" },
	{ XP_CHAIN_STACK_END, can_copy_more, "; record more of it: --call-graph dwarf,65528" },
	{ XP_CHAIN_MAX, always, "; raise --max-stack" },
};

const char *chain_remedy(enum xp_chain_end end, const struct chain_facts *facts)
{
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (remedies[i].end == end && remedies[i].fits(facts))
			return remedies[i].helps;
	return "";
}

/* --- facts --- */

/* Ends that only chains which were computed have. */
static bool has_unwound(const struct xp_chain_ends *ends)
{
	static const enum xp_chain_end theirs[] = { XP_CHAIN_NO_RULES,   XP_CHAIN_STACK_END,
						    XP_CHAIN_NO_STACK,   XP_CHAIN_NO_FILE,
						    XP_CHAIN_NO_LIBRARY, XP_CHAIN_DAMAGED };

	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		if (xp_chain_ends_nr(ends, theirs[i]))
			return true;
	return false;
}

/* Source of the default limit: linux/perf_event.h, PERF_MAX_STACK_DEPTH. */
static uint16_t limit_of(const struct xp_attr *attr)
{
	enum { DEFAULT_LIMIT = 127 };
	bool is_lbr = attr->sample_type & XP_SAMPLE_BRANCH_STACK &&
		      attr->branch_sample_type & XP_BRANCH_CALL_STACK;

	if (!(attr->sample_type & XP_SAMPLE_CALLCHAIN) || attr->exclude_callchain_user || is_lbr)
		return 0;
	/* The kernel's limit is not that of chains which are computed from stacks. */
	if (attr->sample_stack_user)
		return UINT16_MAX;
	return attr->sample_max_stack ? attr->sample_max_stack : DEFAULT_LIMIT;
}

struct chain_facts chain_facts_of_build(void)
{
	return (struct chain_facts){ .can_unwind = feature_is_on("dwarf-unwind"),
				     .has_library = feature_is_on("dwarf-unwind") };
}

struct chain_facts chain_facts_of(const struct xp_data *data, bool is_summed)
{
	struct chain_facts facts = chain_facts_of_build();

	for (int i = 0; i < xp_data_nr_events(data); i++) {
		const struct xp_attr *attr = &xp_data_event_at(data, i)->attr;

		/* Also where chains were computed while recording, and copies are not stored. */
		if (attr->sample_stack_user > facts.stack_bytes)
			facts.stack_bytes = attr->sample_stack_user;
		facts.by_pointers |= limit_of(attr) > 0;
	}
	facts.is_unwound = facts.stack_bytes > 0;
	facts.is_summed = is_summed;
	facts.by_pointers = facts.by_pointers && !facts.is_unwound && !is_summed;
	return facts;
}

/* --- judging --- */

int chain_ends_judge(const struct xp_data *data, struct xp_profile *profile,
		     struct xp_resolver *resolver, struct xp_chain_ends *ends)
{
	int nr = xp_data_nr_events(data);
	uint16_t *limits = calloc((size_t)nr + 1, sizeof(*limits));

	if (!limits)
		return -ENOMEM;
	for (int i = 0; i < nr; i++)
		limits[i] = limit_of(&xp_data_event_at(data, i)->attr);
	int err = xp_profile_judge_chains(profile, resolver, limits, ends);
	free(limits);
	return err;
}

static uint64_t nr_complete(const struct xp_chain_ends *ends)
{
	return xp_chain_ends_nr(ends, XP_CHAIN_COMPLETE) + xp_chain_ends_nr(ends, XP_CHAIN_JOINED);
}

bool chain_ends_all_complete(const struct xp_chain_ends *ends)
{
	uint64_t nr = xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS);

	return nr && nr_complete(ends) == nr;
}

const char *chain_ends_but(const struct xp_chain_ends *ends, const struct chain_facts *facts)
{
	return facts->by_pointers && nr_complete(ends) ? " but for callers of leaf functions" : "";
}

static const char *count(const struct chain_words *words, uint64_t nr, char *text)
{
	if (words->grouped)
		return number_grouped(text, nr);
	snprintf(text, COUNT_LEN, "%" PRIu64, nr);
	return text;
}

/* ": gzip 50, libz.so.1 10, 2 more files" */
static void put_files(FILE *file, const struct chain_words *words, struct xp_chain_ends *ends,
		      enum xp_chain_end end)
{
	const char *name, *sep = ": ";
	char text[COUNT_LEN];
	uint64_t nr;
	size_t i = 0;

	for (; i < FILES_SHOWN && (name = xp_chain_ends_file(ends, end, i, &nr)) != NULL; i++) {
		fprintf(file, "%s%s %s", sep, escaped(name), count(words, nr, text));
		sep = ", ";
	}
	while (xp_chain_ends_file(ends, end, i, &nr))
		i++;
	if (i > FILES_SHOWN)
		fprintf(file, ", %zu more %s", i - FILES_SHOWN,
			plural(i - FILES_SHOWN, "file", "files"));
}

static void put_complete(FILE *file, const struct chain_words *words,
			 const struct chain_facts *facts, struct xp_chain_ends *ends)
{
	uint64_t all = xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS);
	uint64_t joined = xp_chain_ends_nr(ends, XP_CHAIN_JOINED), complete = nr_complete(ends);
	char part[COUNT_LEN], whole[COUNT_LEN];

	fprintf(file, "%s%s of %s%s user call %s %s complete%s", words->prefix,
		count(words, complete, part), words->which, count(words, all, whole),
		plural(all, "chain", "chains"), plural(all == 1 ? 1 : complete, "is", "are"),
		chain_ends_but(ends, facts));
	if (joined)
		fprintf(file, ", %s of them with frames of earlier samples",
			count(words, joined, part));
	fputc('\n', file);
}

void chain_ends_print(FILE *file, const struct chain_words *words, const struct chain_facts *facts,
		      struct xp_chain_ends *ends)
{
	struct chain_facts known = *facts;
	uint64_t all = xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS);
	const char *helped = "";
	char text[COUNT_LEN];

	known.is_unwound |= has_unwound(ends);
	put_complete(file, words, &known, ends);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		uint64_t nr = xp_chain_ends_nr(ends, reasons[i].end);

		if (nr * 100 < all || !nr)
			continue;
		fprintf(file, "%s%s %s %s", words->prefix, count(words, nr, text),
			plural(nr, reasons[i].verb[0], reasons[i].verb[1]), reasons[i].what);
		put_files(file, words, ends, reasons[i].end);
		const char *helps = chain_remedy(reasons[i].end, &known);
		/* What helps against several reasons is said once. */
		fprintf(file, "%s\n", helps == helped ? "" : helps);
		helped = helps;
	}
}
