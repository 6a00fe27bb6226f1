/* SPDX-License-Identifier: MIT */
/* The file that code ran from, and those that describe it, found as for symbols but without them.
 */
#ifndef SYMBOL_CODE_FILE_H
#define SYMBOL_CODE_FILE_H

#include <xperf/api.h>

struct xp_build_id;
struct xp_elf;
struct xp_symbol_file;
struct xp_symbols;

/* A file, or an image in memory that stays: the vDSO. */
struct xp_code_file {
	int fd; /* -1: none */
	const void *image;
	size_t image_len;
};

/*
 * Opens the recorded file itself: at its path, in the cache of build ids, below the roots of
 * processes.
 * Returns an enum xp_symtab_state, with a file or an image if it is XP_SYMTAB_FOUND; or -ENOMEM.
 */
int xp_symbols_open_code(struct xp_symbols *symbols, const struct xp_symbol_file *file,
			 struct xp_code_file *ret_file);

/*
 * Calls @fn for separate debug files until it returns 0 or -ENOMEM; last for the one that is packed
 * in @elf. @elf: the file itself, NULL: it is not there. @with_servers: they are asked, too, if the
 * user wants that. @fn does not keep what it is called with.
 * Returns what it returned, or another negative errno: there is none.
 */
int xp_symbols_search_debug(struct xp_symbols *symbols, const char *name,
			    const struct xp_build_id *id, struct xp_elf *elf, bool with_servers,
			    int (*fn)(struct xp_elf *elf, void *data), void *data);

#endif
