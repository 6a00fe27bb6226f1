/* SPDX-License-Identifier: MIT */
/* Lines of source and inlined functions, wherever the debug information is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <xperf/ctx.h>
#include <xperf/symbol.h>
#include <xperf/symtab.h>

#include "dwarf-file.h"
#include "unit/elf-files.h"

/* One program, its debug information in different forms and places; "none" has lost it. */
static const char command[] =
	"build() { $CC -O2 -Wl,--build-id=sha1 \"$@\" $SRC/inlined.c; } && "
	"build -g -o plain && build -g -gdwarf-4 -o dwarf4 && build -g -gz -o packed && "
	"build -g -gz=zlib-gnu -o zdebug && "
	"build -g -gsplit-dwarf -o split && "
	"cp plain none && strip -g none && "
	"cp plain linked && objcopy --only-keep-debug linked linked.debug && strip -s linked && "
	"objcopy --add-gnu-debuglink=linked.debug linked && "
	"cp plain moved && strip -g moved && "
	"id=$(readelf -n plain | sed -n 's/.*Build ID: //p') && rest=${id#??} && "
	"dir=root/usr/lib/debug/.build-id/${id%$rest} && mkdir -p $dir root/bin && "
	"cp plain $dir/$rest.debug && mv moved root/bin && "
	"cp plain foreign && strip -g foreign && "
	"build -g -DOTHER -Wl,--defsym=another=1 -o other && objcopy --only-keep-debug other && "
	"objcopy --add-gnu-debuglink=other foreign && "
	"$CC -O2 -g -fno-pic -ffunction-sections -c -o inlined.o $SRC/inlined.c && "
	"printf 'int first(int x){return x + 1;}' >first.c && "
	"$CC -O2 -g -fno-pic -c -o first.o first.c && "
	"ld -r --build-id=sha1 -o mod.ko first.o inlined.o && "
	"objcopy --only-keep-debug mod.ko mod.debug && cp mod.ko stripped.ko && "
	"strip -g stripped.ko && objcopy --add-gnu-debuglink=mod.debug stripped.ko && "
	"readelf -n mod.ko | sed -n 's/.*Build ID: //p' >mod-id";

static struct xp_ctx *ctx;

static struct xp_symbols *symbols_new(const char *symfs)
{
	struct xp_symbols_opts opts = { .size = sizeof(opts),
					.symfs = symfs,
					.debug_dir = "/nowhere" };
	struct xp_symbols *symbols;

	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	return symbols;
}

