/* SPDX-License-Identifier: MIT */
/*
 * Hardware counters against the truth: a loop of so many instructions is counted by every path
 * there is. Skipped where there is no PMU; the guests of tests/guest have one.
 *
 * XPERF_PMU_EMULATED=1: one cycle is one instruction, interrupts come with cycles only, and with
 * more than one CPU each counts what all do (measured, qemu 7.2 with -icount shift=0).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <xperf/xperf.h>

enum { LOOPS = 10000000, PER_LOOP = 2, MOST_EVENTS = 16, NR_THREADS = 64 };

static bool is_emulated, is_exact = true;

/* Executes nr * PER_LOOP instructions, and a few around. */
static __attribute__((noinline)) void loop(uint64_t nr)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(nr) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(nr) : : "cc");
#else
	while (nr--)
		__asm__ volatile("");
#endif
}

/* What was counted of @loops is within a thousandth of the truth. */
static void check(const char *path, double counted, uint64_t loops)
{
	double truth = (double)loops * PER_LOOP, off = counted / truth - 1;

	printf("%-28s %.0f of %.0f: %+.4f %%\n", path, counted, truth, 100 * off);
	if (fabs(off) > 1e-3 && is_exact)
		fail_msg("%s: %.0f of %.0f", path, counted, truth);
}

struct counted {
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_self *self;
};

static struct counted parse(const char *events)
{
	struct counted c = { NULL, NULL, NULL };
	struct xp_diag diag = { 0 };

	assert_int_equal(xp_ctx_new(NULL, &c.ctx), 0);
	assert_int_equal(xp_evlist_new(c.ctx, &c.evlist), 0);
	if (xp_evlist_parse(c.evlist, events, &diag))
		fail_msg("%s", diag.what);
	return c;
}

static struct counted open_self(const char *events)
{
	struct counted c = parse(events);
	struct xp_diag diag = { 0 };

	if (xp_self_open(c.evlist, &c.self, &diag))
		fail_msg("%s", diag.what);
	return c;
}

static void shut(struct counted *c)
{
	xp_self_close(c->self);
	xp_evlist_free(c->evlist);
	xp_ctx_free(c->ctx);
}

/* From enabling to disabling, read by read(2). */
static void by_read(const char *path, const char *events, int which)
{
	struct counted c = parse(events);
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct xp_diag diag = { 0 };
	struct xp_counts *counts;

	assert_int_equal(xp_threads_one(c.ctx, 0, &opts.threads), 0);
	if (xp_evlist_open(c.evlist, &opts, &diag))
		fail_msg("%s", diag.what);
	assert_int_equal(xp_counts_new(xp_evlist_nr(c.evlist), 1, 1, &counts), 0);
	assert_int_equal(xp_evlist_enable(c.evlist), 0);
	loop(LOOPS);
	assert_int_equal(xp_evlist_disable(c.evlist), 0);
	assert_int_equal(xp_evlist_read(c.evlist, NULL, counts), 0);
	check(path, (double)xp_counts_at(counts, which, 0, 0)->value, LOOPS);
	xp_counts_free(counts);
	xp_threads_unref(opts.threads);
	shut(&c);
}

static void a_loop_is_counted_by_read(void **state)
{
	(void)state;
	by_read("read", "instructions:u", 0);
	by_read("group read", "{cycles:u,instructions:u}", 1);
	if (is_emulated)
		by_read("cycles, group read", "{cycles:u,instructions:u}", 0);
}

/* False, with the reason printed, where the machine keeps its counters to itself. */
static bool reads_pages(struct counted *c)
{
	struct xp_count count;

	if (xp_self_read_event(c->self, 0, &count) == XP_PATH_RDPMC)
		return true;
	puts("user space may not read counters here (kernel.perf_user_access, "
	     "/sys/bus/event_source/devices/cpu/rdpmc)");
	return false;
}

