/* SPDX-License-Identifier: MIT */
/*
 * Work for what counts by BPF: threads, processes, programs that are executed, moves between CPUs;
 * about 20,000 page faults. With "wait" it begins when its input ends. "threads" has three threads
 * from the beginning, with 1,000, 2,000 and 3,000 page faults when its input ends; "enters FILE
 * FILE" writes its process id to the one, has 5,000 page faults, and 1,000 after the other. "alive
 * ID..." prints those BPF programs of the numbers that are still in the kernel, "shared PID PID"
 * how many events two processes both have, "can-share" whether this one may take events of others.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/kcmp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, THREADS = 4, CHILDREN = 5 };

static void touch(int nr_pages)
{
	size_t len = (size_t)nr_pages * PAGE;
	char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	madvise(at, len, MADV_NOHUGEPAGE);
	for (int i = 0; i < nr_pages; i++)
		((volatile char *)at)[(size_t)i * PAGE] = 1;
	munmap(at, len);
}

/* To the one CPU and the other, if there are two. */
static void move(int times)
{
	for (int i = 0; i < times; i++) {
		cpu_set_t cpu;

		CPU_ZERO(&cpu);
		CPU_SET(i & 1, &cpu);
		sched_setaffinity(0, sizeof(cpu), &cpu);
		touch(10);
	}
}

static void *thread(void *data)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	(void)data;
	touch(500);
	move(6);
	for (int i = 0; i < 5; i++)
		nanosleep(&moment, NULL);
	return NULL;
}

static void child(const char *depth)
{
	char next[] = { (char)(*depth - 1), '\0' };

	touch(100);
	move(4);
	if (*depth > '0')
		execl("/proc/self/exe", "work", next, NULL);
	_exit(0);
}

static int work(const char *depth)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, NULL))
			return 1;
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid)
			child(depth);
		if (i & 1)
			waitpid(pid, NULL, 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}

static int alive(char **ids)
{
	for (; *ids; ids++) {
		union bpf_attr attr;

		memset(&attr, 0, sizeof(attr));
		attr.prog_id = (unsigned int)atoi(*ids);
		if (syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &attr, sizeof(attr)) >= 0)
			puts(*ids);
	}
	return 0;
}

/* Descriptors of events. Returns how many. */
static int events_of(int pid, int *fds, int room)
{
	char path[PATH_MAX], target[64];
	int nr = 0;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *dir = opendir(path);
	while (dir && nr < room && (entry = readdir(dir))) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (!strcmp(target, "anon_inode:[perf_event]"))
			fds[nr++] = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return nr;
}

static int shared(int a, int b)
{
	enum { ROOM = 4096 };
	static int fds_a[ROOM], fds_b[ROOM];
	int nr_a = events_of(a, fds_a, ROOM), nr_b = events_of(b, fds_b, ROOM), nr = 0;

	for (int i = 0; i < nr_a; i++)
		for (int k = 0; k < nr_b; k++)
			nr += !syscall(SYS_kcmp, a, b, KCMP_FILE, fds_a[i], fds_b[k]);
	printf("%d\n", nr);
	return 0;
}

/* Maps are looked for, descriptors taken, and compared. */
static int can_share(void)
{
	union bpf_attr attr;
	pid_t parent = getpid(), child = fork();

	if (!child) {
		int fd = (int)syscall(SYS_pidfd_open, parent, 0);

		_exit(fd < 0 || syscall(SYS_pidfd_getfd, fd, 0, 0) < 0);
	}
	int status = 1;
	waitpid(child, &status, 0);
	memset(&attr, 0, sizeof(attr));
	if (syscall(SYS_bpf, BPF_MAP_GET_NEXT_ID, &attr, sizeof(attr)) && errno != ENOENT)
		return puts("maps of BPF cannot be looked for"), 1;
	if (status)
		return puts("descriptors of other processes cannot be taken"), 1;
	if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, 0, 0))
		return puts("descriptors cannot be compared, kcmp(2)"), 1;
	return 0;
}

static pthread_barrier_t input_ends;

static void *one_of_three(void *data)
{
	pthread_barrier_wait(&input_ends);
	touch(*(const int *)data);
	return NULL;
}

static void read_all(void)
{
	char buf[16];

	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
}

static int three_threads(void)
{
	static const int pages[] = { 1000, 2000, 3000 };
	pthread_t threads[3];

	pthread_barrier_init(&input_ends, NULL, 4);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, one_of_three, (void *)&pages[i]))
			return 1;
	puts("ready");
	fflush(stdout);
	read_all();
	pthread_barrier_wait(&input_ends);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int enter(const char *procs)
{
	FILE *file = fopen(procs, "w");

	return !file || fprintf(file, "%d", getpid()) < 0 || fclose(file);
}

static int enters(char **procs)
{
	if (enter(procs[0]))
		return 1;
	touch(5000);
	if (enter(procs[1]))
		return 1;
	touch(1000);
	return 0;
}

int main(int argc, char **argv)
{

	if (argc > 1 && !strcmp(argv[1], "alive"))
		return alive(argv + 2);
	if (argc > 3 && !strcmp(argv[1], "shared"))
		return shared(atoi(argv[2]), atoi(argv[3]));
	if (argc > 1 && !strcmp(argv[1], "can-share"))
		return can_share();
	if (argc > 1 && !strcmp(argv[1], "wait")) {
		read_all();
		return work("1");
	}
	if (argc > 1 && !strcmp(argv[1], "threads"))
		return three_threads();
	if (argc > 3 && !strcmp(argv[1], "enters"))
		return enters(argv + 2);
	return work(argc > 1 ? argv[1] : "1");
}
