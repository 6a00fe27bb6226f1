/* SPDX-License-Identifier: MIT */
/* Lines of source and inlined functions that were looked up in a table's file. */
#ifndef SYMBOL_SYMTAB_LINES_H
#define SYMBOL_SYMTAB_LINES_H

#include <xperf/api.h>

#include "dwarf-file.h"
#include "go-table.h"
#include "index.h"
#include "intern.h"

struct xp_dwarf;
struct xp_line;

/* What is at an address. @frames: NULL: the slot is free */
struct place {
	uint64_t address;
	struct xp_line *frames;
	int nr;
};

/* A name as the file has it, which stays where it is, and as it is shown. */
struct shown_name {
	const char *raw, *text;
};

/* @dwarf: NULL: there is none. @go: instead of it; its bytes are NULL: there is none. @index: of
 * @names, by where the raw ones are */
struct lines {
	struct xp_dwarf *dwarf;
	struct go_file go;
	struct place *places;
	size_t nr, room; /* room: 0 or a power of two */
	struct xp_intern texts;
	struct shown_name *names;
	size_t nr_names;
	struct index index;
	bool failed; /* there was no memory for what is looked up */
};

/* @lines may be NULL. */
void xp_lines_free(struct lines *lines);

#endif
