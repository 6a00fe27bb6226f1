/* SPDX-License-Identifier: MIT */
/* The sorted table of .eh_frame_hdr: where functions begin, and what describes them. */
#ifndef UNWIND_EH_TABLE_H
#define UNWIND_EH_TABLE_H

#include "elf-file.h"

/* @address: of the section; @entries_at: bytes from there; @frame: the address of .eh_frame */
struct eh_table {
	uint64_t address, entries_at, nr, frame;
};

/* Returns false: there is none, or it is not as linkers write it, or not sorted. */
bool xp_eh_table_find(struct xp_elf *elf, struct eh_table *ret_table);
/* Where the @i-th function begins. @section: the table's bytes */
uint64_t xp_eh_table_start(const struct eh_table *table, const unsigned char *section, uint64_t i);
/* Where in .eh_frame the description of an address is, if it has one. @section: the table's bytes
 */
uint64_t xp_eh_table_search(const struct eh_table *table, const unsigned char *section,
			    uint64_t address);

#endif
