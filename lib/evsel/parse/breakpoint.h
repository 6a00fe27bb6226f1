/* SPDX-License-Identifier: MIT */
/* What breakpoints at addresses and at symbols share. */
#ifndef EVSEL_BREAKPOINT_H
#define EVSEL_BREAKPOINT_H

#include "source.h"

struct xp_attr;

/* A part that can only be an access: 'r', 'w' and 'x' are no modifiers. */
bool xp_breakpoint_is_access(struct xp_span span);

/*
 * Sets access and length of a breakpoint; what is absent stays as the attribute has it, and a
 * length of 0 becomes the usual one.
 * Returns 0 or -EINVAL.
 */
int xp_breakpoint_set(const struct xp_source *source, struct xp_span access, struct xp_span length,
		      struct xp_attr *attr);

#endif
