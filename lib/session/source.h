/* SPDX-License-Identifier: MIT */
/* Where the bytes of a recording come from: a file in memory, or a stream. */
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include <xperf/sys.h>

/* Zero-initialised holds nothing; end with xp_source_close(). */
struct xp_source {
	const struct xp_sys *sys;
	int fd;      /* of a stream; -1: none is read from any more */
	bool stream; /* what has been passed over is gone */
	bool mapped; /* @bytes are not on the heap */
	uint8_t *bytes;
	size_t len, room;
	uint64_t start; /* offset of bytes[0] in the input */
	int err;        /* why a stream ended early; 0: it did not */
};

/*
 * Opens @path, "-": standard input. A regular file is mapped, or read where it cannot be; anything
 * else is a stream. Returns 0 or why it cannot be read.
 */
int xp_source_open(struct xp_source *source, const struct xp_sys *sys, const char *path);
/*
 * The bytes from @offset on; those before it are not asked for any more if it is a stream. Returns
 * them with their number in *ret_len: @len, or less where the input ends. Valid until the next
 * call.
 */
const uint8_t *xp_source_at(struct xp_source *source, uint64_t offset, uint64_t len,
			    size_t *ret_len);
/* Reads the whole of a stream, which is a file in memory from then on. Returns 0 or the reason. */
int xp_source_slurp(struct xp_source *source);
void xp_source_close(struct xp_source *source);

#endif
