/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as an event string, on machines of tests/data/roots by turns. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

#include "round-trip.h"
#include "tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Which one is a string's follows from its length. */
static const char *const roots[] = {
	XPERF_FUZZ_ROOT,
	XPERF_FUZZ_ROOT "/../intel-hybrid",
	XPERF_FUZZ_ROOT "/../skylake-sp",
	XPERF_FUZZ_ROOT "/../power9",
};
enum { NR_ROOTS = sizeof(roots) / sizeof(roots[0]), NAMES_CHECKED = 2 };

/* A failure tells one line, and a place inside the text it quotes. */
static void check_diag(const struct xp_diag *diag, int err)
{
	assert(diag->err == err);
	assert(diag->what[0]);
	assert(!strpbrk(diag->what, "\n\r\t\x1b"));
	assert(!strpbrk(diag->input, "\n\r\t\x1b"));
	assert(diag->pos >= 0 && diag->len >= 1);
	assert((size_t)diag->pos <= strlen(diag->input));
	assert(diag->len == 1 || (size_t)(diag->pos + diag->len) <= strlen(diag->input));
}

/* Each event has a name that stands for it, and belongs to a group that contains it. */
static void check_events(struct xp_ctx *ctx, const struct xp_evlist *evlist, const char *text)
{
	bool is_own = !name_is_not_the_event(text);

	assert(xp_evlist_nr(evlist) > 0);
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, i);
		int leader = xp_evsel_index(xp_evsel_leader(evsel));

		assert(xp_evsel_name(evsel)[0]);
		assert(leader <= i && i < leader + xp_evsel_group_size(evsel));
		assert(!is_own || i >= NAMES_CHECKED || !lost_in_round_trip(ctx, evsel));
	}
}

/* What is learnt about a machine is kept: a context for each. */
static struct xp_ctx *context(size_t machine)
{
	static struct xp_ctx *made[NR_ROOTS];
	struct xp_ctx_opts opts = { .size = sizeof(opts),
				    .sys = tree_sys(roots, NR_ROOTS),
				    .root = roots[machine] };

	if (!made[machine] && xp_ctx_new(&opts, &made[machine]))
		abort();
	return made[machine];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_ctx *ctx = context(size % NR_ROOTS);
	char *text = malloc(size + 1);
	struct xp_diag diag = { 0 };
	struct xp_evlist *evlist;

	memcpy(text, data, size);
	text[size] = '\0';
	if (xp_evlist_new(ctx, &evlist))
		abort();
	/* Looking for similar names takes most of the time: one string in four gets them. */
	bool reported = size / NR_ROOTS % 4 == 0;
	int err = xp_evlist_parse(evlist, text, reported ? &diag : NULL);
	assert(err <= 0);
	for (int i = 0; i < TREE_OPEN_MAX; i++)
		assert(!tree.open[i].file);
	if (err && reported)
		check_diag(&diag, err);
	else if (!err)
		check_events(ctx, evlist, text);
	xp_evlist_free(evlist);
	free(text);
	return 0;
}
