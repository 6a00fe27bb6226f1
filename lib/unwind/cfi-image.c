/* SPDX-License-Identifier: MIT */
/*
 * Frame sections of a file, as an ELF file of their own. libdw would read all sections of debug
 * information to get at one of them, keep the file open, and read numbers past the end of a section
 * that is cut: here each is followed by zeros.
 *
 * Source: elf(5); GDB's manual for ".zdebug" sections.
 */
#include "cfi-image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { ALIGN = 16, MAX_SECTIONS = 2, PADDING = 64 };
enum { UNPACKED_MAX = 512 << 20 };

/* The sections to copy. */
struct wanted {
	const char *names[MAX_SECTIONS];
	struct xp_elf_section sections[MAX_SECTIONS];
	size_t nr;
};

static size_t aligned(size_t len)
{
	return (len + ALIGN - 1) / ALIGN * ALIGN;
}

/* Fills a structure of ELF, of 32 or 64 bits, field by field: they have the same names. Images are
 * less than 4 GiB, as make() sees to. */
#define FILL_HEADERS(bits)                                                                         \
	static void fill_##bits(const struct wanted *wanted, unsigned char *bytes,                 \
				const size_t *at, size_t names_at, size_t names_len, int machine)  \
	{                                                                                          \
		size_t headers_at = aligned(names_at + names_len);                                 \
		Elf##bits##_Shdr *headers = (void *)(bytes + headers_at);                          \
		Elf##bits##_Ehdr *start = (void *)bytes;                                           \
		uint32_t name = 1;                                                                 \
                                                                                                   \
		start->e_type = ET_DYN;                                                            \
		start->e_machine = (uint16_t)machine;                                              \
		start->e_version = EV_CURRENT;                                                     \
		start->e_ehsize = sizeof(*start);                                                  \
		start->e_shoff = (uint32_t)headers_at;                                             \
		start->e_shentsize = sizeof(*headers);                                             \
		start->e_shnum = (uint16_t)(wanted->nr + 2);                                       \
		start->e_shstrndx = (uint16_t)(wanted->nr + 1);                                    \
		for (size_t i = 0; i < wanted->nr; i++) {                                          \
			const struct xp_elf_section *section = &wanted->sections[i];               \
                                                                                                   \
			headers[i + 1].sh_name = name;                                             \
			headers[i + 1].sh_type = SHT_PROGBITS;                                     \
			headers[i + 1].sh_flags = section->is_packed ? SHF_COMPRESSED : 0;         \
			headers[i + 1].sh_addr = (Elf##bits##_Addr)section->address;               \
			headers[i + 1].sh_offset = (uint32_t)at[i];                                \
			headers[i + 1].sh_size = (uint32_t)section->len;                           \
			headers[i + 1].sh_addralign = 1;                                           \
			name += (uint32_t)strlen(wanted->names[i]) + 1;                            \
		}                                                                                  \
		headers[wanted->nr + 1].sh_name = name;                                            \
		headers[wanted->nr + 1].sh_type = SHT_STRTAB;                                      \
		headers[wanted->nr + 1].sh_offset = (uint32_t)names_at;                            \
		headers[wanted->nr + 1].sh_size = (uint32_t)names_len;                             \
		headers[wanted->nr + 1].sh_addralign = 1;                                          \
	}
FILL_HEADERS(32)
FILL_HEADERS(64)
#undef FILL_HEADERS

static size_t copy_names(const struct wanted *wanted, char *to)
{
	static const char own[] = ".shstrtab";
	size_t len = 1;

	for (size_t i = 0; i <= wanted->nr; i++) {
		const char *name = i < wanted->nr ? wanted->names[i] : own;

		memcpy(to + len, name, strlen(name) + 1);
		len += strlen(name) + 1;
	}
	return len;
}

static int make(const struct wanted *wanted, int machine, bool is_64, struct cfi_image *ret_image)
{
	static const unsigned char ident[EI_NIDENT] = { ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
							ELFCLASS64, ELFDATA2LSB, EV_CURRENT };
	const size_t first_at = aligned(sizeof(Elf64_Ehdr));
	size_t at[MAX_SECTIONS], len = first_at, names_at;

	for (size_t i = 0; i < wanted->nr; i++) {
		at[i] = len;
		len += aligned(wanted->sections[i].len + PADDING);
		if (len > UINT32_MAX / 2)
			return -ENODATA;
	}
	names_at = len;
	len += aligned(PADDING) + (MAX_SECTIONS + 2) * sizeof(Elf64_Shdr);
	unsigned char *bytes = calloc(1, len);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, ident, sizeof(ident));
	for (size_t i = 0; i < wanted->nr; i++)
		memcpy(bytes + at[i], wanted->sections[i].bytes, wanted->sections[i].len);
	size_t names_len = copy_names(wanted, (char *)bytes + names_at);
	if (is_64)
		fill_64(wanted, bytes, at, names_at, names_len, machine);
	else
		fill_32(wanted, bytes, at, names_at, names_len, machine);
	bytes[EI_CLASS] = is_64 ? ELFCLASS64 : ELFCLASS32;
	ret_image->bytes = bytes;
	ret_image->len = len;
	ret_image->first = bytes + first_at;
	ret_image->nr_sections = wanted->nr;
	ret_image->address = wanted->sections[wanted->nr - 1].address;
	return 0;
}

