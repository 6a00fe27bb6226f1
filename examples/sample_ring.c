/* SPDX-License-Identifier: MIT */
/*
 * sample_ring: the first ten samples of a command, as they come.
 *
 *     sample_ring EVENT COMMAND [ARGUMENT]...
 *
 * The event is sampled a thousand times a second on every CPU; each CPU has a ring the kernel
 * writes into, which is read whenever there is something. Samples of one ring are in order; those
 * of two rings are not.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

enum { MOST = 10 };

struct work {
	struct xp_evlist *events;
	int nr;
};

/* What tasks do is reported, too: their names, maps, children, ends. Stops when there are enough.
 */
static int show(const struct xp_record *record, int event, void *data)
{
	struct work *work = (struct work *)data;
	struct xp_evsel *its = xp_evlist_at(work->events, event);
	struct xp_sample sample = { .size = sizeof(sample) };

	if (record->type != XP_RECORD_SAMPLE || !its ||
	    xp_sample_decode(record, xp_evsel_attr_const(its), &sample))
		return 0;
	printf("%5d/%-5d  CPU %-3d  %llu.%09llu  %16llx  %llu %s\n", sample.id.pid, sample.id.tid,
	       sample.id.cpu, (unsigned long long)(sample.id.time_ns / 1000000000),
	       (unsigned long long)(sample.id.time_ns % 1000000000), (unsigned long long)sample.ip,
	       (unsigned long long)sample.period, xp_evsel_name(its));
	return ++work->nr == MOST;
}

/* Until there were enough samples, or all tasks have ended. */
static void watch(struct xp_evlist *events)
{
	struct work work = { events, 0 };
	int ready;

	do {
		ready = xp_evlist_poll(events, -1);
		if (xp_evlist_drain(events, show, &work))
			return;
	} while (ready >= 0 || ready == -EINTR);
}

static int open_on(struct xp_evlist *events, struct xp_ctx *ctx, pid_t pid, struct xp_diag *diag)
{
	const struct xp_sampling_opts sampling = { .size = sizeof(sampling),
						   .flags = XP_SAMPLING_CPU | XP_SAMPLING_PERIOD |
							    XP_SAMPLING_NO_BUFFERING,
						   .freq_hz = 1000 };
	struct xp_open_opts opts = { .size = sizeof(opts),
				     .inherit = true,
				     .enable_on_exec = true };
	int err = xp_threads_one(ctx, pid, &opts.threads);

	if (!err)
		err = xp_evlist_open_rings(events, &sampling, &opts, diag);
	xp_threads_unref(opts.threads);
	return err;
}

static int record(struct xp_ctx *ctx, struct xp_evlist *events, char **argv, struct xp_diag *diag)
{
	struct xp_workload *command = NULL;
	struct xp_exit how;
	int err = xp_evlist_parse(events, argv[1], diag);

	if (!err)
		err = xp_workload_prepare(ctx, argv + 2, &command, diag);
	if (!err)
		err = open_on(events, ctx, xp_workload_pid(command), diag);
	if (!err)
		err = xp_workload_start(command, diag);
	if (!err) {
		watch(events);
		xp_evlist_disable(events);
		xp_workload_wait(command, true, &how);
	}
	xp_workload_free(command);
	return err;
}

int main(int argc, char **argv)
{
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx = NULL;
	struct xp_evlist *events = NULL;

	if (argc < 3) {
		fprintf(stderr, "sample_ring EVENT COMMAND [ARGUMENT]...\n");
		return 1;
	}
	if (xp_ctx_new(NULL, &ctx) || xp_evlist_new(ctx, &events))
		return 1;
	int err = record(ctx, events, argv, &diag);
	if (err)
		fprintf(stderr, "sample_ring: %s%s%s\n", *diag.what ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_evlist_free(events);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
