/* SPDX-License-Identifier: MIT */
/* The letters behind an event or a group: "cycles:upp", "{a,b}:W". */
#ifndef EVSEL_MODIFIERS_H
#define EVSEL_MODIFIERS_H

#include "parse.h"
#include "source.h"

/*
 * Applies the letters behind an event to the @nr events it stands for.
 * Returns 0 or -EINVAL.
 */
int xp_modifiers_apply(const struct xp_source *source, struct xp_span letters,
		       struct xp_parsed_event *events, int nr);

/* Likewise, the letters behind a group, on top of what its members have of their own. */
int xp_modifiers_apply_to_group(const struct xp_source *source, struct xp_span letters,
				struct xp_parsed_event *events, int nr);

#endif
