/* SPDX-License-Identifier: MIT */
/*
 * A file that a command writes as its result. It is written under another name in the same
 * directory and renamed when it is complete: whatever fails on the way, the file that was there
 * stays as it was. Devices, pipes and descriptors (/dev/stdout) are written in place.
 */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "stream.h"

struct xp_diag;

/* Zero-initialised, nothing is written and nothing has to be closed. */
struct result {
	FILE *file;
	struct stream stream; /* stream.fd is the file's descriptor */
	const char *path;     /* as the user named it */
	char *target;         /* the file it is, where links are followed; NULL: written in place */
	char *beside;         /* the name it has until it is complete */
};

/* The open descriptor that a path is another name of, as /dev/stdout and /dev/fd/3 are; -1: none.
 */
int result_descriptor(const char *path);

/* True if both paths lead to one file, or @input is the directory of a recording and @path its
 * data.
 * @input: "-" for standard input; NULL: nothing is read. */
bool result_is_input(const char *path, const char *input);

/*
 * Begins to write @path. A regular file is replaced, with @keeps_old it is refused; @input, which
 * is still read, always is: see result_is_input(). Returns 0 or a negative errno with @diag filled.
 */
int result_open(struct result *result, const char *path, const char *input, bool keeps_old,
		struct xp_diag *diag);

/*
 * Whether a file can be written, asked before work that takes long: a new one, or what is
 * there in its place. Leaves everything as it was. Returns 0, or a negative errno with @diag
 * filled.
 */
int result_check(const char *path, struct xp_diag *diag);

/*
 * Ends the writing. With @err, or if a write failed, what was written is removed; else it appears
 * under its name. Returns 0, or what a write failed with, and @diag is filled; else @err.
 */
int result_close(struct result *result, int err, struct xp_diag *diag);

#endif
