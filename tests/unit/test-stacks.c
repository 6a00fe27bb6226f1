/* SPDX-License-Identifier: MIT */
/*
 * Copied stacks of a recording become call chains: the test is its own sample, and the unwinder of
 * the C library says what its chain is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <xperf/xperf.h>

#include "chain-mark.h"
#include "timeline-records.h"

enum { PID = 77, ROOM = 64 << 10, MOST = 256, NR_REGS = 17, PAST = 10, NOW = 100 };

/* A moment of this program: registers as samples have them, its stack, and its call chain. */
struct moment {
	uint64_t regs[NR_REGS];
	uint8_t stack[ROOM];
	uint64_t len;
	void *chain[MOST];
	int nr;
};

static struct moment here;
static struct xp_ctx *ctx;
static struct xp_symbols *symbols;
static struct xp_timeline *timeline;
static char *own_path;

/* Source of the numbers: asm/perf_regs.h; those of segments and flags are left out. */
#ifdef __x86_64__
static const char machine[] = "x86_64";
static const uint64_t mask = 0xff01ff;
enum { SP = 7, PC = 8 };

static void copy_regs(const ucontext_t *uc, uint64_t regs[NR_REGS])
{
	static const int from[NR_REGS] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
					   REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
					   REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (int i = 0; i < NR_REGS; i++)
		regs[i] = (uint64_t)uc->uc_mcontext.gregs[from[i]];
}
#else
static const char machine[] = "";
static const uint64_t mask;
enum { SP = 0, PC = 1 };

static void copy_regs(const ucontext_t *uc, uint64_t regs[NR_REGS])
{
	(void)uc, (void)regs;
}
#endif

/* --- what is recorded --- */

/* Byte by byte, as AddressSanitizer has its own view of a stack. */
__attribute__((no_sanitize("address", "undefined"))) static void
copy_bytes(volatile uint8_t *to, const volatile uint8_t *from, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		to[i] = from[i];
}

/* Calls @fn for each part of this process that is mapped. */
static void each_map(void (*fn)(uint64_t start, uint64_t end, uint64_t offset, bool is_code,
				const char *name))
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096], prot[8], name[4096];
	uint64_t start, end, offset;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		*name = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095s", &start,
			   &end, prot, &offset, name) >= 4)
			fn(start, end, offset, prot[2] == 'x', name);
	}
	fclose(maps);
}

static void note_stack(uint64_t start, uint64_t end, uint64_t offset, bool is_code,
		       const char *name)
{
	uint64_t sp = here.regs[SP];

	(void)offset, (void)is_code, (void)name;
	if (sp >= start && sp < end)
		here.len = end - sp < ROOM ? end - sp : ROOM;
}

static void note_code(uint64_t start, uint64_t end, uint64_t offset, bool is_code, const char *name)
{
	if (!is_code || (*name != '/' && strcmp(name, "[vdso]") != 0))
		return;
	if (strstr(name, "/unit-tests"))
		own_path = own_path ? own_path : strdup(name);
	struct timed rec = mmap2_record(NOW, PID, start, end - start, offset, name);
	assert_int_equal(add_record(timeline, &rec), 0);
}

/* Inlined or not, each of these has its frame. */
static __attribute__((noinline)) int innermost(int depth)
{
	ucontext_t uc;

	assert_int_equal(getcontext(&uc), 0);
	copy_regs(&uc, here.regs);
	each_map(note_stack);
	copy_bytes(here.stack, (const volatile uint8_t *)(uintptr_t)here.regs[SP], here.len);
	here.nr = backtrace(here.chain, MOST);
	while (here.nr > 1 && here.chain[1] != __builtin_return_address(0))
		memmove(here.chain, here.chain + 1, (size_t)--here.nr * sizeof(*here.chain));
	return here.nr + depth;
}

static __attribute__((noinline)) int recursion(int depth)
{
	volatile int more = depth ? recursion(depth - 1) : innermost(depth);

	return more + 1;
}

static int setup(void **state)
{
	const struct timed old = mmap2_record(PAST, PID, 0x1000, 0x1000, 0, "/not/there");
	const struct timed exec = comm_record(NOW, PID, PID, "test", true);

	(void)state;
	assert_true(recursion(20) > 20);
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	assert_int_equal(xp_timeline_new(&timeline), 0);
	assert_int_equal(add_record(timeline, &old), 0);
	assert_int_equal(add_record(timeline, &exec), 0);
	each_map(note_code);
	return xp_timeline_seal(timeline);
}

