/* SPDX-License-Identifier: MIT */
/*
 * Samples are walked by the kernel where BPF is allowed. It begins when there are enough samples to
 * pay for it, or at once if it was asked for; without it stacks are copied.
 */
#include "walks.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/sampling.h>
#include <xperf/unwind.h>

#include "recorder.h"

/* How often it is looked for files that need rules: files of one chain after the other are found
 * out so, at first. */
enum { SOON_NS = 2000000, SELDOM_NS = 50000000 };

/* Walks of so many stacks, instead of copies, save the 30 ms that loading the programs takes. */
enum { WORTH_SAMPLES = 10000 };
/* Copies have not all of so many stacks, and of one in so many: they are larger, or a signal's
 * handler has one of its own. */
enum { WORTH_SHORT = 20, ONE_IN = 2 };

void walks_plan(struct recorder *r)
{
	struct xp_sampling_opts *sampling = &r->config.sampling;
	bool is_possible = sampling->unwinds && !sampling->regs_user && !r->is_pumped &&
			   !(sampling->flags & (XP_SAMPLING_OVERWRITE | XP_SAMPLING_NO_TIME |
						XP_SAMPLING_NO_USER_CHAIN)) &&
			   (!sampling->use_clockid || sampling->clockid == CLOCK_MONOTONIC);

	if (r->config.walks == CHOICE_DEFAULT)
		r->config.walks = is_possible && !geteuid() ? CHOICE_DEFAULT : CHOICE_NO;
	if (r->config.walks == CHOICE_NO)
		return;
	if (!is_possible) {
		if (!r->config.quiet)
			fputs("Note: the kernel's walk by rules makes chains of samples with time "
			      "by the clock 'monotonic', without registers and --overwrite: "
			      "stacks are copied\n",
			      stderr);
		r->config.walks = CHOICE_NO;
		return;
	}
	sampling->flags |= XP_SAMPLING_IDENTIFIER;
	sampling->use_clockid = true;
	sampling->clockid = CLOCK_MONOTONIC;
}

static void say_refused(const struct recorder *r, const struct xp_diag *diag)
{
	if (r->config.walks == CHOICE_YES && !r->config.quiet)
		fprintf(stderr, "Note: stacks are copied, and not walked in the kernel. %s\n",
			diag->what);
}

void walks_load(struct recorder *r)
{
	struct xp_diag diag = { 0 };

	if (r->config.walks == CHOICE_NO || !r->unwind)
		return;
	/* Rules are made of files that the other one keeps open. */
	if (xp_unwind_new(r->symbols, NULL, &r->rules) ||
	    xp_stack_walks_load(r->evlist, r->rules, &r->walks, &diag))
		say_refused(r, &diag);
}

/* @ret_is_needed: whatever it costs */
static bool is_worth_it(const struct recorder *r, bool *ret_is_needed)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };

	xp_recorder_get_stats(r->recorder, &stats);
	*ret_is_needed =
		r->config.walks == CHOICE_YES ||
		(stats.short_chains >= WORTH_SHORT && stats.short_chains >= stats.samples / ONE_IN);
	return *ret_is_needed || stats.samples >= WORTH_SAMPLES;
}

void walks_tend(struct recorder *r, uint64_t now_ns)
{
	bool is_needed;
	struct xp_diag diag = { 0 };

	r->walks_at_ns = now_ns + SELDOM_NS;
	if (!r->is_walking && !is_worth_it(r, &is_needed))
		return;
	if (!r->is_walking && xp_stack_walks_begin(r->walks, r->recorder, !is_needed, &diag)) {
		say_refused(r, &diag);
		r->walks_at_ns = NEVER;
		return;
	}
	if (!r->is_walking)
		r->walks_wait_ns = SOON_NS;
	r->is_walking = true;
	r->walks_at_ns = xp_ctx_now(r->ctx) + r->walks_wait_ns;
	if (r->walks_wait_ns < SELDOM_NS)
		r->walks_wait_ns += r->walks_wait_ns / 2;
	xp_stack_walks_look(r->walks);
}
