/* SPDX-License-Identifier: MIT */
/* The simulated kernel keeps the promises that the real one is checked for in tests/live. */
#include "promises.h"

#include "sim.h"

static const char scenario[] = "machine cpus=4\n"
			       "pmu general=4\n"
			       "program work\n"
			       "	run 30ms cpu=0 branches=1000 page-faults=2\n"
			       "	exit 3\n"
			       "program family\n"
			       "	run 1ms\n"
			       "	fork member 2\n"
			       "	wait\n"
			       "program member\n"
			       "	run 3ms page-faults=10\n"
			       "program hold\n"
			       "	sleep 100s\n"
			       "program busy\n"
			       "	run 100us cpu=1\n"
			       "	sleep 1ms\n"
			       "	repeat 1000000\n"
			       "cgroup some/empty\n"
			       "task 2000 busy cgroup=some/busy\n";

static struct sim *sim;
static char busy[256], empty[256];

static void begin_with(const char *text)
{
	sim = sim_new(text, "test-sim-promises");
	assert_non_null(sim);
	promise_env.sys = sim_sys(sim);
	promise_env.self = sim_self(sim);
	snprintf(busy, sizeof(busy), "%s/sys/fs/cgroup/some/busy", sim_root(sim));
	snprintf(empty, sizeof(empty), "%s/sys/fs/cgroup/some/empty", sim_root(sim));
	promise_env.busy_cgroup = busy;
	promise_env.empty_cgroup = empty;
}

static void begin(void)
{
	begin_with(scenario);
}

static void begin_without_pmu(void)
{
	char text[sizeof(scenario) + 16];

	snprintf(text, sizeof(text), "pmu none\n%s", scenario);
	begin_with(text);
}

static void end(void)
{
	assert_int_equal(sim_leaks(sim, stderr), 0);
	sim_free(sim);
	sim = NULL;
}

int main(void)
{
	char work[] = "work", family[] = "/usr/bin/family", hold[] = "hold", missing[] = "missing";
	int failed;

	promise_env = (struct promise_env){ .nr_cpus = 4,
					    .has_pmu = true,
					    .nr_counters = 4,
					    .work = (char *[]){ work, NULL },
					    .family = (char *[]){ family, NULL },
					    .hold = (char *[]){ hold, NULL },
					    .missing = (char *[]){ missing, NULL },
					    .begin = begin,
					    .end = end };
	failed = promises_run("promises, simulated");
	promise_env.has_pmu = false;
	promise_env.begin = begin_without_pmu;
	failed += promises_run("promises, simulated, no PMU");
	return failed;
}
