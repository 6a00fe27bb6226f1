/* SPDX-License-Identifier: MIT */
/* A share of a CPU for work of a thread that goes on for long. What is not used is saved up. */
#ifndef INLINE_CPU_SHARE_H
#define INLINE_CPU_SHARE_H

#include <stdint.h>
#include <time.h>

/* @OWED: more than what is saved in so many seconds is not owed: one large piece of work does not
 * stop others for long. */
enum { CPU_SHARE_WHOLE_PPM = 1000000, CPU_SHARE_OWED_SECONDS = 60 };

/* @now_ns: when it was looked at last, and @spent_ns: CPU time up to then; 0: never */
struct cpu_share {
	uint64_t ppm;     /* of a CPU; 0: any */
	uint64_t seconds; /* for how long it is saved up; so much is there at first */
	int64_t saved_ns;
	uint64_t now_ns, spent_ns;
};

/* CPU time of this thread, nanoseconds. */
static inline uint64_t cpu_share_spent(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * 1000000000 + (uint64_t)spent.tv_nsec;
}

/* Likewise, of all threads. */
static inline uint64_t cpu_share_spent_by_all(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * 1000000000 + (uint64_t)spent.tv_nsec;
}

/*
 * Takes what was spent since the last time. Returns for how long nothing more can be spent,
 * nanoseconds.
 * @now_ns:   the time
 * @spent_ns: CPU time of the thread
 */
static inline uint64_t cpu_share_pause(struct cpu_share *share, uint64_t now_ns, uint64_t spent_ns)
{
	int64_t ppm = (int64_t)share->ppm;
	int64_t per_second = ppm * (1000000000 / CPU_SHARE_WHOLE_PPM);
	int64_t most = (int64_t)share->seconds * per_second;
	int64_t least = -CPU_SHARE_OWED_SECONDS * per_second;

	if (!ppm)
		return 0;
	share->saved_ns += share->now_ns
				   ? (int64_t)(now_ns - share->now_ns) * ppm / CPU_SHARE_WHOLE_PPM -
					     (int64_t)(spent_ns - share->spent_ns)
				   : most;
	if (share->saved_ns > most)
		share->saved_ns = most;
	if (share->saved_ns < least)
		share->saved_ns = least;
	share->now_ns = now_ns;
	share->spent_ns = spent_ns;
	return share->saved_ns < 0 ? (uint64_t)(-share->saved_ns * CPU_SHARE_WHOLE_PPM / ppm) : 0;
}

#endif
