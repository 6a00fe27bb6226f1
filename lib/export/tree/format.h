/* SPDX-License-Identifier: MIT */
/* What the formats share: what is written, and the functions that write a tree. */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include "out.h"
#include "tree.h"

/* What is written, checked. */
struct export
{
	const struct xp_tree *tree;
	struct xp_export_opts opts;
	struct xp_diag *diag;
	struct out *out;
};

/* Writes a tree. Returns 0 or a negative errno; that of export->out is looked at afterwards. */
typedef int (*format_fn)(const struct export *export);

int xp_format_callgrind(const struct export *export);
int xp_format_folded(const struct export *export);
int xp_format_otlp(const struct export *export);
int xp_format_pprof(const struct export *export);
int xp_format_speedscope(const struct export *export);
int xp_format_svg(const struct export *export);
int xp_format_text(const struct export *export);
int xp_format_html(const struct export *export);

/* Whether an event is one of those that are written. */
static inline bool export_has_event(const struct export *export, uint32_t event)
{
	return export->opts.event < 0 ? export->tree->events[event].samples != 0
				      : (uint32_t) export->opts.event == event;
}

/* What a stack weighs. */
static inline uint64_t export_weight(const struct export *export, const struct tree_stack *stack)
{
	return export->opts.samples ? stack->samples : stack->period;
}

#endif
