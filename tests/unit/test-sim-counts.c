/* SPDX-License-Identifier: MIT */
/* The simulated kernel's counts against its truth: exact where every event has its counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <xperf/sys.h>

#include "sim.h"
#include "uapi.h"

enum { TIMES = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };

struct count {
	uint64_t value, enabled, running;
};

static struct sim *make(const char *text)
{
	struct sim *sim = sim_new(text, "test-sim-counts");

	assert_non_null(sim);
	return sim;
}

static void done(struct sim *sim)
{
	assert_int_equal(sim_leaks(sim, stderr), 0);
	sim_free(sim);
}

static struct sim *load(const char *name)
{
	const char *source = getenv("SOURCE_DIR");
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/sim/scenarios/%s", source ? source : ".", name);
	struct sim *sim = sim_load(path);
	assert_non_null(sim);
	return sim;
}

static struct xp_attr on_exec(uint32_t type, uint64_t config)
{
	return (struct xp_attr){ .type = type,
				 .config = config,
				 .size = XP_ATTR_SIZE_VER7,
				 .read_format = TIMES,
				 .disabled = 1,
				 .enable_on_exec = 1,
				 .inherit = 1 };
}

static int must_open(struct sim *sim, const struct xp_attr *attr, pid_t pid, int cpu, int group_fd)
{
	const struct xp_sys *sys = sim_sys(sim);
	int fd = sys->perf_event_open(sys, attr, pid, cpu, group_fd, 0);

	assert_true(fd >= 0);
	return fd;
}

static struct xp_child spawn(struct sim *sim, const char *name)
{
	const struct xp_sys *sys = sim_sys(sim);
	char *argv[] = { (char *)name, NULL };
	struct xp_child child;

	assert_int_equal(sys->spawn(sys, argv, &child), 0);
	return child;
}

static int run(struct sim *sim, struct xp_child *child)
{
	const struct xp_sys *sys = sim_sys(sim);
	int status = -1;

	assert_int_equal(sys->write(sys, child->go_fd, "", 1), 1);
	sys->close(sys, child->go_fd);
	sys->close(sys, child->exec_fd);
	assert_int_equal(sys->wait(sys, child->pid, 0, &status, NULL), child->pid);
	return status;
}

static struct count read_count(struct sim *sim, int fd)
{
	const struct xp_sys *sys = sim_sys(sim);
	struct count count = { 0 };

	assert_int_equal(sys->read(sys, fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(sys->close(sys, fd), 0);
	return count;
}

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} counted[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "branches", PERF_TYPE_RAW, 0xc4 },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "raw_syscalls:sys_enter", PERF_TYPE_TRACEPOINT, 401 },
};

enum { NR_COUNTED = sizeof(counted) / sizeof(counted[0]) };

static void equal_to_truth(const char *file, const char *program, int expected_status)
{
	struct sim *sim = load(file);
	struct xp_child child = spawn(sim, program);
	int fds[NR_COUNTED];

	for (int i = 0; i < NR_COUNTED; i++) {
		struct xp_attr attr = on_exec(counted[i].type, counted[i].config);

		fds[i] = must_open(sim, &attr, child.pid, -1, -1);
	}
	assert_int_equal(WEXITSTATUS(run(sim, &child)), expected_status);
	for (int i = 0; i < NR_COUNTED; i++) {
		struct count c = read_count(sim, fds[i]);
		uint64_t truth = sim_truth_below(sim, counted[i].name, child.pid, SIM_ANY_MODE);

		assert_int_equal(c.running, c.enabled);
		if (c.value != truth)
			fail_msg("%s: %s: %llu, not %llu", file, counted[i].name,
				 (unsigned long long)c.value, (unsigned long long)truth);
	}
	done(sim);
}

static void counts_are_true(void **state)
{
	(void)state;
	equal_to_truth("one-task.sim", "one", 0);
	equal_to_truth("phases.sim", "phases", 0);
	equal_to_truth("hundred-tasks.sim", "parent", 0);
}

/* What the scenario's text says, by hand. */
static void truth_is_what_the_scenario_says(void **state)
{
	struct sim *sim = load("hundred-tasks.sim");
	struct xp_child child = spawn(sim, "parent");

	(void)state;
	run(sim, &child);
	assert_int_equal(sim_truth(sim, "cycles", -1, -1, SIM_ANY_MODE), 2103 * 3000000ULL);
	assert_int_equal(sim_truth(sim, "page-faults", -1, -1, SIM_USER), 2103 * 5);
	assert_int_equal(sim_truth(sim, "page-faults", child.pid, -1, SIM_USER), 15);
	assert_int_equal(sim_truth_below(sim, "task-clock", child.pid, SIM_ANY_MODE),
			 2103 * 1000000ULL);
	assert_int_equal(sim_truth(sim, "raw_syscalls:sys_enter", -1, -1, SIM_KERNEL), 1100);
	assert_int_equal(sim_truth(sim, "sched:sched_process_fork", child.pid, -1, SIM_KERNEL),
			 100);
	assert_int_equal(sim_truth(sim, "cycles", -1, 3, SIM_ANY_MODE) % 3000000, 0);
	done(sim);
}

