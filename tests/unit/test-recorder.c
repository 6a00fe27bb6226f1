/* SPDX-License-Identifier: MIT */
/*
 * The recorder without threads, on the simulated kernel: what it took out of the rings is in the
 * file, in order, and what was lost on the way is reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/recorder.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>
#include <xperf/sys.h>

#include "recorder-impl.h"
#include "sim.h"

#define MS UINT64_C(1000000)

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_data_writer *writer;
	struct xp_recorder *recorder;
	struct xp_diag diag;
	char path[64];
};

/* What is in a file. */
struct content {
	uint64_t nr[128];        /* records by type */
	uint64_t stacks[17];     /* samples by the size of their stack: 1 << index bytes */
	uint64_t last_stack_len; /* bytes, of the last sample */
	uint64_t lost;           /* by LOST_SAMPLES */
	uint64_t last_round_time, out_of_round;
	uint64_t nr_damages;
};

static void add_events(struct fixture *f)
{
	for (int i = 0; i < xp_evlist_nr(f->evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(f->evlist, i);
		struct xp_event_id *ids;
		uint64_t numbers[64];
		int nr = xp_evsel_ids(evsel, &ids);
		struct xp_data_event event = { .size = sizeof(event),
					       .attr = *xp_evsel_attr(evsel),
					       .name = xp_evsel_name(evsel),
					       .scale = 1.0,
					       .leader = i,
					       .ids = numbers };

		assert_true(nr >= 0 && nr <= 64);
		for (int j = 0; j < nr; j++)
			numbers[j] = ids[j].id;
		event.nr_ids = (size_t)nr;
		assert_int_equal(xp_data_writer_add_event(f->writer, &event), 0);
		free(ids);
	}
}

static void open_writer(struct fixture *f)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .path = f->path };
	static int nr;

	snprintf(f->path, sizeof(f->path), "/tmp/test-recorder.%d.%d", getpid(), nr++);
	assert_int_equal(xp_data_writer_open(f->ctx, &opts, &f->writer, &f->diag), 0);
	add_events(f);
	assert_int_equal(xp_data_writer_start(f->writer, &f->diag), 0);
}

struct how {
	const char *events;
	const char *cpus;  /* NULL: none */
	const char *tasks; /* NULL: all */
	struct xp_sampling_opts sampling;
	size_t pages;
	struct xp_recorder_opts recorder;
};

