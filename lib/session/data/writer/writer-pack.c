/* SPDX-License-Identifier: MIT */
/*
 * Records, compressed, as COMPRESSED records: type 81, which perf reads since 5.2.
 *
 * Each ends where a block of the stream ends, so that what was written can be unpacked completely,
 * and is filled up with empty blocks so that the records behind it stay aligned.
 *
 * Source: RFC 8878, 3.1.1.2: a block's header is three bytes, all zero for an empty raw block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>

#include "writer-impl.h"
#include "zstd.h"

enum {
	/* Plain bytes per flush of the compressor; perf unpacks a record into a buffer of the size
	 * that the feature has. */
	CHUNK_BYTES = XP_WRITER_PACK_ROOM - 4096,
	/* What they can become at worst, and the records around it. */
	PACKED_BYTES = CHUNK_BYTES + CHUNK_BYTES / 8,
	PAYLOAD_MAX = XP_RECORD_BYTES_MAX - sizeof(struct xp_record),
	BLOCK_HEADER = 3,
	FRAMED_BYTES = PACKED_BYTES + (PACKED_BYTES / PAYLOAD_MAX + 1) * sizeof(struct xp_record),
};

/* Appends empty blocks up to a multiple of 8. */
static size_t fill_up(char *packed, size_t len)
{
	while (len % 8) {
		memset(packed + len, 0, BLOCK_HEADER);
		len += BLOCK_HEADER;
	}
	return len;
}

static int compress_chunk(struct xp_data_writer *w, const void *records, size_t len, char *packed,
			  size_t *ret_len)
{
	size_t in = 0, out = 0;
	int more = xp_zstd_compress(w->zstd, records, len, &in, packed,
				    PACKED_BYTES - 8 * BLOCK_HEADER, &out, true);

	if (more)
		return -EIO; /* it does not fit: that cannot be */
	*ret_len = fill_up(packed, out);
	return 0;
}

/* Puts what was compressed into records. Returns their bytes. */
static size_t frame(const char *packed, size_t len, char *framed)
{
	size_t at = 0;

	for (size_t done = 0, n; done < len; done += n) {
		n = len - done < PAYLOAD_MAX ? len - done : PAYLOAD_MAX;
		struct xp_record header = { .type = XP_RECORD_COMPRESSED,
					    .size = (uint16_t)(sizeof(header) + n) };

		memcpy(framed + at, &header, sizeof(header));
		memcpy(framed + at + sizeof(header), packed + done, n);
		at += header.size;
	}
	return at;
}

/* All records of a chunk at once: a disk that is full cuts before them or behind them. */
static int add_chunk(struct xp_data_writer *w, const void *records, size_t len, char *packed,
		     char *framed)
{
	struct iovec plain = { (void *)records, len }, pieces[XP_WRITER_PIECES] = { { framed, 0 } };
	size_t packed_len;
	int err = compress_chunk(w, records, len, packed, &packed_len);

	if (!err) {
		pieces[0].iov_len = frame(packed, packed_len, framed);
		struct xp_writer_chunk chunk = {
			.start = w->buffered,
			.end = w->buffered + pieces[0].iov_len,
			.plain_bytes = len,
			.samples = xp_pieces_samples(&plain, 1, 0),
		};
		err = xp_str_add(&w->chunks, (const char *)&chunk, sizeof(chunk));
	}
	if (err) {
		xp_writer_drop(w, records, len);
		return err;
	}
	w->plain_bytes += len;
	w->packed_bytes += packed_len;
	return xp_writer_add(w, pieces, 1);
}

int xp_writer_pack(struct xp_data_writer *w, const void *records, size_t len)
{
	char *packed = malloc(PACKED_BYTES + FRAMED_BYTES);
	const char *next = records;
	int err = packed ? 0 : -ENOMEM;

	while (len && !err) {
		struct iovec piece = { (void *)next, len };
		size_t chunk = xp_pieces_whole(&piece, 1, CHUNK_BYTES);

		if (!chunk)
			chunk = len < CHUNK_BYTES ? len : CHUNK_BYTES;
		err = add_chunk(w, next, chunk, packed, packed + PACKED_BYTES);
		next += chunk;
		len -= chunk;
	}
	if (err)
		xp_writer_drop(w, next, len);
	free(packed);
	return err;
}
