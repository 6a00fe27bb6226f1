/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a filter of sched:sched_switch in tests/data/roots/parse. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

#include "filter-check.h"
#include "tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One line, and a place inside the text it quotes or right behind it. */
static void check_diag(const struct xp_diag *diag)
{
	assert(diag->err == -EINVAL);
	assert(diag->what[0]);
	assert(!strpbrk(diag->what, "\n\r\t\x1b"));
	assert(!strpbrk(diag->input, "\n\r\t\x1b"));
	assert(diag->pos >= 0 && diag->len >= 1);
	assert((size_t)diag->pos <= strlen(diag->input));
	assert(diag->len == 1 || (size_t)(diag->pos + diag->len) <= strlen(diag->input));
}

/* What is learnt about the machine is kept. */
static struct xp_ctx *context(void)
{
	static const char *const roots[] = { XPERF_FUZZ_ROOT };
	static struct xp_ctx *ctx;
	struct xp_ctx_opts opts = { .size = sizeof(opts),
				    .sys = tree_sys(roots, 1),
				    .root = roots[0] };

	if (!ctx && xp_ctx_new(&opts, &ctx))
		abort();
	return ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_ctx *ctx = context();
	char *text = malloc(size + 1);
	struct xp_diag diag = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	int err = xp_filter_check(ctx, "sched:sched_switch", text, &diag);
	assert(err <= 0);
	if (err)
		check_diag(&diag);
	/* What is wrong does not become right when the fields are not known, only less is seen. */
	else
		assert(!xp_filter_check(ctx, NULL, text, &diag));
	free(text);
	return 0;
}
