/* SPDX-License-Identifier: MIT */
/* Lines of source between the instructions of a function. */
#ifndef RECORDING_INTERLEAVE_H
#define RECORDING_INTERLEAVE_H

#include "code.h"
#include "source-files.h"

/* Where files of absolute paths are searched: below @directory, without the first @strip
 * directories of their paths; NULL: where they were */
struct source_prefix {
	const char *directory;
	int strip;
};

/* What source has been shown of a function. */
struct interleaving {
	struct source_prefix prefix;
	struct source_files *files;
	struct shown_file *shown;
	size_t nr_shown;
	const char *function, *inlined; /* and the one that the last line was of */
};

/* Calls @fn for each line of source in front of an instruction; @number 0: it is none of a file.
 * Returns 0 or -ENOMEM. */
int interleave(struct interleaving *at, const struct code_line *line,
	       void (*fn)(uint32_t number, const char *text, void *data), void *data);
/* Before a function's first line. */
void interleaving_begin(struct interleaving *at, const char *function);
void interleaving_fini(struct interleaving *at);

#endif
