/* SPDX-License-Identifier: MIT */
/* An open ELF file as libelf*.c have it. */
#ifndef SYMBOL_LIBELF_IMPL_H
#define SYMBOL_LIBELF_IMPL_H

#include <gelf.h>
#include <libelf.h>

#include "elf-file.h"

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
	__typeof__(gelf_getchdr) *getchdr;
	__typeof__(gelf_getrela) *getrela;
	__typeof__(elf_compress) *compress;
	__typeof__(elf_compress_gnu) *compress_gnu;
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
	void **relocated; /* copies of sections */
	size_t nr_relocated;
};

/* Learns which sections hold code. Returns 0 or -ENOMEM. */
int xp_elf_find_code(struct xp_elf *elf);
/* Of a symbol's section; a symbol of none is nowhere. */
struct section xp_elf_section_of(const struct xp_elf *elf, uint32_t index);
/* Whether a section is read at all; that it is in the file libelf sees to. */
bool xp_elf_is_readable(const struct xp_elf *elf, size_t index);
/* Fills in what a section holds. */
void xp_elf_set_content(const struct xp_elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			struct xp_elf_section *ret_section);
/* The section of a name, NULL: there is none. */
Elf_Scn *xp_elf_find_name(const struct xp_elf *elf, const char *name, GElf_Shdr *ret_header);

#endif
