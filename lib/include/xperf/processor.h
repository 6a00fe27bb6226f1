/* SPDX-License-Identifier: MIT */
/*
 * What user space reads from the processor itself, without the kernel: its counters and its clock.
 * Used by <xperf/userpage.h>, which knows when a counter may be read.
 */
#ifndef XPERF_PROCESSOR_H
#define XPERF_PROCESSOR_H

#include <xperf/api.h>

#if defined(__x86_64__) || defined(__i386__)

/*
 * xp_processor_counter - read hardware counter @counter, the user page's index - 1
 *
 * It faults where the page does not say that it may be read. Returns false if it holds no count:
 * the register with the shares of the top-down events. Source: Intel SDM volume 2, RDPMC, RDTSC.
 */
static inline bool xp_processor_counter(uint32_t counter, uint64_t *ret_raw)
{
	uint32_t low, high;

	if (counter >> 16 == 0x2000)
		return false;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	*ret_raw = (uint64_t)high << 32 | low;
	return true;
}

/* xp_processor_ticks - read the clock that the user page's time_* fields scale */
static inline uint64_t xp_processor_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)

/* The register's name is part of the instruction: one case for each. */
#define XP_PROCESSOR_EVENT_COUNTER(n)                                                              \
	case n:                                                                                    \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));                      \
		break

/* Source: Arm Architecture Reference Manual, PMEVCNTR<n>_EL0; 31 is the cycle counter. */
static inline bool xp_processor_counter(uint32_t counter, uint64_t *ret_raw)
{
	uint64_t value;

	switch (counter) {
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
		XP_PROCESSOR_EVENT_COUNTER(0);
		XP_PROCESSOR_EVENT_COUNTER(1);
		XP_PROCESSOR_EVENT_COUNTER(2);
		XP_PROCESSOR_EVENT_COUNTER(3);
		XP_PROCESSOR_EVENT_COUNTER(4);
		XP_PROCESSOR_EVENT_COUNTER(5);
		XP_PROCESSOR_EVENT_COUNTER(6);
		XP_PROCESSOR_EVENT_COUNTER(7);
		XP_PROCESSOR_EVENT_COUNTER(8);
		XP_PROCESSOR_EVENT_COUNTER(9);
		XP_PROCESSOR_EVENT_COUNTER(10);
		XP_PROCESSOR_EVENT_COUNTER(11);
		XP_PROCESSOR_EVENT_COUNTER(12);
		XP_PROCESSOR_EVENT_COUNTER(13);
		XP_PROCESSOR_EVENT_COUNTER(14);
		XP_PROCESSOR_EVENT_COUNTER(15);
		XP_PROCESSOR_EVENT_COUNTER(16);
		XP_PROCESSOR_EVENT_COUNTER(17);
		XP_PROCESSOR_EVENT_COUNTER(18);
		XP_PROCESSOR_EVENT_COUNTER(19);
		XP_PROCESSOR_EVENT_COUNTER(20);
		XP_PROCESSOR_EVENT_COUNTER(21);
		XP_PROCESSOR_EVENT_COUNTER(22);
		XP_PROCESSOR_EVENT_COUNTER(23);
		XP_PROCESSOR_EVENT_COUNTER(24);
		XP_PROCESSOR_EVENT_COUNTER(25);
		XP_PROCESSOR_EVENT_COUNTER(26);
		XP_PROCESSOR_EVENT_COUNTER(27);
		XP_PROCESSOR_EVENT_COUNTER(28);
		XP_PROCESSOR_EVENT_COUNTER(29);
		XP_PROCESSOR_EVENT_COUNTER(30);
	default:
		return false;
	}
	*ret_raw = value;
	return true;
}

static inline uint64_t xp_processor_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

#else

/* Counters of other processors are read by the kernel. */
static inline bool xp_processor_counter(uint32_t counter, uint64_t *ret_raw)
{
	(void)counter;
	(void)ret_raw;
	return false;
}

static inline uint64_t xp_processor_ticks(void)
{
	return 0;
}

#endif

#endif
