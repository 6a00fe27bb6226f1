/* SPDX-License-Identifier: MIT */
/* What the kinds of events share while a syntax tree is turned into events. */
#ifndef EVSEL_RESOLVER_H
#define EVSEL_RESOLVER_H

#include <xperf/attr.h>

#include "ast.h"
#include "event.h"
#include "parse.h"
#include "pmu.h"

/*
 * @elf:       how files are looked into
 * @made:      events so far
 * @nr_groups: groups so far, those that became several included
 * @modifiers: set by the kind that recognises an event: which part of it holds the letters
 * @vendor_only: names are libpfm4's and no others
 */
struct xp_resolver {
	struct xp_ctx *ctx;
	const struct xp_elf_lookup *elf;
	struct xp_source source;
	const struct xp_ast *ast;
	struct xp_parsed made;
	int nr_groups;
	struct xp_span modifiers;
	bool vendor_only;
};

/*
 * An event on its way: what its terms have said so far.
 * @pmu:  whose formats and aliases count; NULL: general terms only
 * @name: what name= says; absent: nothing
 */
struct xp_draft {
	const struct xp_pmu *pmu;
	struct xp_attr attr;
	struct xp_span name;
	struct xp_alias_facts facts;
};

void xp_draft_fini(struct xp_draft *draft);

/* Adds an event. @name NULL: as the user wrote it. Returns 0 or -ENOMEM. */
int xp_resolver_add(struct xp_resolver *r, const struct xp_ast_event *ast,
		    const struct xp_attr *attr, enum xp_tool_event tool, const char *name);

/*
 * Parses part @first, if there is one, as the modifiers; nothing may follow it.
 * Returns 0 or -EINVAL.
 */
int xp_resolver_modifiers_at(struct xp_resolver *r, const struct xp_ast_event *ast, int first);

/*
 * Adds an event with what its terms change, its name included; where it is one of the CPUs' PMUs,
 * one per kind of CPU. @modifiers_at: the part of @ast that may hold the modifiers.
 * Returns 1, or why not.
 */
int xp_resolver_add_with_terms(struct xp_resolver *r, const struct xp_ast_event *ast,
			       struct xp_attr *attr, enum xp_tool_event tool, int modifiers_at);

/*
 * Whether the events from @first on, those of @ast, may have what they have where they stand in
 * their group (member.c). Returns 0 or -EINVAL.
 */
int xp_member_check(struct xp_resolver *r, const struct xp_ast_event *ast, int first);

/* An attribute with what every event begins with. Source: measured, `perf stat -vv`, perf 6.1. */
static inline struct xp_attr xp_resolver_attr(uint32_t type, uint64_t config)
{
	return (struct xp_attr){ .type = type, .config = config, .exclude_guest = 1 };
}

/* A kind of event. Returns 1 (recognised, events added), 0 (not of this kind), or why not. */
typedef int xp_event_kind_fn(struct xp_resolver *r, const struct xp_ast_event *ast);

xp_event_kind_fn xp_probe_resolve;      /* probe.c: uprobe:, kprobe:, sdt:, mem:& */
xp_event_kind_fn xp_breakpoint_resolve; /* breakpoint.c: mem:ADDRESS */
xp_event_kind_fn xp_tracepoint_resolve; /* tracepoint.c: SUBSYSTEM:EVENT */
xp_event_kind_fn xp_pmu_resolve;        /* pmu-resolve.c: PMU/TERMS/ */
xp_event_kind_fn xp_pmu_alias_resolve;  /* pmu-resolve.c: a name from some PMU's events/ alone */

/* vendor.c: PMU::EVENT; EVENT alone, of a PMU of this machine; both, and complaints if neither */
xp_event_kind_fn xp_vendor_resolve;
xp_event_kind_fn xp_vendor_resolve_alone;
xp_event_kind_fn xp_vendor_resolve_only;

/* True for PMU::EVENT. */
bool xp_vendor_has_pmu(const struct xp_ast_event *ast);

/* Offers the names of the vendor events of this machine's PMUs. */
void xp_vendor_names_offer(struct xp_suggest *suggest);

/* Lists the vendor events of this machine's PMUs as guides write them: "l2_rqsts.miss". */
void xp_vendor_spellings_list(struct xp_names *names);

/*
 * Adds a hint to the last complaint if libpfm4 has an event of this name, written otherwise
 * ("inst_retired.any" of perf) or of another processor. @umask: what follows the name; may be
 * empty. Returns false if there is none.
 */
bool xp_vendor_hint(const struct xp_resolver *r, struct xp_span event, struct xp_span umask);

/*
 * Adds a generic event, or a code, once per PMU of the CPUs of a hybrid machine.
 * Returns 1 (done), 0 (the CPUs are all alike, or the event is none of theirs), or why not.
 */
int xp_pmu_add_to_each_core(struct xp_resolver *r, const struct xp_ast_event *ast,
			    const struct xp_attr *attr, struct xp_span name);

/*
 * Applies the terms between the slashes to the attribute of an event without a PMU.
 * @ret_name: the name a term gives, absent if none does
 * Returns 0, -EINVAL, -ENOENT (no such term).
 */
int xp_terms_apply(struct xp_resolver *r, const struct xp_ast_event *ast, struct xp_attr *attr,
		   struct xp_span *ret_name);

/*
 * Applies an alias, then the terms between the slashes, to a draft.
 * @alias: absent: none
 * Returns 0, -EINVAL, -ENODATA (no such alias; there is no complaint), -ENOENT (no such term).
 */
int xp_terms_draft(struct xp_resolver *r, const struct xp_ast_event *ast, struct xp_span alias,
		   struct xp_draft *draft);

bool xp_span_is_number(struct xp_span span);
/* unknown.c: says that there is no event @name, and what may have been meant. Returns -ENOENT. */
int xp_unknown_event(struct xp_resolver *r, struct xp_span name);

#endif
