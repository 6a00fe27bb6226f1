/* SPDX-License-Identifier: MIT */
/*
 * count_group: what a command does, counted as a group.
 *
 *     count_group [COMMAND [ARGUMENT]...]
 *
 * Events in braces are on the counters together or not at all, so that one can be set against the
 * other: instructions per cycle are of the same cycles.
 */
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

#define EVENTS "{cycles:u,instructions:u},page-faults,task-clock"

static void show(const struct xp_evlist *events, const struct xp_counts *counts)
{
	for (int i = 0; i < xp_evlist_nr(events); i++) {
		const struct xp_evsel *event = xp_evlist_at(events, i);
		const struct xp_count *count = xp_counts_at(counts, i, 0, 0);

		if (xp_evsel_support(event) == XP_NOT_SUPPORTED)
			printf("%15s  %s: %s\n", "-", xp_evsel_name(event), xp_evsel_reason(event));
		else
			printf("%15.0f  %s, counted for %.1f %% of its time\n",
			       xp_count_scale(count), xp_evsel_name(event),
			       count->enabled_ns ? 100.0 * (double)count->running_ns /
							   (double)count->enabled_ns
						 : 0.0);
	}
	if (xp_counts_at(counts, 0, 0, 0)->value)
		printf("%15.2f  instructions per cycle\n",
		       (double)xp_counts_at(counts, 1, 0, 0)->value /
			       (double)xp_counts_at(counts, 0, 0, 0)->value);
}

/* Everything is open before the command runs its first instruction; it starts the counters. */
static int count(struct xp_ctx *ctx, struct xp_evlist *events, char **argv, struct xp_diag *diag)
{
	struct xp_open_opts opts = { .size = sizeof(opts),
				     .inherit = true,
				     .enable_on_exec = true };
	struct xp_workload *command = NULL;
	struct xp_counts *counts = NULL;
	struct xp_exit how;
	int err = xp_workload_prepare(ctx, argv, &command, diag);

	if (!err)
		err = xp_threads_one(ctx, xp_workload_pid(command), &opts.threads);
	if (!err)
		err = xp_evlist_open(events, &opts, diag);
	if (!err)
		err = xp_counts_new(xp_evlist_nr(events), 1, 1, &counts);
	if (!err)
		err = xp_workload_start(command, diag);
	if (!err) {
		xp_workload_wait(command, true, &how);
		err = xp_evlist_read(events, NULL, counts);
	}
	if (!err)
		show(events, counts);
	xp_counts_free(counts);
	xp_evlist_close(events);
	xp_threads_unref(opts.threads);
	xp_workload_free(command);
	return err;
}

int main(int argc, char **argv)
{
	char command[] = "true", *default_argv[] = { command, NULL };
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx = NULL;
	struct xp_evlist *events = NULL;
	int err = xp_ctx_new(NULL, &ctx);

	if (!err)
		err = xp_evlist_new(ctx, &events);
	if (!err)
		err = xp_evlist_parse(events, EVENTS, &diag);
	if (!err)
		err = count(ctx, events, argc > 1 ? argv + 1 : default_argv, &diag);
	if (err)
		fprintf(stderr, "count_group: %s%s%s\n", diag.err ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_evlist_free(events);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
