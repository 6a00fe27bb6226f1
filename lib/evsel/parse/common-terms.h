/* SPDX-License-Identifier: MIT */
/* Parsing the terms every event can have besides config and name. */
#ifndef EVSEL_COMMON_TERMS_H
#define EVSEL_COMMON_TERMS_H

#include "ast.h"
#include "event-terms.h"

struct xp_ctx;
struct xp_names;

/* True for the terms that are meant here. */
bool xp_event_term_exists(struct xp_span name);

/* Adds their names. */
void xp_event_terms_list(struct xp_names *names);

/*
 * Parses those of some terms that are meant here; others are skipped.
 * Returns 0 with *ret_terms the caller's to fini, -EINVAL, -ENOMEM.
 */
int xp_event_terms_parse(struct xp_ctx *ctx, const struct xp_source *source,
			 const struct xp_ast_term *terms, int nr, struct xp_event_terms *ret_terms);

#endif