static void a_loop_is_counted_from_user_space(void **state)
{
	struct counted c = open_self("instructions:u,cycles:u");
	struct xp_count before[2], after[2];
	struct xp_self_event event;

	(void)state;
	if (!reads_pages(&c)) {
		shut(&c);
		skip();
	}
	assert_int_equal(xp_self_read(c.self, before), 0);
	loop(LOOPS);
	assert_int_equal(xp_self_read(c.self, after), 0);
	assert_int_equal(xp_self_path_at(c.self, 0), XP_PATH_RDPMC);
	assert_int_equal(xp_self_path_at(c.self, 1), XP_PATH_RDPMC);
	check("user page", (double)(after[0].value - before[0].value), LOOPS);

	assert_int_equal(xp_self_event_init(c.self, 0, &event), 0);
	assert_int_equal(xp_self_event_read(&event, &before[0]), XP_PATH_RDPMC);
	loop(LOOPS);
	assert_int_equal(xp_self_event_read(&event, &after[0]), XP_PATH_RDPMC);
	check("user page, in line", (double)(after[0].value - before[0].value), LOOPS);

	/* and a group of both, all or none of it from its pages */
	shut(&c);
	c = open_self("{instructions:u,cycles:u}");
	assert_int_equal(xp_self_read(c.self, before), 0);
	loop(LOOPS);
	assert_int_equal(xp_self_read(c.self, after), 0);
	check("user page, group", (double)(after[0].value - before[0].value), LOOPS);
	shut(&c);
}

/* Between two readings by read(2) lie those from the page: counts and times. */
static void both_paths_agree(void **state)
{
	struct counted c = open_self("instructions:u");
	struct xp_evsel *evsel = xp_evlist_at(c.evlist, 0);

	(void)state;
	if (!reads_pages(&c)) {
		shut(&c);
		skip();
	}
	for (int i = 0; i < 2000; i++) {
		struct xp_count earlier, between, later;

		assert_int_equal(xp_evsel_read(evsel, 0, 0, &earlier), 0);
		int path = xp_self_read_event(c.self, 0, &between);
		assert_true(path > 0);
		assert_int_equal(xp_evsel_read(evsel, 0, 0, &later), 0);
		if (earlier.value > between.value || between.value > later.value)
			fail_msg("round %d: %llu, %llu, %llu", i, (unsigned long long)earlier.value,
				 (unsigned long long)between.value,
				 (unsigned long long)later.value);
		/* The clock's rate and start are rounded: a microsecond. */
		if (between.enabled_ns + 1000 < earlier.enabled_ns ||
		    between.enabled_ns > later.enabled_ns + 1000)
			fail_msg("round %d: enabled %llu, %llu, %llu ns", i,
				 (unsigned long long)earlier.enabled_ns,
				 (unsigned long long)between.enabled_ns,
				 (unsigned long long)later.enabled_ns);
		assert_true(between.running_ns <= between.enabled_ns);
	}
	shut(&c);
}

/* More events than counters: each has its turn, and an estimate; readings never go back. */
static void events_share_the_counters(void **state)
{
	enum { ROUNDS = 200 };
	char events[MOST_EVENTS * 16] = "";
	struct xp_count now[MOST_EVENTS], last[MOST_EVENTS] = { { 0 } };
	int by_path[3] = { 0 }, shared = 0;
	struct counted c;

	(void)state;
	for (int i = 0; i < MOST_EVENTS; i++)
		strcat(events, i ? ",instructions:u" : "instructions:u");
	c = open_self(events);
	for (int round = 0; round < ROUNDS; round++) {
		loop(LOOPS / 20);
		assert_int_equal(xp_self_read(c.self, now), 0);
		for (int i = 0; i < MOST_EVENTS; i++) {
			by_path[xp_self_path_at(c.self, i)]++;
			if (now[i].value < last[i].value)
				fail_msg("event %d went back in round %d", i, round);
			last[i] = now[i];
		}
	}
	for (int i = 0; i < MOST_EVENTS; i++) {
		double off = xp_count_scale(&now[i]) / ((double)ROUNDS * LOOPS / 20 * PER_LOOP) - 1;

		shared += now[i].running_ns < now[i].enabled_ns;
		assert_true(now[i].running_ns > 0);
		if (shared && fabs(off) > 0.1)
			fail_msg("event %d: estimate %+.1f %% off", i, 100 * off);
	}
	printf("%d of %d events shared; %d readings from user space, %d by read(2)\n", shared,
	       MOST_EVENTS, by_path[XP_PATH_RDPMC], by_path[XP_PATH_READ]);
	shut(&c);
}

