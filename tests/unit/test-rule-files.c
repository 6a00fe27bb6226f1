/* SPDX-License-Identifier: MIT */
/* Room for rows: parts of the table, and which files have to give way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "each-rule.h"
#include "rule-files.h"

/* --- parts of the table --- */

static void neighbours_are_joined(void **state)
{
	struct row_room room;
	uint32_t a, b, c, d;

	(void)state;
	assert_int_equal(xp_row_room_init(&room, 100), 0);
	assert_true(xp_row_room_alloc(&room, 30, &a));
	assert_true(xp_row_room_alloc(&room, 30, &b));
	assert_true(xp_row_room_alloc(&room, 40, &c));
	assert_false(xp_row_room_alloc(&room, 1, &d));
	xp_row_room_free(&room, a, 30);
	xp_row_room_free(&room, c, 40);
	assert_int_equal(room.nr_free, 70);
	assert_false(xp_row_room_alloc(&room, 41, &d));
	xp_row_room_free(&room, b, 30);
	assert_int_equal(room.nr, 1);
	assert_true(xp_row_room_alloc(&room, 100, &d));
	assert_int_equal(d, 0);
	xp_row_room_fini(&room);
}

static void parts_never_overlap(void **state)
{
	enum { ROWS = 1000, TAKEN = 40, STEPS = 20000 };
	struct row_extent taken[TAKEN] = { { 0, 0 } };
	unsigned char owner[ROWS] = { 0 };
	struct row_room room;
	uint32_t nr_taken = 0;

	(void)state;
	srand(7);
	assert_int_equal(xp_row_room_init(&room, ROWS), 0);
	for (int step = 0; step < STEPS; step++) {
		struct row_extent *extent = &taken[rand() % TAKEN];

		if (extent->nr) {
			xp_row_room_free(&room, extent->first, extent->nr);
			memset(owner + extent->first, 0, extent->nr);
			nr_taken -= extent->nr;
			extent->nr = 0;
			continue;
		}
		uint32_t nr = 1 + (uint32_t)rand() % 60;
		if (!xp_row_room_alloc(&room, nr, &extent->first))
			continue;
		extent->nr = nr;
		nr_taken += nr;
		for (uint32_t i = 0; i < nr; i++)
			assert_false(owner[extent->first + i]++);
		assert_int_equal(room.nr_free, ROWS - nr_taken);
	}
	xp_row_room_fini(&room);
}

/* --- files --- */

struct fixture {
	struct rule_tables tables;
	struct rule_files files;
	struct xp_unwind *unwind;
	struct xp_unwind_file *own, *libc;
	uint32_t nr_own, nr_libc; /* rows */
};

static struct xp_ctx *ctx;
static struct xp_symbols *symbols;

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	*(const char **)data = info->dlpi_name;
	return 1;
}

static void end(struct fixture *f)
{
	xp_rule_files_stop(&f->files);
	free(f->tables.rows);
	free(f->tables.files);
	f->tables = (struct rule_tables){ 0 };
}

/* A test that failed has not ended. */
static void begin_shared(struct fixture *f, uint32_t nr_rows, uint64_t cpu_ppm)
{
	if (f->files.tables)
		end(f);
	f->tables.rows = calloc(nr_rows, sizeof(*f->tables.rows));
	f->tables.files = calloc(RULE_FILES_MAX, sizeof(*f->tables.files));
	assert_int_equal(xp_rule_files_start(&f->files, &f->tables, nr_rows, cpu_ppm), 0);
}

static void begin(struct fixture *f, uint32_t nr_rows)
{
	begin_shared(f, nr_rows, 0);
}

/* As the kernel sees a file after its rows were made. */
static const struct rule_file *use(struct fixture *f, struct xp_unwind_file *file, uint32_t *number)
{
	*number = xp_rule_files_use(&f->files, file);
	assert_int_not_equal(*number, RULE_NO_FILE);
	xp_rule_files_wait(&f->files);
	return &f->tables.files[*number];
}