/* How long a packed section will be; UINT64_MAX: it is damaged. */
static uint64_t unpacked_len(const struct xp_elf_section *section, bool is_64)
{
	static const char old_magic[] = { 'Z', 'L', 'I', 'B' };
	Elf64_Chdr packed_64;
	Elf32_Chdr packed_32;
	uint64_t len;

	if (section->is_packed && is_64 && section->len >= sizeof(packed_64)) {
		memcpy(&packed_64, section->bytes, sizeof(packed_64));
		return packed_64.ch_size;
	}
	if (section->is_packed && !is_64 && section->len >= sizeof(packed_32)) {
		memcpy(&packed_32, section->bytes, sizeof(packed_32));
		return packed_32.ch_size;
	}
	if (section->is_packed || section->len < sizeof(old_magic) + sizeof(len) ||
	    memcmp(section->bytes, old_magic, sizeof(old_magic)) != 0)
		return UINT64_MAX;
	memcpy(&len, section->bytes + sizeof(old_magic), sizeof(len));
	return __builtin_bswap64(len);
}

static bool can_be_read(const struct xp_elf_facts *facts)
{
	return !facts->is_relocatable && !facts->is_big_endian;
}

/* Adds a section that is there and not empty. */
static bool add(struct wanted *wanted, struct xp_elf *elf, const char *name)
{
	struct xp_elf_section *section = &wanted->sections[wanted->nr];

	if (xp_elf_section(elf, name, section) || !section->bytes || !section->len)
		return false;
	wanted->names[wanted->nr++] = name;
	return true;
}

int xp_cfi_image_eh(struct xp_elf *elf, struct cfi_image *ret_image)
{
	const struct xp_elf_facts facts = xp_elf_facts(elf);
	struct wanted wanted = { .nr = 0 };

	if (!can_be_read(&facts))
		return -ENODATA;
	ret_image->table = (struct eh_table){ 0 };
	if (xp_eh_table_find(elf, &ret_image->table))
		add(&wanted, elf, ".eh_frame_hdr");
	if (!add(&wanted, elf, ".eh_frame") || wanted.sections[wanted.nr - 1].is_packed)
		return -ENODATA;
	ret_image->is_eh = true;
	return make(&wanted, facts.machine, facts.is_64, ret_image);
}

int xp_cfi_image_debug(struct xp_elf *elf, struct cfi_image *ret_image)
{
	const struct xp_elf_facts facts = xp_elf_facts(elf);
	struct wanted wanted = { .nr = 0 };
	bool is_old = false;

	if (!can_be_read(&facts) ||
	    (!add(&wanted, elf, ".debug_frame") && !(is_old = add(&wanted, elf, ".zdebug_frame"))))
		return -ENODATA;
	if ((is_old || wanted.sections[0].is_packed) &&
	    unpacked_len(&wanted.sections[0], facts.is_64) > UNPACKED_MAX)
		return -ENODATA;
	ret_image->table = (struct eh_table){ 0 };
	ret_image->is_eh = false;
	return make(&wanted, facts.machine, facts.is_64, ret_image);
}

int xp_cfi_image_made(const void *frames, size_t len, uint64_t address,
		      const struct machine *machine, struct cfi_image *ret_image)
{
	struct wanted wanted = {
		.names = { ".eh_frame" },
		.sections = { { .bytes = frames, .len = len, .address = address } },
		.nr = 1
	};

	if (!len)
		return -ENODATA;
	ret_image->table = (struct eh_table){ 0 };
	ret_image->is_eh = true;
	return make(&wanted, machine->elf, machine->is_64, ret_image);
}
