/* SPDX-License-Identifier: MIT */
/*
 * Lists as an embedding program uses them, on the simulated kernel: opened again and again, large,
 * half-way failures, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "sim.h"
#include "where.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MS           1000000U

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_open_opts opts;
	struct xp_counts *counts;
	struct xp_diag diag;
};

static void setup(struct fixture *f, const char *machine, const char *events)
{
	*f = (struct fixture){ .sim = sim_new(machine, "test-evlist"),
			       .opts = { .size = sizeof(f->opts) } };
	assert_non_null(f->sim);
	struct xp_ctx_opts opts = sim_ctx_opts(f->sim);
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
	if (xp_evlist_parse(f->evlist, events, &f->diag))
		fail_msg("'%s': %s", events, f->diag.what);
}

static void on_threads(struct fixture *f, const char *processes)
{
	assert_int_equal(xp_threads_of_processes(f->ctx, processes, &f->opts.threads, &f->diag), 0);
}

static void on_cpus(struct fixture *f, const char *list)
{
	assert_int_equal(xp_cpus_parse(list, &f->opts.cpus, &f->diag), 0);
}

static int open_it(struct fixture *f)
{
	return xp_evlist_open(f->evlist, &f->opts, &f->diag);
}

static void make_counts(struct fixture *f)
{
	int nr_cpus = xp_cpus_nr(f->opts.cpus), nr_threads = xp_threads_nr(f->opts.threads);

	assert_int_equal(xp_counts_new(xp_evlist_nr(f->evlist), nr_cpus ? nr_cpus : 1,
				       nr_threads ? nr_threads : 1, &f->counts),
			 0);
}

static const struct xp_count *at(const struct fixture *f, int event, int cpu_idx, int thread_idx)
{
	return xp_counts_at(f->counts, event, cpu_idx, thread_idx);
}

static const char *reason(const struct fixture *f, int event)
{
	return xp_evsel_reason(xp_evlist_at(f->evlist, event));
}

static enum xp_support support(const struct fixture *f, int event)
{
	return xp_evsel_support(xp_evlist_at(f->evlist, event));
}

static void teardown(struct fixture *f)
{
	xp_counts_free(f->counts);
	xp_evlist_free(f->evlist);
	xp_cpus_unref(f->opts.cpus);
	xp_threads_unref(f->opts.threads);
	xp_ctx_free(f->ctx);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

static const char one_task[] =
	"machine cpus=2\ntime call=0ns\n"
	"program p\n run forever cycles=1000 instructions=2000 branches=500 page-faults=3\n"
	"task 50 p cpu=0\n";

static void it_counts_each_time_it_is_opened(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, one_task, "cycles,{instructions,branches},page-faults,duration_time");
	on_threads(&f, "50");
	make_counts(&f);
	for (int time = 0; time < 3; time++) {
		const struct xp_tool_times tool = { .duration_ns = 7 };

		assert_int_equal(open_it(&f), 0);
		assert_int_equal(open_it(&f), -EALREADY);
		assert_ptr_equal(xp_evlist_threads(f.evlist), f.opts.threads);
		assert_int_equal(xp_cpus_nr(xp_evlist_cpus(f.evlist)), 1);
		sim_advance(f.sim, 2 * MS);
		assert_int_equal(xp_evlist_enable(f.evlist), 0);
		sim_advance(f.sim, 10 * MS);
		assert_int_equal(xp_evlist_disable(f.evlist), 0);
		sim_advance(f.sim, 2 * MS);
		assert_int_equal(xp_evlist_read(f.evlist, &tool, f.counts), 0);
		assert_int_equal(at(&f, 0, 0, 0)->value, 10000);
		assert_int_equal(at(&f, 1, 0, 0)->value, 20000);
		assert_int_equal(at(&f, 2, 0, 0)->value, 5000);
		assert_int_equal(at(&f, 2, 0, 0)->enabled_ns, 10 * MS);
		assert_int_equal(at(&f, 3, 0, 0)->value, 30);
		assert_int_equal(at(&f, 4, 0, 0)->value, 7);
		xp_evlist_close(f.evlist);
		assert_null(xp_evlist_threads(f.evlist));
		assert_null(xp_evlist_cpus(f.evlist));
	}
	teardown(&f);
}

static void what_is_not_open_is_refused(void **state)
{
	struct xp_counts *other;
	struct fixture f;

	(void)state;
	setup(&f, one_task, "cycles");
	make_counts(&f);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), -ENOTCONN);
	assert_int_equal(xp_evlist_enable(f.evlist), -ENOTCONN);
	assert_int_equal(xp_evlist_disable(f.evlist), -ENOTCONN);
	xp_evlist_close(f.evlist);
	xp_evlist_close_behind(f.evlist);

	on_threads(&f, "50");
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_counts_new(2, 1, 1, &other), 0);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, other), -EINVAL);
	xp_counts_free(other);
	assert_int_equal(xp_evlist_parse(f.evlist, "cycles", &f.diag), -EBUSY);
	assert_int_equal(xp_evlist_add_default(f.evlist, XP_DEFAULT_BASIC, false), -EBUSY);
	assert_int_equal(xp_evlist_nr(f.evlist), 1);
	teardown(&f);
}

/* A weak group that does not fit is broken up each time, and says so; what the user asked for
 * stays. */
