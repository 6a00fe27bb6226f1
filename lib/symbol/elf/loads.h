/* SPDX-License-Identifier: MIT */
/* Where the code of an ELF file is, by address, without libelf: also of /proc/kcore, which is as
 * large as the address space. */
#ifndef SYMBOL_LOADS_H
#define SYMBOL_LOADS_H

#include "elf-file.h"

/* A file, or an image in memory. */
struct xp_load_source {
	int fd;
	const void *image; /* NULL: @fd */
	size_t image_len;
};

/* A section of code, by addresses. */
struct xp_code_section {
	uint64_t start, end;
};

/* @sections: sorted by address; none: the file does not say where code is; @machine: EM_X86_64 ...
 */
struct xp_loads {
	struct xp_elf_segment *at;
	struct xp_code_section *sections;
	size_t nr, nr_sections;
	int machine;
};

/*
 * Reads the headers of segments and sections of a file of this byte order: little-endian.
 * Returns 0 with *ret_loads the caller's to free with xp_loads_fini(); -ENOEXEC: it is no such
 * file, is damaged, or, as separate debug files, has no code; -ENOMEM.
 */
int xp_loads_read(const struct xp_load_source *source, struct xp_loads *ret_loads);
void xp_loads_fini(struct xp_loads *loads);
/* Reads what is at an address. Returns how many bytes are there, fewer at the end of a segment. */
size_t xp_loads_bytes(const struct xp_loads *loads, const struct xp_load_source *source,
		      uint64_t address, void *buf, size_t len);
/* Whether an address is in a section of code. *ret_end: where that section, or the space between
 * two, ends; greater than @address. */
bool xp_loads_section(const struct xp_loads *loads, uint64_t address, uint64_t *ret_end);
/* Reads what is at an offset in the file, likewise. */
size_t xp_load_source_read(const struct xp_load_source *source, uint64_t offset, void *buf,
			   size_t len);

#endif
