/* SPDX-License-Identifier: MIT */
/* Promises of perf_event_open(2) about cgroups: PERF_FLAG_PID_CGROUP. */
#include "promises-events.h"

#include <errno.h>
#include <xperf/sys.h>

#include "uapi.h"

#define SYS (promise_env.sys)

enum { VALUE, ENABLED, RUNNING, WORDS };
enum { MAX_CPUS = 1024 };

static bool lacks_cgroups(void)
{
	if (!promise_env.busy_cgroup)
		print_message("skipped: there are no cgroups that could be made or counted here\n");
	return !promise_env.busy_cgroup;
}

static int open_dir(const char *path)
{
	int dir = SYS->open(SYS, path);

	assert_true(dir >= 0);
	return dir;
}

static int open_event(int dir, int cpu, int group_fd)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);

	return SYS->perf_event_open(SYS, &attr, dir, cpu, group_fd, PERF_FLAG_PID_CGROUP);
}

static void read_words(int fd, uint64_t *words)
{
	assert_int_equal(SYS->read(SYS, fd, words, WORDS * sizeof(*words)), WORDS * sizeof(*words));
}

/* It counts, and its times run, while a task of the cgroup is on the CPU. */
void promise_cgroup_counts_its_tasks(void **state)
{
	int nr_cpus = promise_env.nr_cpus < MAX_CPUS ? promise_env.nr_cpus : MAX_CPUS;
	int busy[MAX_CPUS], empty[MAX_CPUS];
	uint64_t sum = 0, words[WORDS];

	(void)state;
	if (lacks_cgroups())
		return;
	int busy_dir = open_dir(promise_env.busy_cgroup);
	int empty_dir = open_dir(promise_env.empty_cgroup);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		busy[cpu] = open_event(busy_dir, cpu, -1);
		empty[cpu] = open_event(empty_dir, cpu, -1);
		assert_true(busy[cpu] >= 0 && empty[cpu] >= 0);
	}
	/* The directory is needed to open only. */
	SYS->close(SYS, busy_dir);
	SYS->close(SYS, empty_dir);
	for (int try = 0; try < 3000 && !sum; try++) {
		SYS->poll(SYS, NULL, 0, 5000000);
		for (int cpu = 0; cpu < nr_cpus; cpu++) {
			read_words(busy[cpu], words);
			assert_int_equal(words[ENABLED], words[RUNNING]);
			sum += words[VALUE];
		}
	}
	assert_true(sum > 0);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		read_words(empty[cpu], words);
		assert_int_equal(words[VALUE], 0);
		assert_int_equal(words[ENABLED], 0);
		assert_int_equal(words[RUNNING], 0);
		SYS->close(SYS, busy[cpu]);
		SYS->close(SYS, empty[cpu]);
	}
}

/* Directories of other file systems, and members of a group whose leader is in another cgroup. */
void promise_cgroup_is_refused(void **state)
{
	(void)state;
	if (lacks_cgroups())
		return;
	int busy_dir = open_dir(promise_env.busy_cgroup);
	int empty_dir = open_dir(promise_env.empty_cgroup);
	int other_dir = open_dir("/");
	int leader = open_event(busy_dir, 0, -1);

	assert_true(leader >= 0);
	assert_int_equal(open_event(other_dir, 0, -1), -EBADF);
	assert_int_equal(open_event(leader, 0, -1), -EBADF);
	assert_int_equal(open_event(-1, 0, -1), -EINVAL);
	assert_int_equal(open_event(busy_dir, -1, -1), -EINVAL);
	assert_int_equal(open_event(empty_dir, 0, leader), -EINVAL);
	int member = open_event(busy_dir, 0, leader);
	assert_true(member >= 0);
	SYS->close(SYS, member);
	SYS->close(SYS, leader);
	SYS->close(SYS, busy_dir);
	SYS->close(SYS, empty_dir);
	SYS->close(SYS, other_dir);
}