static int teardown(void **state)
{
	(void)state;
	free(own_path);
	own_path = NULL;
	xp_timeline_free(timeline);
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	return 0;
}

/* --- samples --- */

static const struct xp_record in_user = { XP_RECORD_SAMPLE, XP_MISC_USER, sizeof(in_user) };
static const struct xp_record in_kernel = { XP_RECORD_SAMPLE, XP_MISC_KERNEL, sizeof(in_kernel) };
static const uint64_t kernel_part[] = { XP_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020 };

static struct xp_sample sample_here(void)
{
	return (struct xp_sample){
		.size = sizeof(struct xp_sample),
		.record = &in_user,
		.id = { .pid = PID, .tid = PID, .time_ns = NOW },
		.ip = here.regs[PC],
		.user_regs = { .abi = 2, .mask = mask, .values = here.regs, .nr = NR_REGS },
		.stack = here.stack,
		.stack_len = ROOM,
		.stack_valid = here.len,
	};
}

/* Of all chains since stacks_for(). */
static uint64_t nr_ended[XP_NR_CHAIN_ENDS + 1];

static struct xp_stacks *stacks_for(const char *host, int max)
{
	const struct xp_stacks_opts opts = { .size = sizeof(opts), .machine = host, .max = max };
	struct xp_stacks *stacks = NULL;

	memset(nr_ended, 0, sizeof(nr_ended));
	assert_int_equal(xp_stacks_new(timeline, symbols, &opts, &stacks), 0);
	return stacks;
}

/* Of its addresses and the markers before them: how it ends follows. */
static size_t chain_len(const struct xp_sample *sample)
{
	size_t len;

	assert_true(xp_chain_marked(sample->callchain, sample->nr_callchain, &len) !=
		    XP_NR_CHAIN_ENDS);
	return len;
}

/* As the C library sees it, which was asked a few instructions later. @at: where the user part
 * begins; @max: frames that are wanted */
static void check_chain(const struct xp_sample *sample, size_t at, int max)
{
	int nr = here.nr < max ? here.nr : max;

	assert_int_equal(chain_len(sample), at + 1 + (size_t)nr);
	assert_int_equal(sample->callchain[at], XP_CONTEXT_USER);
	assert_int_equal(sample->callchain[at + 1], here.regs[PC]);
	for (int i = 1; i < nr; i++)
		assert_int_equal(sample->callchain[at + 1 + (size_t)i],
				 (uintptr_t)here.chain[i] - 1);
}

/* --- how chains ended --- */

static int unwind(struct xp_stacks *stacks, struct xp_sample *sample)
{
	int err = xp_stacks_unwind(stacks, sample);
	size_t len;

	nr_ended[xp_chain_marked(sample->callchain, sample->nr_callchain, &len)]++;
	return err;
}

/* --- tests --- */

static void a_stack_becomes_a_chain(void **state)
{
	struct xp_stacks *stacks = stacks_for(machine, 0);
	struct xp_sample sample = sample_here();

	(void)state;
	for (int i = 0; i < 3; i++) {
		sample = sample_here();
		assert_int_equal(unwind(stacks, &sample), 0);
		check_chain(&sample, 0, MOST);
	}
	assert_int_equal(nr_ended[XP_CHAIN_COMPLETE], 3);
	xp_stacks_free(stacks);
}

static void the_part_of_the_kernel_stays(void **state)
{
	struct xp_stacks *stacks = stacks_for(machine, 0);
	struct xp_sample sample = sample_here();

	(void)state;
	sample.record = &in_kernel;
	sample.ip = kernel_part[1];
	sample.callchain = kernel_part;
	sample.nr_callchain = 3;
	assert_int_equal(unwind(stacks, &sample), 0);
	assert_memory_equal(sample.callchain, kernel_part, sizeof(kernel_part));
	check_chain(&sample, 3, MOST);
	xp_stacks_free(stacks);
}

static void each_part_has_a_limit(void **state)
{
	struct xp_stacks *stacks = stacks_for(machine, 2);
	struct xp_sample sample = sample_here();
	const uint64_t chain[] = { XP_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020,
				   0xffffffff81000030, 0xffffffff81000040 };

	(void)state;
	sample.record = &in_kernel;
	sample.callchain = chain;
	sample.nr_callchain = 5;
	assert_int_equal(unwind(stacks, &sample), 0);
	assert_memory_equal(sample.callchain, chain, 3 * sizeof(*chain));
	check_chain(&sample, 3, 2);
	assert_int_equal(nr_ended[XP_CHAIN_MAX], 1);
	xp_stacks_free(stacks);
}

