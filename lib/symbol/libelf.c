/* SPDX-License-Identifier: MIT */
/*
 * Symbols through libelf, which is loaded here when the first file is read and not linked: a
 * command that reads no symbols does not pay for it.
 *
 * Source: libelf's gelf.h and elf(3); the library's name is its ABI's, libelf.so.1.
 */
#include <xperf/symbol.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"

/* The functions used, by the types the header gives them. */
struct libelf {
	void *handle;
	__typeof__(elf_version) *version;
	__typeof__(elf_begin) *begin;
	__typeof__(elf_end) *end;
	__typeof__(elf_kind) *kind;
	__typeof__(elf_nextscn) *nextscn;
	__typeof__(elf_getdata) *getdata;
	__typeof__(elf_strptr) *strptr;
	__typeof__(gelf_getshdr) *getshdr;
	__typeof__(gelf_getsym) *getsym;
};

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{ "elf_version", offsetof(struct libelf, version) },
	{ "elf_begin", offsetof(struct libelf, begin) },
	{ "elf_end", offsetof(struct libelf, end) },
	{ "elf_kind", offsetof(struct libelf, kind) },
	{ "elf_nextscn", offsetof(struct libelf, nextscn) },
	{ "elf_getdata", offsetof(struct libelf, getdata) },
	{ "elf_strptr", offsetof(struct libelf, strptr) },
	{ "gelf_getshdr", offsetof(struct libelf, getshdr) },
	{ "gelf_getsym", offsetof(struct libelf, getsym) },
};

/* One walk through one file. */
struct walk {
	const struct libelf *lib;
	Elf *elf;
	xp_symbol_fn fn;
	void *data;
};

static void unload(struct libelf *lib)
{
	if (lib->handle)
		dlclose(lib->handle);
}

static int load(struct libelf *lib, struct xp_diag *diag)
{
	lib->handle = dlopen("libelf.so.1", RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; lib->handle && i < XP_ARRAY_LEN(functions); i++) {
		void *address = dlsym(lib->handle, functions[i].name);

		if (!address) {
			unload(lib);
			lib->handle = NULL;
			break;
		}
		memcpy((char *)lib + functions[i].offset, &address, sizeof(address));
	}
	if (lib->handle && lib->version(EV_CURRENT) != EV_NONE)
		return 0;
	xp_diag_set(diag, -ENOSYS, "libelf.so.1 cannot be loaded");
	xp_diag_hint(diag, "Install libelf, symbols are read with it");
	return -ENOSYS;
}

static enum xp_symbol_type type_of(const GElf_Sym *sym)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
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

static bool is_wanted(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE;
}

/* Hands out the symbols of one table. */
static int walk_table(const struct walk *walk, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = walk->lib->getdata(section, NULL);
	size_t nr = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Sym sym;
	int err = 0;

	for (size_t i = 1; i < nr && !err && walk->lib->getsym(data, (int)i, &sym); i++) {
		const char *name = walk->lib->strptr(walk->elf, header->sh_link, sym.st_name);
		const struct xp_symbol symbol = {
			.name = name,
			.address = sym.st_value,
			.size = sym.st_size,
			.type = type_of(&sym),
		};

		if (name && *name && is_wanted(&sym))
			err = walk->fn(&symbol, walk->data);
	}
	return err;
}

/* Finds the section of this type. */
static Elf_Scn *find_table(const struct walk *walk, GElf_Word type, GElf_Shdr *ret_header)
{
	Elf_Scn *section = NULL;

	while ((section = walk->lib->nextscn(walk->elf, section)))
		if (walk->lib->getshdr(section, ret_header) && ret_header->sh_type == type)
			return section;
	return NULL;
}

static int walk_file(const struct walk *walk, const char *path, struct xp_diag *diag)
{
	GElf_Shdr header;

	if (!walk->elf || walk->lib->kind(walk->elf) != ELF_K_ELF)
		return xp_diag_set(diag, -ENOEXEC, "'%s' is not an ELF file", path);
	Elf_Scn *section = find_table(walk, SHT_SYMTAB, &header);
	if (!section)
		section = find_table(walk, SHT_DYNSYM, &header);
	if (!section)
		return xp_diag_set(diag, -ENODATA, "'%s' has no symbol table", path);
	return walk_table(walk, section, &header);
}

int xp_symbol_walk(const char *path, xp_symbol_fn fn, void *data, struct xp_diag *diag)
{
	struct libelf lib = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		int err = -errno;

		return xp_diag_set(diag, err, "'%s' cannot be opened: %s", path, strerror(-err));
	}
	int err = load(&lib, diag);
	if (!err) {
		struct walk walk = { &lib, lib.begin(fd, ELF_C_READ_MMAP, NULL), fn, data };

		err = walk_file(&walk, path, diag);
		lib.end(walk.elf);
		unload(&lib);
	}
	close(fd);
	return err;
}
