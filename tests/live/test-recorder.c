/* SPDX-License-Identifier: MIT */
/* The recorder with its threads, on this machine's kernel: the file holds what was counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/record.h>
#include <xperf/recorder.h>
#include <xperf/sampling.h>
#include <xperf/synth.h>
#include <xperf/workload.h>

#include "ring-impl.h"

struct fixture {
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_workload *workload;
	struct xp_data_writer *writer;
	struct xp_build_ids *build_ids;
	struct xp_recorder *recorder;
	struct xp_diag diag;
	char path[64];
};

static void must(const struct fixture *f, int err)
{
	if (err < 0)
		fail_msg("%d: %s", err, f->diag.what);
}

static void add_events(struct fixture *f)
{
	for (int i = 0; i < xp_evlist_nr(f->evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(f->evlist, i);
		struct xp_event_id *ids;
		int nr = xp_evsel_ids(evsel, &ids);
		uint64_t *numbers = calloc((size_t)nr + 1, sizeof(*numbers));
		const struct xp_data_event event = { .size = sizeof(event),
						     .attr = *xp_evsel_attr(evsel),
						     .name = xp_evsel_name(evsel),
						     .scale = 1.0,
						     .leader = i,
						     .ids = numbers,
						     .nr_ids = (size_t)nr };

		for (int j = 0; j < nr; j++)
			numbers[j] = ids[j].id;
		must(f, xp_data_writer_add_event(f->writer, &event));
		free(numbers);
		free(ids);
	}
}

static void open_writer(struct fixture *f, const char *name)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .path = f->path };

	snprintf(f->path, sizeof(f->path), "/tmp/test-recorder-live.%d.%s", getpid(), name);
	must(f, xp_data_writer_open(f->ctx, &opts, &f->writer, &f->diag));
	add_events(f);
	must(f, xp_data_writer_start(f->writer, &f->diag));
}

static void start_on(struct fixture *f, const char *events, char **command, size_t pages)
{
	const struct xp_sampling_opts sampling = { .size = sizeof(sampling),
						   .period = 1,
						   .has_workload = true };
	const struct xp_rings_opts rings = { .size = sizeof(rings), .pages = pages };
	struct xp_open_opts open = { .size = sizeof(open), .inherit = true };

	*f = (struct fixture){ 0 };
	must(f, xp_ctx_new(NULL, &f->ctx));
	must(f, xp_evlist_new(f->ctx, &f->evlist));
	must(f, xp_evlist_parse(f->evlist, events, &f->diag));
	must(f, xp_evlist_config_sampling(f->evlist, &sampling, &f->diag));
	must(f, xp_workload_prepare(f->ctx, command, &f->workload, &f->diag));
	must(f, xp_threads_one(f->ctx, xp_workload_pid(f->workload), &open.threads));
	must(f, xp_cpus_online(f->ctx, &open.cpus, &f->diag));
	int err = xp_evlist_open_sampling(f->evlist, &open, &f->diag);
	xp_cpus_unref(open.cpus);
	xp_threads_unref(open.threads);
	if (err == -EACCES || err == -EPERM || err == -ENOSYS) {
		print_message("%s\n", f->diag.what);
		exit(77);
	}
	must(f, err);
	must(f, xp_evlist_map_rings(f->evlist, &rings, &f->diag));
	open_writer(f, "a");
	must(f, xp_build_ids_new(f->ctx, &f->build_ids));
	const struct xp_recorder_opts opts = { .size = sizeof(opts),
					       .evlist = f->evlist,
					       .writer = f->writer,
					       .build_ids = f->build_ids };
	must(f, xp_recorder_new(f->ctx, &opts, &f->recorder));
	must(f, xp_recorder_start(f->recorder, &f->diag));
	must(f, xp_workload_start(f->workload, &f->diag));
}

/* All tasks of all rings end; the recorder says so by itself. */
static void wait_for_end(struct fixture *f)
{
	struct pollfd news = { .fd = xp_recorder_fd(f->recorder), .events = POLLIN };
	struct xp_exit exit_status;

	must(f, xp_workload_wait(f->workload, true, &exit_status));
	while (xp_recorder_state(f->recorder, &f->diag) == 0)
		assert_true(poll(&news, 1, 300000) > 0);
}

static uint64_t count_samples(struct fixture *f, const char *path, bool unlink_it)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = path };
	const struct xp_record *record;
	struct xp_data *data;
	uint64_t nr = 0;

	must(f, xp_data_open(f->ctx, &opts, &data, &f->diag));
	while (xp_data_next(data, &record, NULL) > 0)
		nr += record->type == XP_RECORD_SAMPLE;
	assert_int_equal(xp_data_nr_damages(data), 0);
	xp_data_close(data);
	if (unlink_it)
		unlink(path);
	return nr;
}