static void a_chain_that_was_recorded_stays(void **state)
{
	static const uint64_t user_part[] = { XP_CONTEXT_USER, 0x1234, 0x5678 };
	struct xp_stacks *stacks = stacks_for(machine, 0);
	struct xp_sample sample = sample_here();

	(void)state;
	sample.callchain = user_part;
	sample.nr_callchain = 3;
	assert_int_equal(unwind(stacks, &sample), 0);
	assert_ptr_equal(sample.callchain, user_part);

	/* A thread of the kernel has neither. */
	sample = sample_here();
	sample.record = &in_kernel;
	sample.user_regs = (struct xp_regs){ 0 };
	sample.callchain = kernel_part;
	sample.nr_callchain = 3;
	assert_int_equal(unwind(stacks, &sample), 0);
	assert_ptr_equal(sample.callchain, kernel_part);

	sample.size = sizeof(uint64_t);
	assert_int_equal(unwind(stacks, &sample), -EINVAL);
	xp_stacks_free(stacks);
}

/* From less and less of a stack whose whole was seen before. */
static void a_stack_that_was_cut_is_completed(void **state)
{
	struct xp_stacks *stacks = stacks_for(machine, 0);
	uint64_t nr_chains = 0, nr_joined = 0;

	(void)state;
	for (uint64_t words = here.len / 8; words > 1; words /= 2, nr_chains++) {
		struct xp_sample sample = sample_here();
		int nr = 0;

		sample.stack_valid = words * 8;
		assert_int_equal(unwind(stacks, &sample), 0);
		struct xp_chain_walk at = { .ips = sample.callchain,
					    .nr = sample.nr_callchain,
					    .cpumode = XP_MISC_USER };
		for (; xp_chain_next(&at); nr++) {
			assert_int_equal(at.cpumode, XP_MISC_USER);
			assert_int_equal(at.is_return, nr > 0);
			if (nr > 0)
				assert_int_equal(at.ip, (uintptr_t)here.chain[nr] - 1);
		}
		assert_true(nr == here.nr || words * 8 < here.len);
		assert_true(!at.is_joined || nr == here.nr);
		nr_joined += at.is_joined;
	}
	assert_true(nr_joined > 0);
	assert_int_equal(nr_ended[XP_CHAIN_JOINED], nr_joined);
	assert_int_equal(nr_ended[XP_CHAIN_COMPLETE] + nr_ended[XP_CHAIN_STACK_END],
			 nr_chains - nr_joined);
	xp_stacks_free(stacks);
}

static void a_stack_that_was_cut_ends_early(void **state)
{
	const struct xp_stacks_opts alone = { .size = sizeof(alone),
					      .machine = machine,
					      .no_join = true };
	struct xp_stacks *stacks = NULL;
	struct xp_sample sample = sample_here();

	assert_int_equal(xp_stacks_new(timeline, symbols, &alone, &stacks), 0);

	(void)state;
	for (uint64_t words = here.len / 8; words; words /= 2) {
		sample = sample_here();
		sample.stack_valid = words * 8;
		assert_int_equal(unwind(stacks, &sample), 0);
		assert_int_equal(sample.callchain[0], XP_CONTEXT_USER);
		for (size_t i = 2; i < chain_len(&sample); i++)
			assert_int_equal(sample.callchain[i], (uintptr_t)here.chain[i - 1] - 1);
	}
	assert_true(nr_ended[XP_CHAIN_STACK_END] > 0);
	xp_stacks_free(stacks);

	/* The first frame is larger. */
	stacks = stacks_for(machine, 0);
	sample = sample_here();
	sample.stack_valid = 8;
	assert_int_equal(unwind(stacks, &sample), 0);
	assert_int_equal(nr_ended[XP_CHAIN_STACK_END], 1);
	xp_stacks_free(stacks);
}

static void maps_are_those_of_the_time(void **state)
{
	struct xp_stacks *stacks = stacks_for(machine, 0);

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct xp_sample sample = sample_here();

		sample.id.time_ns = i % 2 ? NOW : NOW - 1;
		assert_int_equal(unwind(stacks, &sample), 0);
		check_chain(&sample, 0, i % 2 ? MOST : 1);
	}
	assert_int_equal(nr_ended[XP_CHAIN_COMPLETE], 2);
	assert_int_equal(nr_ended[XP_CHAIN_NOWHERE], 2);
	xp_stacks_free(stacks);
}

