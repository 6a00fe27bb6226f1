/* SPDX-License-Identifier: MIT */
/*
 * The floor under `record COMMAND`: one event per CPU, their rings, poll, and the bytes of the
 * rings written to a file behind the shortest header.
 *
 * Usage: record-floor FILE PAGES TYPE CONFIG freq|period N SAMPLE_TYPE STACK_BYTES COMMAND...
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CPUS_MAX = 256, PAGE = 4096, X86_USER_REGS = 0xff0fff };

struct section {
	uint64_t offset, size;
};

struct header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, unused;
	uint64_t features[4];
};

static volatile sig_atomic_t ended;

static void on_child(int sig)
{
	(void)sig;
	ended = 1;
}

static pid_t start(char **argv, int go[2])
{
	char byte;

	if (pipe2(go, O_CLOEXEC))
		exit(1);
	pid_t pid = fork();
	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &byte, 1) < 0)
		_exit(126);
	execvp(argv[0], argv);
	_exit(127);
}

static struct perf_event_attr attr_of(char **argv, size_t ring_bytes)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (uint32_t)strtoul(argv[3], NULL, 0),
		.config = strtoull(argv[4], NULL, 0),
		.freq = !strcmp(argv[5], "freq"),
		.sample_period = strtoull(argv[6], NULL, 0),
		.sample_type = strtoull(argv[7], NULL, 0),
		.sample_stack_user = (uint32_t)strtoul(argv[8], NULL, 0),
		.inherit = 1,
		.disabled = 1,
		.enable_on_exec = 1,
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)ring_bytes / 2,
	};

	if (attr.sample_stack_user) {
		attr.sample_regs_user = X86_USER_REGS;
		attr.exclude_callchain_user = 1;
	}
	return attr;
}

static size_t drain(struct perf_event_mmap_page *page, size_t bytes, int out)
{
	char *data = (char *)page + PAGE;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	size_t len = head - tail, at = tail % bytes;
	size_t first = len < bytes - at ? len : bytes - at;
	struct iovec pieces[2] = { { data + at, first }, { data, len - first } };

	if (len && writev(out, pieces, 2) < 0)
		exit(1);
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return len;
}

int main(int argc, char **argv)
{
	struct pollfd fds[CPUS_MAX];
	struct perf_event_mmap_page *rings[CPUS_MAX];
	int nr = (int)sysconf(_SC_NPROCESSORS_ONLN), go[2], status;

	if (argc < 10 || nr > CPUS_MAX)
		return 2;
	size_t bytes = strtoul(argv[2], NULL, 0) * PAGE;
	struct perf_event_attr attr = attr_of(argv, bytes);
	signal(SIGCHLD, on_child);
	pid_t pid = start(argv + 9, go);
	for (int cpu = 0; cpu < nr; cpu++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
				      PERF_FLAG_FD_CLOEXEC);

		fds[cpu] = (struct pollfd){ .fd = fd, .events = POLLIN };
		rings[cpu] = mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (rings[cpu] == MAP_FAILED)
			return 1;
	}

	struct {
		struct header header;
		struct perf_event_attr attr;
		struct section ids;
	} head = { { 0x32454c4946524550,
		     sizeof(struct header),
		     sizeof(attr) + 16,
		     { 0 },
		     { 0 },
		     { 0 },
		     { 0 } },
		   attr,
		   { 0 } };
	head.header.attrs = (struct section){ sizeof(struct header), sizeof(attr) + 16 };
	head.header.data.offset = sizeof(head);
	int out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (write(out, &head, sizeof(head)) < 0)
		return 1;
	close(go[1]);

	for (int last = 0; !last;) {
		size_t got = 0;

		last = ended;
		for (int cpu = 0; cpu < nr; cpu++)
			got += drain(rings[cpu], bytes, out);
		head.header.data.size += got;
		if (!got && !last)
			poll(fds, (nfds_t)nr, 100);
	}
	if (pwrite(out, &head.header, sizeof(head.header), 0) < 0)
		return 1;
	waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
