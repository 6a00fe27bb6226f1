/* SPDX-License-Identifier: MIT */
/*
 * What an ELF file adds to a table: the symbols that name code or data, the names of its PLT's
 * entries, where its parts are loaded.
 *
 * Source: elf(5); the ABI supplements for the layout of PLTs. Which symbols count is as in perf
 * 6.1.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "symtab-impl.h"

/* One walk. */
struct adding {
	struct xp_symtab *symtab;
	struct xp_elf_facts facts;
	struct xp_elf_section names;
	uint32_t names_at; /* where their copy is in the table's text */
	size_t nr;
};

/* Compilers for Arm and RISC-V mark code and data in between: "$x", "$d.1". */
static bool is_mark(const struct adding *adding, const char *name)
{
	uint16_t machine = adding->facts.machine;

	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (machine == EM_ARM || machine == EM_AARCH64 || machine == EM_RISCV);
}

static bool is_wanted(const struct adding *adding, const struct xp_elf_symbol *symbol)
{
	if (symbol->is_undefined || symbol->is_tls || symbol->section == SHN_ABS)
		return false;
	/* Of a module, what is not in its text is anywhere. */
	if (adding->facts.is_relocatable && symbol->base == XP_ELF_NO_BASE)
		return false;
	if (symbol->is_label)
		return symbol->is_code && !symbol->is_hidden &&
		       !is_mark(adding, symbol->symbol.name);
	return symbol->symbol.type != XP_SYMBOL_OTHER;
}

static int add(struct xp_symtab *symtab, const char *name, const struct table_entry *entry)
{
	struct table_entry named = *entry;
	int err = xp_function_table_add_name(symtab->table, name, strlen(name), &named.name);

	return err ? err : xp_function_table_add(symtab->table, &named);
}

static int add_symbol(const struct xp_elf_symbol *symbol, void *data)
{
	struct adding *adding = data;
	uint64_t address = symbol->symbol.address;
	struct table_entry entry = { .start = address, .end = address };

	if (!is_wanted(adding, symbol))
		return 0;
	if (adding->facts.is_relocatable)
		address += symbol->base;
	entry.start = entry.end = address;
	/* Its lowest bit says that the code is Thumb. */
	if (adding->facts.machine == EM_ARM && symbol->symbol.type == XP_SYMBOL_FUNCTION)
		entry.start = entry.end = address & ~(uint64_t)1;
	if (__builtin_add_overflow(entry.start, symbol->symbol.size, &entry.end))
		return 0;
	entry.flags = (symbol->is_weak ? TABLE_WEAK : 0) | (symbol->is_local ? TABLE_LOCAL : 0);
	size_t name_at = (uintptr_t)symbol->symbol.name - (uintptr_t)adding->names.bytes;
	if (name_at >= adding->names.len)
		return 0;
	adding->nr++;
	entry.name = adding->names_at + (uint32_t)name_at;
	return xp_function_table_add(adding->symtab->table, &entry);
}

/* Names are copied all at once: one may be the end of another, and each by itself would be more
 * than the file is. */
int xp_symtab_add_symbols(struct xp_symtab *symtab, struct xp_elf *elf, enum xp_elf_table table)
{
	struct adding adding = { .symtab = symtab, .facts = xp_elf_facts(elf) };

	if (xp_elf_names(elf, table, &adding.names))
		return -ENODATA;
	int err = xp_function_table_add_name(symtab->table, (const char *)adding.names.bytes,
					     adding.names.len, &adding.names_at)
			  ?: xp_elf_symbols(elf, table, add_symbol, &adding);
	return err ? err : adding.nr ? 0 : -ENODATA;
}

int xp_symtab_add_segments(struct xp_symtab *symtab, const struct xp_elf *elf)
{
	int nr = xp_elf_segments(elf, &symtab->segments);

	if (nr < 0)
		return nr;
	symtab->nr_segments = (size_t)nr;
	return 0;
}

/* A PLT: what comes before its first entry, and how long each one is. */
struct plt {
	uint16_t machine;
	const char *section;
	uint16_t head_len, entry_len;
};

/* The first one that a file has. .plt.sec is where calls go if there is one. */
static const struct plt plts[] = {
	{ EM_X86_64, ".plt.sec", 0, 16 }, { EM_386, ".plt.sec", 0, 16 },
	{ EM_X86_64, ".plt", 16, 16 },    { EM_386, ".plt", 16, 16 },
	{ EM_AARCH64, ".plt", 32, 16 },   { EM_ARM, ".plt", 20, 12 },
	{ EM_S390, ".plt", 32, 32 },      { EM_RISCV, ".plt", 32, 16 },
};

