/* SPDX-License-Identifier: MIT */
/*
 * Files with symbols that claim to be more than they are: each takes as much time and memory as it
 * has bytes on the disk, or is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <xperf/ctx.h>
#include <xperf/symtab.h>

#include "unit/elf-files.h"

enum { FUNCTION = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), TEXT_AT = 0x1000 };

static struct xp_ctx *ctx;

static void put(FILE *file, const void *bytes, size_t len)
{
	assert_int_equal(fwrite(bytes, 1, len, file), len);
}

static Elf64_Ehdr header_of(uint16_t nr_segments, uint64_t sections, uint16_t nr_sections)
{
	Elf64_Ehdr header = { .e_ident = ELFMAG,
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_shoff = sections,
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = nr_segments,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = nr_sections };

	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	return header;
}

/* No section, and program headers that say all the same. */
static void make_many_segments(FILE *file)
{
	enum { NR = 65000 };
	static Elf64_Phdr segments[NR];
	Elf64_Ehdr header = header_of(NR, 0, 0);

	for (size_t i = 0; i < NR; i++)
		segments[i] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_X, .p_filesz = 1 };
	put(file, &header, sizeof(header));
	put(file, segments, sizeof(segments));
}

/* One string, and symbols whose names are all of its ends. @table_bytes: as the header has it. */
static void make_table(FILE *file, uint64_t table_bytes)
{
	enum { NR = 20000, NAMES = 1 << 20 };
	static char names[NAMES];
	static Elf64_Sym symbols[NR];
	const uint64_t names_at = sizeof(Elf64_Ehdr), table_at = names_at + NAMES,
		       sections_at = table_at + sizeof(symbols);
	const Elf64_Ehdr header = header_of(0, sections_at, 3);
	const Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = NAMES },
		{ .sh_type = SHT_SYMTAB,
		  .sh_offset = table_at,
		  .sh_size = table_bytes ? table_bytes : sizeof(symbols),
		  .sh_entsize = sizeof(Elf64_Sym),
		  .sh_link = 1 },
	};

	memset(names, 'a', NAMES - 1);
	for (uint32_t i = 1; i < NR; i++)
		symbols[i] = (Elf64_Sym){ .st_name = i,
					  .st_info = FUNCTION,
					  .st_shndx = 1,
					  .st_value = TEXT_AT + i / 4 * 16ULL,
					  .st_size = 16 };
	put(file, &header, sizeof(header));
	put(file, names, sizeof(names));
	put(file, symbols, sizeof(symbols));
	put(file, sections, sizeof(sections));
}

static void make_names(FILE *file)
{
	make_table(file, 0);
}

static void make_hole(FILE *file)
{
	enum { BYTES = 24 };
	const uint64_t size = UINT64_C(12) << 30;

	make_table(file, size / BYTES * BYTES);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(ftruncate(fileno(file), (off_t)size * 2), 0);
}

static void make_empty_text(FILE *file)
{
	assert_int_equal(ftruncate(fileno(file), 1 << 29), 0);
}

static void as_much_is_read_as_there_is(void **state)
{
	enum { ENOUGH_KB = 400 << 10 };
	static const struct {
		const char *name;
		void (*make)(FILE *file);
		enum xp_symtab_state state;
	} rows[] = {
		{ "/segments", make_many_segments, XP_SYMTAB_DAMAGED },
		{ "/names", make_names, XP_SYMTAB_FOUND },
		{ "/hole", make_hole, XP_SYMTAB_STRIPPED },
		{ "/tmp/perf-1.map", make_empty_text, XP_SYMTAB_DAMAGED },
	};
	struct xp_symbols_opts opts = { .size = sizeof(opts), .symfs = elf_dir, .debug_dir = "/" };
	struct xp_function function;
	struct xp_symbols *symbols;
	struct xp_symtab *symtab;
	struct rusage before, after;

	(void)state;
	if (!elf_is_read())
		skip();
	assert_int_equal(mkdir(elf_path("tmp"), 0700), 0);
	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *file = fopen(elf_path(rows[i].name), "w");

		assert_non_null(file);
		rows[i].make(file);
		assert_int_equal(fclose(file), 0);
		getrusage(RUSAGE_SELF, &before);
		assert_int_equal(xp_symbols_open(symbols, rows[i].name, NULL, 0, &symtab), 0);
		getrusage(RUSAGE_SELF, &after);
		if (xp_symtab_get_state(symtab) != rows[i].state)
			fail_msg("%s: %s", rows[i].name, xp_symtab_reason(symtab));
		if (after.ru_maxrss - before.ru_maxrss > ENOUGH_KB)
			fail_msg("%s: %ld KB", rows[i].name, after.ru_maxrss - before.ru_maxrss);
		int found = xp_symtab_find(symtab, TEXT_AT + 20, &function);
		assert_int_equal(found, rows[i].state == XP_SYMTAB_FOUND);
		unlink(elf_path(rows[i].name));
	}
	xp_symbols_free(symbols);
}

static int make_dir(void **state)
{
	(void)state;
	return xp_ctx_new(NULL, &ctx) || !elf_files_make("true");
}

static int remove_dir(void **state)
{
	(void)state;
	elf_files_remove();
	xp_ctx_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_much_is_read_as_there_is),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
