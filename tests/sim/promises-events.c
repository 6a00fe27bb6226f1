/* SPDX-License-Identifier: MIT */
/*
 * Promises of perf_event_open(2): errors, groups, times, inheritance, reading, switching.
 *
 * Each names its source; those that need hardware counters are skipped where there are none.
 */
#include "promises-events.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <xperf/sys.h>

#include "uapi.h"

#define SYS (promise_env.sys)

enum { TIMES = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };

struct xp_attr promise_software(uint64_t config)
{
	return (struct xp_attr){ .type = PERF_TYPE_SOFTWARE,
				 .size = XP_ATTR_SIZE_VER7,
				 .config = config,
				 .read_format = TIMES };
}

static struct xp_attr hardware(uint64_t config)
{
	struct xp_attr attr = promise_software(config);

	attr.type = PERF_TYPE_HARDWARE;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static int try_open(const struct xp_attr *attr, pid_t pid, int group_fd)
{
	return SYS->perf_event_open(SYS, attr, pid, -1, group_fd, 0);
}

static int must_open(const struct xp_attr *attr, pid_t pid, int group_fd)
{
	int fd = try_open(attr, pid, group_fd);

	assert_true(fd >= 0);
	return fd;
}

static void read_words(int fd, uint64_t *words, size_t nr)
{
	assert_int_equal(SYS->read(SYS, fd, words, nr * sizeof(*words)), nr * sizeof(*words));
}

static void close_all(const int *fds, int nr)
{
	for (int i = 0; i < nr; i++)
		assert_int_equal(SYS->close(SYS, fds[i]), 0);
}

static bool lacks_pmu(void)
{
	if (!promise_env.has_pmu)
		print_message("skipped: there are no hardware counters here\n");
	return !promise_env.has_pmu;
}

/* perf_event_open(2), ERRORS */
void promise_opening_is_refused(void **state)
{
	static const struct {
		const char *what;
		struct xp_attr attr;
		pid_t pid;
		int cpu, group_fd;
		unsigned long flags;
		int err;
	} rows[] = {
		{ "no such task", { .type = 1, .config = 9 }, 0x3fffffff, -1, -1, 0, -ESRCH },
		{ "neither task nor CPU", { .type = 1, .config = 9 }, -1, -1, -1, 0, -EINVAL },
		{ "no such CPU", { .type = 1, .config = 9 }, -1, 40000, -1, 0, -EINVAL },
		{ "unknown flag", { .type = 1, .config = 9 }, 0, -1, -1, 1 << 10, -EINVAL },
		{ "no event as leader", { .type = 1, .config = 9 }, 0, -1, 0, 0, -EBADF },
		{ "nothing as leader", { .type = 1, .config = 9 }, 0, -1, 5000, 0, -EBADF },
		{ "no such PMU", { .type = 0x7ffffff, .config = 9 }, 0, -1, -1, 0, -ENOENT },
		{ "no such event", { .type = 1, .config = 999 }, 0, -1, -1, 0, -ENOENT },
		{ "no such tracepoint", { .type = 2, .config = 65000 }, 0, -1, -1, 0, -EINVAL },
		{ "unknown format",
		  { .type = 1, .config = 9, .read_format = 1 << 20 },
		  0,
		  -1,
		  -1,
		  0,
		  -EINVAL },
		{ "unknown bit",
		  { .type = 1, .config = 9, .reserved_1 = 1 << 23 },
		  0,
		  -1,
		  -1,
		  0,
		  -EINVAL },
		{ "tiny", { .type = 1, .config = 9, .size = 32 }, 0, -1, -1, 0, -E2BIG },
		{ "cgroup without CPU",
		  { .type = 1, .config = 9 },
		  0,
		  -1,
		  -1,
		  PERF_FLAG_PID_CGROUP,
		  -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_attr attr = rows[i].attr;

		if (!attr.size)
			attr.size = XP_ATTR_SIZE_VER7;
		int err = SYS->perf_event_open(SYS, &attr, rows[i].pid, rows[i].cpu,
					       rows[i].group_fd, rows[i].flags);
		if (err != rows[i].err)
			fail_msg("%s: %d", rows[i].what, err);
	}
}

/* perf_event_open(2), E2BIG: what a kernel does not know must be zero; it reports its own size. */
void promise_size_is_reported(void **state)
{
	union {
		struct xp_attr attr;
		char bytes[1024];
	} big = { .attr = promise_software(PERF_COUNT_SW_DUMMY) };

	(void)state;
	big.attr.size = sizeof(big);
	int fd = must_open(&big.attr, 0, -1);
	SYS->close(SYS, fd);
	big.bytes[1000] = 1;
	assert_int_equal(try_open(&big.attr, 0, -1), -E2BIG);
	assert_true(big.attr.size >= XP_ATTR_SIZE_VER0 && big.attr.size < 1000);
}

/* perf_event_open(2), "group_fd", "pinned", "exclusive" */
void promise_group_membership(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_DUMMY);
	struct xp_child child = promise_spawn(promise_env.work);
	int leader = must_open(&attr, child.pid, -1);
	int member = must_open(&attr, child.pid, leader);
	struct xp_attr pinned = attr, exclusive = attr, inherited = attr;

	(void)state;
	pinned.pinned = 1;
	exclusive.exclusive = 1;
	inherited.inherit = 1;
	assert_int_equal(try_open(&attr, child.pid, member), -EINVAL);
	assert_int_equal(try_open(&attr, promise_env.self, leader), -EINVAL);
	assert_int_equal(SYS->perf_event_open(SYS, &attr, child.pid, 0, leader, 0), -EINVAL);
	assert_int_equal(try_open(&pinned, child.pid, leader), -EINVAL);
	assert_int_equal(try_open(&exclusive, child.pid, leader), -EINVAL);
	assert_int_equal(try_open(&inherited, child.pid, leader), -EINVAL);
	close_all((int[]){ member, leader }, 2);
	promise_run_to_end(&child);
}

/* perf_event_open(2), "enable_on_exec"; "disabled" */
void promise_enable_on_exec(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK), off;
	struct xp_child child = promise_spawn(promise_env.work);
	uint64_t v[3];