static void a_weak_group_is_tried_each_time(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, one_task, "{branches,branches,branches,branches,branches}:W,page-faults");
	on_threads(&f, "50");
	f.opts.join_software = true;
	make_counts(&f);
	for (int time = 0; time < 3; time++) {
		assert_int_equal(open_it(&f), 0);
		assert_int_equal(xp_evlist_enable(f.evlist), 0);
		sim_advance(f.sim, 20 * MS);
		assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
		for (int i = 0; i < 5; i++) {
			const struct xp_evsel *evsel = xp_evlist_at(f.evlist, i);

			assert_int_equal(support(&f, i), XP_SUPPORTED);
			assert_string_equal(
				reason(&f, i),
				"not as a group, because it does not fit on the counters");
			assert_true(at(&f, i, 0, 0)->value > 0);
			assert_ptr_equal(xp_evsel_leader(evsel), xp_evlist_at(f.evlist, 0));
			assert_int_equal(xp_evsel_group_size(evsel), 5);
		}
		assert_int_equal(at(&f, 5, 0, 0)->value, 60);
		xp_evlist_close(f.evlist);
	}
	teardown(&f);
}

static void what_of_a_group_does_not_fit_is_reported(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, one_task, "{branches,branches,branches,branches,branches}");
	on_threads(&f, "50");
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(support(&f, 3), XP_SUPPORTED);
	assert_int_equal(support(&f, 4), XP_NOT_SUPPORTED);
	assert_string_equal(reason(&f, 4), "only 4 of its group's 5 events fit on the PMU's "
					   "counters together");
	teardown(&f);
}

/* "EVENT,EVENT,…", @nr of them. */
static const char *repeated(const char *event, int nr)
{
	static char text[65536];
	size_t len = 0;

	for (int i = 0; i < nr; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? "," : "",
					event);
	return text;
}

static void a_group_is_at_most_one_reading(void **state)
{
	char text[65536 + 3];
	struct fixture f;
	int nr = 700;

	(void)state;
	snprintf(text, sizeof(text), "{%s}", repeated("page-faults", nr));
	setup(&f, one_task, text);
	on_threads(&f, "50");
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(support(&f, 600), XP_SUPPORTED);
	assert_int_equal(support(&f, nr - 1), XP_NOT_SUPPORTED);
	assert_non_null(
		strstr(reason(&f, nr - 1), "of its group's 700 events fit into one reading"));
	teardown(&f);

	strcat(text, ":W");
	setup(&f, one_task, text);
	on_threads(&f, "50");
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(support(&f, nr - 1), XP_SUPPORTED);
	teardown(&f);
}

