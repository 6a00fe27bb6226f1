/* SPDX-License-Identifier: MIT */
/* Code by address: of files, of the kernel by a file kcore, of code that was made while running. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/symbol.h>
#include <xperf/symtab.h>

#include "feature.h"
#include "jit-dump-bytes.h"
#include "put-file.h"
#include "remove-tree.h"

enum { ROOM = 64, CODE_AT = 256 };
#define KERNEL_TEXT UINT64_C(0xffffffff81000000)
#define MODULE_TEXT UINT64_C(0xffffffffc0000000)

static struct xp_ctx *ctx;
static char work[] = "/tmp/xperf-code-XXXXXX";

static struct xp_symtab *table_of(struct xp_symbols *symbols, const char *path)
{
	struct xp_symtab *symtab = NULL;

	assert_int_equal(xp_symbols_open(symbols, path, NULL, 0, &symtab), 0);
	return symtab;
}

static struct xp_symbols *symbols_with(const char *kallsyms)
{
	const struct xp_symbols_opts opts = { .size = sizeof(opts), .kallsyms = kallsyms };
	struct xp_symbols *symbols = NULL;

	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	return symbols;
}

static void put_bytes(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static __attribute__((noinline)) int known_code(int bits)
{
	return (bits * 0x1234567) ^ (bits >> 3);
}

/* This program: what its file has is what runs. */
static void of_files(void **state)
{
	struct xp_symbols *symbols = symbols_with(NULL);
	uint8_t code[ROOM];
	char path[512] = "";
	int machine = 0;
	uint64_t address = 0;

	(void)state;
	if (!feature_is_on("libelf"))
		skip();
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	struct xp_symtab *symtab = table_of(symbols, path);
	struct xp_symbol_place place;
	assert_int_equal(xp_symbol_find(path, "known_code", XP_SYMBOL_FUNCTION, &place, NULL), 0);
	address = place.address;
	assert_int_equal(xp_symtab_code_at(symtab, address, code, 16, &machine), 16);
	assert_memory_equal(code, (const void *)(uintptr_t)known_code, 16);
	assert_true(machine);
	/* far from any code */
	assert_int_equal(xp_symtab_code_at(symtab, UINT64_MAX - 8, code, 16, &machine), 0);
	assert_int_equal(xp_symtab_code_at(table_of(symbols, "//anon"), 0, code, 16, &machine), 0);
	assert_int_equal(machine, 0);
	xp_symbols_free(symbols);
}

/* A kcore file of two parts, each with bytes that say where they are from. */
static void put_kcore(const char *path, uint16_t nr_headers)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr parts[2];
		uint8_t rest[2 * CODE_AT];
	} kcore = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
				.e_machine = EM_X86_64,
				.e_phoff = sizeof(Elf64_Ehdr),
				.e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = nr_headers } };
	const uint64_t starts[] = { KERNEL_TEXT, MODULE_TEXT };

	for (size_t i = 0; i < 2; i++) {
		size_t at = sizeof(kcore.header) + sizeof(kcore.parts) + i * CODE_AT;

		kcore.parts[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
					       .p_offset = at,
					       .p_vaddr = starts[i],
					       .p_filesz = CODE_AT,
					       .p_memsz = CODE_AT };
		for (size_t n = 0; n < CODE_AT; n++)
			kcore.rest[i * CODE_AT + n] = (uint8_t)(n ^ (i ? 0x80 : 0));
	}
	put_bytes(path, &kcore, sizeof(kcore));
}

static void of_the_kernel_and_its_modules(void **state)
{
	char kallsyms[64], kcore[64];
	uint8_t code[ROOM];
	int machine;

	(void)state;
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", work);
	snprintf(kcore, sizeof(kcore), "%s/kcore", work);
	put_file(work,
		 "ffffffff81000000 T _text\nffffffff81000010 T work\nffffffff81000040 T rest\n"
		 "ffffffffc0000020 t of_module\t[some]\nffffffffc0000030 t end\t[some]\n",
		 "/kallsyms");
	put_kcore(kcore, 2);
	struct xp_symbols *symbols = symbols_with(kallsyms);
	struct xp_symtab *symtab = table_of(symbols, "[kernel.kallsyms]");
	assert_int_equal(xp_symtab_code_at(symtab, KERNEL_TEXT + 0x10, code, 4, &machine), 4);
	assert_memory_equal(code, "\x10\x11\x12\x13", 4);
	assert_int_equal(machine, EM_X86_64);
	/* to the end of the part, and not behind it */
	assert_int_equal(xp_symtab_code_at(symtab, KERNEL_TEXT + CODE_AT - 3, code, ROOM, &machine),
			 3);
	assert_int_equal(xp_symtab_code_at(symtab, KERNEL_TEXT + CODE_AT, code, ROOM, &machine), 0);
	/* addresses of a module count from its page */
	symtab = table_of(symbols, "[some]");
	assert_int_equal(xp_symtab_code_at(symtab, 0x20, code, 2, &machine), 2);
	assert_memory_equal(code, "\xa0\xa1", 2);
	xp_symbols_free(symbols);
	/* of which nothing is right */
	put_kcore(kcore, UINT16_MAX);
	symbols = symbols_with(kallsyms);
	symtab = table_of(symbols, "[kernel.kallsyms]");
	assert_int_equal(xp_symtab_code_at(symtab, KERNEL_TEXT + 0x10, code, 4, &machine), 0);
	assert_int_equal(machine, 0);
	xp_symbols_free(symbols);
}

