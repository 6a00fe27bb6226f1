/* SPDX-License-Identifier: MIT */
/*
 * The symbols of an ELF file, their names and versions.
 *
 * Source: elf(5); LSB, "Symbol Versioning".
 */
#include <errno.h>
#include <string.h>

#include "libelf-impl.h"

/* Finds the first section of a type. */
static Elf_Scn *find_type(const struct xp_elf *elf, GElf_Word type, GElf_Shdr *ret_header)
{
	Elf_Scn *section = NULL;

	while ((section = elf->lib.nextscn(elf->elf, section)))
		if (elf->lib.getshdr(section, ret_header) && ret_header->sh_type == type)
			return section;
	return NULL;
}

/* The content of a section that names are in, and whose names are in another. */
static Elf_Data *data_of(const struct xp_elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	bool is_read = section && header->sh_size <= elf->section_max &&
		       xp_elf_is_readable(elf, header->sh_link);

	return is_read ? elf->lib.getdata(section, NULL) : NULL;
}

static const GElf_Word table_types[] = {
	[XP_ELF_SYMTAB] = SHT_SYMTAB,
	[XP_ELF_DYNSYM] = SHT_DYNSYM,
};

bool xp_elf_has_symbols(const struct xp_elf *elf, enum xp_elf_table table)
{
	GElf_Shdr header;

	return find_type(elf, table_types[table], &header);
}

static enum xp_symbol_type type_of(const Elf64_Sym *sym)
{
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return XP_SYMBOL_FUNCTION;
	case STT_OBJECT:
	case STT_TLS:
		return XP_SYMBOL_DATA;
	default:
		return XP_SYMBOL_OTHER;
	}
}

static bool is_hidden(const Elf64_Sym *sym)
{
	unsigned int visibility = ELF64_ST_VISIBILITY(sym->st_other);

	return visibility == STV_HIDDEN || visibility == STV_INTERNAL;
}

/* A table of symbols, in the byte order of this machine, and its names, of which each ends within
 * @names_len. Files have 100,000 symbols: asking libelf for each takes four times as long. */
struct symbol_table {
	const char *at, *names;
	size_t nr, entry_len, names_len;
	bool is_64;
};

static struct symbol_table symbol_table(const struct xp_elf *elf, enum xp_elf_table type)
{
	struct symbol_table table = { .is_64 = elf->header.e_ident[EI_CLASS] == ELFCLASS64 };
	GElf_Shdr header, names_header;
	Elf_Scn *section = find_type(elf, table_types[type], &header);
	const Elf_Data *bytes = data_of(elf, section, &header);
	Elf_Scn *names_section = bytes ? elf->lib.getscn(elf->elf, header.sh_link) : NULL;
	const Elf_Data *names = names_section ? elf->lib.rawdata(names_section, NULL) : NULL;

	table.entry_len = table.is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	if (!names || !names->d_buf || !bytes->d_buf || bytes->d_type != ELF_T_SYM ||
	    !elf->lib.getshdr(names_section, &names_header) || names_header.sh_type != SHT_STRTAB)
		return table;
	const char *end = memrchr(names->d_buf, '\0', names->d_size);
	table.at = bytes->d_buf;
	table.nr = bytes->d_size / table.entry_len;
	table.names = names->d_buf;
	table.names_len = end ? (size_t)(end - table.names) + 1 : 0;
	return table;
}

/* Symbol @i, whose fields are those of 64 bits. Returns its name; NULL: it has none. */
static const char *symbol_at(const struct symbol_table *table, size_t i, Elf64_Sym *sym)
{
	const char *at = table->at + i * table->entry_len;
	Elf32_Sym narrow;

	if (table->is_64) {
		memcpy(sym, at, sizeof(*sym));
	} else {
		memcpy(&narrow, at, sizeof(narrow));
		*sym = (Elf64_Sym){ .st_name = narrow.st_name,
				    .st_info = narrow.st_info,
				    .st_other = narrow.st_other,
				    .st_shndx = narrow.st_shndx,
				    .st_value = narrow.st_value,
				    .st_size = narrow.st_size };
	}
	return sym->st_name < table->names_len ? table->names + sym->st_name : NULL;
}

