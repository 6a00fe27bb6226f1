/* SPDX-License-Identifier: MIT */
/* What the kinds of events share while a syntax tree is turned into events. */
#ifndef EVSEL_RESOLVER_H
#define EVSEL_RESOLVER_H

#include "ast.h"
#include "event.h"
#include "parse.h"

/*
 * @elf:       how files are looked into
 * @made:      events so far
 * @modifiers: set by the kind that recognises an event: which part of it holds the letters
 * @vendor_only: names are libpfm4's and no others
 */
struct xp_resolver {
	struct xp_ctx *ctx;
	const struct xp_elf_lookup *elf;
	struct xp_source source;
	const struct xp_ast *ast;
	struct xp_parsed made;
	int cap;
	struct xp_span modifiers;
	bool vendor_only;
};

/* Adds an event. @name NULL: as the user wrote it. Returns 0 or -ENOMEM. */
int xp_resolver_add(struct xp_resolver *r, const struct xp_ast_event *ast,
		    const struct xp_attr *attr, enum xp_tool_event tool, const char *name);

/*
 * Takes part @first, if there is one, for the modifiers; nothing may follow it.
 * Returns 0 or -EINVAL.
 */
int xp_resolver_modifiers_at(struct xp_resolver *r, const struct xp_ast_event *ast, int first);

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
xp_event_kind_fn xp_pmu_resolve;        /* pmu.c: PMU/TERMS/ */
xp_event_kind_fn xp_pmu_alias_resolve;  /* pmu.c: a name from some PMU's events/ alone */

/* vendor.c: PMU::EVENT; EVENT alone, of a PMU of this machine; both, and complaints if neither */
xp_event_kind_fn xp_vendor_resolve;
xp_event_kind_fn xp_vendor_resolve_alone;
xp_event_kind_fn xp_vendor_resolve_only;

/* True for PMU::EVENT. */
bool xp_vendor_has_pmu(const struct xp_ast_event *ast);

/* Offers the names of the vendor events of this machine's PMUs. */
void xp_vendor_names_offer(struct xp_suggest *suggest);

/*
 * Applies the terms between the slashes to an attribute.
 * @pmu: whose formats and aliases count; NULL: general terms only
 * @ret_name: the name a term gives, absent if none does
 * Returns 0, -EINVAL, -ENOENT (no such term).
 */
int xp_terms_apply(struct xp_resolver *r, const struct xp_ast_event *ast, const char *pmu,
		   struct xp_attr *attr, struct xp_span *ret_name);

/*
 * Applies what a name in a PMU's events/ stands for to an attribute.
 * Returns 0, -ENOENT (no such name), -EINVAL (its file is not understood; the complaint is made).
 */
int xp_terms_apply_alias(struct xp_resolver *r, const char *pmu, struct xp_span alias,
			 struct xp_attr *attr);

#endif
