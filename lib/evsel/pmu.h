/* SPDX-License-Identifier: MIT */
/* Performance monitoring units as /sys/bus/event_source/devices lists them. */
#ifndef EVSEL_PMU_H
#define EVSEL_PMU_H

#include "source.h"

struct xp_attr;
struct xp_ctx;
struct xp_names;

/* Adds the names in the events/ of all PMUs. Returns 0 or why not. */
int xp_pmu_aliases_list(struct xp_ctx *ctx, struct xp_names *names);

/* Adds the names of the formats and aliases of a PMU. Returns 0 or why not. */
int xp_pmu_terms_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names);

/*
 * Reads what an alias stands for, a list of terms, the caller's to free.
 * Returns 0 or -ENOENT, -ENOMEM.
 */
int xp_pmu_alias_read(struct xp_ctx *ctx, const char *pmu, struct xp_span alias, char **ret_terms);

/*
 * Writes a value into the bits of an attribute that a format names.
 * Returns 0, -ENOENT (no such format), -ERANGE (the value is too large for it), -EBADMSG (the
 * kernel's description of it is not understood).
 */
int xp_pmu_format_write(struct xp_ctx *ctx, const char *pmu, struct xp_span format, uint64_t value,
			struct xp_attr *attr);

#endif
