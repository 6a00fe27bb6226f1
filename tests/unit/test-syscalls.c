/* SPDX-License-Identifier: MIT */
/* System calls: their names, which returns belong to which entries, and 32-bit processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <xperf/record.h>

#include "cli/report/syscalls/compat.h"
#include "cli/report/syscalls/sums.h"
#include "losses.h"

#define X SYSCALLS_X86_64

static void names_and_numbers_agree(void **state)
{
	static const struct {
		enum syscall_abi abi;
		int nr;
		const char *name;
	} rows[] = {
		{ X, 0, "read" },
		{ X, 231, "exit_group" },
		{ X, 334, "rseq" },
		{ X, 451, "cachestat" },
		{ SYSCALLS_I386, 3, "read" },
		{ SYSCALLS_I386, 252, "exit_group" },
		{ SYSCALLS_ARM64, 63, "read" },
		{ SYSCALLS_ARM64, 93, "exit" },
		{ SYSCALLS_ARM64, 425, "io_uring_setup" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = syscall_name(rows[i].abi, rows[i].nr);

		assert_non_null(name);
		assert_string_equal(name, rows[i].name);
		assert_int_equal(syscall_number(rows[i].abi, name, strlen(name)), rows[i].nr);
	}
	assert_null(syscall_name(X, 400));
	assert_null(syscall_name(X, -1));
	assert_null(syscall_name(SYSCALLS_UNKNOWN, 0));
	assert_int_equal(syscall_number(X, "rea", 3), -1);
	assert_int_equal(syscall_number(X, "read,write", 4), 0);
	assert_int_equal(syscall_number(SYSCALLS_ARM64, "open", 4), -1);
	assert_string_equal(syscall_meant(X, "raed", 4), "read");
	assert_int_equal(syscall_abi_of("x86_64"), X);
	assert_int_equal(syscall_abi_of("s390x"), SYSCALLS_UNKNOWN);
	assert_int_equal(syscall_abi_of(NULL), SYSCALLS_UNKNOWN);
	assert_int_equal(syscall_abi_compat(X), SYSCALLS_I386);
	assert_int_equal(syscall_abi_compat(SYSCALLS_ARM64), SYSCALLS_UNKNOWN);
}

/* What happens: E(ntry), R(eturn), L(oss), after a moment and for as many ns as @tid says. */
struct step {
	char what;
	int32_t tid;
	int64_t nr;
	uint64_t time_ns;
	int64_t result;
	bool is_left_out;
};

enum { READ = 0, OPEN = 2, SIGRETURN = 15, CLONE = 56, FUTEX = 202, EXIT_GROUP = 231 };

/* Returns their sums; the caller's. */
static struct syscall_sums *sum_up(const struct step *steps, bool is_total)
{
	struct loss at[2];
	struct losses losses = { .at = at };
	struct syscall_sums *sums = syscall_sums_new(is_total, &losses);

	assert_non_null(sums);
	for (const struct step *step = steps; step->what; step++)
		if (step->what == 'L')
			at[losses.nr++] =
				(struct loss){ step->time_ns, step->time_ns + (uint64_t)step->tid };
	for (; steps->what; steps++) {
		const struct syscall_event event = {
			.pid = 100,
			.tid = steps->tid,
			.comm = steps->tid == 1 ? "one" : "other",
			.time_ns = steps->time_ns,
			.abi = X,
			.nr = steps->nr,
			.result = steps->result,
			.counts = !steps->is_left_out,
		};

		if (steps->what == 'L')
			continue;
		if (steps->what == 'E')
			assert_int_equal(syscall_sums_enter(sums, &event), 0);
		else
			assert_int_equal(syscall_sums_return(sums, &event), 0);
	}
	assert_int_equal(syscall_sums_finish(sums), 0);
	return sums;
}

/* Without padding: it is compared as bytes. */
struct expected {
	int64_t tid;
	int64_t nr;
	uint64_t calls, errors, total_ns, min_ns, max_ns;
	uint64_t open, unsure, entered;
};

static void compare(int line, const struct syscall_sum *row, const struct expected *expected)
{
	const struct expected found = {
		row->tid,
		row->nr,
		row->nr_calls,
		row->nr_errors,
		row->total_ns,
		row->min_ns,
		row->max_ns,
		row->untimed[SYSCALL_OPEN],
		row->untimed[SYSCALL_UNSURE],
		row->untimed[SYSCALL_ENTERED],
	};

	if (memcmp(&found, expected, sizeof(found)) != 0)
		fail_msg("line %d: thread %d, call %d: %d calls, %d errors, %d ns; %d %d %d", line,
			 row->tid, (int)row->nr, (int)row->nr_calls, (int)row->nr_errors,
			 (int)row->total_ns, (int)found.open, (int)found.unsure,
			 (int)found.entered);
}

