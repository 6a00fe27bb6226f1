/* SPDX-License-Identifier: MIT */
/* In place of zstd.c where the build has no zstd: neither compressor nor decompressor begins. */
#include "zstd.h"

#include <errno.h>
#include <xperf/diag.h>

static int missing(struct xp_diag *diag)
{
	xp_diag_set(diag, -ENOSYS,
		    "Compressed recordings need zstd, and this libxperf was built "
		    "without it");
	xp_diag_hint(diag, "Install the zstd development package and build again");
	return -ENOSYS;
}

int xp_zstd_compressor(int level, struct xp_zstd **ret_zstd, struct xp_diag *diag)
{
	(void)level, (void)ret_zstd;
	return missing(diag);
}

int xp_zstd_decompressor(struct xp_zstd **ret_zstd, struct xp_diag *diag)
{
	(void)ret_zstd;
	return missing(diag);
}

void xp_zstd_free(struct xp_zstd *zstd)
{
	(void)zstd;
}

int xp_zstd_compress(struct xp_zstd *zstd, const void *in, size_t in_len, size_t *in_pos, void *out,
		     size_t out_len, size_t *out_pos, bool flush)
{
	(void)zstd, (void)in, (void)in_len, (void)in_pos;
	(void)out, (void)out_len, (void)out_pos, (void)flush;
	return -EIO;
}

int xp_zstd_decompress(struct xp_zstd *zstd, const void *in, size_t in_len, size_t *in_pos,
		       void *out, size_t out_len, size_t *out_pos)
{
	(void)zstd, (void)in, (void)in_len, (void)in_pos;
	(void)out, (void)out_len, (void)out_pos;
	return -EBADMSG;
}

void xp_zstd_reset(struct xp_zstd *zstd)
{
	(void)zstd;
}
