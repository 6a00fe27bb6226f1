/* SPDX-License-Identifier: MIT */
/*
 * The real kernel keeps the promises the simulated one is made of, as far as this machine can
 * show them: hardware counters are needed by some.
 *
 * The commands it runs are this program itself, with a word that says which.
 */
#include "promises.h"

#include <errno.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "uapi.h"

static uint64_t cpu_time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int member(void)
{
	size_t len = 64 * 4096;
	char *pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	memset(pages, 1, len);
	return 0;
}

/* Measured in CPU time, so that a busy machine does not matter; with more faults than a page has
 * room for, however few the program itself takes. */
static int work(void)
{
	if (member())
		return 1;
	while (cpu_time_ns() < 30000000)
		;
	return 3;
}

static int family(void)
{
	int status, bad = 0;

	for (int i = 0; i < 2; i++)
		if (!fork())
			_exit(member());
	while (wait(&status) > 0)
		bad |= status;
	return bad ? 1 : 0;
}

static int hold(void)
{
	alarm(100);
	pause();
	return 1;
}

static const struct {
	const char *word;
	int (*run)(void);
} commands[] = { { "--work", work }, { "--family", family }, { "--hold", hold } };

static bool may_open(struct xp_attr attr)
{
	const struct xp_sys *sys = xp_sys_linux();
	int fd = sys->perf_event_open(sys, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		sys->close(sys, fd);
	return fd >= 0;
}

static bool is_older_than(int major, int minor)
{
	int is_major = 0, is_minor = 0;
	struct utsname host;

	if (uname(&host) || sscanf(host.release, "%d.%d", &is_major, &is_minor) != 2)
		return false;
	return is_major < major || (is_major == major && is_minor < minor);
}

/* --- cgroups: two below the first hierarchy that can be counted --- */

static char busy[4200], empty[4200];
static pid_t busy_pid = -1;

static bool find_cgroups(char *path, size_t room)
{
	FILE *mounts = setmntent("/proc/mounts", "r");
	const struct mntent *mount;
	bool found = false;

	while (mounts && !found && (mount = getmntent(mounts))) {
		found = !strcmp(mount->mnt_type, "cgroup2") ||
			(!strcmp(mount->mnt_type, "cgroup") && hasmntopt(mount, "perf_event"));
		snprintf(path, room, "%s", mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

static bool enter(const char *cgroup)
{
	char path[4300];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	FILE *procs = fopen(path, "w");
	if (!procs)
		return false;
	fprintf(procs, "%d", (int)getpid());
	return !fclose(procs);
}

static void stay_busy(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!enter(busy))
		_exit(1);
	for (;;) {
		uint64_t until = cpu_time_ns() + 50000;

		while (cpu_time_ns() < until)
			;
		usleep(1000);
	}
}

/* It counts by cgroup: version 2 does only once a controller was switched on somewhere in it. */
static bool may_open_cgroup(const char *path)
{
	const struct xp_sys *sys = xp_sys_linux();
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE,
				.size = XP_ATTR_SIZE_VER7,
				.config = PERF_COUNT_SW_DUMMY };
	int dir = sys->open(sys, path);
	int fd = dir < 0 ? dir : sys->perf_event_open(sys, &attr, dir, 0, -1, PERF_FLAG_PID_CGROUP);

	if (fd >= 0)
		sys->close(sys, fd);
	if (dir >= 0)
		sys->close(sys, dir);
	return fd >= 0;
}

static void make_cgroups(void)
{
	char mounted[4096];

	if (!find_cgroups(mounted, sizeof(mounted)))
		return;
	snprintf(busy, sizeof(busy), "%s/xperf-promise-busy-%d", mounted, (int)getpid());
	snprintf(empty, sizeof(empty), "%s/xperf-promise-empty-%d", mounted, (int)getpid());
	if (mkdir(busy, 0755) || mkdir(empty, 0755) || !may_open_cgroup(empty))
		return;
	busy_pid = fork();
	if (!busy_pid)
		stay_busy();
	promise_env.busy_cgroup = busy;
	promise_env.empty_cgroup = empty;
}

static void remove_cgroups(void)
{
	if (busy_pid > 0) {
		kill(busy_pid, SIGKILL);
		waitpid(busy_pid, NULL, 0);
	}
	/* Its last task leaves it a moment after it was waited for. */
	for (int try = 0; busy[0] && try < 100 && rmdir(busy) && errno == EBUSY; try++)
		usleep(10000);
	if (empty[0])
		rmdir(empty);
}

int main(int argc, char **argv)
{
	static char exe[] = "/proc/self/exe", missing[] = "/nonexistent/command";
	static char words[3][16] = { "--work", "--family", "--hold" };

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].word))
			return commands[i].run();
	if (!may_open((struct xp_attr){ .type = PERF_TYPE_SOFTWARE,
					.size = XP_ATTR_SIZE_VER7,
					.config = PERF_COUNT_SW_DUMMY })) {
		printf("skipped: perf_event_open() is forbidden or missing here\n");
		return 77;
	}
	promise_env = (struct promise_env){
		.sys = xp_sys_linux(),
		.self = getpid(),
		.nr_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN),
		.has_pmu = may_open((struct xp_attr){ .type = PERF_TYPE_HARDWARE,
						      .size = XP_ATTR_SIZE_VER7,
						      .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
						      .exclude_kernel = 1,
						      .exclude_hv = 1 }),
		.forgets_children = is_older_than(6, 18),
		.work = (char *[]){ exe, words[0], NULL },
		.family = (char *[]){ exe, words[1], NULL },
		.hold = (char *[]){ exe, words[2], NULL },
		.missing = (char *[]){ missing, NULL },
	};
	(void)argv;
	make_cgroups();
	int failed = promises_run("promises, real");
	remove_cgroups();
	return failed;
}
