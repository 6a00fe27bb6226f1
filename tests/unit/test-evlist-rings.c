/* SPDX-License-Identifier: MIT */
/* The loop of a program that reads samples itself, on the simulated kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "sim.h"

#define MS 1000000

enum { MAX_EVENTS = 4 };

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_diag diag;
	uint64_t nr[MAX_EVENTS]; /* samples by event */
	uint64_t others;
	int stop_at; /* records from now on; 0: never */
};

static void setup(struct fixture *f, const char *machine, const char *events)
{
	*f = (struct fixture){ .sim = sim_new(machine, "test-evlist-rings") };
	assert_non_null(f->sim);
	struct xp_ctx_opts opts = sim_ctx_opts(f->sim);
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
	if (xp_evlist_parse(f->evlist, events, &f->diag))
		fail_msg("'%s': %s", events, f->diag.what);
}

static void open_rings(struct fixture *f, uint64_t flags, const struct xp_open_opts *open)
{
	const struct xp_sampling_opts sampling = { .size = sizeof(sampling),
						   .flags = flags,
						   .period = 1 };

	if (xp_evlist_open_rings(f->evlist, &sampling, open, &f->diag))
		fail_msg("%s", f->diag.what);
}

static void teardown(struct fixture *f)
{
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

static int count(const struct xp_record *record, int event, void *data)
{
	struct fixture *f = data;

	if (record->type == XP_RECORD_SAMPLE) {
		assert_in_range(event, 0, MAX_EVENTS - 1);
		f->nr[event]++;
	} else {
		f->others++;
	}
	return f->stop_at && !--f->stop_at ? 77 : 0;
}

static const char two_tasks[] = "machine cpus=2\ntime call=0ns\n"
				"program p\n run forever cpu=0 page-faults=3\n"
				"program q\n run forever cpu=1 page-faults=5\n"
				"task 50 p cpu=0\ntask 60 q cpu=1\n";

static void all_cpus_are_read_without_naming_them(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, two_tasks, "page-faults,minor-faults");
	open_rings(&f, 0, NULL);
	assert_int_equal(xp_evlist_nr_rings(f.evlist), 2);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	for (int i = 0; i < 3; i++) {
		assert_true(xp_evlist_poll(f.evlist, 10 * MS) >= 0);
		assert_int_equal(xp_evlist_drain(f.evlist, count, &f), 0);
	}
	assert_int_equal(f.nr[0], sim_samples(f.sim, "page-faults").written);
	assert_int_equal(sim_samples(f.sim, "page-faults").lost, 0);
	assert_true(f.nr[0] >= 3 * 8);
	teardown(&f);
}

/* The next reading begins behind the record at which the last one stopped. */
static void a_walk_can_be_stopped(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, two_tasks, "page-faults");
	open_rings(&f, 0, NULL);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	sim_advance(f.sim, 30 * MS);
	f.stop_at = 10;
	assert_int_equal(xp_evlist_drain(f.evlist, count, &f), 77);
	assert_int_equal(f.nr[0] + f.others, 10);
	assert_int_equal(xp_evlist_drain(f.evlist, count, &f), 0);
	assert_int_equal(f.nr[0], sim_samples(f.sim, "page-faults").written);
	teardown(&f);
}

static void it_ends_with_the_last_task(void **state)
{
	static const char ending[] = "machine cpus=2\ntime call=0ns\n"
				     "program p\n run 20ms cpu=0 page-faults=3\n exit 0\n"
				     "task 50 p cpu=0\n";
	struct xp_open_opts open = { .size = sizeof(open) };
	struct fixture f;
	int nr, rounds = 0;

	(void)state;
	setup(&f, ending, "page-faults");
	assert_int_equal(xp_threads_one(f.ctx, 50, &open.threads), 0);
	open_rings(&f, 0, &open);
	xp_threads_unref(open.threads);
	assert_int_equal(xp_evlist_nr_rings(f.evlist), 1);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	do {
		nr = xp_evlist_poll(f.evlist, 1000LL * MS);
		assert_int_equal(xp_evlist_drain(f.evlist, count, &f), 0);
		assert_true(rounds++ < 100);
	} while (nr >= 0);
	assert_int_equal(nr, -ESRCH);
	assert_int_equal(f.nr[0], sim_samples(f.sim, "page-faults").written);
	assert_true(f.nr[0] > 0);
	teardown(&f);
}

