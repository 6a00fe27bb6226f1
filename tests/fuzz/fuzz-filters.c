/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a filter of sched:sched_switch in tests/data/roots/parse. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

#include "filter.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = XPERF_FUZZ_ROOT };
	char *text = malloc(size + 1);
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx;

	memcpy(text, data, size);
	text[size] = '\0';
	if (xp_ctx_new(&opts, &ctx))
		abort();
	int err = xp_filter_check(ctx, "sched:sched_switch", text, &diag);
	assert(err <= 0);
	if (err)
		check_diag(&diag);
	/* What is wrong does not become right when the fields are not known, only less is seen. */
	else
		assert(!xp_filter_check(ctx, NULL, text, &diag));
	xp_ctx_free(ctx);
	free(text);
	return 0;
}
