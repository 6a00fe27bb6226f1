/* SPDX-License-Identifier: MIT */
/* Conditions on samples, from text. */
#ifndef EVSEL_SAMPLE_CONDITIONS_H
#define EVSEL_SAMPLE_CONDITIONS_H

#include <xperf/api.h>

#include "filter.h"

struct xp_ctx;
struct xp_diag;
struct xp_sample_filter;

/*
 * Adds the conditions of a text to a filter; all of both have to hold.
 * @ctx: where cgroups are looked up by name; NULL: they are not
 * @ret_type: bits of sample_type that the kernel has to be asked for
 * Returns 0, -EINVAL with @diag filled, which leaves both as they were.
 */
int xp_sample_filter_parse(struct xp_ctx *ctx, const char *text, struct xp_sample_filter *filter,
			   uint64_t *ret_type, struct xp_diag *diag);

/* The name of a field that a condition is about. */
const char *xp_sample_field_name(uint32_t field);

#endif
