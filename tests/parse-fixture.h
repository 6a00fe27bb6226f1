/* SPDX-License-Identifier: MIT */
/* Parsing event strings on the machines of tests/data/roots. */
#ifndef TESTS_PARSE_FIXTURE_H
#define TESTS_PARSE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "round-trip.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct parsing {
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_diag diag;
};

static inline void setup_as(struct parsing *f, const struct xp_sys *sys, const struct xp_arch *arch,
			    const char *root)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = sys, .arch = arch, .root = root };

	*f = (struct parsing){ 0 };
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
}

static inline void setup_with(struct parsing *f, const struct xp_sys *sys, const char *root)
{
	setup_as(f, sys, NULL, root);
}

/* @tree: a directory of tests/data/roots */
static inline void setup_tree_as(struct parsing *f, const struct xp_sys *sys,
				 const struct xp_arch *arch, const char *tree)
{
	char root[4096];
	const char *source = getenv("SOURCE_DIR");

	snprintf(root, sizeof(root), "%s/tests/data/roots/%s", source ? source : ".", tree);
	setup_as(f, sys, arch, root);
}

static inline void setup_tree(struct parsing *f, const struct xp_sys *sys, const char *tree)
{
	setup_tree_as(f, sys, NULL, tree);
}

static inline void setup(struct parsing *f)
{
	setup_tree(f, NULL, "parse");
}

/* This machine. */
static inline void setup_here(struct parsing *f)
{
	setup_with(f, NULL, "");
}

static inline void teardown(struct parsing *f)
{
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
}

static inline int parse(struct parsing *f, const char *text)
{
	return xp_evlist_parse(f->evlist, text, &f->diag);
}

/* Every name of the list, but those no event has, stands for its event. @text: what was parsed */
static inline void assert_names_come_back(const struct parsing *f, const char *text)
{
	for (int i = 0; !name_is_not_the_event(text) && i < xp_evlist_nr(f->evlist); i++) {
		const struct xp_evsel *evsel = xp_evlist_at(f->evlist, i);
		const char *why = lost_in_round_trip(f->ctx, evsel);

		if (why)
			fail_msg("'%s': '%s': %s", text, xp_evsel_own_name(evsel), why);
	}
}

#endif
