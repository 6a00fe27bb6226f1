/* SPDX-License-Identifier: MIT */
/*
 * The reader of the user page against a kernel in another thread, which moves the event from
 * counter to counter, and publishes it under the page's lock, as fast as it can. A kernel that does
 * not keep the lock's rules must be noticed.
 *
 * Ten million readings take the counter from where the simulated one is; 200,000, with
 * XPERF_TEST_ALL=1 ten million as well, by RDPMC, which traps and is answered from there: 4 us
 * each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__)

#include <xperf/userpage.h>

#include "rdpmc-trap.h"

enum {
	WIDTH = 48,
	LINGER = 10,
	SOME = 200000,
	ALL = 10000000,
	CHANGES = 1000000,
	ENOUGH_WRONG = 3
};

/* How the kernel treats the lock. */
enum rules {
	KEPT,
	NO_LOCK,     /* does not touch it */
	BEFORE_ONLY, /* says that there was a change before making it */
	AFTER_ONLY,  /* says so afterwards, never that it is at it */
};

/*
 * The event counts by steps of 1 to 1000. A reading is at least what @at_least was before it, at
 * most what @counted is after it.
 */
static struct kernel {
	struct xp_userpage page;
	enum rules rules;
	uint64_t random;
	uint64_t truth;
	uint64_t counted, at_least;
	int on, linger;
	long changes;
	bool stop;
} k;

static uint64_t next_random(void)
{
	k.random ^= k.random << 13;
	k.random ^= k.random >> 7;
	return k.random ^= k.random << 17;
}

static int64_t as_signed(uint64_t raw)
{
	return (int64_t)(raw << (64 - WIDTH)) >> (64 - WIDTH);
}

/* What is added to the lock before and after a change. */
static const struct {
	uint32_t before;
	uint32_t after;
} steps[] = {
	[KEPT] = { 1, 1 },
	[NO_LOCK] = { 0, 0 },
	[BEFORE_ONLY] = { 2, 0 },
	[AFTER_ONLY] = { 0, 2 },
};

static void touch_lock(uint32_t step)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&k.page.lock, k.page.lock + step, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Half written, for a moment: whoever looks now must notice. */
static void linger(void)
{
	for (int i = 0; i < k.linger; i++)
		__asm__ volatile("pause");
}

/* To another counter, which starts anywhere: index, offset and times change. */
static void move(void)
{
	volatile struct xp_userpage *page = &k.page;
	uint64_t start = next_random() & ((UINT64_C(1) << WIDTH) - 1);
	uint64_t running = page->time_running + 1 + next_random() % 16;

	__atomic_store_n(&k.changes, k.changes + 1, __ATOMIC_RELAXED);
	touch_lock(steps[k.rules].before);
	k.on = (k.on + 1 + (int)(next_random() % (TRAP_COUNTERS - 1))) % TRAP_COUNTERS;
	trap_counters[k.on] = start;
	page->index = (uint32_t)k.on + 1;
	linger();
	page->offset = (int64_t)(k.truth - (uint64_t)as_signed(start));
	linger();
	page->time_running = running;
	page->time_enabled = 3 * running + 7;
	touch_lock(steps[k.rules].after);
}

static void count(uint64_t events)
{
	k.truth += events;
	__atomic_store_n(&k.counted, k.truth, __ATOMIC_SEQ_CST);
	trap_counters[k.on] = (trap_counters[k.on] + events) & ((UINT64_C(1) << WIDTH) - 1);
	__atomic_store_n(&k.at_least, k.truth, __ATOMIC_SEQ_CST);
}

static void *run_kernel(void *unused)
{
	while (!__atomic_load_n(&k.stop, __ATOMIC_RELAXED)) {
		int nr = (int)(next_random() % 64);

		move();
		while (nr--)
			count(1 + next_random() % 1000);
	}
	return unused;
}

static long changes(void)
{
	return __atomic_load_n(&k.changes, __ATOMIC_RELAXED);
}

static bool memory_counter(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	*ret_raw = trap_counters[counter];
	return true;
}

static uint64_t no_ticks(const struct xp_arch *arch)
{
	(void)arch;
	return 0;
}

static int read_from_memory(const volatile struct xp_userpage *page, struct xp_count *ret_count)
{
	const struct xp_page_reader reader = { NULL, memory_counter, no_ticks };

	return xp_page_read_with(page, &reader, ret_count);
}

typedef int reader_fn(const volatile struct xp_userpage *page, struct xp_count *ret_count);

/*
 * Reads so often, and until the page has changed a million times. Returns how many readings were
 * not what the event counted.
 */
static long read_against(enum rules rules, reader_fn *reader, long nr, long most_wrong)
{
	long wrong = 0;
	pthread_t thread;

	k = (struct kernel){ .rules = rules,
			     .random = 88172645463325252,
			     /* while RDPMC traps, a page is seldom left alone as it is */
			     .linger = rules == KEPT && reader == xp_page_read ? 0 : LINGER };
	k.page.capabilities = XP_PAGE_CAP_RDPMC;
	k.page.pmc_width = WIDTH;
	move();
	assert_int_equal(pthread_create(&thread, NULL, run_kernel, NULL), 0);
	for (long i = 0; wrong < most_wrong && (i < nr || changes() < CHANGES); i++) {
		uint64_t least = __atomic_load_n(&k.at_least, __ATOMIC_SEQ_CST), most;
		struct xp_count got;
		int err = reader(&k.page, &got);

		most = __atomic_load_n(&k.counted, __ATOMIC_SEQ_CST);
		/* Its writing can outlast a hundred looks: then read() would have been the way. */
		if (!err)
			wrong += got.value < least || got.value > most ||
				 got.enabled_ns != 3 * got.running_ns + 7;
		else
			assert_int_equal(err, -EAGAIN);
		i -= err != 0;
	}
	__atomic_store_n(&k.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return wrong;
}

static void none_is_torn(const char *how, reader_fn *reader, long nr)
{
	struct timespec start, end;

	catch_rdpmc();
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(read_against(KEPT, reader, nr, ENOUGH_WRONG), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("at least %ld readings %s of a page that changed %ld times, none torn, %.1f s\n", nr,
	       how, k.changes,
	       (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
}

static void no_reading_is_torn(void **state)
{
	(void)state;
	none_is_torn("from memory", read_from_memory, ALL);
}

static void no_reading_by_rdpmc_is_torn(void **state)
{
	(void)state;
	if (!rdpmc_traps()) {
		puts("RDPMC does not trap here");
		skip();
	}
	none_is_torn("by RDPMC", xp_page_read, getenv("XPERF_TEST_ALL") ? ALL : SOME);
}

static void a_broken_lock_is_caught(void **state)
{
	reader_fn *const readers[] = { read_from_memory, xp_page_read };
	size_t nr = rdpmc_traps() ? 2 : 1;

	(void)state;
	for (size_t i = 0; i < nr; i++)
		for (enum rules rules = NO_LOCK; rules <= AFTER_ONLY; rules++)
			if (!read_against(rules, readers[i], 0, 1))
				fail_msg("rules %d: nothing noticed", rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_reading_is_torn),
		cmocka_unit_test(no_reading_by_rdpmc_is_torn),
		cmocka_unit_test(a_broken_lock_is_caught),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("not x86-64");
	return 77;
}

#endif