static void unuse(struct fixture *f, uint32_t number)
{
	const struct rule_map map = { .file = number };

	xp_rule_files_unuse(&f->files, &map, 1);
}

static int setup(void **state)
{
	static struct fixture f;
	const char *libc = NULL;
	uint32_t own_number, libc_number;

	*state = &f;
	if (xp_ctx_new(NULL, &ctx) || xp_symbols_new(ctx, NULL, &symbols) ||
	    xp_unwind_new(symbols, NULL, &f.unwind))
		return -1;
	dl_iterate_phdr(find_libc, &libc);
	if (!libc || xp_unwind_open(f.unwind, "/proc/self/exe", NULL, 0, &f.own) ||
	    xp_unwind_open(f.unwind, libc, NULL, 0, &f.libc))
		return -1;
	begin(&f, RULE_ROWS_MAX);
	f.nr_own = use(&f, f.own, &own_number)->nr;
	f.nr_libc = use(&f, f.libc, &libc_number)->nr;
	end(&f);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	xp_unwind_free(f->unwind);
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	return 0;
}

/* This build or machine may have no rules. */
static void need_rules(const struct fixture *f)
{
	if (!f->nr_own || !f->nr_libc)
		skip();
}

static void unused_files_give_way(void **state)
{
	struct fixture *f = *state;
	uint32_t own, libc, again;

	need_rules(f);
	begin(f, f->nr_own + f->nr_libc - 1);
	const struct rule_file *of_own = use(f, f->own, &own);
	assert_int_equal(of_own->nr, f->nr_own);
	unuse(f, own);
	/* Rows stay as long as nothing else needs the room. */
	assert_int_equal(use(f, f->own, &again)->nr, f->nr_own);
	assert_int_equal(again, own);
	unuse(f, own);

	const struct rule_file *of_libc = use(f, f->libc, &libc);
	assert_int_equal(of_libc->nr, f->nr_libc);
	assert_int_equal(of_libc->state, RULE_FILE_HAS_ROWS);
	assert_int_equal(of_own->nr, 0);
	assert_int_equal(of_own->state, RULE_FILE_PENDING);
	assert_int_equal(xp_rule_files_beyond(&f->files), 0);
	end(f);
}

static void used_files_stay(void **state)
{
	struct fixture *f = *state;
	uint32_t own, libc;

	need_rules(f);
	begin(f, f->nr_own + f->nr_libc - 1);
	const struct rule_file *of_own = use(f, f->own, &own);
	const struct rule_file *of_libc = use(f, f->libc, &libc);
	assert_int_equal(of_own->nr, f->nr_own);
	assert_int_equal(of_libc->state, RULE_FILE_POINTERS);
	assert_int_equal(xp_rule_files_beyond(&f->files), 1);

	/* When there is room, the file gets its rows with its next process, and is told once. */
	unuse(f, own);
	unuse(f, libc);
	assert_int_equal(use(f, f->libc, &libc)->nr, f->nr_libc);
	assert_int_equal(of_libc->state, RULE_FILE_HAS_ROWS);
	assert_int_equal(use(f, f->own, &own)->state, RULE_FILE_POINTERS);
	unuse(f, own);
	assert_int_equal(use(f, f->own, &own)->state, RULE_FILE_POINTERS);
	assert_int_equal(xp_rule_files_beyond(&f->files), 2);
	end(f);
}

static void numbers_are_used_again(void **state)
{
	struct fixture *f = *state;
	uint32_t own, libc, again;

	need_rules(f);
	begin(f, f->nr_own + f->nr_libc);
	use(f, f->own, &own);
	use(f, f->libc, &libc);
	f->tables.files[own].ended[RULE_END_ODD] = 3;
	unuse(f, own);
	f->files.nr = RULE_FILES_MAX;
	for (uint32_t i = libc + 1; i < RULE_FILES_MAX; i++)
		f->files.known[i] = (struct known_file){ .file = (void *)(uintptr_t)i, .maps = 1 };

	/* All numbers are those of files that are mapped, but one. */
	struct xp_unwind_file *other;
	assert_int_equal(xp_unwind_open(f->unwind, "/proc/self/no-such-file", NULL, 0, &other), 0);
	assert_int_equal(xp_rule_files_use(&f->files, other), own);
	xp_rule_files_wait(&f->files);
	assert_int_equal(f->tables.files[own].ended[RULE_END_ODD], 0);
	assert_int_equal(xp_rule_files_use(&f->files, f->own), RULE_NO_FILE);
	assert_int_equal(xp_rule_files_beyond(&f->files), 1);
	again = xp_rule_files_use(&f->files, other);
	assert_int_equal(again, own);
	end(f);
}

