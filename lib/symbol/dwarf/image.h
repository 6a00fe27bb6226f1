/* SPDX-License-Identifier: MIT */
/*
 * Sections of debug information of one ELF file: a program, its separate debug file, a .dwo or
 * .dwp file, or what dwz took out of several files.
 *
 * Pages of a section are read when something in them is asked for, so that opening a file of a
 * gigabyte costs no more than what is used of it. Nothing is mapped from the file.
 */
#ifndef DWARF_IMAGE_H
#define DWARF_IMAGE_H

#include "cursor.h"
#include "elf-file.h"
#include "shortage.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_CU_INDEX,
	DWARF_NR_SECTIONS,
};

/* @bytes: NULL: there is none. @present: a bit for each page that is read; NULL: all are */
struct dwarf_content {
	bool is_asked;
	const uint8_t *bytes;
	size_t len;
	uint64_t *present;
	uint64_t offset; /* in the file */
};

struct abbrevs;

/* @is_split: its sections are those of a .dwo file; of a .dwp file, too */
struct image {
	struct xp_elf *elf;
	bool is_split, is_swapped;
	uint64_t left; /* bytes of tables that may yet be read: what is damaged refers to one often
			*/
	struct dwarf_content contents[DWARF_NR_SECTIONS];
	struct abbrevs **abbrevs;
	size_t nr_abbrevs;
	uint64_t *units; /* where units begin, once something refers to one of them */
	size_t nr_units;
	int shortage; /* -ENOMEM ...: for lack of what something was not read since it was 0 */
};

/* Notes if something could not be read for lack of memory or descriptors. */
static inline void image_note(struct image *image, int err)
{
	if (xp_is_shortage(err))
		image->shortage = err;
}

/* Returns 0, or as xp_elf_open(). */
int xp_dwarf_image_open(const char *path, bool is_split, struct image *ret_image);
void xp_dwarf_image_close(struct image *image);

/* How long a section is; 0: there is none. */
size_t xp_dwarf_section_len(struct image *image, enum dwarf_section section);
/* Reads at most @len bytes at an offset. Returns false: there are none. */
bool xp_dwarf_read(struct image *image, enum dwarf_section section, uint64_t offset, uint64_t len,
		   struct cursor *ret_cursor);
/* The text at an offset; NULL: there is none, or it does not end. */
const char *xp_dwarf_text(struct image *image, enum dwarf_section section, uint64_t offset);

#endif
