/* SPDX-License-Identifier: MIT */
/*
 * Unwinding of this process itself: as backtrace(3) has it, through a signal, by several threads at
 * once that share the rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <xperf/xperf.h>

enum { FRAMES = 64, DEPTH = 8, THREADS = 4, ROUNDS = 50, STACK_BYTES = 32768 };

static struct xp_ctx *ctx;
static struct xp_symbols *symbols;

/* Where a thread was interrupted, by the kernel and by backtrace(3). */
struct place {
	uint64_t regs[64];
	struct xp_regs set;
	unsigned char stack[STACK_BYTES];
	size_t stack_len;
	void *callers[FRAMES];
	int nr_callers;
};

static struct place *place;

/* Where the stack pointer is among the registers. */
#if defined(__aarch64__)
enum { SP = 31 };
#else
enum { SP = 7 };
#endif

static void set_registers(struct place *to, const mcontext_t *context)
{
#if defined(__x86_64__)
	/* In the order of samples, asm/perf_regs.h. */
	static const int from[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				    REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
				    REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		to->regs[i] = (uint64_t)context->gregs[from[i]];
	to->set = (struct xp_regs){ .abi = 2, .mask = 0xff01ff, .values = to->regs, .nr = 17 };
#elif defined(__aarch64__)
	memcpy(to->regs, context->regs, sizeof(context->regs));
	to->regs[31] = context->sp;
	to->regs[32] = context->pc;
	to->set = (struct xp_regs){
		.abi = 2, .mask = (UINT64_C(1) << 33) - 1, .values = to->regs, .nr = 33
	};
#else
	(void)to, (void)context;
#endif
}

static size_t read_memory(void *data, uint64_t address, void *buf, size_t len)
{
	struct iovec to = { buf, len }, from = { (void *)(uintptr_t)address, len };
	ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);

	(void)data;
	return got < 0 ? 0 : (size_t)got;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	set_registers(place, &((ucontext_t *)context)->uc_mcontext);
	if (place->set.nr)
		place->stack_len = read_memory(NULL, place->regs[SP], place->stack, STACK_BYTES);
	place->nr_callers = backtrace(place->callers, FRAMES);
}

static __attribute__((noinline)) int descend(int depth)
{
	volatile int more = depth;

	if (!more)
		return raise(SIGUSR1);
	return descend(more - 1) + more;
}

/* --- what an unwinder sees of this process --- */

static int map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char line[4096], access[5], path[4096];
	int found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		*path = '\0';
		if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %4095s", &start, &end, access,
			   &offset, &major, &minor, &inode, path) < 7 ||
		    address < start || address >= end)
			continue;
		*ret_map = (struct xp_unwind_map){ start, end, offset, NULL, access[2] == 'x' };
		found = 1;
		const struct xp_unwind_mapped mapped = { .size = sizeof(mapped),
							 .path = path,
							 .pid = getpid(),
							 .major = major,
							 .minor = minor,
							 .inode = inode,
							 .start = start,
							 .end = end };
		if (*path == '/')
			assert_int_equal(xp_unwind_open_mapped(data, &mapped, &ret_map->file), 0);
		else if (*path)
			assert_int_equal(xp_unwind_open(data, path, NULL, 0, &ret_map->file), 0);
	}
	if (maps)
		fclose(maps);
	return found;
}

struct result {
	uint64_t pcs[FRAMES];
	struct xp_unwind_chain chain;
};

static int walk(struct xp_unwind *unwind, const struct place *from, int rounds,
		struct result *result)
{
	const struct xp_unwind_calls calls = {
		.size = sizeof(calls), .map = map, .read = read_memory, .data = unwind
	};
	const struct xp_unwind_start start = { .size = sizeof(start),
					       .regs = from->set,
					       .stack = from->stack,
					       .stack_len = from->stack_len,
					       .space = 1 };
	struct xp_unwinder *unwinder;
	int err = 0;

	for (int i = 0; i < rounds && !err; i++) {
		err = xp_unwinder_new(unwind, NULL, &calls, &unwinder);
		if (err)
			return err;
		result->chain = (struct xp_unwind_chain){ .size = sizeof(result->chain),
							  .pcs = result->pcs,
							  .max = FRAMES };
		err = xp_unwinder_walk(unwinder, &start, &result->chain);
		xp_unwinder_free(unwinder);
	}
	return err;
}