static void setup(struct fixture *f, const char *scenario, struct how how)
{
	struct xp_open_opts open = { .size = sizeof(open) };
	struct xp_rings_opts rings = { .size = sizeof(rings), .pages = how.pages };

	*f = (struct fixture){ .sim = sim_new(scenario, "test-recorder") };
	assert_non_null(f->sim);
	struct xp_ctx_opts ctx_opts = sim_ctx_opts(f->sim);
	assert_int_equal(xp_ctx_new(&ctx_opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
	if (xp_evlist_parse(f->evlist, how.events, &f->diag))
		fail_msg("%s", f->diag.what);
	how.sampling.size = sizeof(how.sampling);
	assert_int_equal(xp_evlist_config_sampling(f->evlist, &how.sampling, &f->diag), 0);
	if (how.cpus)
		assert_int_equal(xp_cpus_parse(how.cpus, &open.cpus, &f->diag), 0);
	if (how.tasks)
		assert_int_equal(
			xp_threads_of_processes(f->ctx, how.tasks, &open.threads, &f->diag), 0);
	if (xp_evlist_open_sampling(f->evlist, &open, &f->diag) ||
	    xp_evlist_map_rings(f->evlist, &rings, &f->diag))
		fail_msg("%s", f->diag.what);
	xp_cpus_unref(open.cpus);
	xp_threads_unref(open.threads);
	open_writer(f);
	how.recorder.size = sizeof(how.recorder);
	how.recorder.evlist = f->evlist;
	how.recorder.writer = f->writer;
	how.recorder.no_threads = true;
	assert_int_equal(xp_recorder_new(f->ctx, &how.recorder, &f->recorder), 0);
	assert_int_equal(xp_recorder_start(f->recorder, &f->diag), 0);
}

static void teardown(struct fixture *f)
{
	xp_recorder_free(f->recorder);
	xp_data_writer_free(f->writer);
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
	unlink(f->path);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

/* Enables, lets @ns pass in @steps, pumping after each. */
static void record_for(struct fixture *f, uint64_t ns, int steps)
{
	assert_int_equal(xp_evlist_enable(f->evlist), 0);
	for (int i = 0; i < steps; i++) {
		sim_advance(f->sim, ns / (uint64_t)steps);
		assert_true(xp_recorder_pump(f->recorder) >= 0);
	}
}

static void note_time(struct content *c, uint64_t time)
{
	if (time < c->last_round_time)
		c->out_of_round++;
}

static void note_stack(struct content *c, const struct xp_sample *sample)
{
	c->last_stack_len = sample->stack_len;
	for (int i = 0; i < 17; i++)
		c->stacks[i] += sample->stack_len == UINT64_C(1) << i;
}

/*
 * Readers sort what lies between two rounds with what lies before: nothing may be older than what
 * was the newest before the last round but one.
 */
static struct content content_of(const char *path, struct xp_ctx *ctx)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = path, .force = true };
	uint64_t newest = 0, before = 0;
	struct content c = { 0 };
	const struct xp_record *record;
	struct xp_data *data;
	struct xp_diag diag;

	if (xp_data_open(ctx, &opts, &data, &diag))
		fail_msg("%s", diag.what);
	const struct xp_attr *attr = &xp_data_event_at(data, 0)->attr;
	while (xp_data_next(data, &record, NULL) > 0) {
		struct xp_sample sample = { .size = sizeof(sample) };

		c.nr[record->type]++;
		if (record->type == XP_RECORD_LOST_SAMPLES)
			c.lost += ((const struct xp_record_lost_samples *)record)->lost;
		if (record->type == XP_RECORD_FINISHED_ROUND) {
			c.last_round_time = before;
			before = newest;
		}
		if (record->type != XP_RECORD_SAMPLE)
			continue;
		assert_int_equal(xp_sample_decode(record, attr, &sample), 0);
		note_time(&c, sample.id.time_ns);
		note_stack(&c, &sample);
		if (sample.id.time_ns > newest)
			newest = sample.id.time_ns;
	}
	c.nr_damages = xp_data_nr_damages(data);
	xp_data_close(data);
	return c;
}

/* Stops and finishes, and looks into the file. */
static struct content finish(struct fixture *f)
{
	assert_int_equal(xp_recorder_stop(f->recorder, &f->diag), 0);
	assert_int_equal(xp_data_writer_finish(f->writer, &f->diag), 0);
	return content_of(f->path, f->ctx);
}

static const char busy[] = "machine cpus=4\ntime call=0ns\n"
			   "program p\n run forever cycles=1000 page-faults=200\n"
			   "task 50 p cpu=0\ntask 60 p cpu=1\ntask 70 p cpu=2\n";

static void all_that_happened_is_in_the_file(void **state)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .cpus = "0-3",
			    .sampling = { .system_wide = true, .period = 1 },
			    .pages = 64 });
	record_for(&f, 200 * MS, 20);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_true(stats.samples > 10000);
	assert_int_equal(xp_evlist_disable(f.evlist), 0);
	struct content c = finish(&f);
	struct sim_output truth = sim_samples(f.sim, "page-faults");

	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(truth.lost, 0);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE], truth.written);
	assert_int_equal(stats.samples, truth.written);
	assert_int_equal(stats.lost, 0);
	assert_int_equal(c.nr[XP_RECORD_LOST_SAMPLES], 0);
	assert_int_equal(c.nr_damages, 0);
	assert_true(c.nr[XP_RECORD_FINISHED_ROUND] >= 20);
	assert_int_equal(c.out_of_round, 0);
	assert_true(stats.first_time_ns > 0 && stats.last_time_ns > stats.first_time_ns);
	assert_true(stats.last_time_ns - stats.first_time_ns <= 200 * MS);
	teardown(&f);
}

static void what_the_kernel_lost_is_reported(void **state)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults,cs",
			    .tasks = "50",
			    .cpus = "0-3",
			    .sampling = { .period = 1 },
			    .pages = 1 });
	record_for(&f, 200 * MS, 2);
	assert_int_equal(xp_evlist_disable(f.evlist), 0);
	uint64_t lost = xp_evsel_lost(xp_evlist_at(f.evlist, 0));
	struct content c = finish(&f);
	struct sim_output truth = sim_samples(f.sim, "page-faults");

	xp_recorder_get_stats(f.recorder, &stats);
	assert_true(truth.lost > 1000);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE], truth.written);
	assert_int_equal(lost, truth.lost);
	assert_int_equal(c.lost, truth.lost);
	assert_int_equal(stats.lost, truth.lost);
	assert_int_equal(c.nr[XP_RECORD_LOST_SAMPLES], 1);
	teardown(&f);
}

