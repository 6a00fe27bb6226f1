/* SPDX-License-Identifier: MIT */
/* What this machine can do, by trying it, without xperf: `machine WHAT` exits with 0, or prints the
 * reason and exits with 1. For tests/machine.sh.
 *
 * Source: perf_event_open(2), bpf(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *failure(const char *what)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s: %s", what, strerror(errno));
	return text;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *root(void)
{
	return geteuid() ? "not root" : NULL;
}

static const char *events(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.exclude_kernel = 1 };
	int fd = open_event(&attr, 0, -1);

	return fd < 0 ? failure("perf_event_open") : (close(fd), NULL);
}

static const char *system_wide(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };
	int fd = open_event(&attr, -1, 0);

	return fd < 0 ? failure("perf_event_open of a CPU") : (close(fd), NULL);
}

static volatile int watched;

/* In some virtual machines a breakpoint opens and never fires. */
static const char *breakpoint(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uintptr_t)&watched,
					.bp_len = sizeof(watched),
					.exclude_kernel = 1 };
	int fd = open_event(&attr, 0, -1);
	uint64_t count = 0;

	if (fd < 0)
		return failure("perf_event_open of a breakpoint");
	for (int i = 0; i < 10; i++)
		watched = i;
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count = 0;
	close(fd);
	return count == 10 ? NULL : "breakpoints open, but do not fire";
}

static const char *tracefs(void)
{
	static const char *const paths[] = {
		"/sys/kernel/tracing/events/sched/sched_switch/id",
		"/sys/kernel/debug/tracing/events/sched/sched_switch/id"
	};

	for (int i = 0; i < 2; i++)
		if (!access(paths[i], R_OK))
			return NULL;
	return failure(paths[0]);
}

static const char *bpf(void)
{
	/* r0 = 0; exit */
	struct bpf_insn code[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
				   { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_PERF_EVENT,
				.insn_cnt = 2,
				.insns = (uintptr_t)code,
				.license = (uintptr_t) "MIT" };
	int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	return fd < 0 ? failure("bpf(BPF_PROG_LOAD)") : (close(fd), NULL);
}

static const char *caches(void)
{
	static const char path[] = "/sys/devices/system/cpu/cpu0/cache/index0/size";

	return access(path, R_OK) ? failure(path) : NULL;
}

static const char *cpus2(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) < 2 ? "one CPU" : NULL;
}

static const struct row {
	const char *name;
	const char *(*why_not)(void);
} rows[] = {
	{ "root", root },
	{ "events", events },
	{ "system-wide", system_wide },
	{ "breakpoint", breakpoint },
	{ "tracefs", tracefs },
	{ "bpf", bpf },
	{ "caches", caches },
	{ "cpus2", cpus2 },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(argv[1], rows[i].name) != 0)
			continue;
		const char *why = rows[i].why_not();
		if (why)
			puts(why);
		return why != NULL;
	}
	fprintf(stderr, "machine: there is nothing to try that is called so\n");
	return 2;
}
