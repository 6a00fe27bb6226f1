/* SPDX-License-Identifier: MIT */
/* Sets of CPUs and threads, and places: what they hold, and what is said when they cannot be had.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "place.h"
#include "put-file.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A root of a few files, and a context on it. */
struct fixture {
	char root[64];
	struct xp_ctx *ctx;
	struct xp_diag diag;
};

static void setup(struct fixture *f)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = f->root };

	memset(f, 0, sizeof(*f));
	strcpy(f->root, "/tmp/xperf-sets-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
}

static void teardown(struct fixture *f)
{
	char command[128];

	xp_ctx_free(f->ctx);
	snprintf(command, sizeof(command), "rm -r '%s'", f->root);
	assert_int_equal(system(command), 0);
}

static void cpus_are_parsed(void **state)
{
	static const struct {
		int line;
		const char *text;
		int nr; /* -1: an error, at @pos */
		int first, last, pos;
	} rows[] = {
		{ __LINE__, "0", 1, 0, 0, 0 },
		{ __LINE__, "0,2-3", 3, 0, 3, 0 },
		{ __LINE__, "7,1,4-5,5", 4, 1, 7, 0 },
		{ __LINE__, "65535", 1, 65535, 65535, 0 },
		{ __LINE__, "", -1, 0, 0, 0 },
		{ __LINE__, "0,", -1, 0, 0, 2 },
		{ __LINE__, "1-x", -1, 0, 0, 2 },
		{ __LINE__, "3-1", -1, 0, 0, 2 },
		{ __LINE__, "65536", -1, 0, 0, 0 },
		{ __LINE__, "-1", -1, 0, 0, 0 },
		{ __LINE__, "0 1", -1, 0, 0, 1 },
		{ __LINE__, "99999", -1, 0, 0, 0 },
		{ __LINE__, "99999999999999999999999", -1, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_diag diag = { 0 };
		struct xp_cpus *cpus = NULL;
		int err = xp_cpus_parse(rows[i].text, &cpus, &diag);

		if (strspn(rows[i].text, "0123456789") >= 5 && err &&
		    !strstr(diag.what, "There is no CPU"))
			fail_msg("row of line %d: %s", rows[i].line, diag.what);
		if (rows[i].nr < 0 && (err != -EINVAL || diag.pos != rows[i].pos || cpus))
			fail_msg("row of line %d: %d at %d", rows[i].line, err, diag.pos);
		if (rows[i].nr >= 0 && (err || xp_cpus_nr(cpus) != rows[i].nr ||
					xp_cpus_at(cpus, 0).nr != rows[i].first ||
					xp_cpus_at(cpus, rows[i].nr - 1).nr != rows[i].last))
			fail_msg("row of line %d: %d, %d members", rows[i].line, err,
				 xp_cpus_nr(cpus));
		xp_cpus_unref(cpus);
	}
}

static void cpus_are_found_by_number(void **state)
{
	struct xp_cpus *cpus;

	(void)state;
	assert_int_equal(xp_cpus_parse("1,3,5-6,64", &cpus, NULL), 0);
	for (int idx = 0; idx < xp_cpus_nr(cpus); idx++)
		assert_int_equal(xp_cpus_find(cpus, xp_cpus_at(cpus, idx)), idx);
	assert_int_equal(xp_cpus_find(cpus, (struct xp_cpu){ 0 }), -1);
	assert_int_equal(xp_cpus_find(cpus, (struct xp_cpu){ 4 }), -1);
	assert_int_equal(xp_cpus_find(cpus, (struct xp_cpu){ 65 }), -1);
	assert_int_equal(xp_cpus_at(cpus, -1).nr, -1);
	assert_int_equal(xp_cpus_at(cpus, 5).nr, -1);
	xp_cpus_unref(cpus);
}

static void sets_are_counted(void **state)
{
	struct xp_threads *threads;
	struct xp_cpus *cpus;

	(void)state;
	assert_int_equal(xp_cpus_any(&cpus), 0);
	assert_int_equal(xp_cpus_nr(cpus), 1);
	assert_int_equal(xp_cpus_at(cpus, 0).nr, -1);
	assert_int_equal(xp_cpus_find(cpus, (struct xp_cpu){ -1 }), 0);
	assert_ptr_equal(xp_cpus_ref(cpus), cpus);
	xp_cpus_unref(cpus);
	assert_int_equal(xp_cpus_nr(cpus), 1);
	xp_cpus_unref(cpus);
	assert_int_equal(xp_threads_any(&threads), 0);
	assert_ptr_equal(xp_threads_ref(threads), threads);
	xp_threads_unref(threads);
	assert_int_equal(xp_threads_nr(threads), 1);
	assert_int_equal(xp_threads_tid(threads, 0), -1);
	assert_string_equal(xp_threads_comm(threads, 0), "");
	xp_threads_unref(threads);

	assert_null(xp_cpus_ref(NULL));
	assert_null(xp_threads_ref(NULL));
	assert_int_equal(xp_cpus_nr(NULL), 0);
	assert_int_equal(xp_threads_nr(NULL), 0);
	xp_cpus_unref(NULL);
	xp_threads_unref(NULL);
}

static void online_cpus_are_those_of_the_file(void **state)
{
	struct xp_cpus *cpus = NULL;
	struct fixture f;

	(void)state;
	setup(&f);
	assert_int_equal(xp_cpus_online(f.ctx, &cpus, &f.diag), -ENOENT);
	assert_non_null(strstr(f.diag.what, "/sys/devices/system/cpu/online"));
	put_file(f.root, "0-1,4\n", "/sys/devices/system/cpu/online");
	assert_int_equal(xp_cpus_online(f.ctx, &cpus, &f.diag), 0);
	assert_int_equal(xp_cpus_nr(cpus), 3);
	assert_int_equal(xp_cpus_at(cpus, 2).nr, 4);
	xp_cpus_unref(cpus);

	/* what is wrong with the file is not the user's to write better */
	put_file(f.root, "nonsense\n", "/sys/devices/system/cpu/online");
	assert_int_equal(xp_cpus_online(f.ctx, &cpus, &f.diag), -EINVAL);
	assert_non_null(strstr(f.diag.what, "/sys/devices/system/cpu/online"));
	assert_null(strchr(f.diag.what, '\n'));
	assert_string_equal(f.diag.hint, "");
	teardown(&f);
}

static void threads_are_those_of_the_processes(void **state)
{
	struct xp_threads *threads;
	struct fixture f;

	(void)state;
	setup(&f);
	put_file(f.root, NULL, "/proc/70/task/72");
	put_file(f.root, NULL, "/proc/70/task/70");
	put_file(f.root, NULL, "/proc/70/task/71");
	put_file(f.root, "worker\n", "/proc/71/comm");
	put_file(f.root, NULL, "/proc/80/task/80");
	put_file(f.root, "1", "/proc/uptime");
	assert_int_equal(xp_threads_of_processes(f.ctx, "80, 70,70", &threads, &f.diag), 0);
	assert_int_equal(xp_threads_nr(threads), 4);
	for (int i = 0; i < 3; i++)
		assert_int_equal(xp_threads_tid(threads, i), 70 + i);
	assert_int_equal(xp_threads_tid(threads, 3), 80);
	assert_int_equal(xp_threads_tid(threads, 4), -1);
	assert_string_equal(xp_threads_comm(threads, 1), "worker");
	assert_string_equal(xp_threads_comm(threads, 3), "");
	xp_threads_unref(threads);
	assert_int_equal(xp_threads_of_system(f.ctx, &threads, &f.diag), 0);
	assert_int_equal(xp_threads_nr(threads), 4);
	xp_threads_unref(threads);
	teardown(&f);
}

static void threads_of_a_user_are_those_of_the_effective_one(void **state)
{
	struct xp_threads *threads = NULL;
	struct fixture f;

	(void)state;
	setup(&f);
	put_file(f.root, "", "/proc/70/task/70/comm");
	put_file(f.root, "", "/proc/70/task/71/comm");
	put_file(f.root, "", "/proc/80/task/80/comm");
	put_file(f.root, "Name:\tsu\nUid:\t1000\t7\t7\t7\n", "/proc/70/status");
	put_file(f.root, "Name:\tx\nUid:\t7\t1000\t7\t7\n", "/proc/80/status");
	assert_int_equal(xp_threads_of_user(f.ctx, 7, &threads, &f.diag), 0);
	assert_int_equal(xp_threads_nr(threads), 2);
	assert_int_equal(xp_threads_tid(threads, 1), 71);
	xp_threads_unref(threads);
	assert_int_equal(xp_threads_of_user(f.ctx, 8, &threads, &f.diag), -ESRCH);
	assert_string_equal(f.diag.what, "The user has no processes");
	teardown(&f);
}

/* Lists of processes, of a user and of all find what is new; single threads have no others. */
static void threads_are_listed_again(void **state)
{
	enum { NR = 4 };
	static const int nr_new[NR] = { 1, 2, 3, 0 };
	struct xp_threads *before[NR], *now, *again;
	struct fixture f;

	(void)state;
	setup(&f);
	put_file(f.root, "", "/proc/70/task/70/comm");
	put_file(f.root, "", "/proc/70/task/70/stat");
	put_file(f.root, "", "/proc/70/stat");
	put_file(f.root, "Name:\tx\nUid:\t7\t7\t7\t7\n", "/proc/70/status");
	assert_int_equal(xp_threads_of_processes(f.ctx, "70", &before[0], &f.diag), 0);
	assert_int_equal(xp_threads_of_user(f.ctx, 7, &before[1], &f.diag), 0);
	assert_int_equal(xp_threads_of_system(f.ctx, &before[2], &f.diag), 0);
	assert_int_equal(xp_threads_parse(f.ctx, "70", &before[3], &f.diag), 0);
	for (int i = 0; i < NR; i++)
		assert_int_equal(xp_threads_renew(before[i], &now), 0);
	put_file(f.root, "", "/proc/70/task/71/comm");
	put_file(f.root, "", "/proc/80/task/80/comm");
	put_file(f.root, "Name:\tx\nUid:\t7\t7\t7\t7\n", "/proc/80/status");
	put_file(f.root, "", "/proc/90/task/90/comm");
	put_file(f.root, "Name:\tx\nUid:\t8\t8\t8\t8\n", "/proc/90/status");
	for (int i = 0; i < NR; i++) {
		assert_int_equal(xp_threads_renew(before[i], &now), nr_new[i]);
		assert_int_equal(xp_threads_nr(now), nr_new[i] ? 1 + nr_new[i] : 0);
		assert_int_equal(xp_threads_renew(now, &again), 0);
		assert_null(again);
		xp_threads_unref(now);
		xp_threads_unref(before[i]);
	}
	teardown(&f);
}

/* A process that ends while its threads are listed has none. */
static void a_process_without_threads_has_ended(void **state)
{
	struct xp_threads *threads = NULL;
	struct fixture f;

	(void)state;
	setup(&f);
	put_file(f.root, NULL, "/proc/70/task");
	assert_int_equal(xp_threads_of_processes(f.ctx, "70", &threads, &f.diag), -ESRCH);
	assert_string_equal(f.diag.what, "There is no process 70");
	assert_null(threads);
	teardown(&f);
}

static void what_is_no_target_is_reported_with_its_place(void **state)
{
	static const struct {
		int line;
		const char *text;
		int err;
		int pos, len;
	} rows[] = {
		{ __LINE__, "70,71", -ESRCH, 3, 2 },  { __LINE__, "999", -ESRCH, 0, 3 },
		{ __LINE__, "", -EINVAL, 0, 1 },      { __LINE__, "70,", -EINVAL, 3, 1 },
		{ __LINE__, "70,x1", -EINVAL, 3, 2 }, { __LINE__, "0", -EINVAL, 0, 1 },
		{ __LINE__, "-1", -EINVAL, 0, 2 },    { __LINE__, "4294967296", -EINVAL, 0, 10 },
	};
	struct fixture f;

	(void)state;
	setup(&f);
	put_file(f.root, NULL, "/proc/70/task/70");
	put_file(f.root, "", "/proc/70/stat");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_threads *threads = NULL;
		struct xp_diag p = { 0 }, t = { 0 };
		int by_process = xp_threads_of_processes(f.ctx, rows[i].text, &threads, &p);
		int by_thread = xp_threads_parse(f.ctx, rows[i].text, &threads, &t);

		if (by_process != rows[i].err || by_thread != rows[i].err || threads ||
		    p.pos != rows[i].pos || p.len != rows[i].len || t.pos != rows[i].pos ||
		    t.len != rows[i].len)
			fail_msg("row of line %d: %d at %d, %d; %d at %d, %d", rows[i].line,
				 by_process, p.pos, p.len, by_thread, t.pos, t.len);
		assert_string_equal(p.input, rows[i].text);
	}
	teardown(&f);
}

