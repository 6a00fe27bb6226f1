/* SPDX-License-Identifier: MIT */
/* <xperf/symbol.h>: symbols of this very program, and files that have none. */
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
#include <xperf/diag.h>
#include <xperf/symbol.h>

/* What is looked for: symbols of this file. */
__attribute__((used)) static int known_data[3] = { 1, 2, 3 };

struct found {
	int nr, functions, data;
};

static int look(const struct xp_symbol *symbol, void *data)
{
	struct found *found = data;

	found->nr++;
	if (!strcmp(symbol->name, "main"))
		found->functions += symbol->type == XP_SYMBOL_FUNCTION && symbol->size;
	/* A sanitizer makes it larger. */
	if (!strcmp(symbol->name, "known_data"))
		found->data += symbol->type == XP_SYMBOL_DATA && symbol->size >= sizeof(known_data);
	return 0;
}

static int stop(const struct xp_symbol *symbol, void *data)
{
	int *nr = data;

	(void)symbol;
	return ++*nr == 2 ? 77 : 0;
}

static int ignore(const struct xp_symbol *symbol, void *data)
{
	(void)symbol;
	(void)data;
	return 0;
}

static void own_symbols_are_found(void **state)
{
	struct found found = { 0 };
	int nr = 0;

	(void)state;
	assert_int_equal(xp_symbol_walk("/proc/self/exe", look, &found, NULL), 0);
	assert_int_equal(found.functions, 1);
	assert_int_equal(found.data, 1);
	assert_int_equal(xp_symbol_walk("/proc/self/exe", stop, &nr, NULL), 77);
	assert_int_equal(nr, 2);
}

/* Writes the first @len bytes of this program, with one byte changed, into @path. */
static void write_damaged(const char *path, size_t len, size_t at, char byte)
{
	FILE *in = fopen("/proc/self/exe", "re");
	FILE *out = fopen(path, "we");
	char *bytes = calloc(1, len);

	assert_non_null(in);
	assert_non_null(out);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, len, in), len);
	bytes[at] = byte;
	assert_int_equal(fwrite(bytes, 1, len, out), len);
	free(bytes);
	fclose(in);
	fclose(out);
}

static void what_has_no_symbols_is_said(void **state)
{
	char path[] = "/tmp/xperf-elf-XXXXXX";
	struct xp_diag diag;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(xp_symbol_walk("/nonexistent", ignore, NULL, &diag), -ENOENT);
	assert_string_equal(diag.what,
			    "'/nonexistent' cannot be opened: No such file or directory");
	assert_int_equal(xp_symbol_walk(path, ignore, NULL, &diag), -ENOEXEC);
	write_damaged(path, 4096, 0, 'X');
	assert_int_equal(xp_symbol_walk(path, ignore, NULL, &diag), -ENOEXEC);
	/* Cut: the section table lies behind the end. */
	write_damaged(path, 4096, 0, 0x7f);
	assert_true(xp_symbol_walk(path, ignore, NULL, &diag) < 0);
	assert_true(diag.what[0]);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_symbols_are_found),
		cmocka_unit_test(what_has_no_symbols_is_said),
	};

	if (xp_symbol_walk("/proc/self/exe", ignore, NULL, NULL) == -ENOSYS) {
		printf("skipped: no libelf\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
