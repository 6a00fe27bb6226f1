/* SPDX-License-Identifier: MIT */
/*
 * zstd streams through libzstd, which is loaded here and not linked: only compressed recordings pay
 * for it. Source: zstd.h, "Streaming compression", "Streaming decompression"; the library's name is
 * its ABI's, libzstd.so.1.
 */
#include "zstd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* Not by quotes, which would find this folder's. */
#include <xperf/diag.h>
#include <zstd.h>

#include "cleanup.h"
#include "loaded.h"

/* The functions used, by the types the header gives them. */
struct libzstd {
	void *handle;
	__typeof__(ZSTD_isError) *is_error;
	__typeof__(ZSTD_createCCtx) *create_compressor;
	__typeof__(ZSTD_freeCCtx) *free_compressor;
	__typeof__(ZSTD_CCtx_setParameter) *set_parameter;
	__typeof__(ZSTD_CCtx_reset) *reset_compressor;
	__typeof__(ZSTD_compressStream2) *compress;
	__typeof__(ZSTD_createDCtx) *create_decompressor;
	__typeof__(ZSTD_freeDCtx) *free_decompressor;
	__typeof__(ZSTD_DCtx_reset) *reset_decompressor;
	__typeof__(ZSTD_decompressStream) *decompress;
};

static const struct loaded_function functions[] = {
	{ "ZSTD_isError", offsetof(struct libzstd, is_error) },
	{ "ZSTD_createCCtx", offsetof(struct libzstd, create_compressor) },
	{ "ZSTD_freeCCtx", offsetof(struct libzstd, free_compressor) },
	{ "ZSTD_CCtx_setParameter", offsetof(struct libzstd, set_parameter) },
	{ "ZSTD_CCtx_reset", offsetof(struct libzstd, reset_compressor) },
	{ "ZSTD_compressStream2", offsetof(struct libzstd, compress) },
	{ "ZSTD_createDCtx", offsetof(struct libzstd, create_decompressor) },
	{ "ZSTD_freeDCtx", offsetof(struct libzstd, free_decompressor) },
	{ "ZSTD_DCtx_reset", offsetof(struct libzstd, reset_decompressor) },
	{ "ZSTD_decompressStream", offsetof(struct libzstd, decompress) },
};

struct xp_zstd {
	struct libzstd lib;
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
};

static int load(struct libzstd *lib, struct xp_diag *diag)
{
	lib->handle = library_load("libzstd.so.1", 0, functions, XP_ARRAY_LEN(functions), lib);
	if (lib->handle)
		return 0;
	xp_diag_set(diag, -ENOSYS, "libzstd.so.1 cannot be loaded");
	xp_diag_hint(diag, "Install libzstd, which compresses recordings");
	return -ENOSYS;
}

static int new_zstd(struct xp_zstd **ret_zstd, struct xp_diag *diag)
{
	struct xp_zstd *zstd = calloc(1, sizeof(*zstd));

	if (!zstd)
		return xp_diag_set(diag, -ENOMEM, "Not enough memory to compress");
	int err = load(&zstd->lib, diag);
	if (err)
		free(zstd);
	else
		*ret_zstd = zstd;
	return err;
}

int xp_zstd_compressor(int level, struct xp_zstd **ret_zstd, struct xp_diag *diag)
{
	struct xp_zstd *zstd;
	int err = new_zstd(&zstd, diag);

	if (err)
		return err;
	zstd->compressor = zstd->lib.create_compressor();
	if (!zstd->compressor) {
		xp_zstd_free(zstd);
		return xp_diag_set(diag, -ENOMEM, "Not enough memory to compress");
	}
	/* Levels beyond what the library knows are its highest. */
	zstd->lib.set_parameter(zstd->compressor, ZSTD_c_compressionLevel, level);
	*ret_zstd = zstd;
	return 0;
}

int xp_zstd_decompressor(struct xp_zstd **ret_zstd, struct xp_diag *diag)
{
	struct xp_zstd *zstd;
	int err = new_zstd(&zstd, diag);

	if (err)
		return err;
	zstd->decompressor = zstd->lib.create_decompressor();
	if (!zstd->decompressor) {
		xp_zstd_free(zstd);
		return xp_diag_set(diag, -ENOMEM, "Not enough memory to decompress");
	}
	*ret_zstd = zstd;
	return 0;
}

void xp_zstd_free(struct xp_zstd *zstd)
{
	if (!zstd)
		return;
	zstd->lib.free_compressor(zstd->compressor);
	zstd->lib.free_decompressor(zstd->decompressor);
	dlclose(zstd->lib.handle);
	free(zstd);
}

int xp_zstd_compress(struct xp_zstd *zstd, const void *in, size_t in_len, size_t *in_pos, void *out,
		     size_t out_len, size_t *out_pos, bool flush)
{
	ZSTD_inBuffer input = { in, in_len, *in_pos };
	ZSTD_outBuffer output = { out, out_len, *out_pos };
	size_t left = zstd->lib.compress(zstd->compressor, &output, &input,
					 flush ? ZSTD_e_flush : ZSTD_e_continue);

	if (zstd->lib.is_error(left))
		return -EIO;
	*in_pos = input.pos;
	*out_pos = output.pos;
	return flush ? left > 0 : input.pos < input.size;
}

int xp_zstd_decompress(struct xp_zstd *zstd, const void *in, size_t in_len, size_t *in_pos,
		       void *out, size_t out_len, size_t *out_pos)
{
	ZSTD_inBuffer input = { in, in_len, *in_pos };
	ZSTD_outBuffer output = { out, out_len, *out_pos };
	size_t ret = zstd->lib.decompress(zstd->decompressor, &output, &input);

	if (zstd->lib.is_error(ret))
		return -EBADMSG;
	*in_pos = input.pos;
	*out_pos = output.pos;
	return 0;
}

void xp_zstd_reset(struct xp_zstd *zstd)
{
	if (zstd->compressor)
		zstd->lib.reset_compressor(zstd->compressor, ZSTD_reset_session_only);
	if (zstd->decompressor)
		zstd->lib.reset_decompressor(zstd->decompressor, ZSTD_reset_session_only);
}
