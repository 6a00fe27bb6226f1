/* SPDX-License-Identifier: MIT */
/*
 * The readers of the user page as they are compiled, on x86: with the RDPMC instruction, which
 * traps (rdpmc-trap.h), and interrupted after every single instruction by a context switch that
 * rewrites the page.
 *
 * Source: Intel SDM volume 3, EFLAGS.TF.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <xperf/arch.h>
#include <xperf/evsel.h>
#include <xperf/userpage.h>

#if defined(__x86_64__)

#include "rdpmc-trap.h"
#include "userpage.h"

enum { WIDTH = 48, TRAP_FLAG = 0x100 };

static struct xp_userpage page;

/* Two states the event is in, before and after the switch. */
struct place {
	uint32_t index;
	uint64_t raw; /* what its counter holds */
	int64_t offset;
	uint64_t running_ns;
};

static struct place before, after;
static volatile long step, strike_at;

static void publish(const struct place *place)
{
	volatile struct xp_userpage *p = &page;

	p->lock = p->lock + 1;
	memset((void *)trap_counters, 0x55, sizeof(trap_counters));
	if (place->index)
		trap_counters[place->index - 1] = place->raw;
	p->index = place->index;
	p->offset = place->offset;
	p->time_running = place->running_ns;
	p->time_enabled = 3 * place->running_ns;
	p->lock = p->lock + 1;
}

/* After each instruction; nothing needs to be stepped through once the switch has happened. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (step++ < strike_at)
		return;
	publish(&after);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* The pushes must not land in what the compiler keeps below the stack pointer. */
#define SET_FLAGS(change)                                                                          \
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change ", (%%rsp)\n\t"             \
			 "popfq\n\tlea 128(%%rsp), %%rsp" ::                                       \
				 : "memory", "cc")

/* The library's, and the one programs have in line. */
static int read_by_library(struct xp_count *ret_count)
{
	return xp_userpage_read(&page, xp_arch_native(), ret_count);
}

static int read_in_line(struct xp_count *ret_count)
{
	return xp_page_read(&page, ret_count);
}

typedef int reader_fn(struct xp_count *ret_count);

/* Reads with the switch after instruction @at, or without if it is done before. */
static void read_interrupted(reader_fn *reader, long at, int *ret_err, struct xp_count *ret_count)
{
	step = 0;
	strike_at = at;
	SET_FLAGS("orq $0x100");
	*ret_err = reader(ret_count);
	SET_FLAGS("andq $-0x101");
}

static bool is_of(const struct place *place, int err, const struct xp_count *count)
{
	if (!place->index)
		return err == -EAGAIN;
	return !err && count->value == 1000000 && count->running_ns == place->running_ns &&
	       count->enabled_ns == 3 * place->running_ns;
}

static void catch_signals(void)
{
	struct sigaction trap = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	page = (struct xp_userpage){ .capabilities = XP_PAGE_CAP_RDPMC, .pmc_width = WIDTH };
	catch_rdpmc();
	sigaction(SIGTRAP, &trap, NULL);
}

static void the_instruction_reads_the_counter(void **state)
{
	const struct xp_arch *arch = xp_arch_native();
	uint64_t raw = 0;

	(void)state;
	catch_signals();
	trap_counters[3] = 0x123456789abc;
	traps = 0;
	assert_true(arch->has_rdpmc);
	assert_true(arch->rdpmc(arch, 3, &raw));
	assert_int_equal(traps, 1);
	assert_int_equal(raw, 0x123456789abc);

	/* The register with the shares of the top-down events counts nothing. */
	assert_false(arch->rdpmc(arch, 0x20000000, &raw));
	assert_int_equal(traps, 1);
}

static void switch_everywhere(reader_fn *reader)
{
	/* -24576 in 48 bits, as a counter that overflows soon; each place adds up to 1000000 */
	static const struct place places[] = {
		{ 1, 400000, 600000, 5000 },
		{ 3, 0xffffffffa000, 1024576, 6000 },
		{ 0, 0, 1000000, 7000 },
		{ 1, 999999, 1, 8000 }, /* the same counter, another start */
	};
	enum { NR = sizeof(places) / sizeof(places[0]), MOST = 100 };
	struct xp_count count;
	long length;
	int err;

	catch_signals();
	publish(&places[0]);
	read_interrupted(reader, LONG_MAX, &err, &count);
	length = step;
	assert_true(is_of(&places[0], err, &count));
	assert_true(length > 20);

	/* A step takes some 20 us: of the many instructions of a sanitized build, not each. */
	long stride = 1 + length / MOST;
	for (int i = 0; i < NR; i++) {
		before = places[i];
		after = places[(i + 1) % NR];
		for (long at = i * stride / NR; at < length; at += stride) {
			publish(&before);
			read_interrupted(reader, at, &err, &count);
			if (!is_of(&before, err, &count) && !is_of(&after, err, &count))
				fail_msg("from place %d, instruction %ld of %ld: %d, %llu events",
					 i, at, length, err, (unsigned long long)count.value);
		}
	}
}

static void a_switch_at_any_instruction_tears_nothing(void **state)
{
	(void)state;
	switch_everywhere(read_by_library);
	switch_everywhere(read_in_line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_instruction_reads_the_counter),
		cmocka_unit_test(a_switch_at_any_instruction_tears_nothing),
	};

	if (!rdpmc_traps()) {
		puts("RDPMC does not trap here");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("not x86-64");
	return 77;
}

#endif