static void modes_are_distinguished(void **state)
{
	struct sim *sim = load("one-task.sim");
	struct xp_child child = spawn(sim, "one");
	struct xp_attr user = on_exec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), kernel = user;

	(void)state;
	user.exclude_kernel = 1;
	kernel.exclude_user = 1;
	int user_fd = must_open(sim, &user, child.pid, -1, -1);
	int kernel_fd = must_open(sim, &kernel, child.pid, -1, -1);
	run(sim, &child);
	assert_int_equal(read_count(sim, user_fd).value, 1000 * 3000000U);
	assert_int_equal(read_count(sim, kernel_fd).value, 1000 * 500000);
	done(sim);
}

/*
 * Opens @nr single events on a program; what scaling makes of each that ran at all differs from
 * the truth by at most so many parts per million. Returns how many ran.
 */
static int scaled(const char *file, const char *program, int nr, uint64_t tolerance_ppm)
{
	struct sim *sim = load(file);
	struct xp_child child = spawn(sim, program);
	struct xp_attr attr = on_exec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int fds[64], nr_ran = 0;

	for (int i = 0; i < nr; i++)
		fds[i] = must_open(sim, &attr, child.pid, -1, -1);
	run(sim, &child);
	double truth = (double)sim_truth_below(sim, "branches", child.pid, SIM_ANY_MODE);
	for (int i = 0; i < nr; i++) {
		struct count c = read_count(sim, fds[i]);

		assert_true(nr <= 4 ? c.running == c.enabled : c.running < c.enabled);
		if (!c.running)
			continue;
		double estimate = (double)c.value * (double)c.enabled / (double)c.running;
		double error = estimate > truth ? estimate - truth : truth - estimate;
		nr_ran++;
		if (error * 1e6 > truth * (double)tolerance_ppm)
			fail_msg("%s, event %d of %d: %f of %f", file, i, nr, estimate, truth);
	}
	done(sim);
	return nr_ran;
}

/* Rates that stay the same: exact but for rounding down. A line of 40 moves by one a turn, so short
 * tasks end before its tail has run. */
static void multiplexing_is_exact_at_constant_rates(void **state)
{
	static const int numbers[] = { 1, 4, 8, 40 };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_int_equal(scaled("one-task.sim", "one", numbers[i], 1), numbers[i]);
		int nr_ran = scaled("hundred-tasks.sim", "parent", numbers[i], 1);
		assert_true(numbers[i] == 40 ? nr_ran >= 8 : nr_ran == numbers[i]);
	}
}

/* Two events a turn: at each of the nine changes an estimate is off by a turn's worth at most. */
static void multiplexing_errs_by_turns_when_rates_change(void **state)
{
	(void)state;
	scaled("phases.sim", "phases", 8, 9 * 8 * 1000000 / 200);
}

static void turns_are_fair(void **state)
{
	struct sim *sim = load("one-task.sim");
	struct xp_child child = spawn(sim, "one");
	struct xp_attr attr = on_exec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES);
	uint64_t least = UINT64_MAX, most = 0;
	int fds[8];

	(void)state;
	for (int i = 0; i < 8; i++)
		fds[i] = must_open(sim, &attr, child.pid, -1, -1);
	run(sim, &child);
	for (int i = 0; i < 8; i++) {
		struct count c = read_count(sim, fds[i]);

		assert_int_equal(c.enabled, 1000000000);
		least = c.running < least ? c.running : least;
		most = c.running > most ? c.running : most;
	}
	assert_true(most - least <= 2 * 4000000);
	done(sim);
}

