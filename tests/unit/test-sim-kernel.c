/* SPDX-License-Identifier: MIT */
/* The simulated kernel as a machine: who may open what, older kernels, files, faults, leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/sys.h>

#include "place.h"
#include "sim.h"
#include "uapi.h"

static struct sim *make(const char *text)
{
	struct sim *sim = sim_new(text, "test-sim-kernel");

	assert_non_null(sim);
	return sim;
}

static void done(struct sim *sim)
{
	assert_int_equal(sim_leaks(sim, stderr), 0);
	sim_free(sim);
}

/* Opens and closes. Returns 0 or the errno. */
static int try(struct sim *sim, struct xp_attr attr, pid_t pid, int cpu)
{
	const struct xp_sys *sys = sim_sys(sim);
	int fd = sys->perf_event_open(sys, &attr, pid, cpu, -1, 0);

	if (fd < 0)
		return fd;
	sys->close(sys, fd);
	return 0;
}

/* perf_event_open(2), /proc/sys/kernel/perf_event_paranoid */
static void paranoid_levels(void **state)
{
	static const struct {
		const char *user;
		int user_only, with_kernel, cpu_wide, others, raw_tracepoint;
	} rows[] = {
		{ "user uid=1000 paranoid=2", 0, -EACCES, -EACCES, -EACCES, -EACCES },
		{ "user uid=1000 paranoid=1", 0, 0, -EACCES, -EACCES, -EPERM },
		{ "user uid=1000 paranoid=0", 0, 0, 0, -EACCES, -EPERM },
		{ "user uid=1000 paranoid=-1", 0, 0, 0, -EACCES, 0 },
		{ "user uid=1000 paranoid=2 perfmon=1", 0, 0, 0, 0, 0 },
		{ "user uid=0 paranoid=2", 0, 0, 0, 0, 0 },
	};
	struct xp_attr user = { .type = PERF_TYPE_HARDWARE,
				.size = XP_ATTR_SIZE_VER7,
				.exclude_kernel = 1 };
	struct xp_attr kernel = user, raw = { .type = PERF_TYPE_TRACEPOINT,
					      .config = 301,
					      .size = XP_ATTR_SIZE_VER7,
					      .sample_type = PERF_SAMPLE_RAW };

	(void)state;
	kernel.exclude_kernel = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "%s\nprogram p\n run forever\ntask 50 p uid=1\ntask 60 p uid=1000\n",
			 rows[i].user);
		struct sim *sim = make(text);
		if (try(sim, user, 0, -1) != rows[i].user_only ||
		    try(sim, user, 60, -1) != rows[i].user_only ||
		    try(sim, kernel, 0, -1) != rows[i].with_kernel ||
		    try(sim, kernel, -1, 0) != rows[i].cpu_wide ||
		    try(sim, user, 50, -1) != rows[i].others ||
		    try(sim, raw, 0, -1) != rows[i].raw_tracepoint)
			fail_msg("row %zu, '%s'", i, rows[i].user);
		done(sim);
	}
}

