/* SPDX-License-Identifier: MIT */
/* Build ids from ELF notes and files, without libelf: bounded, and safe in any thread. */
#ifndef SYMBOL_BUILD_ID_H
#define SYMBOL_BUILD_ID_H

#include <stdbool.h>
#include <string.h>
#include <xperf/symbol.h>

struct xp_build_id;

/* How notes are laid out. */
struct xp_notes {
	bool is_swapped; /* of the other byte order */
	size_t align;    /* 4 or 8 */
};

extern const struct xp_notes xp_notes_native; /* as the running kernel's */

/* Finds the build id among notes. Returns false: there is none. */
bool xp_build_id_of_notes(const void *bytes, size_t len, const struct xp_notes *notes,
			  struct xp_build_id *ret_id);

/* To the byte, those of no bytes too. */
static inline bool xp_build_id_equal(const struct xp_build_id *a, const struct xp_build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* True if an open file has this build id. */
bool xp_build_id_is_of_fd(const struct xp_build_id *id, int fd);

/* The build id of an open file, whatever its offset. Returns as xp_symbol_build_id(). */
int xp_build_id_of_fd(int fd, struct xp_build_id *ret_id);

/* The same of a file that is in memory, as the vDSO is. */
int xp_build_id_of_image(const void *image, size_t len, struct xp_build_id *ret_id);

/* The vDSO of this process, as an ELF file in memory. Returns NULL: the kernel gives none. */
const void *xp_vdso_image(size_t *ret_len);

/* Opens a regular file for reading; devices and pipes are not waited for. Returns a descriptor,
 * -ENOEXEC (not a regular file), or as open(2). */
int xp_build_id_open(const char *path);

#endif
