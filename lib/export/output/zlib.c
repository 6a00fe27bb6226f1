/* SPDX-License-Identifier: MIT */
/*
 * gzip streams through zlib, which is loaded here and not linked. Source: zlib.h, "Basic functions"
 * and deflateInit2(): 16 more than the window's bits make a gzip stream, whose header has no time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

#include "cleanup.h"
#include "gzip.h"
#include "loaded.h"

enum { WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 8, ROOM = 1 << 16 };

/* The functions used, by the types the header gives them. */
struct libz {
	void *handle;
	__typeof__(deflateInit2_) *init;
	__typeof__(deflate) *deflate;
	__typeof__(deflateEnd) *end;
	__typeof__(inflateInit2_) *init_unpack;
	__typeof__(inflate) *inflate;
	__typeof__(inflateEnd) *end_unpack;
};

static const struct loaded_function functions[] = {
	{ "deflateInit2_", offsetof(struct libz, init) },
	{ "deflate", offsetof(struct libz, deflate) },
	{ "deflateEnd", offsetof(struct libz, end) },
	{ "inflateInit2_", offsetof(struct libz, init_unpack) },
	{ "inflate", offsetof(struct libz, inflate) },
	{ "inflateEnd", offsetof(struct libz, end_unpack) },
};

struct gzip {
	struct libz lib;
	z_stream stream;
	bool is_begun;
	xp_export_write_fn write;
	void *data;
	unsigned char out[ROOM];
};

int xp_gzip_new(xp_export_write_fn write, void *data, struct gzip **ret_gzip)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return -ENOMEM;
	gzip->write = write;
	gzip->data = data;
	gzip->lib.handle =
		library_load("libz.so.1", 0, functions, XP_ARRAY_LEN(functions), &gzip->lib);
	if (!gzip->lib.handle) {
		xp_gzip_free(gzip);
		return -ENOSYS;
	}
	gzip->is_begun = gzip->lib.init(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
					WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
					(int)sizeof(z_stream)) == Z_OK;
	if (!gzip->is_begun) {
		xp_gzip_free(gzip);
		return -ENOMEM;
	}
	*ret_gzip = gzip;
	return 0;
}

/* Until all that came in has gone out, and, at the end, what was kept back. */
static int push(struct gzip *gzip, int flush)
{
	int state, err = 0;

	do {
		gzip->stream.next_out = gzip->out;
		gzip->stream.avail_out = ROOM;
		state = gzip->lib.deflate(&gzip->stream, flush);
		size_t len = ROOM - gzip->stream.avail_out;

		if (state == Z_STREAM_ERROR)
			err = -EIO;
		else if (len)
			err = gzip->write(gzip->out, len, gzip->data);
	} while (!err && !gzip->stream.avail_out);
	return err;
}

int xp_gzip_write(const void *bytes, size_t len, void *data)
{
	const unsigned char *at = bytes;
	struct gzip *gzip = data;
	int err = 0;

	while (!err && len) {
		size_t some = len < (1U << 30) ? len : 1U << 30;

		gzip->stream.next_in = (unsigned char *)(uintptr_t)at;
		gzip->stream.avail_in = (unsigned int)some;
		err = push(gzip, Z_NO_FLUSH);
		at += some;
		len -= some;
	}
	return err;
}

int xp_gzip_end(struct gzip *gzip)
{
	gzip->stream.avail_in = 0;
	return push(gzip, Z_FINISH);
}

void xp_gzip_free(struct gzip *gzip)
{
	if (!gzip)
		return;
	if (gzip->is_begun)
		gzip->lib.end(&gzip->stream);
	if (gzip->lib.handle)
		dlclose(gzip->lib.handle);
	free(gzip);
}

/* To the end of the stream. Room doubles. */
static int unpack(const struct libz *lib, z_stream *stream, unsigned char **bytes, size_t *ret_len)
{
	enum { AT_FIRST = 1 << 16, MOST = 1 << 30 };
	size_t room = 0, len = 0;
	int state;

	do {
		if (len == room) {
			size_t more = room ? room * 2 : AT_FIRST;
			unsigned char *larger = more <= MOST ? realloc(*bytes, more) : NULL;

			if (!larger)
				return more <= MOST ? -ENOMEM : -EFBIG;
			*bytes = larger;
			room = more;
		}
		stream->next_out = *bytes + len;
		stream->avail_out = (unsigned int)(room - len);
		state = lib->inflate(stream, Z_NO_FLUSH);
		len = room - stream->avail_out;
	} while (state == Z_OK && (stream->avail_in || !stream->avail_out));
	*ret_len = len;
	return state == Z_STREAM_END ? 0 : state == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

int xp_gzip_unpack(const void *bytes, size_t len, void **ret_bytes, size_t *ret_len)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (unsigned int)len };
	unsigned char *unpacked = NULL;
	struct libz lib;

	if (len > UINT32_MAX)
		return -EFBIG;
	lib.handle = library_load("libz.so.1", 0, functions, XP_ARRAY_LEN(functions), &lib);
	if (!lib.handle)
		return -ENOSYS;
	int err = lib.init_unpack(&stream, WINDOW_BITS, ZLIB_VERSION, (int)sizeof(stream)) == Z_OK
			  ? 0
			  : -ENOMEM;
	if (!err) {
		err = unpack(&lib, &stream, &unpacked, ret_len);
		lib.end_unpack(&stream);
	}
	dlclose(lib.handle);
	if (err)
		free(unpacked);
	else
		*ret_bytes = unpacked;
	return err;
}