static void hundreds_of_software_events_take_few_reads(void **state)
{
	enum { NR = 300 };
	struct fixture f;

	(void)state;
	setup(&f, one_task, repeated("page-faults", NR));
	on_threads(&f, "50");
	f.opts.join_software = true;
	make_counts(&f);
	for (int time = 0; time < 2; time++) {
		assert_int_equal(open_it(&f), 0);
		assert_int_equal(xp_evlist_enable(f.evlist), 0);
		sim_advance(f.sim, 10 * MS);
		uint64_t before = sim_stats(f.sim)->reads;
		assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
		assert_true(sim_stats(f.sim)->reads - before <= 3);
		for (int i = 0; i < NR; i++) {
			assert_int_equal(at(&f, i, 0, 0)->value, 30);
			assert_int_equal(xp_evsel_group_size(xp_evlist_at(f.evlist, i)), 1);
		}
		xp_evlist_close(f.evlist);
	}
	teardown(&f);
}

/* More than the soft limit of files allows at first. */
static void hundreds_of_threads(void **state)
{
	enum { NR = 600 };
	struct fixture f;
	uint64_t sum = 0;

	(void)state;
	setup(&f,
	      "machine cpus=4\nuser nofile=1024 nofile_max=100000\n"
	      "program p\n run forever page-faults=3\ntask 2000 p threads=600\n",
	      "page-faults,context-switches");
	on_threads(&f, "2000");
	assert_int_equal(xp_threads_nr(f.opts.threads), NR);
	make_counts(&f);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	sim_advance(f.sim, 50 * MS);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
	for (int thread = 0; thread < NR; thread++)
		sum += at(&f, 0, 0, thread)->value;
	assert_true(sum > 0);
	teardown(&f);
}

static const char eight_cpus[] = "machine cpus=8 offline=3\ntime call=0ns\n"
				 "program p\n run forever cpu=5 page-faults=3\ntask 50 p\n";

static void sets_of_cpus_may_have_gaps(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, eight_cpus, "page-faults,cpu-clock");
	on_cpus(&f, "1,4-5,7");
	make_counts(&f);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_threads_tid(xp_evlist_threads(f.evlist), 0), -1);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	sim_advance(f.sim, 10 * MS);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
	for (int cpu = 0; cpu < 4; cpu++) {
		assert_int_equal(at(&f, 0, cpu, 0)->value, cpu == 2 ? 30 : 0);
		assert_int_equal(at(&f, 1, cpu, 0)->value, 10 * MS);
	}
	xp_evlist_close(f.evlist);
	xp_cpus_unref(f.opts.cpus);
	on_cpus(&f, "2-4");
	assert_int_equal(open_it(&f), -ENODEV);
	assert_string_equal(f.diag.what, "CPU 3 is not online");
	xp_cpus_unref(f.opts.cpus);
	on_cpus(&f, "0,77");
	assert_int_equal(open_it(&f), -EINVAL);
	assert_int_equal(f.diag.err, -EINVAL);
	assert_string_equal(f.diag.what, "CPU 77 is not online");
	teardown(&f);
}

static void the_limit_of_files_is_raised_if_it_may(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=4\nuser nofile=6 nofile_max=20\n",
	      "page-faults,cs,migrations,faults");
	on_cpus(&f, "0-3");
	sim_fail_named(f.sim, "rlimit", 2, EPERM); /* 1: asked for; 2: raised */
	assert_int_equal(open_it(&f), -EMFILE);
	assert_int_equal(f.diag.err, -EMFILE);
	assert_non_null(strstr(f.diag.what, "limit of open files cannot be raised"));
	assert_int_equal(open_it(&f), 0);
	teardown(&f);
}

static void the_limit_of_files_stays_unless_asked(void **state)
{
	struct xp_ctx_opts opts;
	struct xp_evlist *events;
	struct xp_ctx *ctx;
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=4\nuser nofile=6 nofile_max=20\n", "page-faults");
	on_cpus(&f, "0-3");
	opts = sim_ctx_opts(f.sim);
	opts.raise_limits = false;
	assert_int_equal(xp_ctx_new(&opts, &ctx), 0);
	assert_int_equal(xp_evlist_new(ctx, &events), 0);
	assert_int_equal(xp_evlist_parse(events, "page-faults,cs,migrations,faults", NULL), 0);
	assert_int_equal(xp_evlist_open(events, &f.opts, &f.diag), -EMFILE);
	assert_non_null(strstr(f.diag.hint, "ulimit -n"));
	assert_int_equal(xp_evlist_open(events, &f.opts, &f.diag), -EMFILE);
	xp_evlist_free(events);
	xp_ctx_free(ctx);
	teardown(&f);
}

