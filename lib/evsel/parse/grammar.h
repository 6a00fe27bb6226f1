/* SPDX-License-Identifier: MIT */
/* From text to syntax tree. */
#ifndef EVSEL_GRAMMAR_H
#define EVSEL_GRAMMAR_H

#include "ast.h"

/* What is wrong with a '=' outside of slashes. */
extern const char xp_misplaced_equals[];

/*
 * Reads a whole event string.
 * Returns 0 with *ret_ast the caller's to fini, -EINVAL, -ENOMEM.
 */
int xp_grammar_parse(const struct xp_source *source, struct xp_ast *ret_ast);

/*
 * Reads a list of terms as it stands between slashes, and in the files of a PMU's events/.
 * @text: need not be the source's
 * Returns as xp_grammar_parse().
 */
int xp_grammar_parse_terms(const struct xp_source *source, const char *text,
			   struct xp_ast *ret_ast);

#endif