static void teardown(struct fixture *f)
{
	xp_recorder_free(f->recorder);
	xp_data_writer_free(f->writer);
	xp_build_ids_free(f->build_ids);
	xp_workload_free(f->workload);
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
}

static void every_sample_is_in_the_file(void **state)
{
	char sh[] = "sh", c[] = "-c", script[] = "for i in 1 2 3 4 5; do /bin/true; done";
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	start_on(&f, "page-faults:u,minor-faults:u", (char *[]){ sh, c, script, NULL }, 0);
	wait_for_end(&f);
	must(&f, xp_recorder_stop(f.recorder, &f.diag));
	must(&f, xp_data_writer_finish(f.writer, &f.diag));
	xp_recorder_get_stats(f.recorder, &stats);
	assert_true(stats.samples > 100);
	assert_int_equal(count_samples(&f, f.path, true), stats.samples);
	assert_int_equal(stats.lost, 0);
	assert_int_equal(stats.rings_gone, xp_evlist_nr_rings(f.evlist));
	assert_true(stats.first_time_ns && stats.last_time_ns > stats.first_time_ns);
	teardown(&f);
}

/* Rings too small for it: what is missing is reported, and adds up with what another event counted.
 */
static void what_is_lost_is_counted(void **state)
{
	char dd[] = "dd", from[] = "if=/dev/zero", to[] = "of=/dev/null", size[] = "bs=32M",
	     count[] = "count=1", quiet[] = "status=none";
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;

	(void)state;
	start_on(&f, "page-faults:u,minor-faults:u",
		 (char *[]){ dd, from, to, size, count, quiet, NULL }, 1);
	wait_for_end(&f);
	must(&f, xp_recorder_stop(f.recorder, &f.diag));
	must(&f, xp_data_writer_finish(f.writer, &f.diag));
	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(count_samples(&f, f.path, true), stats.samples);
	uint64_t lost =
		xp_evsel_lost(xp_evlist_at(f.evlist, 0)) + xp_evsel_lost(xp_evlist_at(f.evlist, 1));
	assert_true(stats.lost >= lost);
	teardown(&f);
}

/* No sample is in neither of the files, or in both. */
static void files_change_on_the_fly(void **state)
{
	char sh[] = "sh", c[] = "-c",
	     script[] = "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done";
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	uint64_t in_files = 0;
	struct fixture f;
	char path[64];

	(void)state;
	start_on(&f, "page-faults:u", (char *[]){ sh, c, script, NULL }, 0);
	for (int i = 0; i < 5; i++) {
		struct xp_data_writer *old = f.writer;
		const char name[] = { (char)('b' + i), 0 };

		snprintf(path, sizeof(path), "%s", f.path);
		open_writer(&f, name);
		must(&f, xp_recorder_switch(f.recorder, f.writer));
		must(&f, xp_data_writer_finish(old, &f.diag));
		xp_data_writer_free(old);
		in_files += count_samples(&f, path, true);
	}
	wait_for_end(&f);
	must(&f, xp_recorder_stop(f.recorder, &f.diag));
	must(&f, xp_data_writer_finish(f.writer, &f.diag));
	in_files += count_samples(&f, f.path, true);
	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(in_files, stats.samples);
	assert_int_equal(stats.lost, 0);
	teardown(&f);
}

/* The child frees what its parent goes on to use, and the memory that lies where the rings were. */
static void free_in_child(struct fixture *f)
{
	const struct xp_ring *ring = xp_evlist_ring(f->evlist, 0)->ring;
	char *own = mmap(ring->page, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	xp_recorder_free(f->recorder);
	xp_data_writer_free(f->writer);
	xp_build_ids_free(f->build_ids);
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
	*own = 1;
	_exit(0);
}

static void a_child_by_fork_frees_its_copy(void **state)
{
	char sh[] = "sh", c[] = "-c", script[] = "for i in 1 2 3 4 5; do /bin/true; done";
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct fixture f;
	int status;

	(void)state;
	start_on(&f, "page-faults:u", (char *[]){ sh, c, script, NULL }, 0);
	pid_t child = fork();
	if (!child)
		free_in_child(&f);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	wait_for_end(&f);
	must(&f, xp_recorder_stop(f.recorder, &f.diag));
	must(&f, xp_data_writer_finish(f.writer, &f.diag));
	xp_recorder_get_stats(f.recorder, &stats);
	assert_int_equal(count_samples(&f, f.path, true), stats.samples);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_by_fork_frees_its_copy),
		cmocka_unit_test(every_sample_is_in_the_file),
		cmocka_unit_test(what_is_lost_is_counted),
		cmocka_unit_test(files_change_on_the_fly),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