/* Whichever of the calls fails, nothing stays open, and the list can be opened again. */
static void a_failure_half_way_leaves_nothing_open(void **state)
{
	static const int errors[] = { EMFILE, ENOMEM, EACCES };

	(void)state;
	for (size_t e = 0; e < ARRAY_LEN(errors); e++) {
		for (uint64_t call = 1; call <= 12; call++) {
			struct fixture f;

			setup(&f, one_task,
			      "cycles,{instructions,branches}:W,page-faults,cs,duration_time");
			on_threads(&f, "50");
			on_cpus(&f, "0-1");
			f.opts.join_software = true;
			make_counts(&f);
			sim_fail_named(f.sim, "perf_event_open", call, errors[e]);
			int err = open_it(&f);
			if (err) {
				assert_int_equal(err, f.diag.err);
				assert_int_equal(sim_leaks(f.sim, stderr), 0);
				assert_int_equal(xp_evlist_enable(f.evlist), -ENOTCONN);
				assert_int_equal(open_it(&f), 0);
			}
			assert_int_equal(xp_evlist_enable(f.evlist), 0);
			sim_advance(f.sim, 10 * MS);
			assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
			assert_int_equal(at(&f, 3, 0, 0)->value + at(&f, 3, 1, 0)->value, 30);
			teardown(&f);
		}
	}
}

static void a_failed_reading_can_be_tried_again(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, one_task, "cycles,instructions,page-faults");
	on_threads(&f, "50");
	make_counts(&f);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	sim_advance(f.sim, 10 * MS);
	sim_fail_named(f.sim, "read", 2, EIO);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), -EIO);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
	assert_int_equal(at(&f, 1, 0, 0)->value, 20000);
	sim_fail_named(f.sim, "ioctl", 2, EIO);
	assert_int_equal(xp_evlist_disable(f.evlist), -EIO);
	assert_int_equal(xp_evlist_disable(f.evlist), 0);
	teardown(&f);
}

static void tracepoints_are_closed_behind(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, one_task, "sched:sched_switch,raw_syscalls:sys_enter,cycles");
	on_threads(&f, "50");
	for (uint64_t time = 1; time <= 2; time++) {
		assert_int_equal(open_it(&f), 0);
		xp_evlist_close_behind(f.evlist);
		assert_int_equal(sim_leaks(f.sim, stderr), 0);
		assert_int_equal(sim_stats(f.sim)->closed_behind, 3 * time);
		assert_null(xp_evlist_threads(f.evlist));
	}
	teardown(&f);

	setup(&f, one_task, "cycles,page-faults");
	on_threads(&f, "50");
	assert_int_equal(open_it(&f), 0);
	xp_evlist_close_behind(f.evlist); /* nothing slow: no process for it */
	assert_int_equal(sim_stats(f.sim)->closed_behind, 0);
	teardown(&f);
}

static void members_are_read_through_their_list(void **state)
{
	struct xp_count count;
	struct fixture f;

	(void)state;
	setup(&f, one_task, "{cycles,instructions},branches");
	on_threads(&f, "50");
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_evsel_read(xp_evlist_at(f.evlist, 0), 0, 0, &count), -EOPNOTSUPP);
	assert_int_equal(xp_evsel_read(xp_evlist_at(f.evlist, 2), 0, 0, &count), 0);
	assert_null(xp_evlist_at(f.evlist, -1));
	assert_null(xp_evlist_at(f.evlist, 3));
	teardown(&f);
}

/* A tool event needs no counter, and may stand anywhere in a group. */
static void tool_events_do_not_part_a_group(void **state)
{
	static const char *const texts[] = {
		"{duration_time,cycles,instructions}",
		"{cycles,duration_time,instructions}",
		"{cycles,instructions,duration_time}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct fixture f;

		setup(&f, one_task, texts[i]);
		on_threads(&f, "50");
		make_counts(&f);
		assert_int_equal(open_it(&f), 0);
		assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
		assert_int_equal(sim_stats(f.sim)->reads, 1);
		teardown(&f);
	}
}

