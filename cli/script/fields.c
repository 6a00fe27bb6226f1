/* SPDX-License-Identifier: MIT */
/*
 * Fields of `script`: names, what is printed where nothing is asked for, and the text of -F.
 *
 * Source: perf-script(1), -F; defaults and what is refused: perf 6.1, measured.
 */
#include "fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

/* Bits of sample_type, perf_event_open(2). */
/* A field. @needs: one of these in sample_type; 0: it is always there. @attribute: perf's name of
 * it */
static const struct field {
	const char *name;
	uint64_t bit;
	uint32_t needs;
	const char *attribute;
} table[] = {
	{ "comm", F_COMM, 0 },
	{ "tid", F_TID, XP_SAMPLE_TID, "TID" },
	{ "pid", F_PID, XP_SAMPLE_TID, "TID" },
	{ "time", F_TIME, XP_SAMPLE_TIME, "TIME" },
	{ "cpu", F_CPU, XP_SAMPLE_CPU, "CPU" },
	{ "event", F_EVENT, 0 },
	{ "trace", F_TRACE, 0 },
	{ "ip", F_IP, XP_SAMPLE_IP, "IP" },
	{ "sym", F_SYM, 0 },
	{ "dso", F_DSO, 0 },
	{ "addr", F_ADDR, XP_SAMPLE_ADDR, "ADDR" },
	{ "symoff", F_SYMOFF, 0 },
	{ "srcline", F_SRCLINE, 0 },
	{ "srccode", F_SRCCODE, 0 },
	{ "period", F_PERIOD, 0 },
	{ "weight", F_WEIGHT, XP_SAMPLE_WEIGHT | XP_SAMPLE_WEIGHT_STRUCT, "WEIGHT" },
	{ "phys_addr", F_PHYS_ADDR, XP_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ "data_page_size", F_DATA_PAGE_SIZE, XP_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ "code_page_size", F_CODE_PAGE_SIZE, XP_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ "ins_lat", F_INS_LAT, XP_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ "retire_lat", F_RETIRE_LAT, XP_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ "misc", F_MISC, 0 },
	{ "brstack", F_BRSTACK, XP_SAMPLE_BRANCH_STACK },
	{ "brstacksym", F_BRSTACKSYM, XP_SAMPLE_BRANCH_STACK },
	{ "brstackoff", F_BRSTACKOFF, XP_SAMPLE_BRANCH_STACK },
	{ "brstackinsn", F_BRSTACKINSN, XP_SAMPLE_BRANCH_STACK },
	{ "brstackinsnlen", F_BRSTACKINSNLEN, XP_SAMPLE_BRANCH_STACK },
	{ "brstackdisasm", F_BRSTACKDISASM, XP_SAMPLE_BRANCH_STACK },
	{ "brcntr", F_BRCNTR, XP_SAMPLE_BRANCH_STACK },
	{ "dsoff", F_DSOFF, 0 },
	{ "iregs", F_IREGS, XP_SAMPLE_REGS_INTR, "IREGS" },
	{ "uregs", F_UREGS, XP_SAMPLE_REGS_USER, "UREGS" },
	{ "flags", F_FLAGS, 0 },
	{ "data_src", F_DATA_SRC, XP_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ "bpf-output", F_BPF_OUTPUT, 0 },
	{ "insnlen", F_INSN_LEN, 0 },
	{ "insn", F_INSN, 0 },
	{ "disasm", F_DISASM, 0 },
	{ "asm", F_DISASM, 0 },
	{ "tod", F_TOD, XP_SAMPLE_TIME, "TIME" },
	{ "cgroup", F_CGROUP, XP_SAMPLE_CGROUP, "CGROUP" },
	{ "metric", F_METRIC, XP_SAMPLE_READ },
	/* only what is made of AUX traces, and of guests, has them */
	{ "callindent", F_NOTHING, 0 },
	{ "ipc", F_NOTHING, 0 },
	{ "synth", F_NOTHING, 0 },
	{ "machine_pid", F_NOTHING, 0 },
	{ "vcpu", F_NOTHING, 0 },
};

#define WHERE (F_IP | F_SYM | F_SYMOFF | F_DSO)
#define WHO   (F_COMM | F_TID | F_CPU | F_TIME | F_EVENT)
#define USUAL (WHO | WHERE | F_PERIOD)
/* What is shown of the address that is printed. */
#define OF_ADDRESS (F_SRCLINE | F_SRCCODE)
/* What only tracepoints, and only software events have. */
#define SPECIAL (F_TRACE | F_BPF_OUTPUT)

