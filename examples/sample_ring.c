/* SPDX-License-Identifier: MIT */
/*
 * sample_ring: the first ten samples of a command, as they come.
 *
 *     sample_ring EVENT COMMAND [ARGUMENT]...
 *
 * The event is sampled a thousand times a second on every CPU; each CPU has a ring the kernel
 * writes into, which is read whenever poll(2) says that there is something. Samples of one ring
 * are in order; those of two rings are not.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

enum { MOST = 10, MAX_RINGS = 1024 };

static void show(const struct xp_evsel *event, const struct xp_sample *sample)
{
	printf("%5d/%-5d  CPU %-3d  %llu.%09llu  %16llx  %llu %s\n", sample->id.pid, sample->id.tid,
	       sample->id.cpu, (unsigned long long)(sample->id.time_ns / 1000000000),
	       (unsigned long long)(sample->id.time_ns % 1000000000),
	       (unsigned long long)sample->ip, (unsigned long long)sample->period,
	       xp_evsel_name(event));
}

/* Shows the samples in a ring, gives their room back to the kernel. Returns how many there were. */
static int drain(struct xp_ring *ring, const struct xp_evsel *event, int most)
{
	const struct xp_record *record;
	struct xp_sample sample;
	int nr = 0;

	xp_ring_begin(ring);
	while (nr < most && xp_ring_next(ring, &record) > 0) {
		/* What tasks do is told, too: their names, maps, children, ends. */
		if (record->type != XP_RECORD_SAMPLE ||
		    xp_sample_decode(record, xp_evsel_attr_const(event), &sample))
			continue;
		show(event, &sample);
		nr++;
	}
	xp_ring_consume(ring);
	return nr;
}

/* Until there were enough samples, or all tasks have ended. */
static void watch(const struct xp_evlist *events)
{
	struct pollfd fds[MAX_RINGS];
	int nr_rings = xp_evlist_nr_rings(events), nr = 0, left = 0;

	for (; left < nr_rings && left < MAX_RINGS; left++)
		fds[left] =
			(struct pollfd){ .fd = xp_evlist_ring(events, left)->fd, .events = POLLIN };
	for (int nr_fds = left; nr < MOST && left;) {
		if (poll(fds, (nfds_t)nr_fds, -1) < 0 && errno != EINTR)
			return;
		for (int i = 0; i < nr_fds; i++) {
			if (fds[i].fd < 0)
				continue;
			nr += drain(xp_evlist_ring(events, i)->ring, xp_evlist_at(events, 0),
				    MOST - nr);
			if (!(fds[i].revents & POLLHUP))
				continue;
			fds[i].fd = -1; /* nothing will come any more */
			left--;
		}
	}
}

static int open_on(struct xp_evlist *events, struct xp_ctx *ctx, pid_t pid, struct xp_diag *diag)
{
	struct xp_sampling_opts sampling = { .size = sizeof(sampling),
					     .flags = XP_SAMPLING_CPU | XP_SAMPLING_PERIOD |
						      XP_SAMPLING_NO_BUFFERING,
					     .freq_hz = 1000,
					     .has_workload = true };
	struct xp_open_opts opts = { .size = sizeof(opts),
				     .inherit = true,
				     .enable_on_exec = true };
	struct xp_rings_opts rings = { .size = sizeof(rings) };
	int err = xp_evlist_config_sampling(events, &sampling, diag);

	if (!err)
		err = xp_cpus_online(ctx, &opts.cpus, diag);
	if (!err)
		err = xp_threads_one(ctx, pid, &opts.threads);
	if (!err)
		err = xp_evlist_open_sampling(events, &opts, diag);
	if (!err)
		err = xp_evlist_map_rings(events, &rings, diag);
	xp_cpus_unref(opts.cpus);
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
