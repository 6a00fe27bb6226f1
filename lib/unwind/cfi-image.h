/* SPDX-License-Identifier: MIT */
/* An ELF file in memory with nothing but the frame sections of another one. */
#ifndef UNWIND_CFI_IMAGE_H
#define UNWIND_CFI_IMAGE_H

#include "eh-table.h"

struct machine;

/* @first: the first section; the last one has the frames, which are at @address in the file's own
 * addresses; @table: in the first, if it has entries */
struct cfi_image {
	void *bytes; /* the caller's to free */
	size_t len;
	const unsigned char *first;
	size_t nr_sections;
	uint64_t address;
	struct eh_table table;
	bool is_eh;
};

/* Of .eh_frame with its table, or of .debug_frame. Return 0, -ENODATA: there is none; -ENOMEM. */
int xp_cfi_image_eh(struct xp_elf *elf, struct cfi_image *ret_image);
int xp_cfi_image_debug(struct xp_elf *elf, struct cfi_image *ret_image);
/* The same of bytes that are no part of a file. @address: where they were, for what counts from
 * there */
int xp_cfi_image_made(const void *frames, size_t len, uint64_t address,
		      const struct machine *machine, struct cfi_image *ret_image);

#endif
