/* SPDX-License-Identifier: MIT */
/* The debug information of one file: where in the source an address is. */
#ifndef SYMBOL_DWARF_FILE_H
#define SYMBOL_DWARF_FILE_H

#include <stdint.h>

struct xp_dwarf;

/*
 * A function at an address. The innermost comes first; all but the last are inlined.
 * @name: as compilers have it, not demangled; NULL: not known
 * @file: NULL: not known. Where it is not absolute it begins at @dir, and that at @unit_dir, where
 *        the compiler ran; both may be NULL
 * @start_line: where the function begins; 0: not known
 */
struct xp_dwarf_frame {
	const char *name, *unit_dir, *dir, *file;
	uint32_t line, start_line;
};

enum { XP_DWARF_FRAMES = 64 };

/*
 * Opens a file. Returns 0, -ENOSYS: there is no libelf; -ENODATA: it has no debug information;
 * -ENOMEM, or as open(2).
 */
int xp_dwarf_open(const char *path, struct xp_dwarf **ret_dwarf);
/* @dwarf may be NULL. */
void xp_dwarf_close(struct xp_dwarf *dwarf);
/* The functions at an address, with texts that are valid until the file is closed. Returns how many
 * there are; 0: nothing is known; -ENOMEM, -EMFILE, -ENFILE. One thread at a time. */
int xp_dwarf_find(struct xp_dwarf *dwarf, uint64_t address,
		  struct xp_dwarf_frame frames[XP_DWARF_FRAMES]);

#endif
