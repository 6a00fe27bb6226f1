/* SPDX-License-Identifier: MIT */
/*
 * Whether the functions of a file keep frame pointers: how many instructions set one up, compared
 * with the number of functions that the table of unwind information lists. Of large files, parts
 * are looked at.
 *
 * Source of the encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2,
 * MOV; Arm Architecture Reference Manual, ADD (immediate). Of the table: Linux Standard Base Core,
 * .eh_frame_hdr.
 */
#include <errno.h>
#include <string.h>

#include "elf-file.h"

enum {
	MACHINE_X86_64 = 62,
	MACHINE_AARCH64 = 183, /* elf.h */
	TABLE_POINTER = 4,     /* bytes of the table's first field, as linkers write it */
	COUNT_AT = 4 + TABLE_POINTER,
	ENTRIES_AT = COUNT_AT + 4,
	ENTRY = 8,
	COUNT_IS_U32 = 0x03,  /* DW_EH_PE_udata4 */
	POINTER_SIZE = 0x0b,  /* DW_EH_PE_sdata4, of whatever base */
	ENTRY_IS_DATA = 0x3b, /* the same, counted from the section */
	PARTS = 64,           /* of the code that are looked at, evenly spread */
	PART = 2048,          /* bytes of each */
};

/* mov %rsp,%rbp in both encodings */
static uint32_t count_x86(const unsigned char *code, size_t len)
{
	uint32_t nr = 0;

	for (size_t i = 0; i + 3 <= len; i++)
		nr += code[i] == 0x48 && ((code[i + 1] == 0x89 && code[i + 2] == 0xe5) ||
					  (code[i + 1] == 0x8b && code[i + 2] == 0xec));
	return nr;
}

/* add x29, sp, #n */
static uint32_t count_arm(const unsigned char *code, size_t len)
{
	uint32_t nr = 0;

	for (size_t i = 0; i + 4 <= len; i += 4)
		nr += code[i] == 0xfd && (code[i + 1] & 3) == 3 && !(code[i + 2] & 0xc0) &&
		      code[i + 3] == 0x91;
	return nr;
}

static uint32_t word_at(const struct xp_elf_section *table, size_t at)
{
	const unsigned char *bytes = table->bytes;

	return bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16 |
	       (uint32_t)bytes[at + 3] << 24;
}

/* The functions that the table lists, in the order of their addresses; 0: not known. */
static uint32_t count_functions(const struct xp_elf_section *table)
{
	const unsigned char *at = table->bytes;

	if (!at || table->len < ENTRIES_AT || at[0] != 1 || (at[1] & 0x0f) != POINTER_SIZE ||
	    at[2] != COUNT_IS_U32 || at[3] != ENTRY_IS_DATA)
		return 0;
	uint32_t nr = word_at(table, COUNT_AT);
	return nr <= (table->len - ENTRIES_AT) / ENTRY ? nr : 0;
}

/* How many of them begin before an address. */
static uint32_t nr_before(const struct xp_elf_section *table, uint32_t nr, uint64_t address)
{
	uint32_t low = 0;

	while (low < nr) {
		uint32_t middle = low + (nr - low) / 2;
		int32_t offset = (int32_t)word_at(table, ENTRIES_AT + (size_t)middle * ENTRY);

		if (table->address + (uint64_t)(int64_t)offset < address)
			low = middle + 1;
		else
			nr = middle;
	}
	return low;
}

/* What is true of some parts of the code is true of all. */
static int count(struct xp_elf *elf, struct xp_frame_pointers *ret)
{
	struct xp_elf_facts facts = xp_elf_facts(elf);
	struct xp_elf_section code, table;

	if ((facts.machine != MACHINE_X86_64 && facts.machine != MACHINE_AARCH64) ||
	    facts.is_big_endian || xp_elf_section(elf, ".text", &code) || !code.bytes ||
	    !code.len || xp_elf_section(elf, ".eh_frame_hdr", &table))
		return -ENODATA;
	uint32_t nr_listed = count_functions(&table), nr = 0, nr_kept = 0;
	bool is_small = code.len <= (size_t)PARTS * PART;
	size_t len = is_small ? code.len : PART, step = is_small ? code.len : code.len / PARTS;

	/* Instructions of Arm are at multiples of 4. */
	step &= ~(size_t)3;
	for (size_t at = 0; at + len <= code.len && step; at += step) {
		uint32_t first = nr_before(&table, nr_listed, code.address + at);
		uint32_t last = nr_before(&table, nr_listed, code.address + at + len);

		nr += last > first ? last - first : 0;
		nr_kept += (facts.machine == MACHINE_X86_64 ? count_x86 : count_arm)(
			(const unsigned char *)code.bytes + at, len);
	}
	if (!nr)
		return -ENODATA;
	*ret = (struct xp_frame_pointers){ nr, nr_kept };
	return 0;
}

int xp_symbol_frame_pointers(const char *path, struct xp_frame_pointers *ret_pointers,
			     struct xp_diag *diag)
{
	struct xp_elf *elf;
	int err = xp_elf_open(path, &elf, diag);

	if (err)
		return err;
	err = count(elf, ret_pointers);
	if (err)
		xp_diag_set(diag, err, "Whether '%s' keeps frame pointers is not known", path);
	xp_elf_close(elf);
	return err;
}