/* Two groups of three on four counters: each whole, never together. */
static void groups_are_scheduled_whole(void **state)
{
	struct sim *sim = load("one-task.sim");
	struct xp_child child = spawn(sim, "one");
	struct xp_attr attr = on_exec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct count c[6];
	int fds[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		fds[i] = must_open(sim, &attr, child.pid, -1, i % 3 ? fds[i - i % 3] : -1);
	run(sim, &child);
	for (int i = 0; i < 6; i++)
		c[i] = read_count(sim, fds[i]);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(c[i].running, c[i - i % 3].running);
		assert_int_equal(c[i].value, c[i].running / 1000000 * 1000000);
	}
	assert_int_equal(c[0].running + c[3].running, 1000000000);
	done(sim);
}

static void fixed_counters_take_their_kind_only(void **state)
{
	struct sim *sim =
		make("pmu general=2 fixed=cycles,instructions\n"
		     "program p\n run 40ms cycles=1000 instructions=1000 branches=1000\n");
	static const uint64_t configs[] = { 0, 1, 4, 4 };
	struct xp_child child = spawn(sim, "p");
	int fds[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct xp_attr attr = on_exec(PERF_TYPE_HARDWARE, configs[i]);

		fds[i] = must_open(sim, &attr, child.pid, -1, i ? fds[0] : -1);
	}
	struct xp_attr one_more = on_exec(PERF_TYPE_HARDWARE, 4);
	const struct xp_sys *sys = sim_sys(sim);
	assert_int_equal(sys->perf_event_open(sys, &one_more, child.pid, -1, fds[0], 0), -EINVAL);
	run(sim, &child);
	for (int i = 3; i >= 0; i--) {
		struct count c = read_count(sim, fds[i]);

		assert_int_equal(c.running, c.enabled);
		assert_int_equal(c.value, 40000);
	}
	done(sim);
}

/* The group fits when it is opened and never when it should run. */
static void the_watchdog_takes_a_counter(void **state)
{
	struct sim *sim = make("pmu general=4 watchdog=1\nprogram p\n run 40ms branches=1000\n");
	struct xp_attr attr = on_exec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct xp_child child = spawn(sim, "p");
	int fds[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		fds[i] = must_open(sim, &attr, child.pid, -1, i ? fds[0] : -1);
	run(sim, &child);
	for (int i = 3; i >= 0; i--) {
		struct count c = read_count(sim, fds[i]);

		assert_int_equal(c.enabled, 40000000);
		assert_int_equal(c.running, 0);
		assert_int_equal(c.value, 0);
	}
	done(sim);
}

static void exclusive_shares_with_nobody(void **state)
{
	struct sim *sim = make("pmu general=4\nprogram p\n run 80ms branches=1000\n");
	struct xp_attr attr = on_exec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct xp_child child = spawn(sim, "p");

	(void)state;
	int other = must_open(sim, &attr, child.pid, -1, -1);
	attr.exclusive = 1;
	int alone = must_open(sim, &attr, child.pid, -1, -1);
	run(sim, &child);
	struct count a = read_count(sim, alone), b = read_count(sim, other);
	assert_true(a.running > 0 && b.running > 0);
	assert_int_equal(a.running + b.running, 80000000);
	done(sim);
}

/* Everything that runs on a CPU, whoever it is; enabled all the time. */
static void cpu_events_count_every_task(void **state)
{
	struct sim *sim = load("eight-cpus.sim");
	struct xp_attr attr = { .type = PERF_TYPE_HARDWARE,
				.size = XP_ATTR_SIZE_VER7,
				.config = PERF_COUNT_HW_INSTRUCTIONS,
				.read_format = TIMES };
	const struct xp_sys *sys = sim_sys(sim);
	int fds[8];

	(void)state;
	for (int cpu = 0; cpu < 8; cpu++)
		fds[cpu] = must_open(sim, &attr, -1, cpu, -1);
	sim_advance(sim, 100000000);
	for (int cpu = 0; cpu < 8; cpu++)
		assert_int_equal(sys->ioctl(sys, fds[cpu], PERF_EVENT_IOC_DISABLE, 0), 0);
	uint64_t sum = 0;
	for (int cpu = 0; cpu < 8; cpu++) {
		struct count c = read_count(sim, fds[cpu]);

		assert_int_equal(c.enabled, 100000000 + 8 * 300);
		assert_int_equal(c.running, c.enabled);
		sum += c.value;
	}
	/* CPU 0: 4000 per us all the time; CPU 6: 3 of 5 ms at 1000 per us. */
	assert_true(sum >= 100 * 4000000 + 60 * 1000000);
	assert_true(sum <= 100 * 4000000 + 60 * 1000000 + 10 * 5000);
	assert_int_equal(sim_killed_by(sim), 0);
	done(sim);
}

/* Four threads on one CPU take turns; each is counted for its own turns only. */
static void threads_share_a_cpu(void **state)
{
	struct sim *sim = load("eight-cpus.sim");
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE,
				.size = XP_ATTR_SIZE_VER7,
				.config = PERF_COUNT_SW_TASK_CLOCK,
				.read_format = TIMES };
	int fds[4];
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		fds[i] = must_open(sim, &attr, 2000 + i, -1, -1);
	uint64_t before = sim_sys(sim)->now(sim_sys(sim));
	sim_advance(sim, 160000000);
	uint64_t after = sim_sys(sim)->now(sim_sys(sim));
	for (int i = 0; i < 4; i++)
		sum += read_count(sim, fds[i]).value;
	assert_true(sum >= after - before && sum <= after - before + 8 * 300);
	done(sim);
}

