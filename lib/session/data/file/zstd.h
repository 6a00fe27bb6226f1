/* SPDX-License-Identifier: MIT */
/*
 * zstd as perf.data uses it: the payloads of all COMPRESSED records, one after the other, are one
 * stream. The library is optional and loaded when it is first needed (zstd.c); no-zstd.c stands in
 * its place.
 */
#ifndef SESSION_ZSTD_H
#define SESSION_ZSTD_H

#include <xperf/api.h>

struct xp_diag;
struct xp_zstd;

/* A compressor. @level: 1 .. 22. Returns 0, -ENOSYS (there is no zstd), -ENOMEM. */
int xp_zstd_compressor(int level, struct xp_zstd **ret_zstd, struct xp_diag *diag);

/* A decompressor. Returns 0, -ENOSYS, -ENOMEM. */
int xp_zstd_decompressor(struct xp_zstd **ret_zstd, struct xp_diag *diag);

/* Ends either; NULL is allowed. */
void xp_zstd_free(struct xp_zstd *zstd);

/*
 * Compresses from @in, of which *in_pos bytes are done, into @out from *out_pos on; both are
 * brought forward. Input that is consumed may stay inside until @flush.
 * Returns 0: everything is out; 1: call again with more room; or -EIO.
 */
int xp_zstd_compress(struct xp_zstd *zstd, const void *in, size_t in_len, size_t *in_pos, void *out,
		     size_t out_len, size_t *out_pos, bool flush);

/*
 * Decompresses, likewise. Call again while input is left or the room was filled.
 * Returns 0, or -EBADMSG: the input is no zstd stream, or damaged; it cannot be gone on with.
 */
int xp_zstd_decompress(struct xp_zstd *zstd, const void *in, size_t in_len, size_t *in_pos,
		       void *out, size_t out_len, size_t *out_pos);

/* Starts again with a new stream. */
void xp_zstd_reset(struct xp_zstd *zstd);

#endif
