/* SPDX-License-Identifier: MIT */
/* Files with symbols that are cut to nothing while they are read: nobody is killed by SIGBUS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <xperf/ctx.h>
#include <xperf/symtab.h>

#include "dwarf-file.h"
#include "unit/elf-files.h"

static const char command[] = "$CC -O2 -g -o app $SRC/inlined.c && cp app table && cp app lines";

static struct xp_ctx *ctx;

static struct xp_symtab *open_of(struct xp_symbols_opts opts, const char *path,
				 struct xp_symbols **ret_symbols)
{
	struct xp_symtab *symtab;

	opts.size = sizeof(opts);
	opts.debug_dir = "/nowhere";
	assert_int_equal(xp_symbols_new(ctx, &opts, ret_symbols), 0);
	assert_int_equal(xp_symbols_open(*ret_symbols, path, NULL, 0, &symtab), 0);
	return symtab;
}

/* At the first symbol, nothing has been read of what is behind the first page of names. */
static int cut_at_first(const struct xp_symbol *symbol, void *data)
{
	int *nr = data;

	if (!(*nr)++)
		assert_int_equal(truncate(elf_path("table"), 0), 0);
	assert_true(strlen(symbol->name) < 4096);
	return 0;
}

static void a_symbol_table_is_cut(void **state)
{
	int nr = 0;

	(void)state;
	if (!elf_is_read())
		skip();
	assert_int_equal(xp_symbol_walk(elf_path("table"), cut_at_first, &nr, NULL), 0);
	assert_true(nr > 0);
}

static void debug_information_is_cut(void **state)
{
	uint64_t address = elf_listed("app", "mark");
	struct xp_dwarf_frame frames[XP_DWARF_FRAMES];
	struct xp_dwarf *dwarf;

	(void)state;
	int err = xp_dwarf_open(elf_path("lines"), &dwarf);
	if (err == -ENOSYS)
		skip();
	assert_int_equal(err, 0);
	assert_int_equal(truncate(elf_path("lines"), 0), 0);
	assert_in_range(xp_dwarf_find(dwarf, address, frames), 0, XP_DWARF_FRAMES);
	xp_dwarf_close(dwarf);
}

/* A kernel of as many functions as there are in several pages. */
static void a_copy_of_kallsyms_is_cut(void **state)
{
	enum { FUNCTIONS = 20000 };
	const char *path = elf_path("kallsyms");
	FILE *file = fopen(path, "w");
	struct xp_symbols *symbols;
	struct xp_function function;

	(void)state;
	assert_non_null(file);
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		fprintf(file, "%016llx T function_%u\n", 0xffffffff81000000ULL + i * 16ULL, i);
	assert_int_equal(fclose(file), 0);
	struct xp_symtab *symtab = open_of((struct xp_symbols_opts){ .kallsyms = path },
					   "[kernel.kallsyms]_text", &symbols);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(xp_symtab_find(symtab, 0xffffffff81000000ULL + 16 * 15000, &function), 1);
	assert_string_equal(function.name, "function_15000");
	xp_symbols_free(symbols);
}

static int make_files(void **state)
{
	(void)state;
	return xp_ctx_new(NULL, &ctx) || !elf_files_make(command);
}

static int remove_files(void **state)
{
	(void)state;
	elf_files_remove();
	xp_ctx_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_table_is_cut),
		cmocka_unit_test(debug_information_is_cut),
		cmocka_unit_test(a_copy_of_kallsyms_is_cut),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