/* Children are followed on each CPU, for they have no ring of their own. */
static void children_need_a_ring_on_each_cpu(void **state)
{
	struct xp_open_opts open = { .size = sizeof(open), .inherit = true };
	struct fixture f;

	(void)state;
	setup(&f, two_tasks, "page-faults");
	assert_int_equal(xp_threads_one(f.ctx, 50, &open.threads), 0);
	open_rings(&f, 0, &open);
	xp_threads_unref(open.threads);
	assert_int_equal(xp_evlist_nr_rings(f.evlist), 2);
	assert_true(xp_evsel_attr_const(xp_evlist_at(f.evlist, 0))->inherit);
	teardown(&f);
}

/* The attributes are those that naming the target by hand gives. */
static void the_target_is_derived(void **state)
{
	const struct {
		const char *cpus;
		bool of_task, on_exec;
		struct xp_sampling_opts by_hand;
	} rows[] = {
		{ .by_hand = { .system_wide = true } },
		{ .cpus = "1", .by_hand = { .system_wide = true, .cpu_list = true } },
		{ .of_task = true },
		{ .of_task = true, .on_exec = true, .by_hand = { .has_workload = true } },
		{ .cpus = "0", .of_task = true, .by_hand = { .cpu_list = true } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_open_opts open = { .size = sizeof(open),
					     .inherit = true,
					     .enable_on_exec = rows[i].on_exec };
		struct xp_sampling_opts by_hand = rows[i].by_hand;
		struct xp_evlist *other;
		struct fixture f;

		setup(&f, two_tasks, "page-faults");
		if (rows[i].cpus)
			assert_int_equal(xp_cpus_parse(rows[i].cpus, &open.cpus, NULL), 0);
		if (rows[i].of_task)
			assert_int_equal(xp_threads_one(f.ctx, 50, &open.threads), 0);
		open_rings(&f, 0, &open);
		assert_int_equal(xp_evlist_new(f.ctx, &other), 0);
		assert_int_equal(xp_evlist_parse(other, "page-faults", NULL), 0);
		by_hand.size = sizeof(by_hand);
		by_hand.period = 1;
		assert_int_equal(xp_evlist_config_sampling(other, &by_hand, &f.diag), 0);
		assert_int_equal(xp_evlist_nr(f.evlist), xp_evlist_nr(other));
		for (int e = 0; e < xp_evlist_nr(other); e++)
			if (memcmp(xp_evsel_attr_const(xp_evlist_at(f.evlist, e)),
				   xp_evsel_attr_const(xp_evlist_at(other, e)),
				   sizeof(struct xp_attr)))
				fail_msg("row %zu: event %d differs", i, e);
		xp_evlist_free(other);
		xp_cpus_unref(open.cpus);
		xp_threads_unref(open.threads);
		teardown(&f);
	}
}

static void what_is_not_there_is_refused(void **state)
{
	struct fixture f;
	int status;

	(void)state;
	setup(&f, two_tasks, "page-faults");
	assert_int_equal(xp_evlist_poll(f.evlist, 0), -ENOTCONN);
	assert_int_equal(xp_evlist_drain(f.evlist, count, &f), -ENOTCONN);
	open_rings(&f, 0, NULL);
	assert_int_equal(xp_evlist_open_rings(f.evlist, NULL, NULL, &f.diag), -EALREADY);
	pid_t child = fork();
	if (!child)
		_exit(xp_evlist_poll(f.evlist, 0) != -EPERM ||
		      xp_evlist_drain(f.evlist, count, &f) != -EPERM);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_cpus_are_read_without_naming_them),
		cmocka_unit_test(a_walk_can_be_stopped),
		cmocka_unit_test(it_ends_with_the_last_task),
		cmocka_unit_test(children_need_a_ring_on_each_cpu),
		cmocka_unit_test(the_target_is_derived),
		cmocka_unit_test(what_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
