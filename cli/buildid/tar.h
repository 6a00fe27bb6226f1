/* SPDX-License-Identifier: MIT */
/* A tar archive that is written as it comes. */
#ifndef BUILDID_TAR_H
#define BUILDID_TAR_H

#include <stdio.h>

/* Appends the file at @path as @name. Returns 0; -ENODATA: it got shorter meanwhile; or why it
 * cannot be read or written. */
int tar_file(FILE *tar, const char *name, const char *path);
/* Appends a symbolic link. Returns likewise. */
int tar_link(FILE *tar, const char *name, const char *target);
/* Nothing comes any more. Returns likewise. */
int tar_end(FILE *tar);

#endif