/* Threads of different life in one ring: it is gone with the last of them. */
static void it_ends_with_the_last_task(void **state)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;
	struct pollfd news;

	(void)state;
	setup(&f,
	      "machine cpus=2\ntime call=0ns\n"
	      "program a\n run 10ms page-faults=10\n"
	      "program b\n run 30ms page-faults=10\n"
	      "task 50 a cpu=0\ntask 60 b cpu=1\n",
	      (struct how){ .events = "page-faults",
			    .tasks = "50,60",
			    .cpus = "0-1",
			    .sampling = { .period = 1 } });
	assert_int_equal(xp_evlist_nr_rings(f.evlist), 2);
	news = (struct pollfd){ .fd = xp_recorder_fd(f.recorder), .events = POLLIN };
	record_for(&f, 20 * MS, 4);
	assert_int_equal(xp_recorder_state(f.recorder, &f.diag), 0);
	assert_int_equal(sim_sys(f.sim)->poll(sim_sys(f.sim), &news, 1, 0), 0);
	record_for(&f, 40 * MS, 4);
	assert_int_equal(xp_recorder_state(f.recorder, &f.diag), 1);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(stats.rings_gone, 2);
	struct content c = finish(&f);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE], sim_samples(f.sim, "page-faults").written);
	assert_true(c.nr[XP_RECORD_EXIT] >= 2);
	teardown(&f);
}

/* A ring per thread where no CPU is named. */
static void threads_have_rings_of_their_own(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults,cs",
			    .tasks = "50,60,70",
			    .sampling = { .period = 1, .no_inherit = true } });
	assert_int_equal(xp_evlist_nr_rings(f.evlist), 3);
	assert_int_equal(xp_evlist_ring(f.evlist, 1)->tid, 60);
	assert_int_equal(xp_evlist_ring(f.evlist, 1)->cpu, -1);
	assert_null(xp_evlist_ring(f.evlist, 3));
	record_for(&f, 20 * MS, 2);
	struct content c = finish(&f);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE], sim_samples(f.sim, "page-faults").written +
							 sim_samples(f.sim, "cs").written);
	teardown(&f);
}

/* The next file takes over. Returns what the one before has, which is removed. */
static struct content switch_files(struct fixture *f)
{
	struct xp_data_writer *old = f->writer;
	char old_path[64];

	memcpy(old_path, f->path, sizeof(old_path));
	open_writer(f);
	assert_int_equal(xp_recorder_switch(f->recorder, f->writer), 0);
	assert_int_equal(xp_data_writer_finish(old, &f->diag), 0);
	xp_data_writer_free(old);
	struct content c = content_of(old_path, f->ctx);
	unlink(old_path);
	return c;
}

/* What was taken before is in the old file, the rest in the new one. */
static void it_goes_on_in_another_file(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-3",
			    .sampling = { .period = 1 } });

	record_for(&f, 50 * MS, 5);
	sim_advance(f.sim, 10 * MS);
	uint64_t before = sim_samples(f.sim, "page-faults").written;
	assert_int_equal(switch_files(&f).nr[XP_RECORD_SAMPLE], before);

	record_for(&f, 50 * MS, 5);
	struct content c = finish(&f);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE],
			 sim_samples(f.sim, "page-faults").written - before);
	assert_int_equal(c.nr_damages, 0);
	teardown(&f);
}

static const char forking[] = "machine cpus=2\ntime call=0ns\n"
			      "program p\n run 1ms page-faults=100\n fork q\n wait\n repeat 1000\n"
			      "program q\n run 100us\ntask 50 p cpu=0\n";

/* What tasks do while the next file is described is in that one, too. */
static void names_are_in_both_files(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, forking,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-1",
			    .sampling = { .period = 1 },
			    .recorder = { .flush_ns = MS } });
	record_for(&f, 50 * MS, 5);
	uint64_t forks_before = sim_records(f.sim, XP_RECORD_FORK).written;

	xp_recorder_prepare_switch(f.recorder);
	record_for(&f, 50 * MS, 5);
	uint64_t samples_before = sim_samples(f.sim, "page-faults").written;
	uint64_t forks_then = sim_records(f.sim, XP_RECORD_FORK).written;
	struct content c = switch_files(&f);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE], samples_before);
	assert_int_equal(c.nr[XP_RECORD_FORK], forks_then);

	record_for(&f, 50 * MS, 5);
	c = finish(&f);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE],
			 sim_samples(f.sim, "page-faults").written - samples_before);
	assert_true(forks_then > forks_before + 10);
	assert_int_equal(c.nr[XP_RECORD_FORK],
			 sim_records(f.sim, XP_RECORD_FORK).written - forks_before);
	assert_int_equal(c.nr_damages, 0);
	teardown(&f);
}

