/* SPDX-License-Identifier: MIT */
/*
 * xz through liblzma, which is loaded when something is packed with it and not linked. Source:
 * lzma/base.h, lzma/container.h; the library's name is its ABI's, liblzma.so.5.
 */
#include <dlfcn.h>
#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>

#include "cleanup.h"
#include "loaded.h"
#include "xz.h"

/* The functions used, by the types the header gives them. */
struct liblzma {
	void *handle;
	__typeof__(lzma_stream_decoder) *decoder;
	__typeof__(lzma_code) *code;
	__typeof__(lzma_end) *end;
};

static const struct loaded_function functions[] = {
	{ "lzma_stream_decoder", offsetof(struct liblzma, decoder) },
	{ "lzma_code", offsetof(struct liblzma, code) },
	{ "lzma_end", offsetof(struct liblzma, end) },
};

enum { FIRST_ROOM = 1 << 16, DICTIONARIES = 64 << 20 /* xz -9 takes as much */ };

/* Makes room for twice as much. Returns 0, -EFBIG, -ENOMEM. */
static int grow(uint8_t **bytes, size_t *room, size_t limit)
{
	size_t more = *room ? *room * 2 : FIRST_ROOM;

	if (*room >= limit)
		return -EFBIG;
	more = more < limit ? more : limit;
	uint8_t *at = realloc(*bytes, more);
	if (!at)
		return -ENOMEM;
	*bytes = at;
	*room = more;
	return 0;
}

static int unpack(const struct liblzma *lib, lzma_stream *stream, size_t limit, void **ret,
		  size_t *ret_len)
{
	uint8_t *bytes = NULL;
	size_t room = 0;
	lzma_ret got = LZMA_OK;
	int err = 0;

	while (!err && got == LZMA_OK) {
		size_t done = room;

		err = grow(&bytes, &room, limit);
		if (err)
			break;
		stream->next_out = bytes + done;
		stream->avail_out = room - done;
		got = lib->code(stream, LZMA_FINISH);
		if (got == LZMA_OK && stream->avail_out)
			got = LZMA_DATA_ERROR; /* it ends too early */
	}
	if (!err && got != LZMA_STREAM_END)
		err = got == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
	if (err) {
		free(bytes);
		return err;
	}
	*ret = bytes;
	*ret_len = room - stream->avail_out;
	return 0;
}

int xp_xz_unpack(const void *in, size_t len, size_t limit, void **ret, size_t *ret_len)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct liblzma lib;

	lib.handle = library_load("liblzma.so.5", 0, functions, XP_ARRAY_LEN(functions), &lib);
	if (!lib.handle)
		return -ENOSYS;
	int err = lib.decoder(&stream, 2 * (uint64_t)DICTIONARIES, 0) == LZMA_OK ? 0 : -ENOMEM;
	if (!err) {
		stream.next_in = in;
		stream.avail_in = len;
		err = unpack(&lib, &stream, limit, ret, ret_len);
		lib.end(&stream);
	}
	dlclose(lib.handle);
	return err;
}
