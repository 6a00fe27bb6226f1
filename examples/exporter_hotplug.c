/* SPDX-License-Identifier: MIT */
/*
 * exporter_hotplug: counts of every CPU in the text format of Prometheus, for months.
 *
 *     exporter_hotplug [ROUNDS [SECONDS [EVENTS]]]
 *
 * Each round prints all counters. CPUs may go offline and come back, and new ones may come: a CPU
 * that is gone keeps its last values and is marked with xperf_cpu_online 0. Prints to stdout what
 * an HTTP server would answer with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xperf/xperf.h>

/* "context-switches" as a name of a metric: "context_switches" */
static void show_name(const char *event)
{
	fputs("xperf_", stdout);
	for (; *event; event++)
		putchar(strchr("-:/,=.", *event) ? '_' : *event);
}

static void show(const struct xp_evlist *events, const struct xp_counts *counts)
{
	const struct xp_cpus *cpus = xp_evlist_cpus(events);

	for (int cpu = 0; cpu < xp_cpus_nr(cpus); cpu++) {
		int nr = xp_cpus_at(cpus, cpu).nr;

		printf("xperf_cpu_online{cpu=\"%d\"} %d\n", nr, !xp_evlist_is_frozen(events, cpu));
		for (int e = 0; e < xp_evlist_nr(events); e++) {
			struct xp_evsel *event = xp_evlist_at(events, e);

			if (xp_evsel_support(event) != XP_SUPPORTED)
				continue;
			show_name(xp_evsel_name(event));
			printf("_total{cpu=\"%d\"} %.0f\n", nr,
			       xp_count_scale(xp_counts_at(counts, e, cpu, 0)));
		}
	}
	fflush(stdout);
}

/* The table of counts has the size that the set of CPUs has now. */
static int scrape(struct xp_evlist *events)
{
	struct xp_counts *counts = NULL;
	int err = xp_evlist_update_cpus(events);

	if (err < 0)
		return err;
	err = xp_counts_new(xp_evlist_nr(events), xp_cpus_nr(xp_evlist_cpus(events)), 1, &counts);
	if (!err)
		err = xp_evlist_read(events, NULL, counts);
	if (!err)
		show(events, counts);
	xp_counts_free(counts);
	return err;
}

int main(int argc, char **argv)
{
	const struct xp_open_opts all_cpus = { .size = sizeof(all_cpus) };
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 2;
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.1;
	struct timespec pause = { (time_t)seconds,
				  (long)((seconds - (double)(long)seconds) * 1e9) };
	struct xp_diag diag = { 0 };
	struct xp_evlist *events = NULL;
	struct xp_ctx *ctx = NULL;
	int err = xp_ctx_new(NULL, &ctx);

	if (!err)
		err = xp_evlist_new(ctx, &events);
	if (!err)
		err = xp_evlist_parse(events, argc > 3 ? argv[3] : "context-switches,cpu-clock",
				      &diag);
	if (!err)
		err = xp_evlist_open(events, &all_cpus, &diag);
	if (!err)
		err = xp_evlist_enable(events);
	for (long i = 0; !err && i < rounds; i++) {
		nanosleep(&pause, NULL);
		err = scrape(events);
	}
	if (err)
		fprintf(stderr, "exporter_hotplug: %s%s%s\n", diag.err ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_evlist_free(events);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