static void an_empty_list_opens(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, one_task, "duration_time");
	on_threads(&f, "50");
	make_counts(&f);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(support(&f, 0), XP_SUPPORTED);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
	assert_int_equal(at(&f, 0, 0, 0)->value, 0);
	teardown(&f);
}

static void an_event_in_a_list_is_the_list_s(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, one_task, "cycles,page-faults");
	xp_evsel_free(xp_evlist_at(f.evlist, 0));
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), "cycles");
	assert_true(xp_evsel_counts_on(xp_evlist_at(f.evlist, 0), 4711));
	teardown(&f);
}

/* The bit of each call that did not refuse. */
static int use_in_child(struct fixture *f)
{
	struct xp_evsel *evsel = xp_evlist_at(f->evlist, 0);
	uint64_t calls = sim_stats(f->sim)->calls;
	struct xp_count count;

	return (xp_evlist_enable(f->evlist) != -EPERM) |
	       (xp_evlist_disable(f->evlist) != -EPERM) << 1 |
	       (xp_evlist_read(f->evlist, NULL, f->counts) != -EPERM) << 2 |
	       (xp_evlist_update(f->evlist) != -EPERM) << 3 |
	       (xp_evsel_enable(evsel) != -EPERM) << 4 |
	       (xp_evsel_read(evsel, 0, 0, &count) != -EPERM) << 5 |
	       (sim_stats(f->sim)->calls != calls) << 6;
}

static void a_child_by_fork_changes_nothing(void **state)
{
	struct fixture f;
	int status;

	(void)state;
	setup(&f, one_task, "page-faults,cs");
	on_threads(&f, "50");
	make_counts(&f);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	pid_t child = fork();
	if (!child)
		_exit(use_in_child(&f));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	sim_advance(f.sim, 10 * MS);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
	assert_int_equal(at(&f, 0, 0, 0)->value, 30);
	teardown(&f);
}

static void reading_moves_the_thread_only_if_asked(void **state)
{
	(void)state;
	for (int asked = 0; asked < 2; asked++) {
		struct fixture f;

		setup(&f, one_task,
		      "cs,faults,migrations,minor-faults,major-faults,cpu-clock,"
		      "task-clock,alignment-faults");
		on_cpus(&f, "0-1");
		f.opts.read_on_cpus = asked;
		make_counts(&f);
		assert_int_equal(open_it(&f), 0);
		assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), 0);
		assert_int_equal(sim_stats(f.sim)->hops, asked ? 3 : 0);
		teardown(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_by_fork_changes_nothing),
		cmocka_unit_test(reading_moves_the_thread_only_if_asked),
		cmocka_unit_test(an_event_in_a_list_is_the_list_s),
		cmocka_unit_test(it_counts_each_time_it_is_opened),
		cmocka_unit_test(what_is_not_open_is_refused),
		cmocka_unit_test(a_weak_group_is_tried_each_time),
		cmocka_unit_test(what_of_a_group_does_not_fit_is_reported),
		cmocka_unit_test(a_group_is_at_most_one_reading),
		cmocka_unit_test(hundreds_of_software_events_take_few_reads),
		cmocka_unit_test(hundreds_of_threads),
		cmocka_unit_test(sets_of_cpus_may_have_gaps),
		cmocka_unit_test(the_limit_of_files_is_raised_if_it_may),
		cmocka_unit_test(the_limit_of_files_stays_unless_asked),
		cmocka_unit_test(a_failure_half_way_leaves_nothing_open),
		cmocka_unit_test(a_failed_reading_can_be_tried_again),
		cmocka_unit_test(tracepoints_are_closed_behind),
		cmocka_unit_test(members_are_read_through_their_list),
		cmocka_unit_test(tool_events_do_not_part_a_group),
		cmocka_unit_test(an_empty_list_opens),
	};

	/* Each machine is a small tree of files: in memory where that can be had. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