int xp_elf_symbols(struct xp_elf *elf, enum xp_elf_table type, xp_elf_symbol_fn fn, void *data)
{
	const struct symbol_table table = symbol_table(elf, type);
	Elf64_Sym sym;
	int err = xp_elf_find_code(elf);

	for (size_t i = 1; i < table.nr && !err; i++) {
		const char *name = symbol_at(&table, i, &sym);
		unsigned int kind = ELF64_ST_TYPE(sym.st_info);

		if (!name || !*name || kind == STT_SECTION || kind == STT_FILE)
			continue;
		const struct section section = xp_elf_section_of(elf, sym.st_shndx);
		const struct xp_elf_symbol symbol = {
			.symbol = { .name = name,
				    .address = sym.st_value,
				    .size = sym.st_size,
				    .type = type_of(&sym) },
			.index = (int)i,
			.is_ifunc = kind == STT_GNU_IFUNC,
			.is_tls = kind == STT_TLS,
			.is_local = ELF64_ST_BIND(sym.st_info) == STB_LOCAL,
			.is_undefined = sym.st_shndx == SHN_UNDEF,
			.is_weak = ELF64_ST_BIND(sym.st_info) == STB_WEAK,
			.is_hidden = is_hidden(&sym),
			.is_label = kind == STT_NOTYPE,
			.is_code = section.is_code,
			.base = section.base,
			.section = sym.st_shndx,
		};

		err = fn(&symbol, data);
	}
	return err;
}

/* The name of a version that this file defines. */
static const char *version_name(struct xp_elf *elf, unsigned int number)
{
	GElf_Shdr header;
	Elf_Scn *section = find_type(elf, SHT_GNU_verdef, &header);
	Elf_Data *bytes = data_of(elf, section, &header);
	GElf_Verdef def = { .vd_next = 1 };
	GElf_Verdaux aux;
	uint64_t at = 0;

	/* Each step goes forward, so a damaged list ends with its section. */
	for (; bytes && def.vd_next && at < bytes->d_size; at += def.vd_next) {
		if (!elf->lib.getverdef(bytes, (int)at, &def))
			return NULL;
		if (def.vd_ndx != number)
			continue;
		if (at + def.vd_aux >= bytes->d_size ||
		    !elf->lib.getverdaux(bytes, (int)(at + def.vd_aux), &aux))
			return NULL;
		return elf->lib.strptr(elf->elf, header.sh_link, aux.vda_name);
	}
	return NULL;
}

const char *xp_elf_version(struct xp_elf *elf, int index, bool *ret_is_default)
{
	enum { HIDDEN = 0x8000 }; /* LSB, "Symbol Version Table" */
	GElf_Shdr header;
	Elf_Scn *section = find_type(elf, SHT_GNU_versym, &header);
	Elf_Data *bytes = data_of(elf, section, &header);
	GElf_Versym version = 0;

	*ret_is_default = true;
	if (!bytes || !elf->lib.getversym(bytes, index, &version))
		return NULL;
	*ret_is_default = !(version & HIDDEN);
	return version_name(elf, version & ~(unsigned int)HIDDEN);
}

int xp_elf_names(struct xp_elf *elf, enum xp_elf_table table, struct xp_elf_section *ret_names)
{
	GElf_Shdr header;
	Elf_Scn *section = find_type(elf, table_types[table], &header);

	section = section ? elf->lib.getscn(elf->elf, header.sh_link) : NULL;
	if (!section || !elf->lib.getshdr(section, &header))
		return -ENOENT;
	xp_elf_set_content(elf, section, &header, ret_names);
	return ret_names->bytes ? 0 : -ENOENT;
}