/*
 * What was in a ring when another one had been read is older than the description of what is there.
 * Applied after that, it would undo what the other ring said.
 */
static void names_of_before_are_in_the_old_file_only(void **state)
{
	static const char two[] = "machine cpus=2\ntime call=0ns\n"
				  "program p\n run 1ms page-faults=1\n fork q\n wait\n repeat 5\n"
				  "program r\n run 20ms page-faults=2000\n fork q\n wait\n"
				  "program q\n run 100us\ntask 50 p cpu=0\ntask 51 r cpu=1\n";
	struct fixture f;

	(void)state;
	setup(&f, two,
	      (struct how){ .events = "page-faults",
			    .tasks = "50,51",
			    .cpus = "0-1",
			    .sampling = { .period = 1 },
			    .recorder = { .flush_ns = 1000 * MS, .min_bytes = 16384 } });
	record_for(&f, 50 * MS, 1);
	xp_recorder_prepare_switch(f.recorder);
	struct content c = switch_files(&f);
	assert_int_equal(c.nr[XP_RECORD_FORK], sim_records(f.sim, XP_RECORD_FORK).written);
	c = finish(&f);
	assert_int_equal(c.nr[XP_RECORD_FORK], 0);
	assert_int_equal(c.nr[XP_RECORD_EXIT], 0);
	teardown(&f);
}

/* No sample is written beyond the size, whenever it is looked at; what names tasks is. */
static void a_size_ends_the_samples(void **state)
{
	enum { LIMIT = 100000 };
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	setup(&f, forking,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-1",
			    .sampling = { .period = 1 },
			    .recorder = { .max_bytes = LIMIT, .flush_ns = MS } });
	record_for(&f, 10 * MS, 1);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_false(stats.is_full);
	assert_in_range(stats.file_bytes, 1, LIMIT);
	record_for(&f, 300 * MS, 2);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_true(stats.is_full);
	assert_int_equal(xp_evlist_disable(f.evlist), 0);
	struct content c = finish(&f);

	xp_recorder_get_stats(f.recorder, &stats);
	uint64_t samples = c.nr[XP_RECORD_SAMPLE];
	assert_int_equal(stats.samples, samples);
	assert_int_equal(stats.unwritten_samples, 0);
	assert_in_range(samples, 500, LIMIT / 32);
	assert_true(samples < sim_samples(f.sim, "page-faults").written);
	assert_int_equal(c.nr[XP_RECORD_FORK], sim_records(f.sim, XP_RECORD_FORK).written);
	assert_int_equal(c.nr[XP_RECORD_EXIT], sim_records(f.sim, XP_RECORD_EXIT).written);
	assert_int_equal(c.nr_damages, 0);
	teardown(&f);
}

/* It is said as soon as the file has the size, and of the next file again. */
static void a_size_is_news(void **state)
{
	enum { SIZE = 50000 };
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-3",
			    .sampling = { .period = 1 },
			    .recorder = { .switch_bytes = SIZE, .flush_ns = MS } });
	for (int file = 0; file < 3; file++) {
		struct xp_data_writer *old = f.writer;
		char old_path[64];
		int steps = 0;

		do {
			record_for(&f, 1 * MS, 1);
			xp_recorder_get_stats(f.recorder, &stats);
		} while (stats.file_bytes < SIZE && ++steps < 1000);
		assert_in_range(stats.file_bytes, SIZE, SIZE + 20000);
		assert_false(stats.is_full);
		memcpy(old_path, f.path, sizeof(old_path));
		open_writer(&f);
		assert_int_equal(xp_recorder_switch(f.recorder, f.writer), 0);
		xp_data_writer_free(old);
		unlink(old_path);
	}
	teardown(&f);
}