static void hardware_that_is_not_there(void **state)
{
	static const struct {
		const char *machine;
		struct xp_attr attr;
		int err;
	} rows[] = {
		{ "pmu none", { .type = PERF_TYPE_HARDWARE }, -ENOENT },
		{ "pmu none", { .type = PERF_TYPE_RAW, .config = 0x1a8 }, -ENOENT },
		{ "pmu none", { .type = PERF_TYPE_HW_CACHE }, -ENOENT },
		{ "pmu none", { .type = PERF_TYPE_SOFTWARE }, 0 },
		{ "pmu general=4", { .type = PERF_TYPE_HARDWARE }, 0 },
		{ "pmu general=4", { .type = PERF_TYPE_HARDWARE, .config = 4ULL << 32 }, 0 },
		{ "pmu general=4", { .type = PERF_TYPE_HARDWARE, .config = 7 }, -ENOENT },
		{ "pmu has=stalled-cycles-frontend",
		  { .type = PERF_TYPE_HARDWARE, .config = 7 },
		  0 },
		{ "pmu lacks=cycles", { .type = PERF_TYPE_HARDWARE }, -ENOENT },
		{ "pmu general=4", { .type = PERF_TYPE_HW_CACHE, .config = 0x10000 }, 0 },
		{ "pmu general=4", { .type = PERF_TYPE_HW_CACHE, .config = 0x101 }, -ENOENT },
		{ "pmu general=4", { .type = PERF_TYPE_RAW, .config = 0x1a8 }, 0 },
		{ "pmu precise=1",
		  { .type = PERF_TYPE_HARDWARE, .precise_ip = 2, .sample_period = 1 },
		  -EOPNOTSUPP },
		{ "pmu precise=3", { .type = PERF_TYPE_HARDWARE, .precise_ip = 2 }, -EINVAL },
		{ "machine cpus=4 offline=1", { .type = PERF_TYPE_SOFTWARE }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sim *sim = make(rows[i].machine);
		struct xp_attr attr = rows[i].attr;

		attr.size = XP_ATTR_SIZE_VER7;
		int err = try(sim, attr, 0, -1);
		if (err != rows[i].err)
			fail_msg("row %zu, '%s': %d", i, rows[i].machine, err);
		done(sim);
	}
}

static void older_kernels(void **state)
{
	struct sim *sim = make("machine cpus=4 offline=1\n"
			       "kernel attr_size=112 lacks=lost,exclude_guest,pidfd\n");
	const struct xp_sys *sys = sim_sys(sim);
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = XP_ATTR_SIZE_VER7 };

	(void)state;
	assert_int_equal(try(sim, attr, 0, -1), 0);
	assert_int_equal(try(sim, attr, -1, 1), -ENODEV);
	attr.sig_data = 1;
	assert_int_equal(try(sim, attr, 0, -1), -E2BIG);
	attr.sig_data = 0;
	attr.exclude_guest = 1;
	assert_int_equal(try(sim, attr, 0, -1), -EINVAL);
	attr.exclude_guest = 0;
	attr.read_format = XP_FORMAT_LOST;
	assert_int_equal(try(sim, attr, 0, -1), -EINVAL);
	assert_int_equal(sys->pidfd_open(sys, sim_self(sim), 0), -ENOSYS);
	done(sim);
}

/* What the library reads of a machine is what the scenario says. */
static void files_describe_the_machine(void **state)
{
	struct sim *sim = make("machine cpus=8 sockets=2 smt=2 nodes=2 offline=3\n"
			       "program p\n run forever\ntask 70 p threads=3\n");
	struct xp_ctx_opts opts = sim_ctx_opts(sim);
	struct xp_threads *threads;
	struct xp_place place;
	struct xp_cpus *cpus;
	struct xp_ctx *ctx;

	(void)state;
	assert_int_equal(xp_ctx_new(&opts, &ctx), 0);
	assert_int_equal(xp_cpus_online(ctx, &cpus, NULL), 0);
	assert_int_equal(xp_cpus_nr(cpus), 7);
	assert_int_equal(xp_cpus_find(cpus, (struct xp_cpu){ 3 }), -1);
	assert_int_equal(xp_place_of(ctx, (struct xp_cpu){ 6 }, &place), 0);
	assert_int_equal(place.socket, 1);
	assert_int_equal(place.core, 1);
	assert_int_equal(place.node, 1);
	assert_int_equal(xp_threads_of_processes(ctx, "70", &threads, NULL), 0);
	assert_int_equal(xp_threads_nr(threads), 3);
	assert_string_equal(xp_threads_comm(threads, 2), "p");
	xp_threads_unref(threads);
	assert_int_equal(xp_threads_parse(ctx, "72", &threads, NULL), 0);
	xp_threads_unref(threads);
	assert_int_equal(xp_threads_of_system(ctx, &threads, NULL), 0);
	assert_int_equal(xp_threads_nr(threads), 4); /* the three, and the program itself */
	xp_threads_unref(threads);
	xp_cpus_unref(cpus);
	xp_ctx_free(ctx);
	done(sim);
}

static void the_tree_is_removed(void **state)
{
	struct sim *sim = make("machine cpus=2");
	char *root = strdup(sim_root(sim));

	(void)state;
	assert_int_equal(access(root, F_OK), 0);
	sim_free(sim);
	assert_int_equal(access(root, F_OK), -1);
	free(root);
}

static void calls_fail_by_number_and_by_name(void **state)
{
	struct sim *sim = make("fail perf_event_open 2 EMFILE\n");
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = XP_ATTR_SIZE_VER7 };

	(void)state;
	assert_int_equal(try(sim, attr, 0, -1), 0); /* calls 1 and 2 */
	assert_int_equal(try(sim, attr, 0, -1), -EMFILE);
	assert_int_equal(try(sim, attr, 0, -1), 0); /* 4 and 5 */
	sim_fail_call(sim, 6, EINTR);
	sim_fail_named(sim, "close", 3, EIO);
	assert_int_equal(try(sim, attr, 0, -1), -EINTR);
	assert_int_equal(try(sim, attr, 0, -1), 0); /* the close fails, and has closed */
	assert_int_equal(sim_stats(sim)->calls, 8);
	done(sim);
}

