/* SPDX-License-Identifier: MIT */
/*
 * Sections of debug information: as the file has them, unpacked, or, of a kernel module, with the
 * addresses that its sections have in memory.
 *
 * Source: elf(5); the ABI supplements for the numbers of relocations; binutils' documentation of
 * .zdebug sections in ld(1), --compress-debug-sections.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "libelf-impl.h"
#include "vec.h"

size_t xp_elf_read(const struct xp_elf *elf, uint64_t offset, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(elf->fd, (char *)buf + done, len - done, (off_t)(offset + done));

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/* How long a section is when it is unpacked. */
static uint64_t unpacked_len(const struct xp_elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			     bool is_old)
{
	enum { MAGIC = 4, HEAD = 12 };
	unsigned char head[HEAD];
	GElf_Chdr packed;
	uint64_t len = 0;

	if (!is_old)
		return elf->lib.getchdr(section, &packed) ? packed.ch_size : UINT64_MAX;
	if (xp_elf_read(elf, header->sh_offset, head, HEAD) < HEAD)
		return UINT64_MAX;
	for (size_t i = MAGIC; i < HEAD; i++)
		len = len << 8 | head[i];
	return len;
}

static int unpack(struct xp_elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool is_old,
		  struct xp_elf_debug *ret_debug)
{
	if (header->sh_size > elf->section_max ||
	    unpacked_len(elf, section, header, is_old) > elf->section_max)
		return -ENOENT;
	int done = is_old ? elf->lib.compress_gnu(section, 0, 0) : elf->lib.compress(section, 0, 0);
	const Elf_Data *data = done < 0 ? NULL : elf->lib.rawdata(section, NULL);

	if (!data || !data->d_buf)
		return -ENOENT;
	*ret_debug = (struct xp_elf_debug){ .bytes = data->d_buf, .len = data->d_size };
	return 0;
}

/* A relocation that is an address, or a distance in a section, of so many bytes. */
static const struct width {
	uint16_t machine;
	uint32_t type;
	size_t len;
} widths[] = {
	{ EM_X86_64, R_X86_64_64, 8 },      { EM_X86_64, R_X86_64_32, 4 },
	{ EM_AARCH64, R_AARCH64_ABS64, 8 }, { EM_AARCH64, R_AARCH64_ABS32, 4 },
	{ EM_S390, R_390_64, 8 },           { EM_S390, R_390_32, 4 },
	{ EM_PPC64, R_PPC64_ADDR64, 8 },    { EM_PPC64, R_PPC64_ADDR32, 4 },
};

static size_t width_of(const struct xp_elf *elf, uint64_t info)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(widths); i++)
		if (widths[i].machine == elf->header.e_machine &&
		    widths[i].type == GELF_R_TYPE(info))
			return widths[i].len;
	return 0;
}

static uint64_t value_of(const struct xp_elf *elf, const GElf_Sym *sym, int64_t addend)
{
	struct section section = xp_elf_section_of(elf, sym->st_shndx);

	if (section.is_code && section.base == XP_ELF_NO_BASE)
		return UINT64_MAX;
	return (section.is_code ? section.base : 0) + sym->st_value + (uint64_t)addend;
}

static void put(const struct xp_elf *elf, unsigned char *at, size_t len, uint64_t value)
{
	bool is_big = elf->header.e_ident[EI_DATA] == ELFDATA2MSB;

	for (size_t i = 0; i < len; i++)
		at[is_big ? len - 1 - i : i] = (unsigned char)(value >> (8 * i));
}

static void apply(const struct xp_elf *elf, Elf_Data *relocations, const GElf_Shdr *header,
		  Elf_Data *symbols, unsigned char *bytes, size_t bytes_len)
{
	size_t nr = header->sh_entsize ? relocations->d_size / header->sh_entsize : 0;
	GElf_Rela rela;
	GElf_Sym sym;

	for (size_t i = 0; i < nr && elf->lib.getrela(relocations, (int)i, &rela); i++) {
		size_t len = width_of(elf, rela.r_info);

		if (len && rela.r_offset <= bytes_len && len <= bytes_len - rela.r_offset &&
		    elf->lib.getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			put(elf, bytes + rela.r_offset, len, value_of(elf, &sym, rela.r_addend));
	}
}

static Elf_Data *data_at(const struct xp_elf *elf, Elf_Scn *section, GElf_Shdr *ret_header)
{
	bool is_readable = section && elf->lib.getshdr(section, ret_header) &&
			   ret_header->sh_size <= elf->section_max;

	return is_readable ? elf->lib.getdata(section, NULL) : NULL;
}

/* A copy of a section of a relocatable file, with what its relocations say. */
static int relocate(struct xp_elf *elf, const char *name, struct xp_elf_debug *debug)
{
	char text[64];
	GElf_Shdr header, symbols_header;
	unsigned char *copy = malloc(debug->len + 1);

	if (!copy || vec_add(&elf->relocated, elf->nr_relocated, sizeof(*elf->relocated)) ||
	    xp_elf_find_code(elf)) {
		free(copy);
		return -ENOENT;
	}
	elf->relocated[elf->nr_relocated++] = copy;
	if (debug->bytes)
		memcpy(copy, debug->bytes, debug->len);
	else
		debug->len = xp_elf_read(elf, debug->offset, copy, debug->len);
	debug->bytes = copy;
	snprintf(text, sizeof(text), ".rela.debug_%s", name);
	Elf_Data *relocations = data_at(elf, xp_elf_find_name(elf, text, &header), &header);
	Elf_Data *symbols = relocations ? data_at(elf, elf->lib.getscn(elf->elf, header.sh_link),
						  &symbols_header)
					: NULL;
	if (symbols)
		apply(elf, relocations, &header, symbols, copy, debug->len);
	return 0;
}

bool xp_elf_has_debug(const struct xp_elf *elf)
{
	GElf_Shdr header;

	return (xp_elf_find_name(elf, ".debug_info", &header) ||
		xp_elf_find_name(elf, ".zdebug_info", &header)) &&
	       header.sh_type != SHT_NOBITS;
}

int xp_elf_debug_section(struct xp_elf *elf, const char *name, struct xp_elf_debug *ret_debug)
{
	char text[64];
	struct xp_elf_debug debug = { 0 };
	GElf_Shdr header;
	int err = 0;

	snprintf(text, sizeof(text), ".debug_%s", name);
	Elf_Scn *section = xp_elf_find_name(elf, text, &header);
	bool is_old = !section;
	if (is_old) {
		snprintf(text, sizeof(text), ".zdebug_%s", name);
		section = xp_elf_find_name(elf, text, &header);
	}
	if (!section || header.sh_type == SHT_NOBITS || header.sh_size > elf->section_max)
		return -ENOENT;
	if (is_old || header.sh_flags & SHF_COMPRESSED) {
		err = unpack(elf, section, &header, is_old, &debug);
	} else {
		debug.offset = header.sh_offset;
		debug.len = header.sh_size;
	}
	if (!err && elf->header.e_type == ET_REL)
		err = relocate(elf, name, &debug);
	if (!err)
		*ret_debug = debug;
	return err;
}
