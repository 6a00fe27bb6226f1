/* SPDX-License-Identifier: MIT */
/* Tool events that say how a machine is: their values on the machines of tests/data/roots. */
#include "open-fixture.h"

#include <unistd.h>

#include "put-file.h"

#define CPU "/sys/devices/system/cpu"
#define PMU "/sys/bus/event_source/devices"

/* Opens one event on the CPUs that are online, and reads its value. Returns false if not supported.
 */
static bool read_value(struct parsing *f, const char *text, uint64_t *ret_value)
{
	struct xp_counts *counts;

	assert_int_equal(parse(f, text), 0);
	open_on(f, NULL);
	const struct xp_evsel *evsel = xp_evlist_at(f->evlist, 0);
	bool supported = xp_evsel_support(evsel) == XP_SUPPORTED;
	assert_true(xp_evsel_is_snapshot(evsel));
	assert_string_equal(xp_evsel_unit(evsel), "");
	assert_int_equal(!*xp_evsel_reason(evsel), supported);
	assert_int_equal(xp_counts_new(1, xp_cpus_nr(xp_evlist_cpus(f->evlist)), 1, &counts), 0);
	assert_int_equal(xp_evlist_read(f->evlist, NULL, counts), 0);
	*ret_value = xp_counts_at(counts, 0, 0, 0)->value;
	assert_int_equal(xp_counts_at(counts, 0, 0, 0)->running_ns, supported);
	xp_counts_free(counts);
	return supported;
}

enum { UNKNOWN = -1 };

