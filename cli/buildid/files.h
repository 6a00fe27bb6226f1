/* SPDX-License-Identifier: MIT */
/* The files of a recording, and their build ids. */
#ifndef BUILDID_FILES_H
#define BUILDID_FILES_H

#include "recording.h"

/* @id_len: 0: not known */
struct file_id {
	const char *path;
	uint8_t id[20];
	size_t id_len;
};

/* Returns 0, or what ends the walk. */
typedef int (*file_fn)(const struct file_id *file, void *data);

enum which_files {
	FILES_RECORDED, /* those the recorder has written build ids of; if there are none, those hit
			 */
	FILES_HIT,      /* those that samples lie in */
	FILES_RUN,      /* and those their call chains go through */
};

/*
 * Calls @fn for each file in the order they came. Of what is in AUX data nobody knows: with them,
 * all the recorder has written. Returns 0, a negative errno of reading, or what @fn returned.
 */
int files_each(struct recording *rec, enum which_files which, file_fn fn, void *data);

/* Twice as many hexadecimal digits, and a NUL. */
void id_text(const uint8_t *id, size_t len, char *text);

#endif
