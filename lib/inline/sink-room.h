/* SPDX-License-Identifier: MIT */
/*
 * Text that is collected, and handed on when there is no more room: what it is handed to is a
 * matter of sink->grow, the program's in cli/output/sink.h, that of exports in
 * lib/export/output/out.h.
 */
#ifndef INLINE_SINK_ROOM_H
#define INLINE_SINK_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SINK_PIECE = 4096 };

struct sink {
	char *buf;
	size_t len, room;
	/* Makes room for @len more bytes; every sink can for SINK_PIECE. Returns false with @err.
	 */
	bool (*grow)(struct sink *out, size_t len);
	int err; /* negative errno of what failed; nothing is written from then on */
	/* of the program's */
	int fd;           /* -1: none; without @file, the text is kept in @buf */
	FILE *file;       /* NULL: @fd */
	uint64_t written; /* bytes */
};

/* Makes room for @len more bytes. Returns false with out->err. */
static inline bool sink_room(struct sink *out, size_t len)
{
	return len <= out->room - out->len ? !out->err : out->grow(out, len);
}

/* Where the next @len bytes go, of which sink_commit() says how many there are; NULL: nowhere. */
static inline char *sink_reserve(struct sink *out, size_t len)
{
	return sink_room(out, len) ? out->buf + out->len : NULL;
}

static inline void sink_commit(struct sink *out, const char *end)
{
	out->len = (size_t)(end - out->buf);
}

static inline void sink_bytes(struct sink *out, const char *bytes, size_t len)
{
	/* Nothing has no room to go to before the first byte. */
	if (!len || !sink_room(out, len))
		return;
	memcpy(out->buf + out->len, bytes, len);
	out->len += len;
}

static inline void sink_char(struct sink *out, char c)
{
	if (sink_room(out, 1))
		out->buf[out->len++] = c;
}

#endif
