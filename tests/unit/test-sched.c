/* SPDX-License-Identifier: MIT */
/* What tasks do between events of the scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/report/sched/sums.h"
#include "losses.h"

/* What happens: I(n): runs; O(ut): leaves its CPU; W(oken); N(ew, and woken); L(oss), in
 * the order of time of its own, after a moment and for as many ns as @tid says. */
struct step {
	char what;
	int32_t tid;
	uint64_t time_ns;
	int cpu;
	enum sched_off why; /* O */
	int32_t waker;      /* W */
	bool is_left_out;
};

static bool keep_all(struct sched_task *task, void *data)
{
	(void)task, (void)data;
	return true;
}

static void happen(struct sched_sums *sums, const struct step *step)
{
	const struct sched_event event = {
		.tid = step->tid,
		.pid = step->what == 'O' ? 100 : -1,
		.comm = step->what == 'O' ? "task" : NULL,
		.cpu = step->cpu,
		.time_ns = step->time_ns,
		.counts = !step->is_left_out,
		.is_new = step->what == 'N',
	};
	const struct sched_waker waker = { step->waker, "waker" };

	if (step->what == 'L')
		return;
	if (step->what == 'I')
		assert_int_equal(sched_sums_run(sums, &event), 0);
	else if (step->what == 'O')
		assert_int_equal(sched_sums_leave(sums, &event, step->why), 0);
	else
		assert_int_equal(sched_sums_wake(sums, &event, waker), 0);
}

static const struct time_spans always;

static struct sched_sums *sum_up(const struct step *steps, const struct time_spans *times)
{
	struct loss at[2];
	struct losses losses = { .at = at };
	struct sched_sums *sums = sched_sums_new(times, &losses);

	assert_non_null(sums);
	for (const struct step *step = steps; step->what; step++)
		if (step->what == 'L')
			at[losses.nr++] =
				(struct loss){ step->time_ns, step->time_ns + (uint64_t)step->tid };
	for (; steps->what; steps++)
		happen(sums, steps);
	sched_sums_finish(sums, keep_all, NULL);
	return sums;
}

/* A row of the result, without padding; waker 0: not looked at. */
struct expected {
	int64_t tid;
	uint64_t run_ns, runs, preempted, migrations;
	struct sched_waits woken, waited;
	uint64_t asleep_ns, blocked_ns, away_ns, open_ns, unsure;
	int64_t waker;
	uint64_t nr_by_waker, nr_wakes;
};

static void compare(int line, const struct sched_task *task, const struct expected *e)
{
	const struct expected found = {
		.tid = task->tid,
		.run_ns = task->run_ns,
		.runs = task->nr_runs,
		.preempted = task->nr_preempted,
		.migrations = task->nr_migrations,
		.woken = task->woken,
		.waited = task->preempted,
		.asleep_ns = task->asleep_ns,
		.blocked_ns = task->blocked_ns,
		.away_ns = task->away_ns,
		.open_ns = task->open_run_ns,
		.unsure = task->nr_unsure,
		.waker = e->waker ? task->waker.tid : 0,
		.nr_by_waker = e->waker ? task->nr_by_waker : 0,
		.nr_wakes = e->waker ? task->nr_wakes : 0,
	};

	if (!memcmp(&found, e, sizeof(found)))
		return;
	fail_msg(
		"line %d: task %d: %d runs, %d ns; %d waits, %d ns; preempted %d, %d ns; asleep %d, "
		"blocked %d, away %d; open %d, unsure %d; waker %d",
		line, (int)found.tid, (int)found.runs, (int)found.run_ns, (int)found.woken.nr,
		(int)found.woken.total_ns, (int)found.preempted, (int)found.waited.total_ns,
		(int)found.asleep_ns, (int)found.blocked_ns, (int)found.away_ns, (int)found.open_ns,
		(int)found.unsure, (int)found.waker);
}