static void switches_and_migrations_are_the_schedulers(void **state)
{
	struct sim *sim = make("machine cpus=2\nprogram p\n run 1ms cpu=0\n run 1ms cpu=1\n"
			       " sleep 1ms\n repeat 4\n");
	struct xp_attr attr = on_exec(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct xp_child child = spawn(sim, "p");

	(void)state;
	int switches = must_open(sim, &attr, child.pid, -1, -1);
	attr.config = PERF_COUNT_SW_CPU_MIGRATIONS;
	int migrations = must_open(sim, &attr, child.pid, -1, -1);
	run(sim, &child);
	/* Each round leaves CPU 0 once and CPU 1 to sleep; all but the first begin by moving back.
	 */
	assert_int_equal(read_count(sim, switches).value, 5 * 2 + 4);
	assert_int_equal(read_count(sim, migrations).value, 5 + 4);
	done(sim);
}

static void usage_is_split_by_mode(void **state)
{
	struct sim *sim = load("hundred-tasks.sim");
	const struct xp_sys *sys = sim_sys(sim);
	struct xp_child child = spawn(sim, "parent");
	struct rusage usage;
	int status;

	(void)state;
	sys->write(sys, child.go_fd, "", 1);
	sys->close(sys, child.go_fd);
	sys->close(sys, child.exec_fd);
	assert_int_equal(sys->wait(sys, -1, 0, &status, &usage), child.pid);
	assert_int_equal(usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec, 200000);
	assert_int_equal(usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec, 1903000);
	done(sim);
}

/* A read counts children that live, too. */
static void living_children_are_in_the_sum(void **state)
{
	struct sim *sim = load("hundred-tasks.sim");
	const struct xp_sys *sys = sim_sys(sim);
	struct xp_child child = spawn(sim, "parent");
	struct xp_attr attr = on_exec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	int fd = must_open(sim, &attr, child.pid, -1, -1);
	struct count count;
	int status;

	(void)state;
	sys->write(sys, child.go_fd, "", 1);
	sys->close(sys, child.go_fd);
	sys->close(sys, child.exec_fd);
	sim_advance(sim, 30000000);
	assert_int_equal(sys->read(sys, fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count.value, sim_truth_below(sim, "cycles", child.pid, SIM_ANY_MODE));
	assert_true(sim_stats(sim)->ipis > 0);
	sys->wait(sys, child.pid, 0, &status, NULL);
	sys->close(sys, fd);
	done(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_true),
		cmocka_unit_test(truth_is_what_the_scenario_says),
		cmocka_unit_test(modes_are_distinguished),
		cmocka_unit_test(multiplexing_is_exact_at_constant_rates),
		cmocka_unit_test(multiplexing_errs_by_turns_when_rates_change),
		cmocka_unit_test(turns_are_fair),
		cmocka_unit_test(groups_are_scheduled_whole),
		cmocka_unit_test(fixed_counters_take_their_kind_only),
		cmocka_unit_test(the_watchdog_takes_a_counter),
		cmocka_unit_test(exclusive_shares_with_nobody),
		cmocka_unit_test(cpu_events_count_every_task),
		cmocka_unit_test(threads_share_a_cpu),
		cmocka_unit_test(switches_and_migrations_are_the_schedulers),
		cmocka_unit_test(usage_is_split_by_mode),
		cmocka_unit_test(living_children_are_in_the_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
