/* SPDX-License-Identifier: MIT */
/* The very file that a process has mapped, wherever its bytes are to be had. */
#ifndef SYMBOL_MAPPED_FILE_H
#define SYMBOL_MAPPED_FILE_H

#include <xperf/symbol.h>

/*
 * A map, and what is known of its file.
 * @name:              as records have it, also with " (deleted)" behind it
 * @inode:             0: not known
 * @inode_generation:  0: not known
 * @id:                of 0 bytes: not known. If it is known, it decides alone
 */
struct mapped_file {
	const char *name;
	uint64_t start, end;
	uint64_t inode, inode_generation;
	uint32_t major, minor;
	int32_t pid;
	struct xp_build_id id;
};

/* How surely an open file is the mapped one. */
enum likeness {
	NOT_IT,
	SAME_INODE, /* of another device: btrfs, overlayfs */
	VERY_FILE,  /* or nothing is known against it */
};

/* The length of a name without what the kernel adds to those of files that are gone. */
size_t xp_mapped_name_len(const char *name);

enum likeness xp_mapped_file_compare(int fd, const struct mapped_file *mapped);

/*
 * Opens the file: below the root of its process, by its name, as the program of the process,
 * through the map itself. @root: the context's. @ret_path: PATH_MAX bytes, where it was found
 * Returns a descriptor; -ESTALE: there are others only; or why there is none (any more).
 */
int xp_mapped_file_open(const char *root, const struct mapped_file *mapped, char *ret_path);

#endif
