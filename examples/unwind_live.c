/* SPDX-License-Identifier: MIT */
/*
 * unwind_live: a program that unwinds one of its own threads, without frame pointers.
 *
 *     unwind_live
 *
 * A signal lets the thread copy its registers and its stack. What is mapped is read from
 * /proc/self/maps. The same calls unwind stacks of samples, or of other processes.
 */
#define _GNU_SOURCE 1 /* names of registers, the bounds of a stack */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <xperf/xperf.h>

enum { MAX_STACK = 65536, MAX_FRAMES = 64 };

/* --- the thread --- */

static struct {
	uint64_t regs[64];
	uint64_t mask;
	int nr, sp; /* how many; which of them is the stack pointer */
	unsigned char stack[MAX_STACK];
	size_t stack_len;
	sem_t is_running, is_copied;
	uintptr_t stack_end;
} copy;

/* Registers in the order of samples, asm/perf_regs.h, as far as functions preserve them. */
static void copy_registers(const mcontext_t *context)
{
#if defined(__x86_64__)
	static const int from[] = { REG_RBX, REG_RBP, REG_RSP, REG_RIP,
				    REG_R12, REG_R13, REG_R14, REG_R15 };

	copy.sp = 2;
	copy.mask = 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8 | 0xf << 20;
	for (; copy.nr < 8; copy.nr++)
		copy.regs[copy.nr] = (uint64_t)context->gregs[from[copy.nr]];
#elif defined(__aarch64__)
	copy.mask = (UINT64_C(1) << 33) - 1;
	memcpy(copy.regs, context->regs, sizeof(context->regs));
	copy.regs[31] = context->sp;
	copy.regs[32] = context->pc;
	copy.sp = 31;
	copy.nr = 33;
#else
	(void)context;
#endif
}

/* A sanitizer knows that most of a stack is no variable of this function. */
__attribute__((no_sanitize("address"))) static void copy_stack(const volatile unsigned char *from)
{
	size_t len = copy.stack_end - (uintptr_t)from;

	copy.stack_len = len < MAX_STACK ? len : MAX_STACK;
	for (size_t i = 0; i < copy.stack_len; i++)
		copy.stack[i] = from[i];
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	copy_registers(&((ucontext_t *)context)->uc_mcontext);
	copy_stack((const unsigned char *)copy.regs[copy.sp]);
	sem_post(&copy.is_copied);
}

static volatile long left = 1;

static __attribute__((noinline)) long wait_here(long n)
{
	sem_post(&copy.is_running);
	while (left)
		n++;
	return n;
}

static __attribute__((noinline)) long work(long n)
{
	return wait_here(n + 1) + 1;
}

static void *run(void *data)
{
	pthread_attr_t attr;
	size_t bytes;
	void *start;

	if (pthread_getattr_np(pthread_self(), &attr))
		return NULL;
	pthread_attr_getstack(&attr, &start, &bytes);
	pthread_attr_destroy(&attr);
	copy.stack_end = (uintptr_t)start + bytes;
	return work(*(long *)data) ? data : NULL;
}

/* --- maps --- */

/* Finds the line of /proc/self/maps that has an address. */
static int map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long start, end, offset;
	char line[4096], access[5], path[4096];
	int found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		*path = '\0';
		if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %4095s", &start, &end, access, &offset,
			   path) < 4 ||
		    address < start || address >= end)
			continue;
		*ret_map = (struct xp_unwind_map){ .start = start,
						   .end = end,
						   .offset = offset,
						   .is_executable = access[2] == 'x' };
		if (*path)
			xp_unwind_open(data, path, NULL, 0, &ret_map->file);
		found = 1;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* --- unwinding --- */

/* The functions of a chain, by the symbols of their files. */
static void print_frame(struct xp_symbols *symbols, struct xp_unwind *unwind, uint64_t pc,
			uint64_t call)
{
	struct xp_unwind_map where = { .start = 0 };
	struct xp_function function = { .name = NULL };
	struct xp_symtab *symtab;
	const char *file = "?";

	if (map(unwind, call, &where) && where.file) {
		file = xp_unwind_file_name(where.file);
		if (!xp_symbols_open(symbols, file, NULL, 0, &symtab))
			xp_symtab_find(symtab,
				       xp_symtab_address(symtab, call - where.start + where.offset),
				       &function);
	}
	printf("%16llx %s (%s)\n", (unsigned long long)pc, function.name ? function.name : "?",
	       file);
}

static int print_chain(struct xp_symbols *symbols, struct xp_unwind *unwind)
{
	const struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map, .data = unwind };
	const struct xp_unwind_start start = {
		.size = sizeof(start),
		.regs = { .abi = 2, .mask = copy.mask, .values = copy.regs, .nr = copy.nr },
		.stack = copy.stack,
		.stack_len = copy.stack_len,
		.space = 1,
	};
	uint64_t pcs[MAX_FRAMES];
	struct xp_unwind_chain chain = { .size = sizeof(chain), .pcs = pcs, .max = MAX_FRAMES };
	struct xp_unwinder *unwinder;
	int err = xp_unwinder_new(unwind, NULL, &calls, &unwinder);

	if (err)
		return err;
	err = xp_unwinder_walk(unwinder, &start, &chain);
	for (size_t i = 0; i < chain.nr; i++)
		print_frame(symbols, unwind, pcs[i], pcs[i] - (i > 0));
	if (!err && chain.end != XP_UNWIND_COMPLETE)
		printf("The chain is not complete: %s\n", xp_unwind_end_text(chain.end));
	if (chain.end_file && *xp_unwind_file_reason(chain.end_file))
		printf("%s: %s\n", xp_unwind_file_name(chain.end_file),
		       xp_unwind_file_reason(chain.end_file));
	xp_unwinder_free(unwinder);
	return err;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct xp_symbols *symbols = NULL;
	struct xp_unwind *unwind = NULL;
	struct xp_ctx *ctx = NULL;
	pthread_t thread;
	long number = 1;

	sem_init(&copy.is_running, 0, 0);
	sem_init(&copy.is_copied, 0, 0);
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, run, &number))
		return 1;
	sem_wait(&copy.is_running);
	pthread_kill(thread, SIGUSR1);
	sem_wait(&copy.is_copied);
	left = 0;
	pthread_join(thread, NULL);

	int err = xp_ctx_new(NULL, &ctx);
	if (!err)
		err = xp_symbols_new(ctx, NULL, &symbols);
	if (!err)
		err = xp_unwind_new(symbols, NULL, &unwind);
	if (!err)
		err = print_chain(symbols, unwind);
	xp_unwind_free(unwind);
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	if (err)
		fprintf(stderr, "unwind_live: %s\n", strerror(-err));
	return err ? 1 : 0;
}
