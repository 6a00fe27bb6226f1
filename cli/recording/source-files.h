/* SPDX-License-Identifier: MIT */
/* Lines of source code, from files that debug information names. */
#ifndef RECORDING_SOURCE_FILES_H
#define RECORDING_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

struct source_files;

/* Returns NULL without memory. */
struct source_files *source_files_new(void);
/* NULL is allowed. */
void source_files_free(struct source_files *files);
/* Finds a file by its path, and reads it the first time. One that cannot be read has no lines.
 * Returns 0 with its number, or -ENOMEM. */
int source_files_find(struct source_files *files, const char *path, size_t *ret_file);
/* A line of a file, from 1 on, without its end. Returns NULL: there is none. */
const char *source_files_line(const struct source_files *files, size_t file, uint32_t line);

#endif