/* Kinds by the names that -F knows; what is printed of them by default, and what never. */
static const struct {
	const char *name;
	uint64_t fields;
	uint64_t never;
} kinds[NR_KINDS] = {
	[KIND_HARDWARE] = { "hw", USUAL, SPECIAL },
	[KIND_SOFTWARE] = { "sw", USUAL | F_BPF_OUTPUT, F_TRACE },
	[KIND_TRACEPOINT] = { "trace", WHO | F_TRACE, F_BPF_OUTPUT },
	[KIND_CACHE] = { NULL, USUAL, SPECIAL },
	[KIND_RAW] = { "raw",
		       USUAL | F_ADDR | F_WEIGHT | F_PHYS_ADDR | F_DATA_PAGE_SIZE |
			       F_CODE_PAGE_SIZE | F_INS_LAT | F_DATA_SRC,
		       SPECIAL },
	[KIND_BREAKPOINT] = { "break", USUAL, SPECIAL },
	[KIND_SYNTH] = { "synth", WHO | WHERE, SPECIAL },
	[KIND_OTHER] = { NULL, USUAL, SPECIAL },
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

void fields_init(struct fields *fields)
{
	for (int i = 0; i < NR_KINDS; i++)
		fields->kind[i] = (struct kind_fields){ .fields = kinds[i].fields };
}

enum kind kind_of(const struct xp_attr *attr)
{
	return attr->type <= KIND_BREAKPOINT ? (enum kind)attr->type : KIND_OTHER;
}

/* --- the text of -F --- */

static int refuse_name(const char *name, const char *text, int pos, struct xp_diag *diag)
{
	struct xp_suggest suggest = { .word = name, .len = strlen(name) };

	for (size_t i = 0; i < LEN(table); i++)
		xp_suggest_offer(&suggest, table[i].name);
	xp_diag_set(diag, -EINVAL, "There is no field '%s'", name);
	if (suggest.best)
		xp_diag_hint(diag, "did you mean '%s'?", suggest.best);
	xp_diag_at(diag, text, pos, (int)strlen(name));
	return -1;
}

/* Returns 0: no such field. */
static uint64_t bit_of(const char *name)
{
	for (size_t i = 0; i < LEN(table); i++)
		if (!strcmp(table[i].name, name))
			return table[i].bit;
	return 0;
}

static const char *name_of(uint64_t bit)
{
	for (size_t i = 0; i < LEN(table); i++)
		if (table[i].bit == bit)
			return table[i].name;
	return "";
}

/* What one word does to one kind. @all: the kind was not named. */
static int apply(struct kind_fields *to, int kind, char sign, uint64_t bit, bool all,
		 struct xp_diag *diag)
{
	if (bit & kinds[kind].never && sign != '-') {
		if (all)
			return 0;
		xp_diag_set(diag, -EINVAL, "Events of kind '%s' have no field '%s'",
			    kinds[kind].name, name_of(bit));
		return -1;
	}
	to->fields = sign == '-' ? to->fields & ~bit : to->fields | bit;
	to->asked = sign == '-' ? to->asked & ~bit : to->asked | bit;
	return 0;
}

/* The kind before a ":". Returns NR_KINDS without one, -1: there is no such kind. */
static int parse_kind(const char **at, struct xp_diag *diag)
{
	const char *colon = strchr(*at, ':');
	size_t len = colon ? (size_t)(colon - *at) : 0;

	if (!colon)
		return NR_KINDS;
	for (int i = 0; i < NR_KINDS; i++)
		if (kinds[i].name && strlen(kinds[i].name) == len &&
		    !strncmp(kinds[i].name, *at, len)) {
			*at = colon + 1;
			return i;
		}
	xp_diag_set(diag, -EINVAL, "There is no kind of event '%.*s'", (int)len, *at);
	xp_diag_hint(diag, "kinds are hw, sw, trace, raw, break and synth");
	return -1;
}

/* Words change what is printed, or, where the first has no sign, say all of it. */
static int parse_words(struct fields *fields, const char *text, char *words, int kind,
		       struct xp_diag *diag)
{
	bool all = kind == NR_KINDS;
	int first = all ? 0 : kind, end = all ? NR_KINDS : kind + 1;
	char *rest = NULL;

	if (*words != '+' && *words != '-')
		for (int i = first; i < end; i++)
			fields->kind[i] = (struct kind_fields){ 0 };
	if (!all)
		fields->kind[kind].is_named = true;
	for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		char sign = *word == '+' || *word == '-' ? *word++ : '+';
		uint64_t bit = bit_of(word);

		if (!bit)
			return refuse_name(word, text, (int)(strstr(text, word) - text), diag);
		for (int i = first; i < end; i++)
			if (apply(&fields->kind[i], i, sign, bit, all, diag))
				return -1;
	}
	return 0;
}

int fields_parse(struct fields *fields, const char *text, struct xp_diag *diag)
{
	const char *at = text;
	int kind = parse_kind(&at, diag);
	char *words = strdup(at);
	int err = words && kind >= 0 ? parse_words(fields, text, words, kind, diag) : -1;

	free(words);
	return err;
}

/* --- what a recording has --- */

