/* SPDX-License-Identifier: MIT */
/*
 * Loads to record, each of a known amount, so that a recorder's price can be computed from theirs.
 *
 * Usage: load KIND THREADS AMOUNT
 *   busy       AMOUNT x 200,000 rounds of arithmetic per thread
 *   deep       the same below 48 calls
 *   faults     AMOUNT page faults per thread
 *   calls      AMOUNT system calls per thread
 *   switches   AMOUNT round trips through a pair of pipes per thread
 *   maps       AMOUNT mappings, then waits to be killed
 *   processes  AMOUNT processes, then waits to be killed
 * If LOAD_REPORT names a file: writes "WALL_MS CPU_MS" there, of the load alone.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 48, PAGES = 1024, PAGE = 4096, THREADS_MAX = 64 };

static volatile uint64_t sink;

static uint64_t __attribute__((noinline)) spin(uint64_t x, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/* The addition behind the call keeps it from becoming a jump. */
static uint64_t __attribute__((noinline)) descend(uint64_t x, int depth)
{
	return (depth ? descend(x + 1, depth - 1) : spin(x | 1, 20000)) + 1;
}

static void busy(long amount)
{
	for (long i = 0; i < amount; i++)
		sink += spin((uint64_t)i | 1, 200000);
}

static void deep(long amount)
{
	for (long i = 0; i < amount * 10; i++)
		sink += descend((uint64_t)i, DEPTH);
}

static void faults(long amount)
{
	char *at = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	madvise(at, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	for (long i = 0; i < amount; i++) {
		at[i % PAGES * PAGE] = 1;
		if (i % PAGES == PAGES - 1)
			madvise(at, (size_t)PAGES * PAGE, MADV_DONTNEED);
	}
}

static void calls(long amount)
{
	for (long i = 0; i < amount; i++)
		syscall(SYS_getppid);
}

static void bounce(int from, int to, long amount, char starts)
{
	char byte = 0;

	for (long i = 0; i < amount; i++) {
		if (starts && write(to, &byte, 1) != 1)
			exit(1);
		if (read(from, &byte, 1) != 1)
			exit(1);
		if (!starts && write(to, &byte, 1) != 1)
			exit(1);
	}
}

static void switches(long amount)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		exit(1);
	pid_t pid = fork();
	if (!pid) {
		bounce(there[0], back[1], amount, 0);
		_exit(0);
	}
	bounce(back[0], there[1], amount, 1);
	waitpid(pid, NULL, 0);
}

/* Neighbours of different protection do not become one. */
static void maps(long amount)
{
	for (long i = 0; i < amount; i++)
		mmap(NULL, PAGE, i % 2 ? PROT_READ | PROT_EXEC : PROT_READ,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	puts("ready");
	fflush(stdout);
	pause();
}

static void processes(long amount)
{
	for (long i = 0; i < amount; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
			_exit(0);
		}
	puts("ready");
	fflush(stdout);
	pause();
}

static const struct kind {
	const char *name;
	void (*run)(long amount);
} kinds[] = {
	{ "busy", busy },         { "deep", deep }, { "faults", faults },       { "calls", calls },
	{ "switches", switches }, { "maps", maps }, { "processes", processes },
};

static const struct kind *kind;
static long amount;

static void *run(void *unused)
{
	(void)unused;
	kind->run(amount);
	return NULL;
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static double cpu_ms(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void report(double wall_ms)
{
	const char *path = getenv("LOAD_REPORT");
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return;
	fprintf(out, "%.3f %.3f\n", wall_ms, cpu_ms(RUSAGE_SELF) + cpu_ms(RUSAGE_CHILDREN));
	fclose(out);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int nr = argc == 4 ? atoi(argv[2]) : 0;

	for (size_t i = 0; argc == 4 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			kind = &kinds[i];
	if (!kind || nr < 1 || nr > THREADS_MAX) {
		fprintf(stderr, "Usage: load KIND THREADS AMOUNT\n");
		return 2;
	}
	amount = atol(argv[3]);

	double start = now_ms();
	for (int i = 1; i < nr; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	run(NULL);
	for (int i = 1; i < nr; i++)
		pthread_join(threads[i], NULL);
	report(now_ms() - start);
	return 0;
}