	(void)state;
	attr.disabled = 1;
	off = attr;
	attr.enable_on_exec = 1;
	int fd = must_open(&attr, child.pid, -1), never = must_open(&off, child.pid, -1);
	read_words(fd, v, 3);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 0);
	promise_run_to_end(&child);
	read_words(fd, v, 3);
	assert_true(v[0] > 0);
	assert_true(v[1] > 0);
	assert_int_equal(v[1], v[2]); /* software events always have what they need */
	read_words(never, v, 3);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 0);
	close_all((int[]){ fd, never }, 2);
}

/* perf_event_open(2), "inherit": counts and times of children are the parent event's. */
void promise_inherit(void **state)
{
	struct xp_attr own = promise_software(PERF_COUNT_SW_TASK_CLOCK), all = own;
	struct xp_child child = promise_spawn(promise_env.family);
	uint64_t a[3], b[3];

	(void)state;
	all.inherit = 1;
	int own_fd = must_open(&own, child.pid, -1), all_fd = must_open(&all, child.pid, -1);
	promise_run_to_end(&child);
	read_words(own_fd, a, 3);
	read_words(all_fd, b, 3);
	assert_true(b[0] > a[0]);
	assert_true(b[1] > a[1]);
	assert_int_equal(b[1], b[2]);
	close_all((int[]){ own_fd, all_fd }, 2);
}

/* Behaviour of kernel/events/core.c: an event of a task that runs on another CPU than the event
 * asks for is enabled, and does not run. */
void promise_other_cpu(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	uint64_t v[3];

	(void)state;
	if (promise_env.nr_cpus < 2) {
		print_message("skipped: there is one CPU only\n");
		skip();
	}
	assert_int_equal(SYS->run_on(SYS, 0), 0); /* the child inherits it */
	struct xp_child child = promise_spawn(promise_env.work);
	assert_int_equal(SYS->run_on(SYS, -1), 0);
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	int fd = SYS->perf_event_open(SYS, &attr, child.pid, 1, -1, 0);
	assert_true(fd >= 0);
	promise_run_to_end(&child);
	read_words(fd, v, 3);
	assert_int_equal(v[0], 0);
	assert_true(v[1] > 0);
	assert_int_equal(v[2], 0);
	SYS->close(SYS, fd);
}

