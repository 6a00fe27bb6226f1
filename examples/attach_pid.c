/* SPDX-License-Identifier: MIT */
/*
 * attach_pid: what a process that runs already does in the next moment, thread by thread.
 *
 *     attach_pid [PID [SECONDS]]
 *
 * Without PID it watches itself. Threads that begin later are counted with those that began them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xperf/xperf.h>

#define EVENTS "task-clock:u,page-faults:u,instructions:u"

static void show(const struct xp_evlist *events, const struct xp_threads *threads,
		 const struct xp_counts *counts)
{
	for (int t = 0; t < xp_threads_nr(threads); t++)
		for (int i = 0; i < xp_evlist_nr(events); i++) {
			const struct xp_evsel *event = xp_evlist_at(events, i);
			const struct xp_count *count = xp_counts_at(counts, i, 0, t);

			if (xp_evsel_support(event) == XP_SUPPORTED)
				printf("%7d %15.0f  %s\n", (int)xp_threads_tid(threads, t),
				       xp_count_scale(count), xp_evsel_name(event));
		}
}

static int watch(struct xp_ctx *ctx, struct xp_evlist *events, const char *pids, double seconds,
		 struct xp_diag *diag)
{
	struct timespec span = { .tv_sec = (time_t)seconds,
				 .tv_nsec = (long)(1e9 * (seconds - (double)(long)seconds)) };
	struct xp_open_opts opts = { .size = sizeof(opts), .inherit = true };
	struct xp_counts *counts = NULL;
	int err = xp_threads_of_processes(ctx, pids, &opts.threads, diag);

	if (!err)
		err = xp_evlist_open(events, &opts, diag);
	if (!err)
		err = xp_counts_new(xp_evlist_nr(events), 1, xp_threads_nr(opts.threads), &counts);
	if (!err)
		err = xp_evlist_enable(events);
	if (!err) {
		nanosleep(&span, NULL);
		err = xp_evlist_read(events, NULL, counts);
	}
	if (!err)
		show(events, opts.threads, counts);
	xp_counts_free(counts);
	xp_evlist_close(events);
	xp_threads_unref(opts.threads);
	return err;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.1;
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx = NULL;
	struct xp_evlist *events = NULL;
	char self[16];
	int err = xp_ctx_new(NULL, &ctx);

	snprintf(self, sizeof(self), "%d", (int)getpid());
	if (!err)
		err = xp_evlist_new(ctx, &events);
	if (!err)
		err = xp_evlist_parse(events, EVENTS, &diag);
	if (!err)
		err = watch(ctx, events, argc > 1 ? argv[1] : self, seconds, &diag);
	if (err)
		fprintf(stderr, "attach_pid: %s%s%s\n", diag.err ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_evlist_free(events);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
