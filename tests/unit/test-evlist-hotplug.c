/* SPDX-License-Identifier: MIT */
/* CPUs that come and go under a list that counts all of them, on the simulated kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <xperf/xperf.h>

#include "event.h"
#include "sim.h"

#define MS 1000000U

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_counts *counts;
	struct xp_diag diag;
};

/* Opened on what is online, without naming it. */
static void setup(struct fixture *f, const char *machine, const char *events)
{
	const struct xp_open_opts opts = { .size = sizeof(opts) };

	*f = (struct fixture){ .sim = sim_new(machine, "test-evlist-hotplug") };
	assert_non_null(f->sim);
	struct xp_ctx_opts ctx_opts = sim_ctx_opts(f->sim);
	assert_int_equal(xp_ctx_new(&ctx_opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
	if (xp_evlist_parse(f->evlist, events, &f->diag) ||
	    xp_evlist_open(f->evlist, &opts, &f->diag))
		fail_msg("'%s': %s", events, f->diag.what);
}

static void teardown(struct fixture *f)
{
	xp_counts_free(f->counts);
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

/* As an exporter does: the table has the size that the list has now. */
static void read_all(struct fixture *f)
{
	xp_counts_free(f->counts);
	assert_int_equal(xp_counts_new(xp_evlist_nr(f->evlist),
				       xp_cpus_nr(xp_evlist_cpus(f->evlist)), 1, &f->counts),
			 0);
	assert_int_equal(xp_evlist_read(f->evlist, NULL, f->counts), 0);
}

static uint64_t value(const struct fixture *f, int event, int cpu)
{
	int idx = xp_cpus_find(xp_evlist_cpus(f->evlist), (struct xp_cpu){ cpu });

	assert_true(idx >= 0);
	return xp_counts_at(f->counts, event, idx, 0)->value;
}

static bool is_frozen(const struct fixture *f, int cpu)
{
	int idx = xp_cpus_find(xp_evlist_cpus(f->evlist), (struct xp_cpu){ cpu });

	return xp_evlist_is_frozen(f->evlist, idx);
}

/* CPU 1 lies between two that were counted before: all that is kept by position moves. */
static void a_cpu_that_comes_is_counted(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f,
	      "machine cpus=3 offline=1\ntime call=0ns\nat 20ms plug 1\n"
	      "program p\n run forever cpu=2 page-faults=3\ntask 50 p cpu=2\n",
	      "page-faults,cpu-clock");
	assert_int_equal(xp_cpus_nr(xp_evlist_cpus(f.evlist)), 2);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	assert_int_equal(xp_evlist_update_cpus(f.evlist), 0);
	sim_advance(f.sim, 30 * MS);
	read_all(&f);
	uint64_t before = value(&f, 0, 2);
	assert_true(xp_evlist_update_cpus(f.evlist) > 0);
	assert_int_equal(xp_cpus_nr(xp_evlist_cpus(f.evlist)), 3);
	assert_int_equal(xp_evlist_read(f.evlist, NULL, f.counts), -EINVAL);
	assert_int_equal(xp_evlist_update_cpus(f.evlist), 0);
	sim_advance(f.sim, 10 * MS);
	read_all(&f);
	assert_int_equal(value(&f, 0, 2), before + 30);
	assert_int_equal(value(&f, 1, 1), 10 * MS);
	assert_int_equal(value(&f, 1, 0), 40 * MS);
	assert_false(is_frozen(&f, 1));
	teardown(&f);
}

static void a_cpu_that_is_gone_is_frozen(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f,
	      "machine cpus=2\ntime call=0ns\nat 20ms unplug 1\nat 40ms plug 1\n"
	      "program p\n run forever cpu=0 page-faults=3\ntask 50 p cpu=0\n",
	      "cpu-clock,page-faults");
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	assert_int_equal(xp_evlist_update_cpus(f.evlist), 0);
	assert_false(is_frozen(&f, 1));
	sim_advance(f.sim, 30 * MS);
	assert_int_equal(xp_evlist_update_cpus(f.evlist), 1);
	assert_true(is_frozen(&f, 1));
	assert_false(is_frozen(&f, 0));
	assert_false(xp_evlist_is_frozen(f.evlist, -1));
	assert_false(xp_evlist_is_frozen(f.evlist, 2));
	read_all(&f);
	uint64_t frozen = value(&f, 0, 1);
	sim_advance(f.sim, 5 * MS);
	read_all(&f);
	assert_int_equal(value(&f, 0, 1), frozen);
	assert_int_equal(value(&f, 0, 0), 35 * MS);
	sim_advance(f.sim, 10 * MS);
	assert_int_equal(xp_evlist_update_cpus(f.evlist), 1);
	assert_false(is_frozen(&f, 1));
	sim_advance(f.sim, 10 * MS);
	read_all(&f);
	assert_int_equal(value(&f, 0, 1), frozen + 10 * MS);
	teardown(&f);
}

/* What does not count yet does not begin to because a CPU came back. */
static void it_counts_there_when_the_others_do(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f,
	      "machine cpus=3 offline=2\ntime call=0ns\n"
	      "at 10ms unplug 1\nat 20ms plug 1\nat 20ms plug 2\n"
	      "program p\n run forever cpu=0 page-faults=3\ntask 50 p cpu=0\n",
	      "cpu-clock");
	for (int i = 0; i < 3; i++) {
		assert_true(xp_evlist_update_cpus(f.evlist) >= 0);
		sim_advance(f.sim, 15 * MS);
	}
	read_all(&f);
	for (int cpu = 0; cpu < 3; cpu++)
		assert_int_equal(value(&f, 0, cpu), 0);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	sim_advance(f.sim, 10 * MS);
	read_all(&f);
	for (int cpu = 0; cpu < 3; cpu++)
		assert_int_equal(value(&f, 0, cpu), 10 * MS);
	teardown(&f);
}

