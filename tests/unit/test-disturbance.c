/* SPDX-License-Identifier: MIT */
/* What changes the speed of programs from outside, on machines that are directories. */
#include <unistd.h>

#include "stat-fixture.h"

static struct xp_disturbance read_it(struct fixture *f)
{
	struct xp_disturbance d = { .size = sizeof(d) };

	assert_int_equal(xp_disturbance_read(f->ctx, &d), 0);
	return d;
}

static void nothing_is_known(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	struct xp_disturbance d = read_it(&f);
	assert_true(d.steal_ns == UINT64_MAX && d.nr_throttled == UINT64_MAX);
	assert_true(d.turbo == -1 && !d.governor[0]);
	fixture_fini(&f);
}

static void all_is_known(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	put_file(f.root, "cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n", "/proc/stat");
	put_file(f.root, "0-1\n", "/sys/devices/system/cpu/online");
	for (int cpu = 0; cpu < 2; cpu++) {
		put_file(f.root, "3\n",
			 "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", cpu);
		put_file(f.root, "performance\n",
			 "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
	}
	put_file(f.root, "1\n", "/sys/devices/system/cpu/intel_pstate/no_turbo");
	struct xp_disturbance d = read_it(&f);
	assert_int_equal(d.steal_ns, 250 * (1000000000 / sysconf(_SC_CLK_TCK)));
	assert_int_equal(d.nr_throttled, 6);
	assert_int_equal(d.turbo, 0);
	assert_string_equal(d.governor, "performance");
	put_file(f.root, "powersave\n", "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor");
	d = read_it(&f);
	assert_string_equal(d.governor, "different ones");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known),
		cmocka_unit_test(all_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
