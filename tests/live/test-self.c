/* SPDX-License-Identifier: MIT */
/* Counting oneself on the real kernel, with software events, which every machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xperf/arch.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/self.h>
#include <xperf/userpage.h>

#include "event.h"
#include "uapi.h"
#include "userpage.h"

enum { FAULTS, CLOCK, NR_EVENTS };

struct fixture {
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_self *self;
};

static void add(struct fixture *f, uint64_t config, const char *name)
{
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = config };
	struct xp_evsel *evsel;

	assert_int_equal(xp_evsel_new(f->ctx, &attr, name, &evsel), 0);
	assert_int_equal(xp_evlist_add(f->evlist, evsel), 0);
}

static int set_up(void **state)
{
	static struct fixture f;
	struct xp_diag diag = { 0 };

	assert_int_equal(xp_ctx_new(NULL, &f.ctx), 0);
	assert_int_equal(xp_evlist_new(f.ctx, &f.evlist), 0);
	add(&f, PERF_COUNT_SW_PAGE_FAULTS, "page-faults");
	add(&f, PERF_COUNT_SW_TASK_CLOCK, "task-clock");
	if (xp_self_open(f.evlist, &f.self, &diag))
		fail_msg("%s", diag.what);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	xp_self_close(f->self);
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
	return 0;
}

/* Touches @nr fresh pages, each of which takes a fault of its own. */
static void touch(size_t nr)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *region =
		mmap(NULL, nr * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(region, MAP_FAILED);
	madvise(region, nr * bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++)
		*(volatile char *)&region[i * bytes] = 1;
	munmap(region, nr * bytes);
}

static void faults_of_a_region_are_counted(void **state)
{
	enum { PAGES = 200, SLACK = 100 };
	struct xp_count before[NR_EVENTS], after[NR_EVENTS];
	struct fixture *f = *state;

	assert_int_equal(xp_self_read(f->self, before), 0);
	touch(PAGES);
	assert_int_equal(xp_self_read(f->self, after), 0);
	uint64_t faults = after[FAULTS].value - before[FAULTS].value;
	if (faults < PAGES || faults > PAGES + SLACK)
		fail_msg("%llu faults for %d pages", (unsigned long long)faults, PAGES);
	assert_true(after[CLOCK].value > before[CLOCK].value);
}

/* A software event is on no hardware counter, whatever its page says it can do. */
static void software_events_take_read(void **state)
{
	struct xp_count counts[NR_EVENTS];
	struct fixture *f = *state;

	assert_int_equal(xp_self_read(f->self, counts), 0);
	for (int i = 0; i < NR_EVENTS; i++)
		assert_int_equal(xp_self_path_at(f->self, i), XP_PATH_READ);
}

static void its_page_sends_a_software_event_to_read(void **state)
{
	const volatile struct xp_userpage *page = NULL;
	const struct fixture *f = *state;
	struct xp_count count = { .value = 77 };
	int fd = xp_evsel_fd(xp_evlist_at(f->evlist, FAULTS), 0, 0);

	assert_int_equal(xp_userpage_map(xp_sys_linux(), fd, &page), 0);
	assert_int_equal(page->index, 0);
	assert_true(xp_userpage_read(page, xp_arch_native(), &count) < 0);
	assert_int_equal(count.value, 77);
	xp_userpage_unmap(xp_sys_linux(), page);
}

static void check_order(const struct xp_count *earlier, const struct xp_count *later)
{
	for (int i = 0; i < NR_EVENTS; i++) {
		assert_true(earlier[i].value <= later[i].value);
		assert_true(earlier[i].enabled_ns <= later[i].enabled_ns);
		assert_true(earlier[i].running_ns <= later[i].running_ns);
		assert_true(later[i].running_ns <= later[i].enabled_ns);
		assert_true(later[i].running_ns > 0);
		assert_int_equal(later[i].lost, 0);
	}
}

/* Between two readings by read(2), each value lies between theirs. */
static void values_are_those_of_read(void **state)
{
	struct xp_count counts[NR_EVENTS];
	struct fixture *f = *state;
	struct xp_counts *table;

	assert_int_equal(xp_counts_new(NR_EVENTS, 1, 1, &table), 0);
	for (int round = 0; round < 100; round++) {
		struct xp_count earlier[NR_EVENTS];

		assert_int_equal(xp_evlist_read(f->evlist, NULL, table), 0);
		memcpy(earlier, xp_counts_at(table, 0, 0, 0), sizeof(earlier));
		touch(1 + (size_t)round % 3);
		assert_int_equal(xp_self_read(f->self, counts), 0);
		touch(1 + (size_t)round % 2);
		assert_int_equal(xp_evlist_read(f->evlist, NULL, table), 0);
		check_order(earlier, counts);
		check_order(counts, xp_counts_at(table, 0, 0, 0));
	}
	xp_counts_free(table);
}

static void stopped_events_stand_still(void **state)
{
	struct xp_count before[NR_EVENTS], after[NR_EVENTS];
	struct fixture *f = *state;

	assert_int_equal(xp_evlist_disable(f->evlist), 0);
	assert_int_equal(xp_self_read(f->self, before), 0);
	touch(50);
	assert_int_equal(xp_self_read(f->self, after), 0);
	assert_memory_equal(before, after, sizeof(before));
}

