/* SPDX-License-Identifier: MIT */
/*
 * ELF files through libelf, which is loaded here when the first file is read and not linked: a
 * command that reads no symbols does not pay for it.
 *
 * Files are read, never mapped: whoever looks at a mapped file that is cut meanwhile is killed by
 * SIGBUS. libelf reads a section when it is first looked at.
 *
 * Source: libelf's gelf.h and elf(3); the library's name is its ABI's, libelf.so.1.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "elf-file.h"
#include "loaded.h"
#include "on-disk.h"

/* The functions used, by the types the header gives them. */
struct libelf {
	void *handle;
	__typeof__(elf_version) *version;
	__typeof__(elf_begin) *begin;
	__typeof__(elf_memory) *memory;
	__typeof__(elf_end) *end;
	__typeof__(elf_kind) *kind;
	__typeof__(elf_nextscn) *nextscn;
	__typeof__(elf_getscn) *getscn;
	__typeof__(elf_getdata) *getdata;
	__typeof__(elf_rawdata) *rawdata;
	__typeof__(elf_strptr) *strptr;
	__typeof__(elf_getphdrnum) *getphdrnum;
	__typeof__(elf_getshdrstrndx) *getshdrstrndx;
	__typeof__(gelf_getehdr) *getehdr;
	__typeof__(gelf_getphdr) *getphdr;
	__typeof__(gelf_getshdr) *getshdr;
	__typeof__(gelf_getsym) *getsym;
	__typeof__(gelf_getversym) *getversym;
	__typeof__(gelf_getverdef) *getverdef;
	__typeof__(gelf_getverdaux) *getverdaux;
};

static const struct xp_loaded_function functions[] = {
	{ "elf_version", offsetof(struct libelf, version) },
	{ "elf_begin", offsetof(struct libelf, begin) },
	{ "elf_memory", offsetof(struct libelf, memory) },
	{ "elf_end", offsetof(struct libelf, end) },
	{ "elf_kind", offsetof(struct libelf, kind) },
	{ "elf_nextscn", offsetof(struct libelf, nextscn) },
	{ "elf_getscn", offsetof(struct libelf, getscn) },
	{ "elf_getdata", offsetof(struct libelf, getdata) },
	{ "elf_rawdata", offsetof(struct libelf, rawdata) },
	{ "elf_strptr", offsetof(struct libelf, strptr) },
	{ "elf_getphdrnum", offsetof(struct libelf, getphdrnum) },
	{ "elf_getshdrstrndx", offsetof(struct libelf, getshdrstrndx) },
	{ "gelf_getehdr", offsetof(struct libelf, getehdr) },
	{ "gelf_getphdr", offsetof(struct libelf, getphdr) },
	{ "gelf_getshdr", offsetof(struct libelf, getshdr) },
	{ "gelf_getsym", offsetof(struct libelf, getsym) },
	{ "gelf_getversym", offsetof(struct libelf, getversym) },
	{ "gelf_getverdef", offsetof(struct libelf, getverdef) },
	{ "gelf_getverdaux", offsetof(struct libelf, getverdaux) },
};

/* @base: of a relocatable file's code, where the kernel puts it in the module's text */
struct section {
	bool is_code;
	uint64_t base;
};

struct xp_elf {
	struct libelf lib;
	int fd;
	Elf *elf;
	GElf_Ehdr header;
	uint64_t section_max;     /* bytes; what claims to have more is not read */
	struct section *sections; /* by their index; NULL: not asked for yet */
	size_t nr_sections, names;
};

static int load(struct libelf *lib, struct xp_diag *diag)
{
	lib->handle = xp_library_load("libelf.so.1", 0, functions, XP_ARRAY_LEN(functions), lib);
	if (lib->handle && lib->version(EV_CURRENT) != EV_NONE)
		return 0;
	xp_diag_set(diag, -ENOSYS, "libelf.so.1 cannot be loaded");
	xp_diag_hint(diag, "Install libelf, which reads symbols");
	return -ENOSYS;
}

