/* SPDX-License-Identifier: MIT */
/*
 * RDPMC where user space may not read counters: the instruction traps and is answered from here.
 *
 * Source: Intel SDM volume 2, RDPMC (#GP if CR4.PCE is 0); a SIGSEGV with si_code SI_KERNEL.
 */
#ifndef TESTS_RDPMC_TRAP_H
#define TESTS_RDPMC_TRAP_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include <xperf/processor.h>

enum { TRAP_COUNTERS = 4 };

static volatile uint64_t trap_counters[TRAP_COUNTERS];
static volatile int traps;

/* Answers RDPMC; any other fault happens again, and ends the test as it should. */
static void on_rdpmc(int sig, siginfo_t *info, void *context)
{
	enum { OPCODE_BYTES = 2 };
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *code = (const unsigned char *)regs[REG_RIP];
	uint64_t counter = (uint64_t)regs[REG_RCX], raw;

	if (info->si_code != SI_KERNEL || code[0] != 0x0f || code[1] != 0x33 ||
	    counter >= TRAP_COUNTERS) {
		signal(sig, SIG_DFL);
		return;
	}
	raw = trap_counters[counter];
	regs[REG_RAX] = (greg_t)(uint32_t)raw;
	regs[REG_RDX] = (greg_t)(raw >> 32);
	regs[REG_RIP] += OPCODE_BYTES;
	traps = traps + 1;
}

/* cmocka sets handlers of its own before each test. */
static void catch_rdpmc(void)
{
	struct sigaction fault = { .sa_sigaction = on_rdpmc, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGSEGV, &fault, NULL);
}

/* Where the kernel lets every program read counters, nothing traps. */
static bool rdpmc_traps(void)
{
	uint64_t raw;

	catch_rdpmc();
	traps = 0;
	return xp_processor_counter(0, &raw) && traps == 1;
}

#endif
