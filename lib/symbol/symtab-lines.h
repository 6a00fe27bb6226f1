/* SPDX-License-Identifier: MIT */
/* Lines of source and inlined functions that were looked up in a table's file. */
#ifndef SYMBOL_SYMTAB_LINES_H
#define SYMBOL_SYMTAB_LINES_H

#include <xperf/symtab.h>

#include "dwarf-file.h"
#include "intern.h"

/* What is at an address. @frames: NULL: the slot is free */
struct place {
	uint64_t address;
	struct xp_line *frames;
	int nr;
};

/* Zero-initialised is not asked for yet. */
struct lines {
	bool is_open; /* or it was tried */
	struct xp_dwarf *dwarf;
	struct place *places;
	size_t nr, room; /* room: 0 or a power of two */
	struct xp_intern texts;
};

void xp_lines_fini(struct lines *lines);

#endif