static void put_code(struct dump_bytes *dump, uint64_t address, const char *name, const char *code)
{
	size_t name_len = strlen(name) + 1, len = strlen(code);

	dump_record(dump, DUMP_LOAD, 40 + name_len + len, 1);
	dump_number(dump, 0, 8);
	for (int i = 0; i < 2; i++)
		dump_number(dump, address, 8);
	dump_number(dump, len, 8);
	dump_number(dump, 0, 8);
	dump_put(dump, name, name_len);
	dump_put(dump, code, len);
}

static void of_what_was_made(void **state)
{
	static struct dump_bytes dump;
	struct xp_symbols *symbols = symbols_with(NULL);
	char path[64];
	uint8_t code[ROOM];
	int machine;

	(void)state;
	snprintf(path, sizeof(path), "%s/jit-7.dump", work);
	dump_begin(&dump, EM_AARCH64, 1, 0);
	put_code(&dump, 0x1000, "first", "abcdefgh");
	put_code(&dump, 0x2000, "other", "ijkl");
	put_code(&dump, 0x1000, "second", "mnop");
	dump_move(&dump, 2, 0x2000, 0x3000, 4);
	dump_move(&dump, 2, 0x2001, 0x4000, 2);
	dump_record(&dump, DUMP_LOAD, 1 << 20, 1);
	put_bytes(path, dump.at, dump.len);
	assert_int_equal(xp_symbols_add_jitdump(symbols, 7, path), 0);
	struct xp_symtab *symtab = table_of(symbols, "/tmp/perf-7.map");
	assert_int_equal(xp_symtab_code_at(symtab, 0x1001, code, ROOM, &machine), 3);
	assert_memory_equal(code, "nop", 3);
	assert_int_equal(machine, EM_AARCH64);
	/* what is left of the one before */
	assert_int_equal(xp_symtab_code_at(symtab, 0x1006, code, ROOM, &machine), 2);
	assert_memory_equal(code, "gh", 2);
	assert_int_equal(xp_symtab_code_at(symtab, 0x3000, code, ROOM, &machine), 4);
	assert_memory_equal(code, "ijkl", 4);
	assert_int_equal(xp_symtab_code_at(symtab, 0x4000, code, ROOM, &machine), 0);
	symtab = table_of(symbols, "/tmp/perf-8.map");
	assert_int_equal(xp_symtab_code_at(symtab, 0x1000, code, ROOM, &machine), 0);
	xp_symbols_free(symbols);
}

/* Functions over functions, in any order: each address has the code of the last one there. */
static void of_what_was_made_over_it(void **state)
{
	enum { SPAN = 1500, LONGEST = 40, NR = 400 };
	static struct dump_bytes dump;
	struct xp_symbols *symbols = symbols_with(NULL);
	char path[64], last[SPAN + LONGEST] = { 0 };
	unsigned long random = 7;

	(void)state;
	snprintf(path, sizeof(path), "%s/jit-9.dump", work);
	dump_begin(&dump, EM_X86_64, 1, 0);
	for (int i = 0; i < NR; i++) {
		char code[LONGEST + 1] = "";

		random = random * 6364136223846793005UL + 1442695040888963407UL;
		size_t at = (random >> 40) % SPAN, len = (random >> 33) % LONGEST;
		memset(code, ' ' + i % 90, len);
		memcpy(last + at, code, len);
		put_code(&dump, at + 0x1000, "function", code);
	}
	put_bytes(path, &dump.at, dump.len);
	assert_int_equal(xp_symbols_add_jitdump(symbols, 9, path), 0);
	struct xp_symtab *symtab = table_of(symbols, "/tmp/perf-9.map");
	for (uint64_t i = 0; i < sizeof(last); i++) {
		char code = 0;
		int machine;

		assert_int_equal(xp_symtab_code_at(symtab, i + 0x1000, &code, 1, &machine),
				 last[i] != 0);
		assert_int_equal(code, last[i]);
	}
	xp_symbols_free(symbols);
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(work) || xp_ctx_new(NULL, &ctx);
}

static int tear_down(void **state)
{
	(void)state;
	xp_ctx_free(ctx);
	remove_tree(work);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_files),
		cmocka_unit_test(of_the_kernel_and_its_modules),
		cmocka_unit_test(of_what_was_made),
		cmocka_unit_test(of_what_was_made_over_it),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
