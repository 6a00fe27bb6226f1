/* SPDX-License-Identifier: MIT */
/* Names, parents and maps of processes that are there already are those that perf shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "names.h"

enum { NR_CHILDREN = 3 };

static pid_t children[NR_CHILDREN];

static bool is_child(int pid)
{
	for (int i = 0; i < NR_CHILDREN; i++)
		if (children[i] == pid)
			return true;
	return false;
}

/* Maps of @nr pages of a file, which is deleted then, or is memory. */
static void be_child(int nr, int ready_fd)
{
	char name[] = "/tmp/xperf-live-synth-XXXXXX", comm[16];
	int fd = nr & 1 ? mkstemp(name) : memfd_create("xperf-live", 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(comm, sizeof(comm), "synth %d (x)", nr);
	prctl(PR_SET_NAME, comm);
	if (ftruncate(fd, 4096 * nr) || (nr & 1 && unlink(name)))
		_exit(1);
	for (int i = 0; i < nr; i++)
		mmap(NULL, 4096, PROT_READ | PROT_EXEC | (i & 1 ? PROT_WRITE : 0), MAP_PRIVATE, fd,
		     4096 * i);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (write(ready_fd, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static int start_children(void **state)
{
	int ready[2];
	char byte;

	(void)state;
	if (pipe(ready))
		return -1;
	for (int i = 0; i < NR_CHILDREN; i++) {
		children[i] = fork();
		if (!children[i])
			be_child(20 + i, ready[1]);
	}
	for (int i = 0; i < NR_CHILDREN; i++)
		if (read(ready[0], &byte, 1) != 1)
			return -1;
	return close(ready[0]) | close(ready[1]);
}

static int end_children(void **state)
{
	(void)state;
	for (int i = 0; i < NR_CHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return 0;
}

/* One fact on a line: "map PID ADDRESS LEN OFFSET INODE NAME", "comm PID NAME". */
static void XP_PRINTF(2, 3) note(struct xp_names *facts, const char *fmt, ...)
{
	char text[4400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_int_equal(xp_names_add(facts, text), 0);
}

static int keep_record(const struct xp_record *record, void *data)
{
	const struct xp_record_mmap2 *mmap2 = (const void *)record;
	const struct xp_record_comm *comm = (const void *)record;
	const struct xp_record_task *task = (const void *)record;

	if (record->type == XP_RECORD_MMAP2 && is_child((int)mmap2->pid))
		note(data, "map %u %llx %llx %llx %llu %s", mmap2->pid,
		     (unsigned long long)mmap2->address, (unsigned long long)mmap2->len,
		     (unsigned long long)mmap2->offset, (unsigned long long)mmap2->inode,
		     (const char *)(mmap2 + 1));
	else if (record->type == XP_RECORD_COMM && is_child((int)comm->pid))
		note(data, "comm %u %s", comm->pid, (const char *)(comm + 1));
	else if (record->type == XP_RECORD_FORK && is_child((int)task->pid))
		note(data, "fork %u %u %u %u", task->pid, task->tid, task->parent_pid,
		     task->parent_tid);
	return 0;
}

static void ours(struct xp_names *facts)
{
	struct xp_synth_opts opts = { .size = sizeof(opts), .id_bytes = 8 };
	struct xp_ctx *ctx;

	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_synth_system(ctx, &opts, keep_record, facts), 0);
	xp_ctx_free(ctx);
}

/* A line of `perf script`. perf's own name for anonymous memory, and its page of the kernel that
 * no map of the kernel's contains, are not ours. */
static void parse_line(const char *line, struct xp_names *facts)
{
	unsigned long long address, len, offset, inode, ignored;
	unsigned int pid, tid, ppid, ptid, major, minor;
	char name[4096];
	const char *at;

	if ((at = strstr(line, "PERF_RECORD_MMAP2 ")) &&
	    sscanf(at,
		   "PERF_RECORD_MMAP2 %u/%u: [0x%llx(0x%llx) @ %llx %x:%x %llu %llu]: %*s %4095[^\n]",
		   &pid, &tid, &address, &len, &offset, &major, &minor, &inode, &ignored,
		   name) == 10 &&
	    is_child((int)pid) && strcmp(name, "[vsyscall]"))
		note(facts, "map %u %llx %llx %llx %llu %s", pid, address, len, offset, inode,
		     name);
	else if ((at = strstr(line, "PERF_RECORD_COMM: ")) && (at = strstr(line, "synth ")) &&
		 strrchr(at, ':') && sscanf(strrchr(at, ':'), ":%u/%u", &pid, &tid) == 2 &&
		 is_child((int)pid))
		note(facts, "comm %u %.*s", pid, (int)strlen("synth 20 (x)"),
		     strstr(line, "COMM: ") + strlen("COMM: "));
	else if ((at = strstr(line, "PERF_RECORD_FORK(")) &&
		 sscanf(at, "PERF_RECORD_FORK(%u:%u):(%u:%u)", &pid, &tid, &ppid, &ptid) == 4 &&
		 is_child((int)pid))
		note(facts, "fork %u %u %u %u", pid, tid, ppid, ptid);
}

/* Returns false: there is no perf, or it may not record here. */
static bool theirs(struct xp_names *facts)
{
	char line[8192];
	FILE *perf =
		popen("f=$(mktemp) && perf record -q -a -e dummy -o \"$f\" true >/dev/null 2>&1 && "
		      "perf script -i \"$f\" --show-mmap-events --show-task-events 2>/dev/null; "
		      "rm -f \"$f\" \"$f.old\"",
		      "r");

	assert_non_null(perf);
	while (fgets(line, sizeof(line), perf))
		parse_line(line, facts);
	pclose(perf);
	return facts->nr;
}

static void perf_prints_the_same(void **state)
{
	struct xp_names us = { 0 }, them = { 0 };

	(void)state;
	if (!theirs(&them)) {
		print_message("skipped: perf cannot record the system here\n");
		skip();
	}
	ours(&us);
	xp_names_sort(&us);
	xp_names_sort(&them);
	for (int i = 0; i < us.nr && i < them.nr; i++)
		assert_string_equal(us.at[i], them.at[i]);
	assert_int_equal(us.nr, them.nr);
	assert_true(us.nr > NR_CHILDREN * 20);
	xp_names_fini(&us);
	xp_names_fini(&them);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_prints_the_same),
	};

	return cmocka_run_group_tests(tests, start_children, end_children);
}
