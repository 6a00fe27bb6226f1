/* SPDX-License-Identifier: MIT */
/* The table of reasons why call chains end, and what helps against each. docs/call-stacks.md has
 * the same table. */
#include "chain-reasons.h"

#include <string.h>

#include "feature.h"

enum { STACK_MAX = 65528 };

/* Verbs, of one chain and of several. */
static const char *const to_stop[] = { "stops", "stop" }, *const to_end[] = { "ends", "end" },
			 *const to_have[] = { "has", "have" };

static const struct chain_reason reasons[] = {
	{ XP_CHAIN_COMPLETE, "complete", NULL, "complete" },
	{ XP_CHAIN_JOINED, "joined", NULL, "complete, with frames of earlier samples" },
	{ XP_CHAIN_INSIDE, "no_caller", to_stop, "at a function whose caller was not found" },
	{ XP_CHAIN_NOWHERE, "not_mapped", to_end, "at an address where no code is mapped" },
	{ XP_CHAIN_NO_CALL, "not_called", to_end, "at an address that no call returns to" },
	{ XP_CHAIN_UNNAMED, "unnamed", to_end,
	  "in a function without a name, which may be the first one" },
	{ XP_CHAIN_LIMIT, "limit", to_have, "as many frames as were recorded" },
	{ XP_CHAIN_NO_RULES, "no_unwind_information", to_end,
	  "in code without unwind information" },
	{ XP_CHAIN_MADE_CODE, "made_code", to_end,
	  "in code made at run time, which nothing describes, and which called" },
	{ XP_CHAIN_NO_FILE, "no_file", to_end,
	  "in a file that is gone, was replaced or cannot be read" },
	{ XP_CHAIN_NO_LIBRARY, "no_library", to_end,
	  "because libdw, which reads unwind information, is missing" },
	{ XP_CHAIN_NO_STACK, "no_stack", NULL,
	  "complete: the task was in execve(), without a stack" },
	{ XP_CHAIN_STACK_END, "stack_end", to_end, "where the copy of the stack ends" },
	{ XP_CHAIN_MAX, "max_stack", to_have, "as many frames as are computed" },
	{ XP_CHAIN_DAMAGED, "damaged", to_end, "where the stack leads to no caller" },
	{ XP_CHAIN_PROBED, "return_probe", to_end,
	  "in a function with a return probe, whose caller only the kernel knows" },
	{ XP_CHAIN_COMPLEX, "no_rule", to_end, "in code that no rule in the kernel describes" },
	{ XP_CHAIN_TOO_NEW, "too_new", to_end,
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

static bool is_raw(const struct chain_facts *facts)
{
	return facts->is_raw;
}

static bool can_copy_more(const struct chain_facts *facts)
{
	return facts->stack_bytes < STACK_MAX;
}

static const char no_frame_pointers[] =
	"; code without frame pointers ends chains: record with --call-graph dwarf";
static const char too_new[] =
	"; where a process or file was new, the kernel had no rules for it yet";
static const char needs_frame_pointers[] =
	"; code without frame pointers ends chains: build it with -fno-omit-frame-pointer";

/* The remedies against each: the first row that fits. Where none does, nothing is known to help.
 * @file: with which the name of the file begins; NULL: with anything */
static const struct {
	enum xp_chain_end end;
	bool (*fits)(const struct chain_facts *facts);
	const char *helps; /* behind the files */
	const char *file;
} remedies[] = {
	/* Where stacks were unwound or walked by rules, frame pointers are not what is missing. */
	{ XP_CHAIN_INSIDE, was_summed, too_new },
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
	{ XP_CHAIN_MADE_CODE, always, "; python 3.13 describes it with -X perf_jit", "python" },
	{ XP_CHAIN_MADE_CODE, always, "; python 3.13 describes it with -X perf_jit", "libpython" },
	{ XP_CHAIN_MADE_CODE, always,
	  "; node describes it with --perf-prof --perf-prof-unwinding-info", "node" },
	{ XP_CHAIN_MADE_CODE, always,
	  "; java keeps frame pointers in it with -XX:+PreserveFramePointer", "libjvm.so" },
	{ XP_CHAIN_NO_LIBRARY, has_library, "; install libdw" },
	{ XP_CHAIN_NO_LIBRARY, always, "; this xperf was built without it" },
	{ XP_CHAIN_STACK_END, can_copy_more, "; record more of it: --call-graph dwarf,65528" },
	{ XP_CHAIN_PROBED, always, "; record without the probe (%return)" },
	{ XP_CHAIN_MAX, is_raw, "; raise --max-stack" },
};

bool file_name_begins(const char *path, const char *beginning)
{
	const char *slash = strrchr(path, '/');

	return slash && !strncmp(slash + 1, beginning, strlen(beginning));
}

const char *chain_remedy(enum xp_chain_end end, const struct chain_facts *facts)
{
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (remedies[i].end == end && remedies[i].fits(facts) &&
		    (!remedies[i].file ||
		     (facts->file && file_name_begins(facts->file, remedies[i].file))))
			return remedies[i].helps;
	return "";
}

const struct chain_reason *chain_reason_of(enum xp_chain_end end)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].end == end)
			return &reasons[i];
	return NULL;
}

const struct chain_reason *chain_reason_at(size_t idx)
{
	return idx < sizeof(reasons) / sizeof(reasons[0]) ? &reasons[idx] : NULL;
}

const char *chain_remedy_at(enum xp_chain_end end, size_t idx)
{
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (remedies[i].end == end && *remedies[i].helps && !idx--)
			return remedies[i].helps;
	return NULL;
}

/* --- facts --- */

/* Source of the default limit: linux/perf_event.h, PERF_MAX_STACK_DEPTH. */
uint16_t chain_limit_of(const struct xp_attr *attr)
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

void chain_facts_add(struct chain_facts *facts, const struct xp_attr *attr, bool is_recorder)
{
	/* Also where chains were computed while recording, and copies are not stored. */
	if (attr->sample_stack_user > facts->stack_bytes)
		facts->stack_bytes = attr->sample_stack_user;
	facts->is_unwound |= attr->sample_stack_user > 0;
	facts->is_raw |= !is_recorder && attr->sample_type & XP_SAMPLE_STACK_USER;
	facts->by_pointers = !facts->is_unwound && !facts->is_summed &&
			     (facts->by_pointers || chain_limit_of(attr) > 0);
}

struct chain_facts chain_facts_of(const struct xp_data *data, bool is_summed)
{
	struct chain_facts facts = chain_facts_of_build();

	facts.is_summed = is_summed;
	for (int i = 0; i < xp_data_nr_events(data); i++)
		chain_facts_add(&facts, &xp_data_event_at(data, i)->attr, false);
	return facts;
}