static void overwritten_rings_are_read_when_asked(void **state)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-3",
			    .sampling = { .period = 1, .flags = XP_SAMPLING_OVERWRITE },
			    .pages = 1 });
	record_for(&f, 50 * MS, 5);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(stats.records, 0);
	assert_int_equal(xp_recorder_snapshot(f.recorder), 0);
	xp_recorder_get_stats(f.recorder, &stats);
	uint64_t first = stats.samples;
	assert_true(first > 10 && first < 4096 / 8);
	record_for(&f, 50 * MS, 5);
	struct content c = finish(&f);
	assert_true(c.nr[XP_RECORD_SAMPLE] > first);
	assert_int_equal(c.nr[XP_RECORD_FINISHED_ROUND], 0);
	assert_int_equal(c.nr_damages, 0);
	teardown(&f);
}

static void watched_events_are_news(void **state)
{
	struct pollfd news;
	struct fixture f;

	(void)state;
	setup(&f,
	      "machine cpus=1\ntime call=0ns\n"
	      "program p\n run 20ms page-faults=10\n hit minor-faults 3\n run forever\n"
	      "task 50 p cpu=0\n",
	      (struct how){ .events = "page-faults,minor-faults",
			    .tasks = "50",
			    .cpus = "0",
			    .sampling = { .period = 1 } });
	xp_recorder_watch(f.recorder, xp_evlist_at(f.evlist, 1));
	news = (struct pollfd){ .fd = xp_recorder_fd(f.recorder), .events = POLLIN };
	record_for(&f, 10 * MS, 2);
	assert_int_equal(xp_recorder_watched(f.recorder), 0);
	record_for(&f, 20 * MS, 2);
	assert_int_equal(xp_recorder_watched(f.recorder), 3);
	/* xp_recorder_pump() has looked already */
	assert_int_equal(sim_sys(f.sim)->poll(sim_sys(f.sim), &news, 1, 0), 0);
	teardown(&f);
}

/* Ours come in between, whole, and are not counted as samples. */
static void injected_records_are_written(void **state)
{
	struct {
		struct xp_record_comm comm;
		char name[16];
		uint64_t trailer[2];
	} record = { .comm.header = { XP_RECORD_COMM, 0, sizeof(record) }, .name = "x" };
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-3",
			    .sampling = { .period = 1 } });
	for (int i = 0; i < 20000; i++)
		assert_int_equal(
			xp_recorder_inject(f.recorder, &record.comm.header, sizeof(record)), 0);
	record_for(&f, 10 * MS, 1);
	assert_int_equal(xp_recorder_inject(f.recorder, &record.comm.header, sizeof(record)), 0);
	struct content c = finish(&f);
	assert_int_equal(c.nr[XP_RECORD_COMM], 20001);
	assert_int_equal(c.nr_damages, 0);
	teardown(&f);
}

/* The disk does not follow, and then it does: stacks become smaller by halves, and whole again. */
static void stacks_are_cut_by_steps(void **state)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .cpus = "0-3",
			    .sampling = { .system_wide = true,
					  .period = 10,
					  .callchain = XP_CALLCHAIN_DWARF,
					  .stack_bytes = 16 << 10 },
			    .pages = 512,
			    .recorder = { .backlog_bytes = 16 << 20 } });
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	for (int i = 0; i < 400 && !stats.shed_samples; i++) {
		sim_advance(f.sim, MS);
		xp_reader_pass(f.recorder, false);
		xp_recorder_get_stats(f.recorder, &stats);
	}
	assert_int_equal(stats.lost, 0);
	assert_true(stats.shed_samples > 0);
	uint64_t nr_cut = stats.cut_stacks;
	assert_true(xp_recorder_pump(f.recorder) >= 0);
	sim_advance(f.sim, MS);
	struct content c = finish(&f);

	assert_int_equal(c.last_stack_len, 16 << 10);
	for (int i = 10; i <= 14; i++)
		assert_true(c.stacks[i] > 0);
	assert_int_equal(c.stacks[10] + c.stacks[11] + c.stacks[12] + c.stacks[13], nr_cut);
	assert_int_equal(nr_cut + c.stacks[14], c.nr[XP_RECORD_SAMPLE]);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(stats.cut_stacks, nr_cut);
	teardown(&f);
}