/* The thread has no time left for a minute. */
static void exhaust(struct fixture *f)
{
	uint32_t own;

	begin_shared(f, RULE_ROWS_MAX, 1);
	use(f, f->own, &own);
}

static struct xp_unwind_file *open_nothing(const struct fixture *f, int number)
{
	struct xp_unwind_file *file;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/no-such-file-%d", number);
	assert_int_equal(xp_unwind_open(f->unwind, path, NULL, 0, &file), 0);
	return file;
}

static void missed_files_are_first(void **state)
{
	struct fixture *f = *state;
	uint32_t libc, copy;
	struct xp_unwind_file *same;

	need_rules(f);
	assert_int_equal(xp_unwind_open(f->unwind, "/proc/self/../self/exe", NULL, 0, &same), 0);
	exhaust(f);
	libc = xp_rule_files_use(&f->files, f->libc);
	copy = xp_rule_files_use(&f->files, same);
	f->tables.files[copy].ended[RULE_END_NOT_YET]++;
	/* Who waits for them does so for all. */
	xp_rule_files_wait(&f->files);
	assert_int_equal(f->tables.files[libc].nr, f->nr_libc);
	assert_int_equal(f->tables.files[copy].nr, f->nr_own);
	assert_true(f->tables.files[copy].first < f->tables.files[libc].first);
	end(f);
}

static void files_that_were_put_off_come_back(void **state)
{
	struct fixture *f = *state;
	uint32_t libc;

	need_rules(f);
	exhaust(f);
	libc = xp_rule_files_use(&f->files, f->libc);
	const struct rule_file *of_libc = &f->tables.files[libc];
	for (int i = 0; i < RULE_FILES_WAITING; i++)
		xp_rule_files_use(&f->files, open_nothing(f, i));
	xp_rule_files_look(&f->files);
	xp_rule_files_wait(&f->files);
	assert_int_equal(of_libc->state, RULE_FILE_PENDING);
	f->tables.files[libc].ended[RULE_END_NOT_YET]++;
	xp_rule_files_look(&f->files);
	xp_rule_files_wait(&f->files);
	assert_int_equal(of_libc->state, RULE_FILE_HAS_ROWS);
	assert_int_equal(of_libc->nr, f->nr_libc);
	end(f);
}

static void files_that_nobody_maps_get_no_rows(void **state)
{
	struct fixture *f = *state;
	uint32_t libc;

	need_rules(f);
	exhaust(f);
	libc = xp_rule_files_use(&f->files, f->libc);
	unuse(f, libc);
	xp_rule_files_wait(&f->files);
	assert_int_equal(f->tables.files[libc].state, RULE_FILE_PENDING);
	f->tables.files[libc].ended[RULE_END_NOT_YET]++;
	xp_rule_files_look(&f->files);
	assert_int_equal(f->files.nr_waiting, 0);
	assert_int_equal(use(f, f->libc, &libc)->nr, f->nr_libc);
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_are_joined),
		cmocka_unit_test(parts_never_overlap),
		cmocka_unit_test(unused_files_give_way),
		cmocka_unit_test(used_files_stay),
		cmocka_unit_test(numbers_are_used_again),
		cmocka_unit_test(missed_files_are_first),
		cmocka_unit_test(files_that_were_put_off_come_back),
		cmocka_unit_test(files_that_nobody_maps_get_no_rows),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
