/* SPDX-License-Identifier: MIT */
/* A FILE that remembers why writing failed: stdio itself only remembers that it did. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <stdint.h>
#include <stdio.h>

struct stream {
	int fd;         /* stays the caller's */
	int err;        /* negative errno of the first failure; nothing is written after it */
	uint64_t bytes; /* that were written */
};

/* Makes a FILE, for writing only, of stream->fd; it has no descriptor of its own for fileno().
 * Returns NULL without memory. */
FILE *stream_open(struct stream *stream);

/* Writes what @file holds. Returns 0 or the negative errno of what failed, now or before. */
int stream_flush(struct stream *stream, FILE *file);

#endif
