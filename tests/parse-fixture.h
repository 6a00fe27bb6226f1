/* SPDX-License-Identifier: MIT */
/* Parsing event strings on the small machine of tests/data/roots/parse. */
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

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_diag diag;
};

static inline void setup_with(struct fixture *f, const struct xp_sys *sys, const char *root)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = sys, .root = root };

	*f = (struct fixture){ 0 };
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
}

static inline void setup(struct fixture *f)
{
	char root[4096];
	const char *source = getenv("SOURCE_DIR");

	snprintf(root, sizeof(root), "%s/tests/data/roots/parse", source ? source : ".");
	setup_with(f, NULL, root);
}

static inline void teardown(struct fixture *f)
{
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
}

static inline int parse(struct fixture *f, const char *text)
{
	return xp_evlist_parse(f->evlist, text, &f->diag);
}

#endif
