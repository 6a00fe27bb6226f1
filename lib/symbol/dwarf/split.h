/* SPDX-License-Identifier: MIT */
/* Split DWARF: the unit that a skeleton stands for, in a .dwo or a .dwp file. */
#ifndef DWARF_SPLIT_H
#define DWARF_SPLIT_H

#include "die.h"

/* The .dwp file of a program, if there is one. @is_tried: it was searched */
struct split_package {
	bool is_tried;
	struct image *image; /* NULL: there is none */
};

/* What a skeleton says of the other file. */
struct split_name {
	const char *dir, *name;
};

/*
 * Finds the unit of a skeleton.
 * @path: of the program
 * @ret_own: an image that was opened for it, the caller's to close and free; NULL: the package's
 * Returns 0, -ENOENT, -ENOMEM.
 */
int xp_split_find(const char *path, struct split_package *package, const struct die_unit *skeleton,
		  const struct split_name *name, struct die_unit *ret_unit, struct image **ret_own);
void xp_split_package_fini(struct split_package *package);

#endif