static void other_machines_have_their_address(void **state)
{
	static const uint64_t regs[] = { 1, 0x4242 };
	struct xp_stacks *stacks = stacks_for("ppc64le", 0);
	struct xp_sample sample = sample_here();

	(void)state;
	/* Source: powerpc's asm/perf_regs.h: r1 is the stack pointer, nip has bit 32. */
	sample.user_regs = (struct xp_regs){
		.abi = 2, .mask = UINT64_C(1) << 32 | 2, .values = regs, .nr = 2
	};
	assert_int_equal(unwind(stacks, &sample), 0);
	assert_int_equal(sample.nr_callchain, 2);
	assert_int_equal(sample.callchain[0], XP_CONTEXT_USER);
	assert_int_equal(sample.callchain[1], 0x4242);
	xp_stacks_free(stacks);

	stacks = stacks_for("pdp11", 0);
	sample = sample_here();
	assert_int_equal(unwind(stacks, &sample), 0);
	assert_null(sample.callchain);
	xp_stacks_free(stacks);
}

static void threads_count_together(void **state)
{
	struct xp_stacks *stacks = stacks_for(machine, 0), *other;

	(void)state;
	assert_int_equal(xp_stacks_fork(stacks, &other), 0);
	for (int i = 0; i < 3; i++) {
		struct xp_sample sample = sample_here();

		assert_int_equal(unwind(i ? other : stacks, &sample), 0);
		check_chain(&sample, 0, MOST);
	}
	xp_stacks_free(other);
	assert_int_equal(nr_ended[XP_CHAIN_COMPLETE], 3);
	xp_stacks_free(NULL);
	xp_stacks_free(stacks);
}

/* Registers and stacks are not trusted. */
static void any_bytes_end(void **state)
{
	struct xp_stacks *stacks = stacks_for(machine, 0);
	static uint8_t bytes[ROOM];
	uint64_t regs[NR_REGS], random = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct xp_sample sample = sample_here();

		memcpy(bytes, here.stack, here.len);
		memcpy(regs, here.regs, sizeof(regs));
		for (int change = 0; change < 1 + i % 5; change++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			uint64_t at = random >> 20;

			if (i % 3)
				bytes[at % 2048] = (uint8_t)(random >> 56);
			else
				regs[at % NR_REGS] = i % 2 ? random : regs[at % NR_REGS] + at % 64;
		}
		sample.stack = bytes;
		sample.user_regs.values = regs;
		assert_int_equal(unwind(stacks, &sample), 0);
		assert_true(sample.nr_callchain >= 2 && sample.nr_callchain <= 2 * 127);
	}
	xp_stacks_free(stacks);
}

static int map_all(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	(void)address;
	*ret_map = (struct xp_unwind_map){ .end = UINT64_MAX, .file = data, .is_executable = true };
	return 1;
}

/* Whether this build can read call frame information: a frame in this program is asked for. */
static bool has_libraries(void)
{
	struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map_all };
	const struct xp_unwind_start start = { .size = sizeof(start),
					       .regs = sample_here().user_regs };
	uint64_t pc;
	struct xp_unwind_chain chain = { .size = sizeof(chain), .pcs = &pc, .max = 1 };
	struct xp_unwind *unwind;
	struct xp_unwind_file *file;
	struct xp_unwinder *unwinder;

	setup(NULL);
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
	assert_int_equal(xp_unwind_open(unwind, own_path, NULL, 0, &file), 0);
	calls.data = file;
	assert_int_equal(xp_unwinder_new(unwind, NULL, &calls, &unwinder), 0);
	xp_unwinder_walk(unwinder, &start, &chain);
	bool has = strcmp(xp_unwind_file_reason(file), "libdw is not installed") != 0;
	xp_unwinder_free(unwinder);
	xp_unwind_free(unwind);
	teardown(NULL);
	return has;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_becomes_a_chain),
		cmocka_unit_test(the_part_of_the_kernel_stays),
		cmocka_unit_test(each_part_has_a_limit),
		cmocka_unit_test(a_chain_that_was_recorded_stays),
		cmocka_unit_test(a_stack_that_was_cut_is_completed),
		cmocka_unit_test(a_stack_that_was_cut_ends_early),
		cmocka_unit_test(maps_are_those_of_the_time),
		cmocka_unit_test(other_machines_have_their_address),
		cmocka_unit_test(threads_count_together),
		cmocka_unit_test(any_bytes_end),
	};

	if (!*machine) {
		puts("the registers of this machine are not known to the test");
		return 77;
	}
	if (!has_libraries()) {
		puts("skipped: libdw is not installed");
		return 77;
	}
	return cmocka_run_group_tests_name("stacks", tests, setup, teardown);
}