static uint64_t address_of(const char *name)
{
	return elf_listed("plain", name);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static void assert_line(const struct xp_line *line, const char *name, const char *file,
			uint32_t number)
{
	assert_int_equal(!line->name, !name);
	if (name)
		assert_string_equal(line->name, name);
	assert_non_null(line->file);
	assert_true(line->file[0] == '/' && ends_with(line->file, file));
	assert_int_equal(line->line, number);
}

/* Not known: libelf is missing, or the file cannot be had. */
static void assert_found(const char *symfs, const char *path, const char *middle)
{
	struct xp_symbols *symbols = symbols_new(symfs);
	const struct xp_line *lines, *again;
	struct xp_symtab *symtab;

	assert_int_equal(xp_symbols_open(symbols, path, NULL, 0, &symtab), 0);
	int nr = xp_symtab_lines(symtab, address_of("mark"), &lines);
	if (!middle) {
		assert_int_equal(nr, 0);
	} else {
		assert_int_equal(nr, 3);
		assert_line(&lines[0], "inner", "/inlined.h", 5);
		assert_line(&lines[1], middle, "/inlined.c", 10);
		assert_line(&lines[2], NULL, "/inlined.c", 16);
		assert_int_equal(xp_symtab_lines(symtab, address_of("mark"), &again), 3);
		assert_ptr_equal(lines, again);
		assert_int_equal(xp_symtab_lines(symtab, address_of("main"), &lines), 1);
		assert_in_range(lines[0].line, 19, 22);
		assert_int_equal(xp_symtab_lines(symtab, 0, &lines), 0);
		assert_int_equal(xp_symtab_lines(symtab, UINT64_MAX, &lines), 0);
	}
	xp_symbols_free(symbols);
}

static void lines_and_inlined_functions_are_found(void **state)
{
	static const char *const files[] = { "plain",  "dwarf4", "packed",
					     "zdebug", "split",  "linked" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_found(NULL, elf_path(files[i]), "more::middle");
}

static void debug_files_are_found_by_build_id(void **state)
{
	char root[128];

	(void)state;
	snprintf(root, sizeof(root), "%s", elf_path("root"));
	assert_found(root, "/bin/moved", "more::middle");
}

static void files_without_lines_have_none(void **state)
{
	(void)state;
	assert_found(NULL, elf_path("none"), NULL);
	/* the debug file it names is another program's */
	assert_found(NULL, elf_path("foreign"), NULL);
	assert_found(NULL, "/nowhere", NULL);
	assert_found(NULL, "[heap]", NULL);
}

static void names_stay_mangled_if_that_is_asked(void **state)
{
	struct xp_symbols_opts opts = { .size = sizeof(opts), .no_demangle = true };
	const struct xp_line *lines;
	struct xp_symbols *symbols;
	struct xp_symtab *symtab;

	(void)state;
	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	assert_int_equal(xp_symbols_open(symbols, elf_path("plain"), NULL, 0, &symtab), 0);
	assert_int_equal(xp_symtab_lines(symtab, address_of("mark"), &lines), 3);
	assert_string_equal(lines[1].name, "_ZN4more6middleEi");
	xp_symbols_free(symbols);
}

/* Sections of a module's code are one after the other in memory, and in the file only relocations
 * say which address is whose. */
static void assert_module(const char *path)
{
	struct xp_symbols *symbols = symbols_new(NULL);
	struct xp_symtab *symtab;
	struct xp_function function = { 0 };
	const struct xp_line *lines;
	uint64_t address = 0;
	uint8_t id[20];

	elf_read_id("mod-id", id);
	assert_int_equal(xp_symbols_open(symbols, elf_path(path), id, sizeof(id), &symtab), 0);
	while (address < 4096 &&
	       !(xp_symtab_find(symtab, address, &function) && !strcmp(function.name, "outer")))
		address++;
	assert_in_range(address, 1, 4095);
	for (uint64_t end = address + function.size; address < end; address++)
		if (xp_symtab_lines(symtab, address, &lines) == 3)
			break;
	assert_int_equal(xp_symtab_lines(symtab, address, &lines), 3);
	assert_line(&lines[0], "inner", "/inlined.h", 5);
	assert_line(&lines[1], "_ZN4more6middleEi", "/inlined.c", 10);
	xp_symbols_free(symbols);
}

static void modules_have_lines(void **state)
{
	(void)state;
	assert_module("mod.ko");
	assert_module("stripped.ko");
}

static bool has_libraries(void)
{
	struct xp_dwarf *dwarf = NULL;
	bool has = xp_dwarf_open(elf_path("plain"), &dwarf) != -ENOSYS && elf_is_read();

	xp_dwarf_close(dwarf);
	return has;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_inlined_functions_are_found),
		cmocka_unit_test(debug_files_are_found_by_build_id),
		cmocka_unit_test(files_without_lines_have_none),
		cmocka_unit_test(names_stay_mangled_if_that_is_asked),
		cmocka_unit_test(modules_have_lines),
	};

	if (!elf_files_make(command) || !has_libraries()) {
		puts("no libelf, no compiler, or no binutils");
		elf_files_remove();
		return 77;
	}
	if (xp_ctx_new(NULL, &ctx))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	xp_ctx_free(ctx);
	elf_files_remove();
	return failed;
}