/* Devices and pipes are not waited for, nor read. */
static int open_file(const char *path, uint64_t *ret_section_max, struct xp_diag *diag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = fd < 0 ? -errno : 0;
	struct stat st;

	if (!err && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		*ret_section_max = xp_on_disk_limit(&st);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		return xp_diag_set(diag, err, "'%s' cannot be opened: %s", path, strerror(-err));
	return xp_diag_set(diag, -ENOEXEC, "'%s' is not a regular file", path);
}

static int begin(struct xp_elf *elf, const char *path, struct xp_diag *diag)
{
	elf->fd = open_file(path, &elf->section_max, diag);
	if (elf->fd < 0)
		return elf->fd;
	int err = load(&elf->lib, diag);
	if (err)
		return err;
	elf->elf = elf->lib.begin(elf->fd, ELF_C_READ, NULL);
	if (!elf->elf || elf->lib.kind(elf->elf) != ELF_K_ELF ||
	    !elf->lib.getehdr(elf->elf, &elf->header))
		return xp_diag_set(diag, -ENOEXEC, "'%s' is not an ELF file", path);
	return 0;
}

int xp_elf_open(const char *path, struct xp_elf **ret_elf, struct xp_diag *diag)
{
	struct xp_elf *elf = calloc(1, sizeof(*elf));

	if (!elf)
		return xp_diag_set(diag, -ENOMEM, "Not enough memory to read '%s'", path);
	elf->fd = -1;
	int err = begin(elf, path, diag);
	if (err)
		xp_elf_close(elf);
	else
		*ret_elf = elf;
	return err;
}

int xp_elf_open_image(const void *image, size_t len, struct xp_elf **ret_elf)
{
	struct xp_elf *elf = calloc(1, sizeof(*elf));

	if (!elf)
		return -ENOMEM;
	elf->fd = -1;
	elf->section_max = UINT64_MAX;
	int err = load(&elf->lib, NULL);
	if (!err) {
		/* It is not written to. */
		elf->elf = elf->lib.memory((char *)image, len);
		if (!elf->elf || elf->lib.kind(elf->elf) != ELF_K_ELF ||
		    !elf->lib.getehdr(elf->elf, &elf->header))
			err = -ENOEXEC;
	}
	if (err)
		xp_elf_close(elf);
	else
		*ret_elf = elf;
	return err;
}

void xp_elf_close(struct xp_elf *elf)
{
	if (!elf)
		return;
	if (elf->elf)
		elf->lib.end(elf->elf);
	if (elf->lib.handle)
		dlclose(elf->lib.handle);
	if (elf->fd >= 0)
		close(elf->fd);
	free(elf->sections);
	free(elf);
}

struct xp_elf_facts xp_elf_facts(const struct xp_elf *elf)
{
	return (struct xp_elf_facts){
		.is_64 = elf->header.e_ident[EI_CLASS] == ELFCLASS64,
		.is_big_endian = elf->header.e_ident[EI_DATA] == ELFDATA2MSB,
		.is_fixed = elf->header.e_type == ET_EXEC,
		.is_relocatable = elf->header.e_type == ET_REL,
		.machine = elf->header.e_machine,
	};
}

/* Finds the first section of a type. */
static Elf_Scn *find_type(const struct xp_elf *elf, GElf_Word type, GElf_Shdr *ret_header)
{
	Elf_Scn *section = NULL;

	while ((section = elf->lib.nextscn(elf->elf, section)))
		if (elf->lib.getshdr(section, ret_header) && ret_header->sh_type == type)
			return section;
	return NULL;
}

/* Whether a section is read at all; that it is in the file libelf sees to. */
static bool is_readable(const struct xp_elf *elf, size_t index)
{
	GElf_Shdr header;
	Elf_Scn *section = elf->lib.getscn(elf->elf, index);

	return section && elf->lib.getshdr(section, &header) &&
	       (header.sh_type == SHT_NOBITS || header.sh_size <= elf->section_max);
}

/* The content of a section that names are in, and whose names are in another. */
static Elf_Data *data_of(const struct xp_elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	bool is_read =
		section && header->sh_size <= elf->section_max && is_readable(elf, header->sh_link);

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

/*
 * Where code goes on in a module's text behind @offset. Source: layout_sections() in the kernel's
 * kernel/module/main.c: first all code, as the file has it, but for what is thrown away.
 */
static uint64_t lay_out(struct xp_elf *elf, const GElf_Shdr *header, uint64_t *offset)
{
	const char *name = elf->lib.strptr(elf->elf, elf->names, header->sh_name);
	uint64_t align = header->sh_addralign, base;

	if (elf->header.e_type != ET_REL || !(header->sh_flags & SHF_ALLOC) ||
	    !(header->sh_flags & SHF_EXECINSTR) || !name || !strncmp(name, ".init", 5))
		return XP_ELF_NO_BASE;
	base = align > 1 && *offset % align ? *offset + (align - *offset % align) : *offset;
	*offset = base + header->sh_size;
	return base;
}

/* Learns which sections hold code. Returns 0 or -ENOMEM. */
static int find_code(struct xp_elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint64_t offset = 0;
	size_t nr = 1;

	if (elf->sections)
		return 0;
	while ((section = elf->lib.nextscn(elf->elf, section)))
		nr++;
	elf->sections = calloc(nr, sizeof(*elf->sections));
	if (!elf->sections)
		return -ENOMEM;
	if (elf->lib.getshdrstrndx(elf->elf, &elf->names) || !is_readable(elf, elf->names))
		elf->names = 0;
	elf->nr_sections = nr;
	for (size_t i = 1; i < nr && (section = elf->lib.nextscn(elf->elf, section)); i++) {
		if (!elf->lib.getshdr(section, &header))
			continue;
		elf->sections[i].is_code = header.sh_flags & SHF_EXECINSTR;
		elf->sections[i].base = lay_out(elf, &header, &offset);
	}
	return 0;
}

/* Of a symbol's section; a symbol of none is nowhere. */
static struct section section_of(const struct xp_elf *elf, uint32_t index)
{
	return index < elf->nr_sections ? elf->sections[index]
					: (struct section){ .base = XP_ELF_NO_BASE };
}

static bool is_hidden(const GElf_Sym *sym)
{
	unsigned int visibility = GELF_ST_VISIBILITY(sym->st_other);

	return visibility == STV_HIDDEN || visibility == STV_INTERNAL;
}

int xp_elf_symbols(struct xp_elf *elf, enum xp_elf_table table, xp_elf_symbol_fn fn, void *data)
{
	GElf_Shdr header;
	Elf_Scn *section = find_type(elf, table_types[table], &header);
	Elf_Data *bytes = data_of(elf, section, &header);
	size_t nr = bytes && header.sh_entsize ? bytes->d_size / header.sh_entsize : 0;
	GElf_Sym sym;
	int err = find_code(elf);

	for (size_t i = 1; i < nr && !err && elf->lib.getsym(bytes, (int)i, &sym); i++) {
		const char *name = elf->lib.strptr(elf->elf, header.sh_link, sym.st_name);
		unsigned int type = GELF_ST_TYPE(sym.st_info);
		const struct xp_elf_symbol symbol = {
			.symbol = { .name = name,
				    .address = sym.st_value,
				    .size = sym.st_size,
				    .type = type_of(&sym) },
			.index = (int)i,
			.is_ifunc = type == STT_GNU_IFUNC,
			.is_tls = type == STT_TLS,
			.is_local = GELF_ST_BIND(sym.st_info) == STB_LOCAL,
			.is_undefined = sym.st_shndx == SHN_UNDEF,
			.is_weak = GELF_ST_BIND(sym.st_info) == STB_WEAK,
			.is_hidden = is_hidden(&sym),
			.is_label = type == STT_NOTYPE,
			.is_code = section_of(elf, sym.st_shndx).is_code,
			.base = section_of(elf, sym.st_shndx).base,
			.section = sym.st_shndx,
		};

		if (name && *name && type != STT_SECTION && type != STT_FILE)
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

int xp_elf_offset(const struct xp_elf *elf, uint64_t address, uint64_t *ret_offset,
		  bool *ret_is_executable)
{
	GElf_Phdr segment;
	size_t nr;

	if (elf->lib.getphdrnum(elf->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr && elf->lib.getphdr(elf->elf, (int)i, &segment); i++) {
		uint64_t within = address - segment.p_vaddr;

		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    within >= segment.p_filesz)
			continue;
		*ret_offset = segment.p_offset + within;
		*ret_is_executable = segment.p_flags & PF_X;
		return 0;
	}
	return -ENOENT;
}

int xp_elf_segments(const struct xp_elf *elf, struct xp_elf_segment **ret_segments)
{
	struct xp_elf_segment *segments;
	GElf_Phdr segment;
	size_t nr_headers;
	int nr = 0;

	if (elf->lib.getphdrnum(elf->elf, &nr_headers))
		nr_headers = 0;
	if (nr_headers > XP_ELF_SEGMENTS)
		return -ENOEXEC;
	segments = calloc(nr_headers + 1, sizeof(*segments));
	if (!segments)
		return -ENOMEM;
	for (size_t i = 0; i < nr_headers; i++)
		if (elf->lib.getphdr(elf->elf, (int)i, &segment) && segment.p_type == PT_LOAD)
			segments[nr++] = (struct xp_elf_segment){
				.offset = segment.p_offset,
				.address = segment.p_vaddr,
				.len = segment.p_filesz,
				.memory_len = segment.p_memsz,
				.is_executable = segment.p_flags & PF_X,
			};
	*ret_segments = segments;
	return nr;
}

static void set_content(const struct xp_elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			struct xp_elf_section *ret_section)
{
	const Elf_Data *bytes =
		header->sh_size <= elf->section_max ? elf->lib.rawdata(section, NULL) : NULL;

	*ret_section = (struct xp_elf_section){ .address = header->sh_addr };
	if (!bytes || !bytes->d_buf)
		return;
	ret_section->bytes = bytes->d_buf;
	ret_section->len = bytes->d_size;
}

int xp_elf_names(struct xp_elf *elf, enum xp_elf_table table, struct xp_elf_section *ret_names)
{
	GElf_Shdr header;
	Elf_Scn *section = find_type(elf, table_types[table], &header);

	section = section ? elf->lib.getscn(elf->elf, header.sh_link) : NULL;
	if (!section || !elf->lib.getshdr(section, &header))
		return -ENOENT;
	set_content(elf, section, &header, ret_names);
	return ret_names->bytes ? 0 : -ENOENT;
}

int xp_elf_section(struct xp_elf *elf, const char *name, struct xp_elf_section *ret_section)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf->lib.getshdrstrndx(elf->elf, &names) || !is_readable(elf, names))
		return -ENOENT;
	while ((section = elf->lib.nextscn(elf->elf, section))) {
		if (!elf->lib.getshdr(section, &header))
			continue;
		const char *its_name = elf->lib.strptr(elf->elf, names, header.sh_name);
		if (!its_name || strcmp(its_name, name))
			continue;
		set_content(elf, section, &header, ret_section);
		return 0;
	}
	return -ENOENT;
}
