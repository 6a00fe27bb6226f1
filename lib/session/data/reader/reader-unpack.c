/* SPDX-License-Identifier: MIT */
/*
 * Records that were compressed: the payloads of all COMPRESSED records of a file are one zstd
 * stream, and a record may begin in one and end in the next. What comes out goes through one buffer
 * of fixed size, whatever the input claims.
 */
#include <errno.h>
#include <stdlib.h>

#include "reader-impl.h"
#include "zstd.h"

enum { ROOM = 4 * RECORD_ROOM };

int xp_reader_unpack_init(struct xp_data *data, struct xp_diag *diag)
{
	struct unpacked *u = &data->unpacked;

	if (!u->bytes)
		u->bytes = malloc(ROOM);
	if (!u->bytes)
		return -ENOMEM;
	return u->zstd ? 0 : xp_zstd_decompressor(&u->zstd, diag);
}

int xp_reader_unpack_start(struct xp_data *data, const void *in, size_t len)
{
	int err = xp_reader_unpack_init(data, NULL);

	if (err)
		return err;
	data->unpacked.in = in;
	data->unpacked.in_len = data->unpacked.broken ? 0 : len;
	return 0;
}

static void step(struct xp_data *data)
{
	struct unpacked *u = &data->unpacked;
	size_t in_pos = 0;

	memmove(u->bytes, u->bytes + u->start, u->end - u->start);
	u->end -= u->start;
	u->start = 0;
	size_t before = u->end;
	if (xp_zstd_decompress(u->zstd, u->in, u->in_len, &in_pos, u->bytes, ROOM, &u->end)) {
		xp_reader_report(
			data, data->offset,
			"the compressed data are damaged; no compressed record can be read from "
			"here on");
		u->broken = true;
		u->in_len = 0;
		u->filled = false;
		return;
	}
	u->in += in_pos;
	u->in_len -= in_pos;
	u->filled = u->end == ROOM;
	/* A library that neither takes nor gives would do so for ever. */
	if (!in_pos && u->end == before)
		u->in_len = 0;
}

const uint8_t *xp_reader_unpacked(struct xp_data *data, size_t len, size_t *ret_len)
{
	struct unpacked *u = &data->unpacked;

	while (u->end - u->start < len && (u->in_len || u->filled))
		step(data);
	*ret_len = u->end - u->start < len ? u->end - u->start : len;
	return u->bytes + u->start;
}

void xp_reader_unpack_skip(struct xp_data *data, size_t len)
{
	data->unpacked.start += len;
}

void xp_reader_unpack_reset(struct xp_data *data)
{
	struct unpacked *u = &data->unpacked;

	if (u->zstd)
		xp_zstd_reset(u->zstd);
	*u = (struct unpacked){ .zstd = u->zstd, .bytes = u->bytes };
}

void xp_reader_unpack_fini(struct xp_data *data)
{
	xp_zstd_free(data->unpacked.zstd);
	free(data->unpacked.bytes);
}