static void places_are_the_topology_s(void **state)
{
	struct xp_place place = { 9, 9, 9, 9, 9, 9, 9 };
	struct fixture f;

	(void)state;
	setup(&f);
	put_file(f.root, "1\n", "/sys/devices/system/cpu/cpu3/topology/physical_package_id");
	put_file(f.root, "-1\n", "/sys/devices/system/cpu/cpu3/topology/die_id");
	put_file(f.root, "7\n", "/sys/devices/system/cpu/cpu3/topology/core_id");
	put_file(f.root, NULL, "/sys/devices/system/cpu/cpu3/node2");
	assert_int_equal(xp_place_of(f.ctx, (struct xp_cpu){ 3 }, &place), 0);
	assert_int_equal(place.socket, 1);
	assert_int_equal(place.die, 0);
	assert_int_equal(place.core, 7);
	assert_int_equal(place.node, 2);
	assert_int_equal(place.cluster, -1);
	assert_int_equal(place.cache_level, 0);
	assert_int_equal(place.cache, -1);
	assert_int_equal(xp_place_of(f.ctx, (struct xp_cpu){ 4 }, &place), 0);
	assert_int_equal(place.socket, 0);
	assert_int_equal(place.node, 0);
	place.core = 5;
	assert_int_equal(xp_place_of(f.ctx, (struct xp_cpu){ -1 }, &place), -EINVAL);
	assert_int_equal(xp_place_of(f.ctx, (struct xp_cpu){ INT32_MAX }, &place), -EINVAL);
	assert_int_equal(place.core, 5);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_parsed),
		cmocka_unit_test(cpus_are_found_by_number),
		cmocka_unit_test(sets_are_counted),
		cmocka_unit_test(online_cpus_are_those_of_the_file),
		cmocka_unit_test(threads_are_those_of_the_processes),
		cmocka_unit_test(threads_of_a_user_are_those_of_the_effective_one),
		cmocka_unit_test(threads_are_listed_again),
		cmocka_unit_test(a_process_without_threads_has_ended),
		cmocka_unit_test(what_is_no_target_is_reported_with_its_place),
		cmocka_unit_test(places_are_the_topology_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
