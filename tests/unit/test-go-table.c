/* SPDX-License-Identifier: MIT */
/* Go's own table of functions: each form it has had, and what is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "go-table-bytes.h"
#include "go-table.h"

static const struct form {
	uint32_t magic;
	bool is_big_endian;
	uint8_t pointer_len;
} forms[] = {
	{ 0xfffffffb, false, 8 }, { 0xfffffffb, true, 4 },  { 0xfffffffa, false, 8 },
	{ 0xfffffffa, true, 8 },  { 0xfffffff0, false, 8 }, { 0xfffffff0, false, 4 },
	{ 0xfffffff1, false, 8 }, { 0xfffffff1, true, 8 },
};

enum { NR_FORMS = sizeof(forms) / sizeof(forms[0]) };

static void make(const struct form *form, struct go_bytes *ret_go)
{
	*ret_go = (struct go_bytes){ .is_big_endian = form->is_big_endian,
				     .pointer_len = form->pointer_len };
	if (form->magic == 0xfffffffb)
		go_make_old(ret_go);
	else
		go_make(ret_go, form->magic, form->magic < 0xfffffff8, GO_TEXT);
}

/* XPERF_GO_TABLES=DIR writes them there: the corpus of fuzz/go-table. */
static void write_out(const struct go_bytes *go, int i)
{
	const char *dir = getenv("XPERF_GO_TABLES");
	char path[512];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/form-%d", dir, i);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fputc(go->is_big_endian, file);
	assert_int_equal(fwrite(go->at, 1, go->len, file), go->len);
	assert_int_equal(fclose(file), 0);
}

static void every_form_is_read(void **state)
{
	static const struct {
		uint64_t at;
		const char *file;
		uint32_t line, start;
	} lines[] = {
		{ 0, "/src/a.go", 10 },    { 0x1f, "/src/a.go", 10 }, { 0x20, "/src/a.go", 12 },
		{ 0x3f, "/src/a.go", 12 }, { 0x40, "/src/b.go", 20 }, { 0xff, "/src/b.go", 20 },
		{ 0x100, NULL, 0 },        { (uint64_t)-1, NULL, 0 },
	};
	struct go_bytes go;
	struct go_table table;
	struct go_function function;
	const char *file;
	uint32_t line, start;

	(void)state;
	for (int i = 0; i < NR_FORMS; i++) {
		make(&forms[i], &go);
		write_out(&go, i);
		if (xp_go_table_parse(go.at, go.len, go.is_big_endian, &table))
			fail_msg("form %d is not read", i);
		assert_int_equal(table.nr, 2);
		assert_true(xp_go_table_function(&table, 0, &function));
		assert_int_equal(function.start, GO_TEXT);
		assert_int_equal(function.end, GO_TEXT + 0x40);
		assert_string_equal(table.bytes + function.name, "main.first");
		assert_true(xp_go_table_function(&table, 1, &function));
		assert_int_equal(function.end, GO_TEXT + 0x100);
		assert_string_equal(table.bytes + function.name, "main.second");
		for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++) {
			bool is_known = xp_go_table_line(&table, GO_TEXT + lines[k].at, &file,
							 &line, &start);

			if (is_known != !!lines[k].file ||
			    (is_known &&
			     (line != lines[k].line || strcmp(file, lines[k].file) != 0)))
				fail_msg("form %d, line %zu: %s:%u", i, k, is_known ? file : "none",
					 is_known ? line : 0);
		}
	}
}

struct depths {
	char text[256];
	size_t len, nr, enough;
};

static bool add_depth(void *data, uint64_t start, uint64_t end, int32_t depth)
{
	struct depths *depths = data;

	depths->len += (size_t)snprintf(depths->text + depths->len, 64, "%x-%x:%d ",
					(unsigned int)(start - GO_TEXT),
					(unsigned int)(end - GO_TEXT), depth);
	return ++depths->nr != depths->enough;
}

static void depths_are_those_of_one_function(const struct go_table *table, uint64_t address,
					     size_t enough, const char *expected)
{
	struct depths depths = { .enough = enough };

	xp_go_table_depths(table, address, add_depth, &depths);
	assert_string_equal(depths.text, expected);
}

static void stacks_have_depths(void **state)
{
	struct go_function function;
	struct go_table table;
	struct go_bytes go;

	(void)state;
	for (int i = 0; i < NR_FORMS; i++) {
		bool has_flags = forms[i].magic != 0xfffffffb;

		make(&forms[i], &go);
		assert_int_equal(xp_go_table_parse(go.at, go.len, go.is_big_endian, &table), 0);
		depths_are_those_of_one_function(&table, GO_TEXT + 0x3f, 9,
						 "0-4:0 4-38:40 38-40:0 ");
		depths_are_those_of_one_function(&table, GO_TEXT, 2, "0-4:0 4-38:40 ");
		depths_are_those_of_one_function(&table, GO_TEXT + 0x40, 9, "40-100:8 ");
		depths_are_those_of_one_function(&table, GO_TEXT + 0x100, 9, "");
		depths_are_those_of_one_function(&table, GO_TEXT - 1, 9, "");
		assert_true(xp_go_table_find(&table, GO_TEXT + 0x3f, &function));
		assert_int_equal(function.start, GO_TEXT);
		assert_false(function.is_outermost || function.writes_sp);
		assert_true(xp_go_table_find(&table, GO_TEXT + 0x40, &function));
		assert_int_equal(function.start, GO_TEXT + 0x40);
		assert_int_equal(function.is_outermost, has_flags);
		assert_int_equal(function.writes_sp, has_flags);
		assert_false(xp_go_table_find(&table, GO_TEXT + 0x100, &function));
	}
}

static void other_bytes_are_no_table(void **state)
{
	struct go_bytes go;
	struct go_table table;

	(void)state;
	make(&forms[6], &go);
	assert_int_equal(xp_go_table_parse(go.at, go.len, true, &table), -ENOEXEC);
	assert_int_equal(xp_go_table_parse(go.at, 7, false, &table), -ENOEXEC);
	for (size_t i = 0; i < GO_TABLE_HEAD; i++) {
		unsigned char before = go.at[i];

		go.at[i] ^= 0x30;
		assert_int_equal(xp_go_table_parse(go.at, go.len, false, &table), -ENOEXEC);
		go.at[i] = before;
	}
}

/* Each byte is changed, and the end cut off: nothing is read beyond it. */
static void damaged_tables_do_no_harm(void **state)
{
	struct go_table table;
	struct go_function function;
	struct depths depths;
	struct go_bytes go;
	const char *file;
	uint32_t line, start;

	(void)state;
	for (int i = 0; i < NR_FORMS; i++) {
		make(&forms[i], &go);
		for (size_t len = go.len; len; len--) {
			unsigned char *copy = malloc(len);

			assert_non_null(copy);
			memcpy(copy, go.at, len);
			if (len == go.len)
				copy[len / 2] ^= 0xff;
			copy[len - 1] ^= 0xff;
			if (!xp_go_table_parse(copy, len, go.is_big_endian, &table))
				for (size_t k = 0; k < table.nr; k++) {
					if (!xp_go_table_function(&table, k, &function))
						continue;
					assert_true(function.name < len);
					xp_go_table_line(&table, function.start, &file, &line,
							 &start);
					depths = (struct depths){ .enough = 3 };
					xp_go_table_depths(&table, function.start, add_depth,
							   &depths);
				}
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read),
		cmocka_unit_test(stacks_have_depths),
		cmocka_unit_test(other_bytes_are_no_table),
		cmocka_unit_test(damaged_tables_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