/* perf_event_open(2), "Reading results": a group by any of its members, leader first. */
void promise_group_layout(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	uint64_t by_leader[9], by_member[9], id;
	int fds[3];

	(void)state;
	attr.read_format = TIMES | PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	for (int i = 0; i < 3; i++) {
		fds[i] = must_open(&attr, child.pid, i ? fds[0] : -1);
		attr.config = PERF_COUNT_SW_DUMMY;
	}
	promise_run_to_end(&child);
	read_words(fds[0], by_leader, 9);
	read_words(fds[2], by_member, 9);
	assert_memory_equal(by_leader, by_member, sizeof(by_leader));
	assert_int_equal(by_leader[0], 3);
	assert_true(by_leader[1] > 0);
	assert_int_equal(by_leader[1], by_leader[2]);
	assert_true(by_leader[3] > 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(
			SYS->ioctl(SYS, fds[i], PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&id),
			0);
		assert_int_equal(by_leader[4 + 2 * i], id);
	}
	close_all(fds, 3);
}

/* The same, "If PERF_FORMAT_GROUP was not specified"; PERF_FORMAT_LOST comes last, Linux 6.0. */
void promise_single_layout(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	uint64_t v[5], id;

	(void)state;
	attr.read_format = TIMES | PERF_FORMAT_ID | XP_FORMAT_LOST;
	int fd = try_open(&attr, child.pid, -1);
	promise_run_to_end(&child);
	if (fd == -EINVAL) {
		print_message("skipped: this kernel does not report lost samples\n");
		skip();
	}
	assert_true(fd >= 0);
	read_words(fd, v, 5);
	SYS->ioctl(SYS, fd, PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&id);
	assert_true(v[0] > 0 && v[1] > 0);
	assert_int_equal(v[1], v[2]);
	assert_int_equal(v[3], id);
	assert_int_equal(v[4], 0);
	SYS->close(SYS, fd);
}

/* perf_event_open(2), "disabled": members count only while the leader is enabled. */
void promise_member_under_disabled_leader(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	uint64_t v[3];

	(void)state;
	attr.disabled = 1;
	int leader = must_open(&attr, child.pid, -1);
	attr.disabled = 0;
	int member = must_open(&attr, child.pid, leader);
	promise_run_to_end(&child);
	read_words(member, v, 3);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 0);
	assert_int_equal(v[2], 0);
	close_all((int[]){ member, leader }, 2);
}

void promise_disabled_member(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	uint64_t v[3];

	(void)state;
	int leader = must_open(&attr, child.pid, -1);
	attr.disabled = 1;
	int member = must_open(&attr, child.pid, leader);
	promise_run_to_end(&child);
	read_words(member, v, 3);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 0);
	read_words(leader, v, 3);
	assert_true(v[0] > 0);
	close_all((int[]){ member, leader }, 2);
}

/* perf_event_open(2), "Reading results": ENOSPC */
void promise_short_buffer(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_DUMMY);
	uint64_t v[16];

	(void)state;
	int single = must_open(&attr, 0, -1);
	assert_int_equal(SYS->read(SYS, single, v, 16), -ENOSPC);
	assert_int_equal(SYS->read(SYS, single, v, sizeof(v)), 24);
	attr.read_format |= PERF_FORMAT_GROUP;
	int leader = must_open(&attr, 0, -1);
	assert_int_equal(SYS->read(SYS, leader, v, 32), 32);
	int member = must_open(&attr, 0, leader);
	assert_int_equal(SYS->read(SYS, leader, v, 32), -ENOSPC);
	assert_int_equal(SYS->read(SYS, leader, v, sizeof(v)), 40);
	close_all((int[]){ member, leader, single }, 3);
}