/* backtrace(3) begins in the handler; from the interrupted place on both are the same. */
static void compare(const struct place *from, const struct result *result)
{
	int at = 0;

	while (at < from->nr_callers && (uintptr_t)from->callers[at] != result->pcs[0])
		at++;
	assert_true(at < from->nr_callers);
	assert_true(from->nr_callers - at > DEPTH);
	for (int i = at; i < from->nr_callers; i++) {
		assert_true((size_t)(i - at) < result->chain.nr);
		if (result->pcs[i - at] != (uintptr_t)from->callers[i])
			fail_msg("frame %d: %#llx, not %p", i - at,
				 (unsigned long long)result->pcs[i - at], from->callers[i]);
	}
}

/* Whether the memory of a process can be read by itself, and CFI by this build. */
static bool can_walk(struct xp_unwind *unwind, const struct place *from)
{
	if (!from->set.nr) {
		puts("the registers of this machine are not known to the test");
		return false;
	}
	if (!from->stack_len) {
		puts("process_vm_readv(2) is not permitted");
		return false;
	}
	struct result result;
	assert_int_equal(walk(unwind, from, 1, &result), 0);
	if (!result.chain.end_file ||
	    strcmp(xp_unwind_file_reason(result.chain.end_file), "libdw is not installed") != 0)
		return true;
	puts("there is no libelf or libdw");
	return false;
}

static void interrupt(struct place *here)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	place = here;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(descend(DEPTH), DEPTH * (DEPTH + 1) / 2);
}

static void chains_are_those_of_backtrace(void **state)
{
	struct xp_unwind *unwind;
	static struct place here;
	struct result result;

	(void)state;
	interrupt(&here);
	for (int method = XP_UNWIND_AUTO; method <= XP_UNWIND_LIBDW; method++) {
		const struct xp_unwind_opts opts = { .size = sizeof(opts),
						     .method = (enum xp_unwind_method)method };

		if (xp_unwind_new(symbols, &opts, &unwind))
			continue;
		if (!can_walk(unwind, &here)) {
			xp_unwind_free(unwind);
			skip();
		}
		assert_int_equal(walk(unwind, &here, 2, &result), 0);
		compare(&here, &result);
		assert_int_equal(result.chain.end, XP_UNWIND_COMPLETE);
		xp_unwind_free(unwind);
	}
}

struct task {
	pthread_t thread;
	struct xp_unwind *unwind;
	const struct place *from;
	struct result result;
	int err;
};

static void *run(void *data)
{
	struct task *task = data;

	task->err = walk(task->unwind, task->from, ROUNDS, &task->result);
	return NULL;
}

/* Also where there is memory for the rules of one file only. */
static void threads_share_rules(void **state)
{
	struct xp_unwind_opts opts = { .size = sizeof(opts) };
	static struct place here;
	struct task tasks[THREADS];
	struct xp_unwind *unwind;

	(void)state;
	interrupt(&here);
	for (int i = 0; i < 2; i++) {
		opts.memory_max_bytes = (uint64_t)i;
		assert_int_equal(xp_unwind_new(symbols, &opts, &unwind), 0);
		if (!can_walk(unwind, &here)) {
			xp_unwind_free(unwind);
			skip();
		}
		for (int t = 0; t < THREADS; t++) {
			tasks[t] = (struct task){ .unwind = unwind, .from = &here };
			assert_int_equal(pthread_create(&tasks[t].thread, NULL, run, &tasks[t]), 0);
		}
		for (int t = 0; t < THREADS; t++) {
			pthread_join(tasks[t].thread, NULL);
			assert_int_equal(tasks[t].err, 0);
			compare(&here, &tasks[t].result);
		}
		xp_unwind_free(unwind);
	}
}

static int begin(void **state)
{
	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	return xp_symbols_new(ctx, NULL, &symbols);
}

static int end(void **state)
{
	(void)state;
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_those_of_backtrace),
		cmocka_unit_test(threads_share_rules),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