/* Two packages of two CPUs: an event of a package stays where it counts. */
static void a_package_is_counted_once(void **state)
{
	const struct xp_open_opts opts = { .size = sizeof(opts) };
	struct fixture f;

	(void)state;
	setup(&f,
	      "machine cpus=4 sockets=2 offline=0\ntime call=0ns\n"
	      "program p\n run forever cpu=1 page-faults=3\ntask 50 p cpu=1\nat 10ms plug 0\n",
	      "cpu-clock");
	xp_evlist_close(f.evlist);
	xp_evlist_at(f.evlist, 0)->per_pkg = true;
	assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), 0);
	assert_int_equal(xp_evlist_enable(f.evlist), 0);
	assert_int_equal(xp_evlist_update_cpus(f.evlist), 0);
	sim_advance(f.sim, 20 * MS);
	assert_true(xp_evlist_update_cpus(f.evlist) > 0);
	sim_advance(f.sim, 10 * MS);
	read_all(&f);
	for (int cpu = 0; cpu < 4; cpu++)
		assert_int_equal(value(&f, 0, cpu), cpu == 1 || cpu == 2 ? 30 * MS : 0);
	teardown(&f);
}

/* Whoever names CPUs gets those. */
/* Also if they are all that are online. */
static void named_cpus_stay_those(void **state)
{
	static const char *const lists[] = { "1", "0-1" };
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		setup(&f,
		      "machine cpus=3 offline=2\ntime call=0ns\nat 10ms plug 2\n"
		      "program p\n run forever cpu=0 page-faults=3\ntask 50 p cpu=0\n",
		      "cpu-clock");
		xp_evlist_close(f.evlist);
		assert_int_equal(xp_evlist_update_cpus(f.evlist), -ENOTCONN);
		assert_int_equal(xp_cpus_parse(lists[i], &opts.cpus, NULL), 0);
		int nr = xp_cpus_nr(opts.cpus);
		assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), 0);
		xp_cpus_unref(opts.cpus);
		assert_int_equal(xp_evlist_update_cpus(f.evlist), 0);
		sim_advance(f.sim, 20 * MS);
		assert_int_equal(xp_evlist_update_cpus(f.evlist), 0);
		assert_int_equal(xp_cpus_nr(xp_evlist_cpus(f.evlist)), nr);
		teardown(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_comes_is_counted),
		cmocka_unit_test(a_cpu_that_is_gone_is_frozen),
		cmocka_unit_test(it_counts_there_when_the_others_do),
		cmocka_unit_test(a_package_is_counted_once),
		cmocka_unit_test(named_cpus_stay_those),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