/* Adds up the periods in what is left in the list's rings. */
static uint64_t drain(struct xp_evlist *evlist, uint64_t *nr)
{
	const struct xp_attr *attr = xp_evsel_attr_const(xp_evlist_at(evlist, 0));
	uint64_t sum = 0;

	for (int i = 0; i < xp_evlist_nr_rings(evlist); i++) {
		struct xp_ring *ring = xp_evlist_ring(evlist, i)->ring;
		const struct xp_record *record;
		struct xp_sample sample = { .size = sizeof(sample) };

		xp_ring_begin(ring);
		while (xp_ring_next(ring, &record) > 0) {
			assert_int_not_equal(record->type, XP_RECORD_LOST);
			if (record->type != XP_RECORD_SAMPLE)
				continue;
			assert_int_equal(xp_sample_decode(record, attr, &sample), 0);
			sum += sample.period;
			++*nr;
		}
		xp_ring_consume(ring);
	}
	return sum;
}

/* Periods of all samples are what was counted; interrupts come where the loop is. */
static void samples_add_up(void **state)
{
	enum { PERIOD = 100000 };
	struct counted c = parse(is_emulated ? "cycles:u" : "instructions:u");
	struct xp_sampling_opts sampling = { .size = sizeof(sampling),
					     .flags = XP_SAMPLING_PERIOD,
					     .period = PERIOD };
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct xp_rings_opts rings = { .size = sizeof(rings), .pages = 64 };
	struct xp_diag diag = { 0 };
	uint64_t sum = 0, nr = 0;

	(void)state;
	assert_int_equal(xp_threads_one(c.ctx, getpid(), &opts.threads), 0);
	if (xp_evlist_config_sampling(c.evlist, &sampling, &diag) ||
	    xp_evlist_open_sampling(c.evlist, &opts, &diag) ||
	    xp_evlist_map_rings(c.evlist, &rings, &diag))
		fail_msg("%s", diag.what);
	assert_int_equal(xp_evlist_enable(c.evlist), 0);
	loop(10 * (uint64_t)LOOPS);
	assert_int_equal(xp_evlist_disable(c.evlist), 0);
	sum = drain(c.evlist, &nr);
	printf("%llu samples\n", (unsigned long long)nr);
	check("sum of sampled periods", (double)sum, 10 * (uint64_t)LOOPS);
	xp_threads_unref(opts.threads);
	shut(&c);
}

static void *count_alone(void *ret)
{
	struct counted c = open_self("instructions:u");
	struct xp_count before, after;
	int path = xp_self_read_event(c.self, 0, &before);

	loop(LOOPS / 10);
	if (path > 0 && xp_self_read_event(c.self, 0, &after) > 0)
		*(double *)ret = (double)(after.value - before.value);
	shut(&c);
	return NULL;
}

static void threads_count_themselves(void **state)
{
	pthread_t threads[NR_THREADS];
	double counted[NR_THREADS] = { 0 }, least = INFINITY, most = 0;

	(void)state;
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_alone, &counted[i]), 0);
	for (int i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		least = fmin(least, counted[i]);
		most = fmax(most, counted[i]);
	}
	check("64 threads, the least", least, LOOPS / 10);
	check("64 threads, the most", most, LOOPS / 10);
}

