/* SPDX-License-Identifier: MIT */
/* Where the bytes of a recording come from: a file, or a stream. */
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include <xperf/api.h>

struct xp_ahead;
struct xp_sys;

/* Zero-initialised holds nothing; end with xp_source_close(). */
struct xp_source {
	const struct xp_sys *sys;
	int fd;      /* -1: nothing is read from any more */
	bool stream; /* what has been passed over is gone, unless it is kept */
	bool kept;   /* of a stream: all of it stays in memory */
	bool file;   /* @bytes is a window, which is moved */
	bool shared; /* @fd, of what is kept @bytes, is another's */
	bool shrank; /* a file that has become shorter than it was when it was opened */
	/* Whether nothing more is to be read; NULL: all is. Asked before each window, and when a
	 * signal has interrupted read(2). */
	bool (*is_stopped)(void *data);
	void *stop_data;
	bool was_stopped; /* what had been read by then is all there is */
	uint8_t *bytes;
	size_t len, room;
	uint64_t start;      /* offset of bytes[0] in the input */
	uint64_t total;      /* bytes of the file */
	uint64_t disk_bytes; /* what the file takes of a disk */
	uint64_t limit; /* the most bytes a part of it can have; of what is no file: any number */
	int err;        /* why it ended early; 0: it did not */

	bool reads_ahead;          /* of a file: once windows have followed each other */
	unsigned int nr_following; /* windows */
	struct xp_ahead *ahead;    /* NULL: it does not now */
	uint8_t *own; /* while it does: the window without it; @bytes is one of those */
};

/*
 * Opens @path, "-": standard input. A regular file is read where it is wanted; anything else is a
 * stream. Returns 0 or why it cannot be read.
 */
int xp_source_open(struct xp_source *source, const struct xp_sys *sys, const char *path);
/* Keeps all of a stream that is read from now on, so that it can be read again. */
void xp_source_keep(struct xp_source *source);
/* The same file or kept stream, with a window of its own, for another thread; @source is closed
 * after it. */
struct xp_source xp_source_share(const struct xp_source *source);
/*
 * The bytes from @offset on; those before it are not asked for any more if it is a stream. Returns
 * them with their number in *ret_len: @len, or less where the input ends. Valid until the next
 * call.
 */
const uint8_t *xp_source_at(struct xp_source *source, uint64_t offset, uint64_t len,
			    size_t *ret_len);
/* True if any part can be read at any time: a file, or a stream that is kept. */
static inline bool xp_source_is_random(const struct xp_source *source)
{
	return source->file || source->kept;
}
/* Reads the whole of a stream, which is in memory from then on. Returns 0 or the reason. */
int xp_source_slurp(struct xp_source *source);
/* Bytes of what is no stream. */
static inline uint64_t xp_source_total(const struct xp_source *source)
{
	return source->file ? source->total : source->len;
}
void xp_source_close(struct xp_source *source);

#endif