/* The descriptors are this program's alone. */
static void exec_closes_the_events(void **state)
{
	FILE *list = popen("ls -l /proc/self/fd | grep -c perf_event", "r");
	int nr = -1;

	(void)state;
	assert_non_null(list);
	assert_int_equal(fscanf(list, "%d", &nr), 1);
	pclose(list);
	assert_int_equal(nr, 0);
}

static void a_moving_thread_is_counted(void **state)
{
	enum { PAGES = 5, ROUNDS = 40 };
	struct xp_count before[NR_EVENTS], after[NR_EVENTS];
	struct fixture *f = *state;
	cpu_set_t allowed, one;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	assert_int_equal(xp_self_read(f->self, before), 0);
	for (int i = 0; i < ROUNDS; i++) {
		int cpu = i % (int)sysconf(_SC_NPROCESSORS_ONLN);

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (CPU_ISSET(cpu, &allowed))
			sched_setaffinity(0, sizeof(one), &one);
		touch(PAGES);
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
	assert_int_equal(xp_self_read(f->self, after), 0);
	assert_in_range(after[FAULTS].value - before[FAULTS].value, ROUNDS * PAGES,
			ROUNDS * PAGES + 100);
}

static volatile sig_atomic_t ticks;

static void on_tick(int sig)
{
	(void)sig;
	ticks = ticks + 1;
}

/* A signal in the middle of it is no failure, and no count is lost or goes back. */
static void signals_do_no_harm(void **state)
{
	struct itimerval tick = { { 0, 500 }, { 0, 500 } }, none = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_tick }, old;
	struct xp_count last[NR_EVENTS] = { { 0 } }, now[NR_EVENTS];
	struct fixture *f = *state;

	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &tick, NULL);
	while (ticks < 50) {
		assert_int_equal(xp_self_read(f->self, now), 0);
		check_order(last, now);
		memcpy(last, now, sizeof(last));
	}
	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &old, NULL);
}

/* The page the kernel clears in a child is what shows it, on a real fork. */
static void a_child_may_not_read(void **state)
{
	struct xp_count counts[NR_EVENTS];
	struct fixture *f = *state;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(xp_self_read(f->self, counts) != -EPERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(xp_self_read(f->self, counts), 0);
}

/* What a child does is not the thread's, and the thread goes on. */
static void a_child_is_not_counted(void **state)
{
	enum { PAGES = 2000 };
	struct xp_count before[NR_EVENTS], after[NR_EVENTS];
	struct fixture *f = *state;
	int status;
	pid_t pid;

	assert_int_equal(xp_self_read(f->self, before), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		touch(PAGES);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(xp_self_read(f->self, after), 0);
	assert_in_range(after[FAULTS].value - before[FAULTS].value, 0, PAGES / 2);
	assert_true(after[CLOCK].value > before[CLOCK].value);
}

/* A thread of many, each with a context and a list of its own; it touches as many pages as its
 * number says. */
struct counting_thread {
	pthread_t thread;
	size_t pages;
	uint64_t faults;
	int err;
};

static int count_alone(struct fixture *f, struct counting_thread *mine)
{
	struct xp_count before, after;
	int err = xp_ctx_new(NULL, &f->ctx);

	if (!err)
		err = xp_evlist_new(f->ctx, &f->evlist);
	if (!err)
		err = xp_evlist_parse(f->evlist, "page-faults", NULL);
	if (!err)
		err = xp_self_open(f->evlist, &f->self, NULL);
	if (!err)
		err = xp_self_read(f->self, &before);
	if (err)
		return err;
	for (size_t i = 0; i < mine->pages; i++)
		touch(1);
	err = xp_self_read(f->self, &after);
	mine->faults = after.value - before.value;
	return err;
}

static void *run_thread(void *data)
{
	struct counting_thread *mine = data;
	struct fixture f = { NULL, NULL, NULL };

	mine->err = count_alone(&f, mine);
	tear_down((void *[]){ &f });
	return NULL;
}

static void each_of_64_threads_counts_itself(void **state)
{
	enum { NR = 64, STEP = 20, SLACK = 40 };
	struct counting_thread threads[NR];

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		threads[i] = (struct counting_thread){ .pages = i * STEP };
		assert_int_equal(pthread_create(&threads[i].thread, NULL, run_thread, &threads[i]),
				 0);
	}
	for (size_t i = 0; i < NR; i++) {
		pthread_join(threads[i].thread, NULL);
		assert_int_equal(threads[i].err, 0);
		assert_in_range(threads[i].faults, i * STEP, i * STEP + SLACK);
	}
}

/* Why this process may not count at all; 0 if it may. */
static int probe(void)
{
	const struct xp_sys *sys = xp_sys_linux();
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE,
				.size = XP_ATTR_SIZE_VER0,
				.config = PERF_COUNT_SW_PAGE_FAULTS,
				.exclude_kernel = 1 };
	int fd = sys->perf_event_open(sys, &attr, 0, -1, -1, 0);

	return fd < 0 ? fd : sys->close(sys, fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(faults_of_a_region_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(software_events_take_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(its_page_sends_a_software_event_to_read, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(values_are_those_of_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(exec_closes_the_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_moving_thread_is_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(signals_do_no_harm, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_child_may_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_child_is_not_counted, set_up, tear_down),
		cmocka_unit_test(each_of_64_threads_counts_itself),
		cmocka_unit_test_setup_teardown(stopped_events_stand_still, set_up, tear_down),
	};
	int err = probe();

	if (err) {
		printf("the kernel does not let this process count: %s\n", strerror(-err));
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
