/* SPDX-License-Identifier: MIT */
/* xp_symbol_find() and xp_sdt_walk() on files that the compiler makes here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/symbol.h>

#include "unit/elf-files.h"

static const char command[] =
	"program=\"$SRC/main.c $SRC/other.c\"; echo '#!/bin/sh' >text && "
	"$CC -O0 -pie -fPIE -o pie $program && "
	"$CC -O0 -no-pie -fno-pie -o fixed $program && "
	"cp pie stripped && strip stripped && "
	"$CC -O0 -static -o static $program && strip static && "
	"$CC -O0 -shared -fPIC -Wl,--version-script=$SRC/lib.map -o lib.so $SRC/lib.c && "
	"cp lib.so stripped.so && strip stripped.so && "
	"$CC -O0 -o chooser $SRC/chooser.c";

static int find(const char *file, const char *name, enum xp_symbol_type type,
		struct xp_symbol_place *place, struct xp_diag *diag)
{
	memset(place, 0, sizeof(*place));
	return xp_symbol_find(elf_path(file), name, type, place, diag);
}

/* The address that nm shows in front of a text. */
static uint64_t listed(const char *file, const char *pattern)
{
	char nm[512];
	unsigned long long value = 0;

	snprintf(nm, sizeof(nm), "nm %s", elf_path(file));
	FILE *pipe = popen(nm, "r");
	char line[512];

	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe))
		if (strstr(line, pattern))
			value = strtoull(line, NULL, 16);
	pclose(pipe);
	return value;
}

static void functions_are_found(void **state)
{
	struct xp_symbol_place place;
	struct xp_diag diag;

	(void)state;
	assert_int_equal(find("pie", "leaf", XP_SYMBOL_FUNCTION, &place, &diag), 0);
	assert_int_equal(place.address, listed("pie", " T leaf\n"));
	assert_true(place.size > 0);
	assert_false(place.is_fixed);
	assert_int_equal(place.type, XP_SYMBOL_FUNCTION);
	assert_int_equal(find("fixed", "leaf", XP_SYMBOL_FUNCTION, &place, &diag), 0);
	assert_int_equal(place.address, listed("fixed", " T leaf\n"));
	assert_true(place.offset < place.address);
	assert_true(place.is_fixed);
	/* without a type in the symbol table */
	assert_int_equal(find("pie", "_start", XP_SYMBOL_FUNCTION, &place, &diag), 0);
	assert_int_equal(find("fixed", "table", XP_SYMBOL_DATA, &place, &diag), 0);
	assert_int_equal(place.size, 16);
	assert_int_equal(find("fixed", "empty", XP_SYMBOL_OTHER, &place, &diag), 0);
	assert_int_equal(place.address, listed("fixed", " B empty\n"));
}

/* The byte at the offset is the one the program has at the address. */
static void offsets_are_in_the_file(void **state)
{
	static const int expected[4] = { 1, 2, 3, 4 };
	static const char *const files[] = { "pie", "fixed" };
	struct xp_symbol_place place;
	int bytes[4];

	(void)state;
	for (int i = 0; i < 2; i++) {
		FILE *file = fopen(elf_path(files[i]), "re");

		assert_non_null(file);
		assert_int_equal(find(files[i], "table", XP_SYMBOL_OTHER, &place, NULL), 0);
		assert_int_equal(fseek(file, (long)place.offset, SEEK_SET), 0);
		assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
		assert_memory_equal(bytes, expected, sizeof(bytes));
		fclose(file);
	}
}

static void versions_are_distinguished(void **state)
{
	static const char *const files[] = { "lib.so", "stripped.so" };
	struct xp_symbol_place old, new, any;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(find(files[i], "thing@V1", XP_SYMBOL_FUNCTION, &old, NULL), 0);
		assert_int_equal(find(files[i], "thing@V2", XP_SYMBOL_FUNCTION, &new, NULL), 0);
		assert_int_equal(find(files[i], "thing", XP_SYMBOL_FUNCTION, &any, NULL), 0);
		assert_int_not_equal(old.address, new.address);
		assert_int_equal(any.address, new.address);
		assert_int_equal(find(files[i], "thing@@V2", XP_SYMBOL_FUNCTION, &any, NULL), 0);
		assert_int_equal(any.address, new.address);
		assert_int_equal(find(files[i], "thing@V3", XP_SYMBOL_FUNCTION, &any, NULL),
				 -ENODATA);
		assert_int_equal(find(files[i], "plain_thing@V1", XP_SYMBOL_FUNCTION, &any, NULL),
				 0);
		assert_int_equal(find(files[i], "plain_thing", XP_SYMBOL_FUNCTION, &any, NULL), 0);
	}
}

