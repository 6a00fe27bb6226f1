/* SPDX-License-Identifier: MIT */
/* Whether a frame section can be given to libdw. */
#ifndef UNWIND_LIBDW_CHECK_H
#define UNWIND_LIBDW_CHECK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A frame section, as libdw has it, and what was found out last.
 * @next: dwarf_next_cfi()
 * @address: of the section, in the file's own addresses
 * @encoding: of pointers in descriptions with the common entry @cie
 * @cie:  where the common entry is that was looked at last; UINT64_MAX: none was
 * @fde:  likewise the description of a function: parts of one are asked for one after the other
 */
struct cfi_check {
	__typeof__(dwarf_next_cfi) *next;
	const unsigned char *ident;
	Elf_Data *data;
	uint64_t address;
	bool is_eh;
	uint64_t cie;
	uint64_t fde;
	bool is_cie_ok, is_fde_ok, has_sizes;
	size_t address_bytes;
	uint8_t encoding;
};

/* Whether libdw can read the description of a function, which is at an offset. */
bool xp_cfi_check_one(struct cfi_check *check, uint64_t offset);
/* Whether it can read all of them, one after the other. */
bool xp_cfi_check_all(struct cfi_check *check);

/*
 * xp_cfi_next_start - where the next description says that it begins, of a section that was checked
 * @offset: of where to go on; 0 at first
 * Returns false: there is none left.
 */
bool xp_cfi_next_start(struct cfi_check *check, uint64_t *offset, uint64_t *ret_start);

#endif