static void values_are_those_of_the_machine(void **state)
{
	static const struct {
		const char *tree, *event;
		int value;
	} rows[] = {
		{ "skylake-sp", "num_cpus", 8 },          { "skylake-sp", "num_cpus_online", 8 },
		{ "skylake-sp", "num_cores", 8 },         { "skylake-sp", "num_dies", 2 },
		{ "skylake-sp", "num_packages", 2 },      { "skylake-sp", "smt_on", 0 },
		{ "skylake-sp", "core_wide", 1 },         { "skylake-sp", "target_cpu", 1 },
		{ "skylake-sp", "has_pmem", 1 },          { "skylake-sp", "slots", UNKNOWN },
		{ "raspberry-pi", "num_cores", 4 },       { "raspberry-pi", "num_dies", UNKNOWN },
		{ "raspberry-pi", "num_packages", 1 },    { "raspberry-pi", "has_pmem", 0 },
		{ "arm-coresight", "num_cpus", UNKNOWN }, { "arm-coresight", "num_cores", UNKNOWN },
		{ "arm-coresight", "smt_on", UNKNOWN },   { "arm-coresight", "core_wide", UNKNOWN },
		{ "arm-coresight", "has_pmem", UNKNOWN }, { "arm-biglittle", "slots", UNKNOWN },
		{ "arm-neoverse", "slots", 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsing f;
		uint64_t value;

		setup_machine(&f, rows[i].tree);
		bool supported = read_value(&f, rows[i].event, &value);
		if (supported != (rows[i].value != UNKNOWN) ||
		    (supported && value != (uint64_t)rows[i].value))
			fail_msg("%s: %s is %lld", rows[i].tree, rows[i].event,
				 supported ? (long long)value : -1LL);
		teardown_machine(&f);
	}
}

/* The PMU's event is meant, with and without terms, and the list has it once. */
static void a_pmu_has_slots_of_its_own(void **state)
{
	static const char *const texts[] = { "slots", "slots:u", "slots/name=x/" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct parsing f;

		setup_machine(&f, "intel-hybrid");
		assert_int_equal(parse(&f, texts[i]), 0);
		assert_int_equal(xp_evsel_tool(xp_evlist_at(f.evlist, 0)), XP_TOOL_NONE);
		assert_false(xp_evsel_is_snapshot(xp_evlist_at(f.evlist, 0)));
		teardown_machine(&f);
	}
}

static int count_slots(const struct xp_event_info *event, void *data)
{
	*(int *)data += event->kind == XP_EVENT_TOOL && !strcmp(event->name, "slots");
	return 0;
}

static void slots_are_listed_once(void **state)
{
	const struct xp_list_opts opts = { .size = sizeof(opts), .kinds = 1U << XP_EVENT_TOOL };
	struct parsing f;
	int nr = 0;

	(void)state;
	setup_machine(&f, "intel-hybrid");
	assert_int_equal(xp_events_list(f.ctx, &opts, count_slots, &nr, NULL), 0);
	assert_int_equal(nr, 0);
	teardown_machine(&f);
	setup_machine(&f, "vm");
	assert_int_equal(xp_events_list(f.ctx, &opts, count_slots, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	teardown_machine(&f);
}

static uint64_t reported_hz;

static uint64_t tsc_hz(const struct xp_arch *arch)
{
	(void)arch;
	return reported_hz;
}

static int no_event(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
		    int group_fd, unsigned long flags)
{
	(void)sys, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return -EACCES;
}

static struct xp_userpage page;

static int map_page(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		    void **ret_addr)
{
	(void)sys, (void)len, (void)prot, (void)offset;
	assert_in_range(fd, FIRST_FD, FIRST_FD + nr_opened);
	*ret_addr = &page;
	return 0;
}

static int unmap_page(const struct xp_sys *sys, void *addr, size_t len)
{
	(void)sys, (void)len;
	assert_ptr_equal(addr, &page);
	return 0;
}

/* Of the processor, else of the factor that the kernel gives programs; of nothing else. */
static void the_time_stamp_counter_has_a_source(void **state)
{
	static const struct {
		bool is_x86;
		uint64_t reported_hz;
		bool opens;
		uint64_t capabilities;
		uint16_t shift;
		uint32_t mult;
		uint64_t hz; /* 0: not supported */
	} rows[] = {
		{ true, 2400000000, false, 0, 0, 0, 2400000000 },
		{ true, 0, false, XP_PAGE_CAP_TIME, 31, 1 << 30, 0 },
		{ true, 0, true, XP_PAGE_CAP_TIME, 31, 1 << 30, 2000000000 },
		{ true, 0, true, XP_PAGE_CAP_TIME, 32, 1 << 31, 2000000000 },
		{ true, 0, true, 0, 31, 1 << 30, 0 },
		{ true, 0, true, XP_PAGE_CAP_TIME, 10, 1 << 9, 0 }, /* too coarse */
		{ false, 0, true, XP_PAGE_CAP_TIME, 31, 1 << 30, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_sys sys = *xp_sys_linux();
		struct xp_arch arch = *xp_arch_native();
		struct parsing f = { 0 };
		uint64_t value;

		sys.perf_event_open = rows[i].opens ? open_any : no_event;
		sys.close = close_any;
		sys.mmap = map_page;
		sys.munmap = unmap_page;
		arch.tsc_hz = rows[i].is_x86 ? tsc_hz : NULL;
		reported_hz = rows[i].reported_hz;
		page = (struct xp_userpage){ .capabilities = rows[i].capabilities,
					     .time_shift = rows[i].shift,
					     .time_mult = rows[i].mult };
		setup_tree_as(&f, &sys, &arch, "vm");
		assert_int_equal(read_value(&f, "system_tsc_freq", &value), rows[i].hz != 0);
		assert_int_equal(value, rows[i].hz);
		teardown_machine(&f);
	}
}

/* Four CPUs in two cores, the last of them offline. */
static void put_cores(const char *root)
{
	put_file(root, "0-2\n", CPU "/online");
	put_file(root, "0-3\n", CPU "/present");
	for (int cpu = 0; cpu < 3; cpu++)
		put_file(root, cpu < 2 ? "0-1\n" : "2\n",
			 CPU "/cpu%d/topology/thread_siblings_list", cpu);
}

static void assert_value(const char *root, const char *event, const char *cpus, uint64_t value)
{
	struct parsing f;

	setup_with(&f, NULL, root);
	assert_int_equal(parse(&f, event), 0);
	open_on(&f, cpus);
	const struct xp_evsel *evsel = xp_evlist_at(f.evlist, 0);
	assert_int_equal(xp_evsel_support(evsel), XP_SUPPORTED);
	assert_int_equal(evsel->tool_value, value);
	teardown(&f);
}

/* Without smt/active (before Linux 4.19) the lists of cores say it; with it, it does. */
static void cpus_that_are_offline_are_of_no_core(void **state)
{
	char root[] = "/tmp/xperf-tools-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(root));
	put_cores(root);
	assert_value(root, "num_cpus", NULL, 4);
	assert_value(root, "num_cpus_online", NULL, 3);
	assert_value(root, "num_cores", NULL, 2);
	assert_value(root, "smt_on", NULL, 1);
	assert_value(root, "core_wide", "0-2", 1);
	assert_value(root, "core_wide", "2", 1);
	assert_value(root, "core_wide", "1-2", 0);
	put_file(root, "0\n", CPU "/smt/active");
	assert_value(root, "smt_on", NULL, 0);
	char command[sizeof(root) + 16];
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_the_machine),
		cmocka_unit_test(a_pmu_has_slots_of_its_own),
		cmocka_unit_test(slots_are_listed_once),
		cmocka_unit_test(the_time_stamp_counter_has_a_source),
		cmocka_unit_test(cpus_that_are_offline_are_of_no_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
