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

/* True if some PMU has this name in its events/. */
bool xp_pmu_has_alias(struct xp_ctx *ctx, const char *alias);

/* Adds the names in the events/ of one PMU. Returns 0 or why not. */
int xp_pmu_events_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names);

/*
 * What the files beside an alias say about its counts.
 * @unit:     NULL: none
 * @scale:    1: none
 * @per_pkg:  it counts for a package whatever CPU it is opened on
 * @snapshot: the value is not a sum, but how things are now
 */
struct xp_alias_facts {
	char *unit;
	double scale;
	bool per_pkg;
	bool snapshot;
};

/* Reads them; ret_facts->unit is the caller's to free. */
void xp_pmu_alias_facts(struct xp_ctx *ctx, const char *pmu, struct xp_span alias,
			struct xp_alias_facts *ret_facts);

/* Adds the names of the formats and aliases of a PMU. Returns 0 or why not. */
int xp_pmu_terms_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names);

/*
 * Reads what an alias stands for, a list of terms, the caller's to free.
 * Returns 0 or -ENOENT, -ENOMEM.
 */
int xp_pmu_alias_read(struct xp_ctx *ctx, const char *pmu, struct xp_span alias, char **ret_terms);

/*
 * The number by which the driver of a trace unit knows one of its sinks ("tmc_etr0").
 * Returns 0, -ENOENT (no such sink), -EOPNOTSUPP (the driver lets nobody choose), -EBADMSG.
 * Source: Documentation/trace/coresight/coresight-perf.rst, "sinks".
 */
int xp_pmu_sink_read(struct xp_ctx *ctx, const char *pmu, struct xp_span sink,
		     uint64_t *ret_number);

/* Adds the names of the sinks. Returns 0 or why not. */
int xp_pmu_sinks_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names);

/*
 * Sets the bits of a value in the bits of an attribute that a format names; bits that are set
 * there stay so.
 * Returns 0, -ENOENT (no such format), -ERANGE (the value is too large for it), -EBADMSG (the
 * kernel's description of it is not understood).
 */
int xp_pmu_format_write(struct xp_ctx *ctx, const char *pmu, struct xp_span format, uint64_t value,
			struct xp_attr *attr);

#endif
