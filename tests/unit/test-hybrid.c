/* SPDX-License-Identifier: MIT */
/* Machines with CPUs of two kinds, on kernels of different age: which events are opened there. */
#include "parse-fixture.h"

#include <fcntl.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "uapi.h"

static struct xp_attr opened[16];
static int nr_opened;

/* arm64 before Linux 6.6: no generic event may say whose it is. */
static int older_open(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
		      int group_fd, unsigned long flags)
{
	(void)sys, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	if (attr->type != PERF_TYPE_SOFTWARE && attr->type < PERF_TYPE_RAW && attr->config >> 32)
		return -ENOENT;
	assert_in_range(nr_opened, 0, ARRAY_LEN(opened) - 1);
	opened[nr_opened++] = *attr;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int parse_and_open(struct parsing *f, const struct xp_sys *sys, const char *events)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };
	int err;

	setup_tree(f, sys, "arm-biglittle");
	nr_opened = 0;
	assert_int_equal(xp_evlist_parse(f->evlist, events, &f->diag), 0);
	assert_int_equal(xp_threads_one(f->ctx, 0, &opts.threads), 0);
	err = xp_evlist_open(f->evlist, &opts, &f->diag);
	xp_threads_unref(opts.threads);
	return err;
}

static void an_older_kernel_is_asked_for_the_pmus_own_event(void **state)
{
	struct xp_sys sys = *xp_sys_linux();
	struct parsing f;

	(void)state;
	sys.perf_event_open = older_open;
	assert_int_equal(parse_and_open(&f, &sys, "cycles:u"), 0);
	assert_int_equal(nr_opened, 2);
	for (int i = 0; i < 2; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(f.evlist, i);

		/* cpu_cycles is event=0x11 of PMU 8, and of PMU 9 */
		assert_int_equal(opened[i].type, 8 + i);
		assert_int_equal(opened[i].config, 0x11);
		assert_int_equal(opened[i].exclude_kernel, 1);
		assert_string_equal(xp_evsel_name(evsel),
				    i ? "armv8_cortex_a72/cycles/u" : "armv8_cortex_a53/cycles/u");
		assert_int_equal(xp_evsel_support(evsel), XP_SUPPORTED);
	}
	teardown(&f);
}

/* These PMUs list no event that means it. */
static void what_a_pmu_does_not_list_is_not_supported(void **state)
{
	struct xp_sys sys = *xp_sys_linux();
	struct parsing f;

	(void)state;
	sys.perf_event_open = older_open;
	assert_int_equal(parse_and_open(&f, &sys, "instructions:u,L1-dcache-loads:u"), 0);
	assert_int_equal(nr_opened, 0);
	for (int i = 0; i < xp_evlist_nr(f.evlist); i++)
		assert_int_equal(xp_evsel_support(xp_evlist_at(f.evlist, i)), XP_NOT_SUPPORTED);
	teardown(&f);
}

/* An event of one kind of CPU hears nothing of what tasks do on the other. */
static void the_side_band_is_of_all_cpus(void **state)
{
	static const struct {
		const char *tree;
		int nr; /* of events, for one that is named */
	} rows[] = { { "arm-biglittle", 3 }, { "intel-hybrid", 3 }, { "arm-neoverse", 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_sampling_opts opts = { .size = sizeof(opts), .has_workload = true };
		struct parsing f;

		setup_tree(&f, NULL, rows[i].tree);
		assert_int_equal(xp_evlist_parse(f.evlist, "cycles:u", &f.diag), 0);
		assert_int_equal(xp_evlist_config_sampling(f.evlist, &opts, &f.diag), 0);
		assert_int_equal(xp_evlist_nr(f.evlist), rows[i].nr);
		for (int e = 0; e < rows[i].nr; e++) {
			const struct xp_attr *attr = xp_evsel_attr_const(xp_evlist_at(f.evlist, e));

			assert_int_equal(attr->comm, e == rows[i].nr - 1);
			assert_int_equal(attr->mmap, e == rows[i].nr - 1);
		}
		teardown(&f);
	}
}

/* Names that name no PMU are those of the kind that was chosen. */
static void one_kind_of_cpu_is_chosen(void **state)
{
	static const struct {
		const char *tree, *kind, *text, *names;
	} rows[] = {
		{ "intel-hybrid", "core", "cycles:u,page-faults",
		  "cpu_core/cycles/u page-faults " },
		{ "intel-hybrid", "cpu_atom", "{cycles,instructions}",
		  "cpu_atom/cycles/ cpu_atom/instructions/ " },
		{ "intel-hybrid", "atom", "cpu/cycles/,r1a8", "cpu_atom/cycles/ cpu_atom/r1a8/ " },
		{ "intel-hybrid", "atom", "cpu_*/cycles/,cpu_core/cycles/",
		  "cpu_atom/cycles/ cpu_core/cycles/ " },
		{ "intel-hybrid", "core", "L1-dcache-loads/name=loads/", "loads " },
		{ "arm-biglittle", "a72", "cycles", "armv8_cortex_a72/cycles/ " },
		{ "intel-hybrid", NULL, "cycles", "cpu_core/cycles/ cpu_atom/cycles/ " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char names[256] = "";
		struct parsing f;

		setup_tree(&f, NULL, rows[i].tree);
		assert_int_equal(xp_pmus_choose_core(f.ctx, rows[i].kind, &f.diag), 0);
		assert_int_equal(xp_evlist_parse(f.evlist, rows[i].text, &f.diag), 0);
		for (int e = 0; e < xp_evlist_nr(f.evlist); e++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ",
				 xp_evsel_name(xp_evlist_at(f.evlist, e)));
		assert_string_equal(names, rows[i].names);
		teardown(&f);
	}
}

static void kinds_that_are_not_there(void **state)
{
	static const struct {
		const char *tree, *kind, *hint;
	} rows[] = {
		{ "intel-hybrid", "ore", "Its kinds are cpu_core, cpu_atom" },
		{ "intel-hybrid", "", "Its kinds are cpu_core, cpu_atom" },
		{ "intel-hybrid", "software", "Its kinds are cpu_core, cpu_atom" },
		{ "skylake-sp", "core", "Its CPUs are all of one kind" },
		{ "vm-without-pmu", "core", "Its CPUs are all of one kind" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsing f;

		setup_tree(&f, NULL, rows[i].tree);
		assert_int_equal(xp_pmus_choose_core(f.ctx, rows[i].kind, &f.diag), -ENOENT);
		assert_string_equal(f.diag.hint, rows[i].hint);
		teardown(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_kernel_is_asked_for_the_pmus_own_event),
		cmocka_unit_test(what_a_pmu_does_not_list_is_not_supported),
		cmocka_unit_test(the_side_band_is_of_all_cpus),
		cmocka_unit_test(one_kind_of_cpu_is_chosen),
		cmocka_unit_test(kinds_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