/* Its relocations, in the order of its entries. */
struct relocations {
	struct xp_elf_section section;
	size_t entry_len, info_at;
	struct xp_elf_facts facts;
};

static bool find_relocations(struct xp_elf *elf, struct relocations *ret_relocations)
{
	struct relocations r = { .facts = xp_elf_facts(elf) };
	bool has_addends = !xp_elf_section(elf, ".rela.plt", &r.section);

	if (!has_addends && xp_elf_section(elf, ".rel.plt", &r.section))
		return false;
	if (r.facts.is_64) {
		r.entry_len = has_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
		r.info_at = offsetof(Elf64_Rel, r_info);
	} else {
		r.entry_len = has_addends ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
		r.info_at = offsetof(Elf32_Rel, r_info);
	}
	*ret_relocations = r;
	return true;
}

/* The index of the symbol that an entry is for; 0: none. */
static size_t symbol_of(const struct relocations *r, size_t i)
{
	const unsigned char *at = r->section.bytes + i * r->entry_len + r->info_at;
	size_t len = r->facts.is_64 ? 8 : 4;
	uint64_t info = 0;

	for (size_t n = 0; n < len; n++)
		info = info << 8 | at[r->facts.is_big_endian ? n : len - 1 - n];
	return r->facts.is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
}

/* The names of .dynsym, by index. */
struct names {
	const char **at;
	size_t nr;
};

/* Where the function is found that finds the function, of an entry without a symbol; 0: not said.
 */
static uint64_t addend_of(const struct relocations *r, size_t i)
{
	size_t len = r->facts.is_64 ? 8 : 4;
	const unsigned char *at = r->section.bytes + i * r->entry_len + r->info_at + len;
	uint64_t addend = 0;

	if (r->entry_len < r->info_at + 2 * len)
		return 0;
	for (size_t n = 0; n < len; n++)
		addend = addend << 8 | at[r->facts.is_big_endian ? n : len - 1 - n];
	return addend;
}

/* As objdump(1) calls it. */
static void name_entry(const struct relocations *r, const struct names *names, size_t i,
		       struct xp_str *name)
{
	size_t index = symbol_of(r, i);
	uint64_t addend = index ? 0 : addend_of(r, i);

	if (addend)
		xp_str_addf(name, "*ABS*+0x%" PRIx64 "@plt", addend);
	else if (index < names->nr && names->at[index])
		xp_str_addf(name, "%s@plt", names->at[index]);
}

static int keep_name(const struct xp_elf_symbol *symbol, void *data)
{
	struct names *names = data;
	size_t index = (size_t)symbol->index;

	if (index >= names->nr) {
		size_t nr = index * 2 + 64;
		const char **at = reallocarray(names->at, nr, sizeof(*at));

		if (!at)
			return -ENOMEM;
		memset(at + names->nr, 0, (nr - names->nr) * sizeof(*at));
		names->at = at;
		names->nr = nr;
	}
	names->at[index] = symbol->symbol.name;
	return 0;
}

static int add_entries(struct xp_symtab *symtab, const struct plt *plt,
		       const struct xp_elf_section *section, const struct relocations *r,
		       const struct names *names)
{
	enum { MAX_TEXT = 32 << 20 }; /* bytes of names that may be parts of each other */
	uint64_t at = section->address + plt->head_len;
	size_t text_len = symtab->table->text.len;
	int err = 0;

	for (size_t i = 0; i < r->section.len / r->entry_len && !err; i++) {
		struct table_entry entry = { .start = at, .end = at + plt->entry_len };
		struct xp_str name = { 0 };

		if (plt->head_len + (i + 1) * plt->entry_len > section->len ||
		    symtab->table->text.len - text_len > MAX_TEXT)
			break;
		at = entry.end;
		if (entry.end < entry.start)
			continue;
		name_entry(r, names, i, &name);
		if (name.failed)
			err = -ENOMEM;
		else if (name.len)
			err = add(symtab, xp_str_text(&name), &entry);
		xp_str_fini(&name);
	}
	return err;
}

int xp_symtab_add_plt(struct xp_symtab *symtab, struct xp_elf *elf)
{
	struct xp_elf_section section;
	struct relocations r;
	struct names names = { 0 };
	int err = 0;

	if (!find_relocations(elf, &r))
		return 0;
	for (size_t i = 0; i < XP_ARRAY_LEN(plts); i++) {
		if (plts[i].machine != r.facts.machine ||
		    xp_elf_section(elf, plts[i].section, &section))
			continue;
		err = xp_elf_symbols(elf, XP_ELF_DYNSYM, keep_name, &names);
		/* Without a table of names, as in static programs, none is made up. */
		if (!err && names.nr)
			err = add_entries(symtab, &plts[i], &section, &r, &names);
		break;
	}
	free(names.at);
	return err;
}
