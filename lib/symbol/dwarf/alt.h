/* SPDX-License-Identifier: MIT */
/* What dwz took out of several files into one, to which they refer. */
#ifndef DWARF_ALT_H
#define DWARF_ALT_H

#include "image.h"

/* Opens the file that the one at @path refers to. Returns it, the caller's to close and free; NULL:
 * there is none. */
struct image *xp_dwarf_alt_open(struct image *main, const char *path);

#endif