/* The disk does not follow: samples go, and are reported; the side band stays. */
static void a_slow_disk_costs_samples_only(void **state)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	setup(&f, forking,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-1",
			    .sampling = { .period = 1 },
			    .recorder = { .backlog_bytes = 1 << 20 } });
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	for (int i = 0; i < 40; i++) {
		sim_advance(f.sim, 20 * MS);
		xp_reader_pass(f.recorder, false);
	}
	xp_recorder_get_stats(f.recorder, &stats);
	assert_true(stats.shed_samples > 0);
	assert_true(atomic_load(&f.recorder->queue.backlog) < 3 << 20);
	assert_int_equal(xp_recorder_pump(f.recorder), 0);
	struct content c = finish(&f);
	struct sim_output truth = sim_samples(f.sim, "page-faults");

	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(truth.lost, 0);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE] + stats.shed_samples, truth.written);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE], stats.samples);
	assert_int_equal(c.lost, stats.shed_samples);
	assert_int_equal(stats.lost, 0);
	assert_int_equal(c.nr[XP_RECORD_FORK], sim_records(f.sim, XP_RECORD_FORK).written);
	assert_int_equal(c.nr[XP_RECORD_EXIT], sim_records(f.sim, XP_RECORD_EXIT).written);
	assert_true(c.nr[XP_RECORD_FORK] > 100);
	teardown(&f);
}

/* The recording fails, the target goes on: rings are emptied into nothing. */
static void a_full_disk_ends_it(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .tasks = "50",
			    .cpus = "0-3",
			    .sampling = { .period = 1 },
			    .pages = 16,
			    .recorder = { .flush_ns = 20 * MS } });
	record_for(&f, 50 * MS, 10);
	for (uint64_t n = 1; n < 64; n++)
		sim_fail_named(f.sim, "pwritev", n, ENOSPC);
	int err = 0;
	for (int i = 0; i < 10 && !err; i++) {
		sim_advance(f.sim, 10 * MS);
		err = xp_recorder_pump(f.recorder);
	}
	assert_int_equal(err, -ENOSPC);
	uint64_t lost = sim_samples(f.sim, "page-faults").lost;
	for (int i = 0; i < 20; i++) {
		sim_advance(f.sim, 10 * MS);
		assert_int_equal(xp_recorder_pump(f.recorder), -ENOSPC);
	}
	assert_int_equal(sim_samples(f.sim, "page-faults").lost, lost);
	assert_int_equal(xp_evlist_disable(f.evlist), 0);
	assert_int_equal(xp_recorder_stop(f.recorder, &f.diag), -ENOSPC);
	assert_string_equal(f.diag.what,
			    "The recording cannot be written: No space left on device");
	xp_data_writer_finish(f.writer, NULL);
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct content c = content_of(f.path, f.ctx);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_true(c.nr[XP_RECORD_SAMPLE] > 1000);
	assert_int_equal(c.nr[XP_RECORD_SAMPLE], stats.samples);
	assert_int_equal(stats.samples + stats.unwritten_samples,
			 sim_samples(f.sim, "page-faults").written);
	teardown(&f);
}

static void a_share_is_one_of_one_cpu(void **state)
{
	struct xp_recorder *other;
	struct fixture f;

	(void)state;
	setup(&f, busy,
	      (struct how){ .events = "page-faults",
			    .cpus = "0",
			    .sampling = { .system_wide = true, .period = 1 } });
	const struct xp_recorder_opts opts = { .size = sizeof(opts),
					       .evlist = f.evlist,
					       .writer = f.writer,
					       .band_cpu_ppm = 1000001 };
	assert_int_equal(xp_recorder_new(f.ctx, &opts, &other), -EINVAL);
	finish(&f);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_is_one_of_one_cpu),
		cmocka_unit_test(all_that_happened_is_in_the_file),
		cmocka_unit_test(what_the_kernel_lost_is_reported),
		cmocka_unit_test(it_ends_with_the_last_task),
		cmocka_unit_test(threads_have_rings_of_their_own),
		cmocka_unit_test(it_goes_on_in_another_file),
		cmocka_unit_test(names_are_in_both_files),
		cmocka_unit_test(names_of_before_are_in_the_old_file_only),
		cmocka_unit_test(a_size_ends_the_samples),
		cmocka_unit_test(a_size_is_news),
		cmocka_unit_test(overwritten_rings_are_read_when_asked),
		cmocka_unit_test(watched_events_are_news),
		cmocka_unit_test(injected_records_are_written),
		cmocka_unit_test(stacks_are_cut_by_steps),
		cmocka_unit_test(a_slow_disk_costs_samples_only),
		cmocka_unit_test(a_full_disk_ends_it),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
