/* SPDX-License-Identifier: MIT */
/*
 * system_wide: what all CPUs do in the next moment, whoever runs on them.
 *
 *     system_wide [SECONDS [EVENTS]]
 *
 * One line per event, summed over the CPUs. Ordinary users may not
 * look at others' work; the message says what would let them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xperf/xperf.h>

static void show(const struct xp_evlist *events, const struct xp_counts *counts, int nr_cpus)
{
	for (int i = 0; i < xp_evlist_nr(events); i++) {
		const struct xp_evsel *event = xp_evlist_at(events, i);
		double sum = 0;

		for (int cpu = 0; cpu < nr_cpus; cpu++)
			sum += xp_count_scale(xp_counts_at(counts, i, cpu, 0));
		if (xp_evsel_support(event) == XP_SUPPORTED)
			printf("%15.0f  %s on %d CPUs\n", sum, xp_evsel_name(event), nr_cpus);
		else
			printf("%15s  %s: %s\n", "-", xp_evsel_name(event), xp_evsel_reason(event));
	}
}

static int watch(struct xp_ctx *ctx, struct xp_evlist *events, double seconds, struct xp_diag *diag)
{
	struct timespec span = { .tv_sec = (time_t)seconds,
				 .tv_nsec = (long)(1e9 * (seconds - (double)(long)seconds)) };
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct xp_counts *counts = NULL;
	int err = xp_cpus_online(ctx, &opts.cpus, diag);

	if (!err)
		err = xp_evlist_open(events, &opts, diag);
	if (!err)
		err = xp_counts_new(xp_evlist_nr(events), xp_cpus_nr(opts.cpus), 1, &counts);
	if (!err)
		err = xp_evlist_enable(events);
	if (!err) {
		nanosleep(&span, NULL);
		err = xp_evlist_read(events, NULL, counts);
	}
	if (!err)
		show(events, counts, xp_cpus_nr(opts.cpus));
	xp_counts_free(counts);
	xp_evlist_close(events);
	xp_cpus_unref(opts.cpus);
	return err;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.1;
	const char *names = argc > 2 ? argv[2] : "context-switches,page-faults,cpu-clock,cycles";
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx = NULL;
	struct xp_evlist *events = NULL;
	int err = xp_ctx_new(NULL, &ctx);

	if (!err)
		err = xp_evlist_new(ctx, &events);
	if (!err)
		err = xp_evlist_parse(events, names, &diag);
	if (!err)
		err = watch(ctx, events, seconds, &diag);
	if (err)
		fprintf(stderr, "system_wide: %s%s%s\n", diag.err ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_evlist_free(events);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
