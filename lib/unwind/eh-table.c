/* SPDX-License-Identifier: MIT */
/*
 * The sorted table of .eh_frame_hdr, of 4-byte numbers that count from the section, as linkers
 * write it. Others are not used: all of .eh_frame is searched then.
 *
 * Source: Linux Standard Base 5.0, 10.6.2 "The .eh_frame_hdr section".
 */
#include "eh-table.h"

#include <string.h>

enum { FRAME_AT = 4, NR_AT = 8, ENTRIES_AT = 12, ENTRY = 8 };

/* What a number counts from @base on. */
static uint64_t address_at(const unsigned char *bytes, uint64_t base)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return base + (uint64_t)(int64_t)distance;
}

static bool is_sorted(const struct eh_table *table, const unsigned char *entries, bool is_64)
{
	uint64_t before = 0;

	for (uint64_t i = 0; i < table->nr; i++) {
		uint64_t start = address_at(entries + i * ENTRY, table->address);

		if ((i && start <= before) || (!is_64 && start > UINT32_MAX))
			return false;
		before = start;
	}
	return true;
}

bool xp_eh_table_find(struct xp_elf *elf, struct eh_table *ret_table)
{
	static const unsigned char usual[] = { 1, 0x1b, 0x03, 0x3b };
	struct xp_elf_section section, frames;
	uint32_t nr;

	if (xp_elf_section(elf, ".eh_frame_hdr", &section) || !section.bytes || section.is_packed ||
	    section.len < ENTRIES_AT || memcmp(section.bytes, usual, sizeof(usual)) != 0 ||
	    xp_elf_section(elf, ".eh_frame", &frames))
		return false;
	memcpy(&nr, (const char *)section.bytes + NR_AT, sizeof(nr));
	const unsigned char *bytes = section.bytes;
	struct eh_table table = { section.address, ENTRIES_AT, nr,
				  address_at(bytes + FRAME_AT, section.address + FRAME_AT) };
	if (nr > (section.len - ENTRIES_AT) / ENTRY || table.frame != frames.address ||
	    !is_sorted(&table, bytes + ENTRIES_AT, xp_elf_facts(elf).is_64))
		return false;
	*ret_table = table;
	return true;
}

uint64_t xp_eh_table_start(const struct eh_table *table, const unsigned char *section, uint64_t i)
{
	return address_at(section + table->entries_at + i * ENTRY, table->address);
}

uint64_t xp_eh_table_search(const struct eh_table *table, const unsigned char *section,
			    uint64_t address)
{
	const unsigned char *entries = section + table->entries_at;
	uint64_t low = 0, high = table->nr;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (address_at(entries + middle * ENTRY, table->address) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return UINT64_MAX;
	return address_at(entries + (low - 1) * ENTRY + ENTRY / 2, table->address) - table->frame;
}