static void returns_belong_to_entries(void **state)
{
	static const struct {
		int line;
		struct step steps[9];
		struct expected rows[4];
	} cases[] = {
		/* Threads at the same time; sorted by time. */
		{ __LINE__,
		  { { 'E', 1, READ, 10 },
		    { 'E', 2, FUTEX, 20 },
		    { 'R', 1, READ, 30, 512 },
		    { 'E', 1, READ, 40 },
		    { 'R', 2, FUTEX, 920, -110 },
		    { 'R', 1, READ, 45, -4095 } },
		  { { 2, FUTEX, 1, 1, 900, 900, 900 }, { 1, READ, 2, 1, 25, 5, 20 } } },
		/* An address is no error. */
		{ __LINE__,
		  { { 'E', 1, 9, 0 }, { 'R', 1, 9, 7, -4096 } },
		  { { 1, 9, 1, 0, 7, 7, 7 } } },
		/* Entered before the recording; not returned in it. */
		{ __LINE__,
		  { { 'R', 1, READ, 5, 1 }, { 'E', 1, EXIT_GROUP, 10 } },
		  { { 1, READ, .entered = 1 }, { 1, EXIT_GROUP, .open = 1 } } },
		/* A new task begins with a return; later ones are returns. */
		{ __LINE__,
		  { { 'E', 1, CLONE, 5 },
		    { 'R', 2, CLONE, 6, 0 },
		    { 'R', 1, CLONE, 8, 2 },
		    { 'R', 2, CLONE, 9, 0 } },
		  { { 1, CLONE, 1, 0, 3, 3, 3 }, { 2, CLONE, .entered = 1 } } },
		/* The kernel forgets the number when a handler ends. */
		{ __LINE__,
		  { { 'E', 1, SIGRETURN, 5 }, { 'R', 1, -1, 8, -4 } },
		  { { 1, SIGRETURN, 1, 1, 3, 3, 3 } } },
		/* Another call returns: what was entered has not. */
		{ __LINE__,
		  { { 'E', 1, READ, 5 }, { 'R', 1, OPEN, 8, 3 } },
		  { { 1, READ, .open = 1 }, { 1, OPEN, .entered = 1 } } },
		/* Entered twice: what happened between is not guessed. */
		{ __LINE__,
		  { { 'E', 1, READ, 5 }, { 'E', 1, READ, 8 }, { 'R', 1, READ, 9, 3 } },
		  { { 1, READ, 1, 0, 1, 1, 1, .open = 1 } } },
		/* Across a loss nothing is known, of no thread. */
		{ __LINE__,
		  { { 'E', 1, READ, 5 },
		    { 'E', 2, READ, 6 },
		    { 'L', 1, .time_ns = 6 },
		    { 'R', 1, READ, 8, 1 },
		    { 'E', 1, READ, 10 },
		    { 'R', 1, READ, 14, 1 } },
		  { { 1, READ, 1, 0, 4, 4, 4, .unsure = 1 }, { 2, READ, .unsure = 1 } } },
		/* The entry was lost: it did not come before the recording. */
		{ __LINE__,
		  { { 'E', 1, READ, 5 },
		    { 'R', 1, READ, 8, 1 },
		    { 'L', 5, .time_ns = 8 },
		    { 'R', 1, READ, 20, 1 },
		    { 'R', 2, OPEN, 22, 1 },
		    { 'R', 1, FUTEX, 25, 1 } },
		  { { 1, READ, 1, 0, 3, 3, 3, .unsure = 1 },
		    { 2, OPEN, .unsure = 1 },
		    { 1, FUTEX, .entered = 1 } } },
		/* While records of another CPU are lost, a thread can have been there. */
		{ __LINE__,
		  { { 'E', 1, READ, 5 },
		    { 'L', 10, .time_ns = 6 },
		    { 'R', 1, READ, 8, 1 },
		    { 'E', 1, READ, 9 },
		    { 'R', 1, READ, 11, 1 },
		    { 'E', 1, READ, 16 },
		    { 'R', 1, READ, 18, 1 } },
		  { { 1, READ, 1, 0, 2, 2, 2, .unsure = 2 } } },
		/* Filters look where a call returns. */
		{ __LINE__,
		  { { 'E', 1, READ, 5, .is_left_out = true },
		    { 'R', 1, READ, 8, 1 },
		    { 'E', 1, READ, 9 },
		    { 'R', 1, READ, 11, 1, .is_left_out = true },
		    { 'E', 1, OPEN, 12, .is_left_out = true } },
		  { { 1, READ, 1, 0, 3, 3, 3 } } },
		/* Time that goes backwards is no time. */
		{ __LINE__,
		  { { 'E', 1, READ, 5 }, { 'R', 1, READ, 4, 1 } },
		  { { 1, READ, .unsure = 1 } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syscall_sums *sums = sum_up(cases[i].steps, false);
		const struct syscall_sum *row;
		size_t nr = 0;

		while ((row = syscall_sums_at(sums, nr)) != NULL) {
			assert_true(nr < 4);
			compare(cases[i].line, row, &cases[i].rows[nr++]);
			assert_string_equal(row->comm, row->tid == 1 ? "one" : "other");
			assert_int_equal(row->pid, 100);
		}
		assert_int_equal(cases[i].rows[nr].tid, 0);
		syscall_sums_free(sums);
	}
}

static void threads_are_added_up(void **state)
{
	static const struct step steps[] = {
		{ 'E', 1, READ, 0 },
		{ 'E', 2, READ, 0 },
		{ 'R', 1, READ, 3, -1 },
		{ 'E', 1, OPEN, 3 },
		{ 'R', 2, READ, 10, 1 },
		{ 'E', 2, READ, 11 },
		{ 0 },
	};
	struct syscall_sums *sums = sum_up(steps, true);

	(void)state;
	compare(__LINE__, syscall_sums_at(sums, 0),
		&(struct expected){ -1, READ, 2, 1, 13, 3, 10, .open = 1 });
	assert_null(syscall_sums_at(sums, 0)->comm);
	compare(__LINE__, syscall_sums_at(sums, 1), &(struct expected){ -1, OPEN, .open = 1 });
	assert_null(syscall_sums_at(sums, 2));
	compare(__LINE__, syscall_sums_total(sums),
		&(struct expected){ 0, 0, 2, 1, 13, 3, 10, .open = 2 });
	syscall_sums_free(sums);
}

/* A table of many threads has all of them. */
static void many_threads_are_kept_apart(void **state)
{
	enum { THREADS = 5000 };
	struct syscall_sums *sums = syscall_sums_new(false, &(struct losses){ 0 });
	struct syscall_event event = { .comm = "many", .abi = X, .counts = true };
	const struct syscall_sum *row;
	size_t nr = 0;

	(void)state;
	for (int i = 0; i < 2 * THREADS; i++) {
		event.tid = i % THREADS;
		event.time_ns = (uint64_t)i;
		assert_int_equal(i < THREADS ? syscall_sums_enter(sums, &event)
					     : syscall_sums_return(sums, &event),
				 0);
	}
	assert_int_equal(syscall_sums_finish(sums), 0);
	for (; (row = syscall_sums_at(sums, nr)) != NULL; nr++)
		compare(__LINE__, row,
			&(struct expected){ (int32_t)nr, READ, 1, 0, THREADS, THREADS, THREADS });
	assert_int_equal(nr, THREADS);
	syscall_sums_free(sums);
}

/* --- 32-bit processes --- */

static int map(struct compat *compat, uint32_t pid, uint64_t address, const char *name)
{
	struct {
		struct xp_record_mmap2 map;
		char name[16];
	} record = { .map = { .header = { XP_RECORD_MMAP2, 0, sizeof(record) },
			      .pid = pid,
			      .address = address } };

	strncpy(record.name, name, sizeof(record.name) - 1);
	return compat_note(compat, &record.map.header);
}

static int fork_task(struct compat *compat, uint32_t pid, uint32_t parent)
{
	const struct xp_record_task record = { .header = { XP_RECORD_FORK, 0, sizeof(record) },
					       .pid = pid,
					       .parent_pid = parent };

	return compat_note(compat, &record.header);
}

static void processes_are_known_by_their_vdso(void **state)
{
	struct compat compat = { 0 };

	(void)state;
	assert_int_equal(map(&compat, 7, 0x7ffc1c9f2000, "[vdso]"), 0);
	assert_int_equal(map(&compat, 8, 0x8049000, "/bin/busybox"), 0);
	assert_int_equal(compat.nr, 0);
	assert_int_equal(map(&compat, 8, 0xf7f84000, "[vdso]"), 0);
	assert_false(compat_has(&compat, 7));
	assert_true(compat_has(&compat, 8));
	assert_int_equal(fork_task(&compat, 9, 8), 0);
	assert_int_equal(fork_task(&compat, 10, 7), 0);
	assert_true(compat_has(&compat, 9));
	assert_false(compat_has(&compat, 10));
	/* It becomes another program. */
	assert_int_equal(map(&compat, 9, 0x7ffc1c9f2000, "[vdso]"), 0);
	assert_false(compat_has(&compat, 9));
	assert_true(compat_has(&compat, 8));
	compat_fini(&compat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_numbers_agree),
		cmocka_unit_test(returns_belong_to_entries),
		cmocka_unit_test(threads_are_added_up),
		cmocka_unit_test(many_threads_are_kept_apart),
		cmocka_unit_test(processes_are_known_by_their_vdso),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