/* All events, of which the CPUs of each kind have one. */
static uint64_t sum_now(struct counted *c)
{
	struct xp_count counts[MOST_EVENTS];
	uint64_t sum = 0;

	assert_in_range(xp_evlist_nr(c->evlist), 1, MOST_EVENTS);
	assert_int_equal(xp_self_read(c->self, counts), 0);
	for (int i = 0; i < xp_evlist_nr(c->evlist); i++)
		sum += counts[i].value;
	return sum;
}

/* From CPU to CPU, where the counter is another one each time. */
static void a_moving_thread_is_counted(void **state)
{
	struct counted c = open_self("instructions:u");
	uint64_t first = sum_now(&c), last = first;
	cpu_set_t allowed, one;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (int i = 0; i < 40; i++) {
		int cpu = i % (int)sysconf(_SC_NPROCESSORS_ONLN);
		uint64_t now;

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (CPU_ISSET(cpu, &allowed))
			sched_setaffinity(0, sizeof(one), &one);
		loop(LOOPS / 20);
		now = sum_now(&c);
		if (now - last < LOOPS / 20 * PER_LOOP)
			fail_msg("%llu instructions between moves",
				 (unsigned long long)(now - last));
		last = now;
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
	check("a moving thread", (double)(last - first), 40 / 20 * LOOPS);
	shut(&c);
}

static struct xp_self_event in_handler;
static volatile sig_atomic_t handled, went_back;

static void on_tick(int sig)
{
	static uint64_t last;
	struct xp_count count;

	(void)sig;
	if (xp_page_read(in_handler.page, &count))
		return;
	went_back = went_back + (count.value < last);
	last = count.value;
	handled = handled + 1;
}

/* A handler reads while the thread does. */
static void handlers_may_read(void **state)
{
	struct counted c = open_self("instructions:u");
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART }, old;
	struct itimerval tick = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	uint64_t last = 0;

	(void)state;
	if (!reads_pages(&c)) {
		shut(&c);
		skip();
	}
	assert_int_equal(xp_self_event_init(c.self, 0, &in_handler), 0);
	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &tick, NULL);
	for (long i = 0; handled < 20; i++) {
		struct xp_count count;

		assert_true(xp_self_event_read(&in_handler, &count) > 0);
		assert_true(count.value >= last);
		last = count.value;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &old, NULL);
	assert_int_equal(went_back, 0);
	shut(&c);
}

/* The number of PMUs that count instructions. */
static int nr_pmus(void)
{
	struct counted c = parse("instructions:u");
	struct xp_diag diag = { 0 };
	bool has = !xp_self_open(c.evlist, &c.self, &diag) &&
		   xp_evsel_support(xp_evlist_at(c.evlist, 0)) == XP_SUPPORTED;
	int nr = has ? xp_evlist_nr(c.evlist) : 0;

	if (!has)
		printf("%s\n", diag.err ? diag.what : xp_evsel_reason(xp_evlist_at(c.evlist, 0)));
	shut(&c);
	return nr;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_is_counted_by_read),
		cmocka_unit_test(a_loop_is_counted_from_user_space),
		cmocka_unit_test(both_paths_agree),
		cmocka_unit_test(events_share_the_counters),
		cmocka_unit_test(samples_add_up),
		cmocka_unit_test(threads_count_themselves),
		cmocka_unit_test(a_moving_thread_is_counted),
		cmocka_unit_test(handlers_may_read),
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	is_emulated = getenv("XPERF_PMU_EMULATED");
	is_exact = !is_emulated || sysconf(_SC_NPROCESSORS_ONLN) == 1;
	int nr = nr_pmus();
	if (!nr)
		return 77;
	/* Where CPUs are of several kinds an event is several, of which one counts at a time. */
	if (nr > 1) {
		const struct CMUnitTest of_all[] = { cmocka_unit_test(a_moving_thread_is_counted) };

		return cmocka_run_group_tests(of_all, NULL, NULL);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