static void what_is_left_behind_is_named(void **state)
{
	struct sim *sim = make("program p\n run 1ms\n");
	const struct xp_sys *sys = sim_sys(sim);
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE,
				.size = XP_ATTR_SIZE_VER7,
				.config = PERF_COUNT_SW_PAGE_FAULTS };
	char *argv[] = { (char *)"p", NULL }, *text = NULL;
	struct xp_child child;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_true(sys->perf_event_open(sys, &attr, 0, -1, -1, 0) >= 1000000);
	assert_int_equal(sys->spawn(sys, argv, &child), 0);
	sys->close(sys, child.go_fd);
	sys->close(sys, child.exec_fd);
	sys->close(sys, child.exec_fd);
	assert_int_equal(sim_leaks(sim, out), 3);
	fclose(out);
	assert_non_null(strstr(text, "(page-faults)"));
	assert_non_null(strstr(text, "closed without being open"));
	assert_non_null(strstr(text, "child not waited for"));
	free(text);
	sim_free(sim);
}

/* Signals come when the scenario says, and wake who polls for them. */
static void signals_arrive_on_time(void **state)
{
	static const int signals[] = { SIGINT };
	struct sim *sim = make("time call=0ns\nat 20ms signal INT\nat 30ms signal TERM\n");
	const struct xp_sys *sys = sim_sys(sim);
	int fd = sys->signal_fd(sys, signals, 1);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct signalfd_siginfo info;

	(void)state;
	assert_int_equal(sys->poll(sys, &p, 1, 5000000), 0);
	assert_int_equal(sys->now(sys), 5000000);
	assert_int_equal(sys->poll(sys, &p, 1, -1), 1);
	assert_int_equal(sys->now(sys), 20000000);
	assert_int_equal(sys->read(sys, fd, &info, sizeof(info)), sizeof(info));
	sim_advance(sim, 10000000);
	assert_int_equal(sim_killed_by(sim), SIGTERM);
	sys->close(sys, fd);
	done(sim);
}

static void waiting_for_ever_is_noticed(void **state)
{
	struct sim *sim = make("program p\n run forever\ntask 50 p\n");
	const struct xp_sys *sys = sim_sys(sim);

	(void)state;
	assert_int_equal(sys->poll(sys, NULL, 0, -1), -EDEADLK);
	done(sim);
}

static const char machine_with_devices[] =
	"machine cpus=4 sockets=2\n"
	"pmu fixed=cycles\n"
	"device msr type=11 format=event:0-63 aperf=event=0x01 smi=event=0x04\n"
	"device iio_0 type=12 cpus=0,2 format=event:0-7,umask:8-15,mask:36-43 read=event=0x83,umask=4,mask=15\n"
	"device iio_1 type=13 cpus=0,2 format=event:0-7 read=event=0x83\n"
	"sysfs /sys/devices/cpu/freeze 0\n"
	"program p\n run 10ms cpu=2 msr/aperf/=1000 iio_0/read/=500\n";

/* arch/x86/events/msr.c, arch/x86/events/intel/uncore.c: what they refuse is EINVAL */
static void pmus_of_other_drivers(void **state)
{
	enum { MSR = 11, IIO_0, IIO_1, ONE_CPU = 2, ANY = -1, TASK = 0, NO_TASK = -1 };
	const uint64_t read = 0x83 | 4 << 8 | UINT64_C(15) << 36;
	const struct {
		struct xp_attr attr;
		int pid, cpu, err;
	} rows[] = {
		{ { .type = MSR, .config = 1 }, TASK, ANY, 0 },
		{ { .type = MSR, .config = 1 }, NO_TASK, 1, 0 },
		{ { .type = MSR, .config = 2 }, TASK, ANY, -EINVAL },
		{ { .type = MSR, .config = 1, .exclude_kernel = 1 }, TASK, ANY, -EINVAL },
		{ { .type = MSR, .config = 1, .sample_period = 1 }, TASK, ANY, -EINVAL },
		{ { .type = IIO_0, .config = read }, NO_TASK, ONE_CPU, 0 },
		{ { .type = IIO_0, .config = 1 }, NO_TASK, ONE_CPU, 0 },
		{ { .type = IIO_0, .config = read }, NO_TASK, 1, -EINVAL },
		{ { .type = IIO_0, .config = read }, TASK, ANY, -EINVAL },
		{ { .type = IIO_0, .config = read }, TASK, ONE_CPU, -EINVAL },
		{ { .type = IIO_0, .config = read, .sample_period = 1 }, NO_TASK, 0, -EINVAL },
		{ { .type = 14, .config = 1 }, TASK, ANY, -ENOENT },
	};
	struct sim *sim = make(machine_with_devices);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (try(sim, rows[i].attr, rows[i].pid, rows[i].cpu) != rows[i].err)
			fail_msg("row %zu", i);
	done(sim);
}