/* perf_event_open(2), "perf_event ioctl calls" */
void promise_switches(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	uint64_t on[3], off[3], end[3];

	(void)state;
	attr.disabled = 1;
	int leader = must_open(&attr, child.pid, -1);
	int member = must_open(&attr, child.pid, leader);
	int stopped = must_open(&attr, child.pid, -1);
	assert_int_equal(SYS->ioctl(SYS, leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	assert_int_equal(SYS->ioctl(SYS, stopped, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(SYS->ioctl(SYS, stopped, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(SYS->ioctl(SYS, stopped, 0x1234, 0), -ENOTTY);
	/* The child may have run a little before it came to wait. */
	read_words(stopped, off, 3);
	promise_run_to_end(&child);
	read_words(member, on, 3);
	read_words(stopped, end, 3);
	assert_true(on[0] > 0 && on[1] > 0);
	assert_memory_equal(end, off, sizeof(off));
	close_all((int[]){ stopped, member, leader }, 3);
}

/* perf_event_open(2), PERF_EVENT_IOC_RESET: the count, not the times. */
void promise_reset_keeps_times(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	int fd = must_open(&attr, child.pid, -1);
	uint64_t before[3], after[3];

	(void)state;
	promise_run_to_end(&child);
	read_words(fd, before, 3);
	assert_int_equal(SYS->ioctl(SYS, fd, PERF_EVENT_IOC_RESET, 0), 0);
	read_words(fd, after, 3);
	assert_true(before[0] > 0);
	assert_int_equal(after[0], 0);
	assert_int_equal(after[1], before[1]);
	assert_int_equal(after[2], before[2]);
	SYS->close(SYS, fd);
}

/* Behaviour of kernel/events/core.c: members outlive their leader as events of their own. */
void promise_closed_leader(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	uint64_t v[5];

	(void)state;
	attr.read_format |= PERF_FORMAT_GROUP;
	int leader = must_open(&attr, child.pid, -1);
	int member = must_open(&attr, child.pid, leader);
	SYS->close(SYS, leader);
	promise_run_to_end(&child);
	/* Some kernels, 5.10 and 6.12 among them, want and fill the room of the whole group. */
	ssize_t n = SYS->read(SYS, member, v, sizeof(v));
	assert_true(n == 4 * sizeof(v[0]) || n == sizeof(v));
	assert_int_equal(v[0], 1);
	assert_true(v[3] > 0);
	SYS->close(SYS, member);
}

/* perf_event_open(2), "Overflow handling": without a ring there is nothing to wait for. */
void promise_event_polls_hup(void **state)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_DUMMY);
	int fd = must_open(&attr, 0, -1);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)state;
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 1);
	assert_int_equal(p.revents, POLLHUP);
	SYS->close(SYS, fd);
}

/* Measured on virtual machines without a PMU: ENOENT, whatever the hardware event. */
void promise_no_pmu(void **state)
{
	struct xp_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);

	(void)state;
	/* Some have a few events only, and branches are not among them. */
	int fd = try_open(&attr, 0, -1);
	if (fd >= 0)
		close_all(&fd, 1);
	if (promise_env.has_pmu || fd >= 0) {
		print_message("skipped: there are hardware counters here\n");
		skip();
	}
	assert_int_equal(try_open(&attr, 0, -1), -ENOENT);
	attr.type = PERF_TYPE_RAW;
	attr.config = 0x1a8;
	assert_int_equal(try_open(&attr, 0, -1), -ENOENT);
}

/* perf_event_open(2), EINVAL: "not enough room to add the selected event" to its group. */
void promise_too_large_group(void **state)
{
	struct xp_attr attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int fds[64], nr = 0, err = 0;

	(void)state;
	if (lacks_pmu())
		skip();
	while (nr < 64 && !err) {
		int fd = try_open(&attr, 0, nr ? fds[0] : -1);

		if (fd < 0)
			err = fd;
		else
			fds[nr++] = fd;
	}
	assert_int_equal(err, -EINVAL);
	if (promise_env.nr_counters)
		assert_int_equal(nr, promise_env.nr_counters);
	close_all(fds, nr);
}

/* perf_event_open(2), "pinned": in error when it cannot be counted all the time; reads then give
 * end of file, until it is enabled again. */
void promise_pinned_error_reads_end_of_file(void **state)
{
	struct xp_attr attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct xp_child child;
	int fds[65], nr = 0, ends = 0, in_error = -1;
	uint64_t v[3];

	(void)state;
	if (lacks_pmu())
		skip();
	child = promise_spawn(promise_env.hold);
	attr.pinned = 1;
	while (nr < 65)
		fds[nr++] = must_open(&attr, child.pid, -1);
	assert_int_equal(promise_start(&child), 0);
	for (int i = 0; i < nr; i++) {
		if (SYS->read(SYS, fds[i], v, sizeof(v)))
			continue;
		ends++;
		in_error = fds[i];
	}
	assert_true(ends > 0 && ends < nr);
	assert_int_equal(SYS->ioctl(SYS, in_error, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(SYS->read(SYS, in_error, v, sizeof(v)), sizeof(v));
	SYS->kill(SYS, child.pid, SIGKILL);
	promise_wait(child.pid);
	close_all(fds, nr);
}

/* perf_event_open(2), PERF_FORMAT_TOTAL_TIME_RUNNING */
void promise_multiplexing_shows_in_times(void **state)
{
	struct xp_attr attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct xp_child child;
	int fds[65], nr = 0;
	uint64_t v[3], enabled = 0, running = 0;

	(void)state;
	if (lacks_pmu())
		skip();
	child = promise_spawn(promise_env.work);
	while (nr < 65)
		fds[nr++] = must_open(&attr, child.pid, -1);
	promise_run_to_end(&child);
	for (int i = 0; i < nr; i++) {
		read_words(fds[i], v, 3);
		assert_true(v[2] <= v[1]);
		enabled += v[1];
		running += v[2];
	}
	assert_true(running > 0 && running < enabled);
	close_all(fds, nr);
}

/* ftrace's own events take other filters, or none. */
static bool accepts_filter(int fd)
{
	static const char filter[] = "common_pid != 0";

	return !SYS->ioctl(SYS, fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter);
}

/* The first tracepoint that may be opened and takes filters, -1: none; their numbers differ from
 * kernel to kernel. */
static int open_any_tracepoint(void)
{
	enum { LAST = 3000 };
	struct xp_attr attr = { .type = PERF_TYPE_TRACEPOINT,
				.size = XP_ATTR_SIZE_VER7,
				.disabled = 1 };

	for (attr.config = 1; attr.config < LAST; attr.config++) {
		int fd = try_open(&attr, 0, -1);

		if (fd < 0)
			continue;
		bool found = accepts_filter(fd);
		close_all(&fd, 1);
		if (found)
			return try_open(&attr, 0, -1);
	}
	return -1;
}

/* perf_event_open(2), PERF_EVENT_IOC_SET_FILTER; that it is taken once: measured, Linux 6.18 */
void promise_filter_is_accepted_once(void **state)
{
	static const char filter[] = "common_pid != 0", none[] = "";
	struct xp_attr attr = promise_software(PERF_COUNT_SW_DUMMY);
	int software = must_open(&attr, 0, -1), tracepoint = open_any_tracepoint();

	(void)state;
	assert_int_equal(
		SYS->ioctl(SYS, software, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter),
		-EINVAL);
	close_all(&software, 1);
	if (tracepoint < 0) {
		print_message("skipped: tracepoints cannot be opened here\n");
		skip();
	}
	assert_int_equal(
		SYS->ioctl(SYS, tracepoint, PERF_EVENT_IOC_SET_FILTER, (unsigned long)none),
		-EINVAL);
	assert_int_equal(
		SYS->ioctl(SYS, tracepoint, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter), 0);
	assert_int_equal(
		SYS->ioctl(SYS, tracepoint, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter),
		-EEXIST);
	close_all(&tracepoint, 1);
}
