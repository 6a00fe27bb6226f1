/* SPDX-License-Identifier: MIT */
/* The line table of a unit: which line of which file an address is of. */
#ifndef DWARF_LINES_H
#define DWARF_LINES_H

#include "die.h"

/* From here on, up to the next one. @line: NO_LINE: nothing is here */
struct line_row {
	uint64_t address;
	uint32_t file, line;
};

#define LINE_NONE UINT32_MAX

/* @name, @dir: as the table has them, not joined; NULL: not known */
struct line_file {
	const char *name, *dir;
};

/* @first_file: the number of the first one: 0 or 1 */
struct line_table {
	struct line_row *rows; /* in the order of addresses */
	size_t nr_rows, room_rows;
	struct line_file *files;
	size_t nr_files, room_files;
	uint32_t first_file;
};

/* Reads the table at an offset of .debug_line. @dir: where files are whose directory is not given.
 * Returns 0, -EBADMSG, -ENOMEM. */
int xp_lines_read(const struct die_unit *unit, uint64_t offset, struct line_table *ret_table);
void xp_line_table_fini(struct line_table *table);

/* NULL: no line is known. */
const struct line_row *xp_lines_find(const struct line_table *table, uint64_t address);
/* NULL: there is no such file. */
const struct line_file *xp_lines_file(const struct line_table *table, uint64_t number);

#endif