/* The second event of a group of two on CPU 2. Returns 0 or the errno. */
static int try_group(struct sim *sim, struct xp_attr first, struct xp_attr second)
{
	const struct xp_sys *sys = sim_sys(sim);
	int leader = sys->perf_event_open(sys, &first, -1, 2, -1, 0);
	int member = sys->perf_event_open(sys, &second, -1, 2, leader, 0);

	assert_true(leader >= 0);
	if (member >= 0)
		sys->close(sys, member);
	sys->close(sys, leader);
	return member < 0 ? member : 0;
}

/* perf_event_open(2), EINVAL: of hardware, a group has one PMU; msr's events are as software's. */
static void groups_have_one_pmu(void **state)
{
	const struct xp_attr cycles = { .type = 0, .config = 0 },
			     aperf = { .type = 11, .config = 1 },
			     other = { .type = 13, .config = 0x83 },
			     read = { .type = 12, .config = 0x83 | 4 << 8 | UINT64_C(15) << 36 };
	struct sim *sim = make(machine_with_devices);

	(void)state;
	assert_int_equal(try_group(sim, cycles, aperf), 0);
	assert_int_equal(try_group(sim, aperf, cycles), 0);
	assert_int_equal(try_group(sim, read, read), 0);
	assert_int_equal(try_group(sim, read, aperf), 0);
	assert_int_equal(try_group(sim, read, other), -EINVAL);
	assert_int_equal(try_group(sim, read, cycles), -EINVAL);
	assert_int_equal(try_group(sim, cycles, read), -EINVAL);
	done(sim);
}

static int write_freeze(struct sim *sim)
{
	const struct xp_sys *sys = sim_sys(sim);
	char digit = '1';
	struct iovec piece = { .iov_base = &digit, .iov_len = 1 };
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/devices/cpu/freeze", sim_root(sim));
	int fd = sys->create(sys, path, 0);
	if (fd < 0)
		return fd;
	int n = (int)sys->pwritev(sys, fd, &piece, 1, -1);
	sys->close(sys, fd);
	return n;
}

static void files_of_the_machine_are_roots(void **state)
{
	struct sim *root = make(machine_with_devices), *user;
	char text[sizeof(machine_with_devices) + 32];

	(void)state;
	snprintf(text, sizeof(text), "%suser uid=1000\n", machine_with_devices);
	user = make(text);
	assert_int_equal(write_freeze(root), 1);
	assert_int_equal(write_freeze(user), -EACCES);
	done(root);
	done(user);
}

static void mistakes_in_scenarios_are_reported(void **state)
{
	static const char *const texts[] = {
		"nonsense",
		"machine cpus=0",
		"machine cpus=x",
		"pmu fixed=nonsense",
		"kernel lacks=nonsense",
		"time call=5",
		"program p\n run\n",
		"program p\n run 5ms cpu=1\n",
		"program p\n run 5ms nonsense=1\n",
		"program p\n fork nobody\n",
		"program p\n raise NONSENSE\n",
		"task 50 nobody",
		"at 5ms explode now",
		"at 5ms signal NONSENSE",
		"fail read 1 ENONSENSE",
		"device",
		"device msr type=4 format=event:0-7",
		"device msr type=11 format=event",
		"device msr type=11 format=event:0-7 aperf=nonsense=1",
		"device msr type=11 format=event:0-7 aperf=event=256",
		"sysfs relative 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (sim_new(texts[i], "expected"))
			fail_msg("'%s' is accepted", texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paranoid_levels),
		cmocka_unit_test(hardware_that_is_not_there),
		cmocka_unit_test(older_kernels),
		cmocka_unit_test(files_describe_the_machine),
		cmocka_unit_test(the_tree_is_removed),
		cmocka_unit_test(calls_fail_by_number_and_by_name),
		cmocka_unit_test(what_is_left_behind_is_named),
		cmocka_unit_test(signals_arrive_on_time),
		cmocka_unit_test(waiting_for_ever_is_noticed),
		cmocka_unit_test(pmus_of_other_drivers),
		cmocka_unit_test(groups_have_one_pmu),
		cmocka_unit_test(files_of_the_machine_are_roots),
		cmocka_unit_test(mistakes_in_scenarios_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