static void events_become_times(void **state)
{
	static const struct {
		int line;
		struct step steps[10];
		struct expected rows[3];
	} cases[] = {
		/* Two tasks share a CPU; one sleeps, is woken by the other, and waits. */
		{ __LINE__,
		  { { 'I', 1, 100 },
		    { 'O', 1, 130, .why = SCHED_ASLEEP },
		    { 'I', 2, 130 },
		    { 'W', 1, 150, .waker = 2 },
		    { 'O', 2, 157, .why = SCHED_RUNNABLE },
		    { 'I', 1, 157 },
		    { 'O', 1, 160, .why = SCHED_BLOCKED },
		    { 'I', 2, 160 },
		    { 'O', 2, 162, .why = SCHED_ENDED } },
		  { { 1, 33, 2, .woken = { 1, 7, 7, 150 }, .asleep_ns = 20, .waker = 2,
		      .nr_by_waker = 1, .nr_wakes = 1 },
		    { 2, 29, 2, 1, .waited = { 1, 3, 3, 157 } } } },
		/* Blocked, woken by an interrupt, on another CPU. */
		{ __LINE__,
		  { { 'I', 1, 10, 0 },
		    { 'O', 1, 20, 0, SCHED_BLOCKED },
		    { 'W', 1, 50, 1, .waker = SCHED_INTERRUPT },
		    { 'I', 1, 51, 1 },
		    { 'O', 1, 60, 1, SCHED_ASLEEP } },
		  { { 1, 19, 2, .migrations = 1, .woken = { 1, 1, 1, 50 }, .blocked_ns = 30,
		      .waker = SCHED_INTERRUPT, .nr_by_waker = 1, .nr_wakes = 1 } } },
		/* Woken before it has left its CPU: it waits from there. */
		{ __LINE__,
		  { { 'I', 1, 10 },
		    { 'W', 1, 18, 1, .waker = 9 },
		    { 'O', 1, 20, .why = SCHED_ASLEEP },
		    { 'I', 1, 24 },
		    { 'O', 1, 30, .why = SCHED_ASLEEP } },
		  { { 1, 16, 2, .woken = { 1, 4, 4, 20 }, .waker = 9, .nr_by_waker = 1,
		      .nr_wakes = 1 } } },
		/* A wake-up that was not recorded: neither sleep nor wait. */
		{ __LINE__,
		  { { 'I', 1, 10 },
		    { 'O', 1, 20, .why = SCHED_ASLEEP },
		    { 'I', 1, 50 },
		    { 'O', 1, 51, .why = SCHED_AWAY },
		    { 'I', 1, 55 } },
		  { { 1, 11, 2, .away_ns = 34 } } },
		/* What began before the recording, and what has not ended in it. */
		{ __LINE__,
		  { { 'O', 1, 20, .why = SCHED_RUNNABLE },
		    { 'I', 2, 20 },
		    { 'W', 1, 30, .waker = 2 },
		    { 'I', 1, 45, 1 },
		    { 'O', 3, 95, .why = SCHED_ASLEEP } },
		  { { 1, .preempted = 1, .migrations = 1, .waited = { 1, 25, 25, 20 },
		      .open_ns = 50 },
		    { 2, .open_ns = 75 },
		    { 3 } } },
		/* Across a loss nothing is known. */
		{ __LINE__,
		  { { 'I', 1, 10 },
		    { 'L', 1, 11 },
		    { 'O', 1, 20, .why = SCHED_ASLEEP },
		    { 'W', 1, 22, .waker = 7 },
		    { 'L', 8, 22 },
		    { 'I', 1, 30, 1 },
		    { 'O', 1, 32, 1, SCHED_RUNNABLE } },
		  { { 1, 2, 1, 1, .asleep_ns = 2, .unsure = 2 } } },
		/* While records of another CPU are lost, a task can have been there. */
		{ __LINE__,
		  { { 'I', 1, 10 },
		    { 'O', 1, 12, .why = SCHED_ASLEEP },
		    { 'L', 20, 15 },
		    { 'I', 1, 20 },
		    { 'O', 1, 25, .why = SCHED_ASLEEP },
		    { 'I', 1, 35 },
		    { 'O', 1, 38, .why = SCHED_ASLEEP } },
		  { { 1, 5, 2, .unsure = 3 } } },
		/* A switch that is missing: it ran elsewhere meanwhile. */
		{ __LINE__,
		  { { 'I', 1, 10, 0 },
		    { 'O', 1, 20, 1, SCHED_ASLEEP },
		    { 'I', 1, 30, 1 },
		    { 'I', 1, 40, 1 },
		    { 'O', 1, 41, 1, SCHED_ASLEEP } },
		  { { 1, 1, 1, .away_ns = 10, .unsure = 2 } } },
		/* A switch to a task that is missing. One that was perhaps running when it was
		 * woken lacks none. */
		{ __LINE__,
		  { { 'N', 1, 10, .waker = 9 },
		    { 'O', 1, 20, .why = SCHED_ASLEEP },
		    { 'W', 1, 30, .waker = 9 },
		    { 'O', 1, 40, .why = SCHED_ASLEEP },
		    { 'W', 2, 50, .waker = 9 },
		    { 'O', 2, 60, .why = SCHED_ASLEEP } },
		  { { 1, .asleep_ns = 10, .unsure = 2 }, { 2 } } },
		/* A thread id that is given again is another task. */
		{ __LINE__,
		  { { 'I', 1, 10 },
		    { 'O', 1, 15, .why = SCHED_ENDED },
		    { 'W', 1, 50, .waker = 9 },
		    { 'I', 1, 51 },
		    { 'O', 1, 53, .why = SCHED_ENDED } },
		  { { 1, 5, 1 }, { 1, 2, 1, .woken = { 1, 1, 1, 50 } } } },
		/* Filters look where a time ends. */
		{ __LINE__,
		  { { 'I', 1, 10, .is_left_out = true },
		    { 'O', 1, 15, .why = SCHED_RUNNABLE },
		    { 'I', 1, 20, .is_left_out = true },
		    { 'O', 1, 22, .why = SCHED_RUNNABLE, .is_left_out = true } },
		  { { 1, 5, 1, 1 } } },
		/* The longest wait of three; two wakers, one of them more often. */
		{ __LINE__,
		  { { 'W', 1, 10, .waker = 8 },
		    { 'I', 1, 12 },
		    { 'O', 1, 13, .why = SCHED_ASLEEP },
		    { 'W', 1, 20, .waker = 9 },
		    { 'I', 1, 29 },
		    { 'O', 1, 30, .why = SCHED_ASLEEP },
		    { 'W', 1, 40, .waker = 9 },
		    { 'I', 1, 43 } },
		  { { 1, 2, 2, .woken = { 3, 14, 9, 20 }, .asleep_ns = 17, .waker = 9,
		      .nr_by_waker = 2, .nr_wakes = 3 } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sched_sums *sums = sum_up(cases[i].steps, &always);
		const struct sched_task *task;
		size_t nr = 0;

		while ((task = sched_sums_at(sums, nr)) != NULL) {
			assert_true(nr < 3);
			compare(cases[i].line, task, &cases[i].rows[nr++]);
		}
		assert_true(nr == 3 || !cases[i].rows[nr].tid);
		sched_sums_free(sums);
	}
}

/* The chain that most of the wake-ups by the most frequent waker end is shown, from the waker on.
 */
static void wakers_have_wakers(void **state)
{
	enum { MOST = 5 };
	static const struct {
		int line;
		struct step steps[16];
		int32_t chain[MOST]; /* of task 1 */
		uint64_t nr_by_waker, nr_by_chain;
	} cases[] = {
		/* An interrupt wakes 3, that wakes 2, and that wakes 1, twice; once 2 was woken
		   by 4. */
		{ __LINE__,
		  { { 'W', 3, 10, .waker = SCHED_INTERRUPT },
		    { 'W', 2, 11, .waker = 3 },
		    { 'W', 1, 12, .waker = 2 },
		    { 'I', 1, 13 },
		    { 'O', 1, 14, .why = SCHED_ASLEEP },
		    { 'W', 1, 15, .waker = 2 },
		    { 'I', 1, 16 },
		    { 'O', 1, 17, .why = SCHED_ASLEEP },
		    { 'I', 2, 18, 1 },
		    { 'O', 2, 19, 1, SCHED_ASLEEP },
		    { 'W', 2, 20, .waker = 4 },
		    { 'W', 1, 21, .waker = 2 } },
		  { 2, 3, SCHED_INTERRUPT },
		  3,
		  2 },
		/* A waker that wakes it before it has left its CPU. */
		{ __LINE__,
		  { { 'W', 2, 10, .waker = 3 },
		    { 'I', 1, 11 },
		    { 'W', 1, 12, .waker = 2 },
		    { 'O', 1, 13, .why = SCHED_BLOCKED },
		    { 'I', 1, 14 } },
		  { 2, 3 },
		  1,
		  1 },
		/* How the waker came to run the last time is not recorded. */
		{ __LINE__,
		  { { 'W', 2, 10, .waker = 3 },
		    { 'I', 2, 11 },
		    { 'O', 2, 12, .why = SCHED_ASLEEP },
		    { 'I', 2, 13 },
		    { 'W', 1, 14, .waker = 2 } },
		  { 2 },
		  1,
		  1 },
		/* Something was lost since then. */
		{ __LINE__,
		  { { 'W', 2, 10, .waker = 3 },
		    { 'L', 1, 11 },
		    { 'I', 2, 13 },
		    { 'W', 1, 14, .waker = 2 } },
		  { 2 },
		  1,
		  1 },
		/* Three that wake each other in turn. */
		{ __LINE__,
		  { { 'W', 2, 10, .waker = 1 },
		    { 'W', 3, 11, 1, .waker = 2 },
		    { 'W', 1, 12, .waker = 3 },
		    { 'I', 1, 13 },
		    { 'O', 1, 14, .why = SCHED_ASLEEP },
		    { 'I', 2, 15 },
		    { 'O', 2, 16, .why = SCHED_ASLEEP },
		    { 'W', 2, 17, .waker = 1 },
		    { 'W', 1, 18, .waker = 3 } },
		  { 3, 2 },
		  2,
		  2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sched_sums *sums = sum_up(cases[i].steps, &always);
		const struct sched_task *task;

		for (size_t at = 0; (task = sched_sums_at(sums, at)) && task->tid != 1; at++)
			;
		assert_non_null(task);
		for (int by = 0; by < task->chain.nr || cases[i].chain[by]; by++)
			if (by >= task->chain.nr || task->chain.by[by].tid != cases[i].chain[by])
				fail_msg("line %d: waker %d", cases[i].line, by);
		assert_int_equal(task->nr_by_waker, cases[i].nr_by_waker);
		assert_int_equal(task->nr_by_chain, cases[i].nr_by_chain);
		sched_sums_free(sums);
	}
}

/* Of each time, what is in the spans counts, wherever it begins and ends. */
static void times_are_cut_to_spans(void **state)
{
	static const struct step steps[] = {
		{ 'I', 1, 10 },
		{ 'O', 1, 30, .why = SCHED_ASLEEP },
		{ 'I', 2, 30 },
		{ 'W', 1, 40, .waker = 2 },
		{ 'O', 2, 60, .why = SCHED_RUNNABLE },
		{ 'I', 1, 60 },
		{ 'O', 1, 100, .why = SCHED_ASLEEP },
		{ 'I', 2, 100 },
		{ 'I', 3, 150, 1 },
		{ 'O', 4, 200, 2, SCHED_ASLEEP },
		{ 0 },
	};
	static const struct {
		int line;
		struct time_span spans[3];
		uint64_t elapsed_ns;
		struct expected rows[4];
	} cases[] = {
		/* The window begins in one time and ends in another. */
		{ __LINE__,
		  { { .from_ns = 25, .to_ns = 70 } },
		  45,
		  { { 2, 30, 1, 1, .waited = { 1, 10, 10, 60 } },
		    { 1, 15, 2, .woken = { 1, 20, 20, 40 }, .asleep_ns = 10 },
		    { 3 },
		    { 4 } } },
		{ __LINE__,
		  { { .from_ns = 50, .to_ns = 120 } },
		  70,
		  { { 1, 40, 1, .woken = { 1, 10, 10, 50 } },
		    { 2, 10, 1, 1, .waited = { 1, 40, 40, 60 }, .open_ns = 20 },
		    { 3 },
		    { 4 } } },
		/* It is within one time, and spans that overlap are not counted twice. */
		{ __LINE__,
		  { { .from_ns = 75, .to_ns = 80 },
		    { .from_ns = 65, .to_ns = 78 },
		    { .from_ns = 160, .to_ns = UINT64_MAX } },
		  55,
		  { { 1, 15, 1 },
		    { 2, .waited = { 1, 15, 15, 65 }, .open_ns = 40 },
		    { 3, .open_ns = 40 },
		    { 4 } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct time_span spans[3];
		struct time_spans times = { .at = spans };
		const struct sched_task *task;

		memcpy(spans, cases[i].spans, sizeof(spans));
		while (times.nr < 3 && spans[times.nr].to_ns)
			times.nr++;
		struct sched_sums *sums = sum_up(steps, &times);
		for (size_t nr = 0; nr < 4; nr++) {
			task = sched_sums_at(sums, nr);
			assert_non_null(task);
			compare(cases[i].line, task, &cases[i].rows[nr]);
		}
		assert_int_equal(sched_sums_elapsed_ns(sums), cases[i].elapsed_ns);
		sched_sums_free(sums);
	}
}

static bool keep_odd(struct sched_task *task, void *data)
{
	(void)data;
	if (!task->comm)
		task->comm = "side band";
	return task->tid % 2;
}

static void tasks_are_named_and_chosen(void **state)
{
	enum { TASKS = 3000 };
	struct sched_sums *sums = sched_sums_new(&always, &(struct losses){ 0 });
	const struct sched_task *task;
	size_t nr = 0;

	(void)state;
	for (int i = 1; i <= TASKS; i++)
		happen(sums, &(struct step){ 'I', i, (uint64_t)i });
	for (int i = 1; i < TASKS; i++)
		happen(sums, &(struct step){ 'O', i, TASKS + 2 * (uint64_t)i });
	sched_sums_finish(sums, keep_odd, NULL);
	for (; (task = sched_sums_at(sums, nr)) != NULL; nr++) {
		/* The longest run first. */
		assert_int_equal(task->tid, TASKS - 1 - 2 * (int)nr);
		assert_int_equal(task->run_ns, TASKS + task->tid);
		assert_string_equal(task->comm, "task");
		assert_int_equal(task->pid, 100);
	}
	assert_int_equal(nr, TASKS / 2);
	assert_int_equal(sched_sums_elapsed_ns(sums), TASKS + 2 * (TASKS - 1) - 1);
	sched_sums_free(sums);
}

static void states_are_understood(void **state)
{
	static const struct {
		int64_t prev_state;
		enum sched_off off;
	} rows[] = {
		{ 0, SCHED_RUNNABLE },  { 0x100, SCHED_RUNNABLE }, { 0x800, SCHED_RUNNABLE },
		{ 0x01, SCHED_ASLEEP }, { 0x02, SCHED_BLOCKED },   { 0x82, SCHED_BLOCKED },
		{ 0x04, SCHED_ASLEEP }, { 0x08, SCHED_ASLEEP },    { 0x10, SCHED_ENDED },
		{ 0x20, SCHED_ENDED },  { 0x40, SCHED_ASLEEP },    { 0x80, SCHED_ASLEEP },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(sched_off_of(rows[i].prev_state), rows[i].off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_become_times),
		cmocka_unit_test(wakers_have_wakers),
		cmocka_unit_test(times_are_cut_to_spans),
		cmocka_unit_test(tasks_are_named_and_chosen),
		cmocka_unit_test(states_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