/* Returns 0: it is left out, as with perf. */
static int refuse(const struct xp_data_event *event, const struct field *field,
		  struct xp_diag *diag)
{
	const uint64_t can_be_left_out = F_BRSTACK | F_BRSTACKSYM | F_BRSTACKOFF | F_METRIC;

	if (field->bit & can_be_left_out) {
		fprintf(stderr, "Note: samples of '%s' have no field '%s'\n", event->name,
			field->name);
		return 0;
	}
	/* In perf's words: programs that run script look for them. */
	if (field->attribute)
		xp_diag_set(diag, -EINVAL,
			    "Samples for '%s' event do not have %s attribute set. Cannot print "
			    "'%s' field.",
			    event->name, field->attribute, field->name);
	else
		xp_diag_set(diag, -EINVAL, "Samples of '%s' have no field '%s'", event->name,
			    field->name);
	xp_diag_hint(diag, "leave it out of -F: '-F -%s'", field->name);
	return -1;
}

/* Whether events have one of these; @kind: NR_KINDS: of any kind. */
static bool some_have(const struct xp_data *data, enum kind kind, uint32_t needs)
{
	const struct xp_data_event *event;

	for (int i = 0; (event = xp_data_event_at(data, i)); i++)
		if ((kind == NR_KINDS || kind_of(&event->attr) == kind) &&
		    event->attr.sample_type & needs)
			return true;
	return false;
}

/* As with perf, the first event of a kind stands for all. */
static int fit_event(struct kind_fields *kind, const struct xp_data *data,
		     const struct xp_data_event *event, struct xp_diag *diag)
{
	for (size_t i = 0; i < LEN(table); i++) {
		const struct field *field = &table[i];

		if (!(kind->fields & field->bit) || !field->needs ||
		    event->attr.sample_type & field->needs)
			continue;
		bool is_asked = kind->asked & field->bit;
		if (is_asked && some_have(data, kind_of(&event->attr), field->needs))
			continue;
		kind->fields &= ~field->bit;
		if (is_asked && (kind->is_named || !some_have(data, NR_KINDS, field->needs)) &&
		    refuse(event, field, diag))
			return -1;
	}
	return 0;
}

/* Between branches there is code to show only if each was recorded. */
static int fit_branches(const struct kind_fields *kind, const struct xp_data_event *event,
			struct xp_diag *diag)
{
	uint64_t shown = kind->fields & F_BRANCH_CODE;

	if (!shown || event->attr.branch_sample_type & XP_BRANCH_ANY ||
	    !(event->attr.sample_type & XP_SAMPLE_BRANCH_STACK))
		return 0;
	xp_diag_set(diag, -EINVAL,
		    "The field '%s' needs all branches, and of '%s' only some were "
		    "recorded",
		    name_of(shown & -shown), event->name);
	xp_diag_hint(diag, "record with -b");
	return -1;
}

/* It has no samples that could show anything. */
static bool is_dummy(const struct xp_attr *attr)
{

	return attr->type == XP_TYPE_SOFTWARE && attr->config == XP_SW_DUMMY;
}

/* A chain is printed of tracepoints, too. */
static void add_chains(struct kind_fields *kind, const struct xp_data_event *event)
{
	if (!kind->asked && event->attr.sample_type & XP_SAMPLE_CALLCHAIN)
		kind->fields |= WHERE;
}

/* Something has to be left to print. */
static int check_kinds(const struct fields *fields, const bool seen[NR_KINDS], struct xp_diag *diag)
{
	bool any = false;

	for (int i = 0; i < NR_KINDS; i++) {
		const struct kind_fields *kind = &fields->kind[i];

		if (seen[i] && kind->asked & OF_ADDRESS && !(kind->fields & F_IP)) {
			xp_diag_set(diag, -EINVAL, "The field '%s' needs an address",
				    name_of(kind->asked & F_SRCLINE ? F_SRCLINE : F_SRCCODE));
			xp_diag_hint(diag, "add 'ip' to -F");
			return -1;
		}
		any |= seen[i] && (kind->fields | kind->asked) & ~F_BPF_OUTPUT;
	}
	if (any || !memchr(seen, true, NR_KINDS))
		return 0;
	xp_diag_set(diag, -EINVAL, "-F leaves nothing to print");
	return -1;
}

int fields_fit(struct fields *fields, const struct xp_data *data, bool chains, struct xp_diag *diag)
{
	bool seen[NR_KINDS] = { false };

	for (int i = 0; i < xp_data_nr_events(data); i++) {
		const struct xp_data_event *event = xp_data_event_at(data, i);
		enum kind kind = kind_of(&event->attr);

		if (is_dummy(&event->attr))
			continue;
		if (!seen[kind] && fit_event(&fields->kind[kind], data, event, diag))
			return -1;
		if (fit_branches(&fields->kind[kind], event, diag))
			return -1;
		seen[kind] = true;
		if (kind == KIND_TRACEPOINT && chains)
			add_chains(&fields->kind[kind], event);
	}
	return check_kinds(fields, seen, diag);
}