static void what_cannot_be_found_is_said(void **state)
{
	static const struct {
		const char *file, *name;
		enum xp_symbol_type type;
		int err;
		const char *what, *hint;
	} rows[] = {
		{ "pie", "laef", XP_SYMBOL_FUNCTION, -ENODATA, "/pie' has no function 'laef'",
		  "Did you mean 'leaf'?" },
		{ "pie", "atoi", XP_SYMBOL_FUNCTION, -ENODATA, "in a library that it uses",
		  "ldd " },
		{ "pie", "twice", XP_SYMBOL_FUNCTION, -EEXIST, "has 2 functions 'twice'",
		  "by its offset in the file: 0x" },
		{ "pie", "table", XP_SYMBOL_FUNCTION, -EINVAL, "is not a function", "" },
		{ "pie", "leaf", XP_SYMBOL_DATA, -EINVAL, "is not a variable", "" },
		{ "pie", "own", XP_SYMBOL_OTHER, -EINVAL, "a different address", "" },
		{ "pie", "", XP_SYMBOL_FUNCTION, -ENODATA, "has no function ''", "" },
		{ "pie", "@", XP_SYMBOL_FUNCTION, -ENODATA, "has no function '@'", "" },
		{ "stripped", "leaf", XP_SYMBOL_FUNCTION, -ENODATA,
		  "exports no function 'leaf', and its other symbols are stripped", "" },
		{ "static", "leaf", XP_SYMBOL_FUNCTION, -ENODATA, "has no symbols: it is stripped",
		  "give an offset" },
		{ "chooser", "chosen", XP_SYMBOL_FUNCTION, -EINVAL,
		  "chooses one when a program starts", "" },
		{ "text", "x", XP_SYMBOL_FUNCTION, -ENOEXEC, "is not an ELF file", "" },
		{ "none", "x", XP_SYMBOL_FUNCTION, -ENOENT, "cannot be opened", "" },
		{ ".", "x", XP_SYMBOL_FUNCTION, -ENOEXEC, "is not a regular file", "" },
	};
	struct xp_symbol_place place;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_diag diag = { 0 };
		int err = find(rows[i].file, rows[i].name, rows[i].type, &place, &diag);

		if (err != rows[i].err || diag.err != err || !strstr(diag.what, rows[i].what) ||
		    !strstr(diag.hint, rows[i].hint))
			fail_msg("%s %s: %d '%s' '%s'", rows[i].file, rows[i].name, err, diag.what,
				 diag.hint);
		assert_int_equal(find(rows[i].file, rows[i].name, rows[i].type, &place, NULL), err);
	}
}

struct markers {
	int plain, switched, others;
	struct xp_sdt last_switched;
};

static int note(const struct xp_sdt *sdt, void *data)
{
	struct markers *found = data;

	if (strcmp(sdt->provider, "app") || strcmp(sdt->args, "4@%eax") || !sdt->offset)
		found->others++;
	else if (!strcmp(sdt->name, "plain") && !sdt->semaphore)
		found->plain++;
	else if (!strcmp(sdt->name, "switched"))
		found->switched++, found->last_switched = *sdt;
	else
		found->others++;
	return 0;
}

static int stop(const struct xp_sdt *sdt, void *data)
{
	(void)sdt;
	++*(int *)data;
	return 77;
}

static void markers_are_found(void **state)
{
	static const char *const files[] = { "pie", "fixed", "stripped", "static" };
	int nr = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct markers found = { 0 };
		struct xp_symbol_place place;

		assert_int_equal(xp_sdt_walk(elf_path(files[i]), note, &found, NULL), 0);
		assert_int_equal(found.plain, 2);
		assert_int_equal(found.switched, 1);
		assert_int_equal(found.others, 0);
		if (find(files[i], "app_on_semaphore", XP_SYMBOL_DATA, &place, NULL))
			continue;
		assert_int_equal(found.last_switched.semaphore, place.offset);
	}
	assert_int_equal(xp_sdt_walk(elf_path("pie"), stop, &nr, NULL), 77);
	assert_int_equal(nr, 1);
}

static int keep(const struct xp_sdt *sdt, void *data)
{
	struct xp_sdt *kept = data;

	assert_string_equal(sdt->provider, "app");
	assert_string_equal(sdt->name, "plain");
	*kept = *sdt;
	return 0;
}

static void other_machines_files_are_read(void **state)
{
	struct xp_symbol_place place;
	struct xp_sdt sdt = { 0 };
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/elf/big-endian-32",
		 getenv("SOURCE_DIR"));
	assert_int_equal(xp_sdt_walk(path, keep, &sdt, NULL), 0);
	assert_int_equal(sdt.address, 0x10000010);
	assert_int_equal(sdt.offset, 0x10);
	assert_int_equal(sdt.semaphore, 0x20);
	assert_int_equal(xp_symbol_find(path, "leaf", XP_SYMBOL_FUNCTION, &place, NULL), 0);
	assert_int_equal(place.address, 0x10000010);
	assert_int_equal(place.offset, 0x10);
}

static void files_without_markers(void **state)
{
	struct xp_diag diag;
	int nr = 0;

	(void)state;
	assert_int_equal(xp_sdt_walk(elf_path("lib.so"), stop, &nr, &diag), -ENODATA);
	assert_non_null(strstr(diag.what, "has no SDT markers"));
	assert_int_equal(xp_sdt_walk(elf_path("text"), stop, &nr, &diag), -ENOEXEC);
	assert_int_equal(xp_sdt_walk(elf_path("none"), stop, &nr, &diag), -ENOENT);
	assert_int_equal(nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(offsets_are_in_the_file),
		cmocka_unit_test(versions_are_distinguished),
		cmocka_unit_test(what_cannot_be_found_is_said),
		cmocka_unit_test(markers_are_found),
		cmocka_unit_test(other_machines_files_are_read),
		cmocka_unit_test(files_without_markers),
	};
	int failed = 77;
	int nr;

	if (xp_sdt_walk("/proc/self/exe", stop, &nr, NULL) == -ENOSYS)
		printf("skipped: no libelf\n");
	else if (!elf_files_make(command))
		printf("skipped: no compiler and linker that make the files\n");
	else
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	elf_files_remove();
	return failed;
}
