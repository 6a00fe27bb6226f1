/* SPDX-License-Identifier: MIT */
/*
 * The recording engine alone: events, rings, reader, writer, a file; no side band of what was there
 * before, no build ids, no options of the command. What it costs is printed in one line.
 *
 * Usage: engine [-e EVENTS] [-F HZ | -c PERIOD] [-g] [-s STACK_BYTES] [-m PAGES] [-o FILE]
 * COMMAND...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/recorder.h>
#include <xperf/sampling.h>
#include <xperf/workload.h>

static struct xp_diag diag;

/* @err is -errno. */
static void check(int err, const char *what)
{
	if (err >= 0)
		return;
	fprintf(stderr, "engine: %s: %s: %s\n", what, strerror(-err), diag.what);
	exit(1);
}

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3;
}

static void add_event(struct xp_data_writer *writer, struct xp_evsel *evsel)
{
	struct xp_event_id *ids;
	int nr = xp_evsel_ids(evsel, &ids);
	struct xp_data_event event = { .size = sizeof(event),
				       .attr = *xp_evsel_attr(evsel),
				       .name = xp_evsel_name(evsel),
				       .scale = 1.0,
				       .leader = xp_evsel_index(evsel) };

	check(nr, "ids");
	uint64_t *numbers = calloc((size_t)nr, sizeof(*numbers));
	for (int i = 0; numbers && i < nr; i++)
		numbers[i] = ids[i].id;
	event.ids = numbers;
	event.nr_ids = numbers ? (size_t)nr : 0;
	check(xp_data_writer_add_event(writer, &event), "event");
	free(numbers);
	free(ids);
}

static void print_cost(const struct xp_recorder *recorder, uint64_t wall_ns, size_t pages)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct rusage own;

	xp_recorder_get_stats(recorder, &stats);
	getrusage(RUSAGE_SELF, &own);
	double cpu = ms(own.ru_utime) + ms(own.ru_stime);
	printf("samples %llu lost %llu shed %llu bytes %llu wakeups %llu pages %zu wall_ms %.1f "
	       "user_ms %.1f sys_ms %.1f ms_per_million %.1f rss_mb %.1f switches %ld+%ld\n",
	       (unsigned long long)stats.samples, (unsigned long long)stats.lost,
	       (unsigned long long)stats.shed_samples, (unsigned long long)stats.bytes,
	       (unsigned long long)stats.wakeups, pages, (double)wall_ns * 1e-6, ms(own.ru_utime),
	       ms(own.ru_stime), stats.samples ? cpu * 1e6 / (double)stats.samples : 0.0,
	       (double)own.ru_maxrss / 1024, own.ru_nvcsw, own.ru_nivcsw);
}

struct plan {
	const char *events;
	const char *path;
	struct xp_sampling_opts sampling;
	struct xp_rings_opts rings;
	char **command;
};

static void read_args(int argc, char **argv, struct plan *plan)
{
	int o;

	while ((o = getopt(argc, argv, "+e:F:c:gs:m:o:")) != -1)
		switch (o) {
		case 'e':
			plan->events = optarg;
			break;
		case 'F':
			plan->sampling.freq_hz = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			plan->sampling.period = strtoull(optarg, NULL, 0);
			break;
		case 'g':
			plan->sampling.callchain = XP_CALLCHAIN_FP;
			break;
		case 's':
			plan->sampling.callchain = XP_CALLCHAIN_DWARF;
			plan->sampling.stack_bytes = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'm':
			plan->rings.pages = strtoul(optarg, NULL, 0);
			break;
		case 'o':
			plan->path = optarg;
			break;
		default:
			exit(2);
		}
	plan->command = argv + optind;
}

static struct xp_data_writer *open_file(struct xp_ctx *ctx, struct xp_evlist *evlist,
					const char *path)
{
	const struct xp_data_writer_opts opts = { .size = sizeof(opts), .path = path };
	struct xp_data_writer *writer;

	check(xp_data_writer_open(ctx, &opts, &writer, &diag), path);
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		add_event(writer, xp_evlist_at(evlist, i));
	check(xp_data_writer_start(writer, &diag), path);
	return writer;
}

int main(int argc, char **argv)
{
	struct plan plan = { .events = "cpu-clock",
			     .path = "engine.data",
			     .sampling = { .size = sizeof(plan.sampling), .has_workload = true },
			     .rings = { .size = sizeof(plan.rings) } };
	struct xp_open_opts open = { .size = sizeof(open), .inherit = true };
	struct xp_workload *workload;
	struct xp_recorder *recorder;
	struct xp_evlist *evlist;
	struct xp_ctx *ctx;
	struct xp_exit exit_status;

	read_args(argc, argv, &plan);
	check(xp_ctx_new(NULL, &ctx), "context");
	check(xp_evlist_new(ctx, &evlist), "list");
	check(xp_evlist_parse(evlist, plan.events, &diag), plan.events);
	check(xp_evlist_config_sampling(evlist, &plan.sampling, &diag), plan.events);
	check(xp_workload_prepare(ctx, plan.command, &workload, &diag), "command");
	check(xp_threads_one(ctx, xp_workload_pid(workload), &open.threads), "threads");
	check(xp_cpus_online(ctx, &open.cpus, &diag), "cpus");
	check(xp_evlist_open_sampling(evlist, &open, &diag), "open");
	check(xp_evlist_map_rings(evlist, &plan.rings, &diag), "rings");
	struct xp_data_writer *writer = open_file(ctx, evlist, plan.path);
	const struct xp_recorder_opts opts = { .size = sizeof(opts),
					       .evlist = evlist,
					       .writer = writer };
	check(xp_recorder_new(ctx, &opts, &recorder), "recorder");
	check(xp_recorder_start(recorder, &diag), "start");

	uint64_t start = xp_ctx_now(ctx);
	check(xp_workload_start(workload, &diag), "command");
	check(xp_workload_wait(workload, true, &exit_status), "wait");
	uint64_t wall = xp_ctx_now(ctx) - start;
	check(xp_recorder_stop(recorder, &diag), "stop");
	check(xp_data_writer_finish(writer, &diag), "finish");
	print_cost(recorder, wall, xp_evlist_ring_pages(evlist));

	xp_recorder_free(recorder);
	xp_data_writer_free(writer);
	xp_workload_free(workload);
	xp_evlist_free(evlist);
	xp_cpus_unref(open.cpus);
	xp_threads_unref(open.threads);
	xp_ctx_free(ctx);
	return 0;
}
