/* SPDX-License-Identifier: MIT */
/* The output of a script: see sink.h. */
#include "sink.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "escape.h"

enum { SINK_ROOM = 1 << 18, DIGITS = 20 };

int sink_init(struct sink *out, int fd)
{
	*out = (struct sink){ .buf = malloc(SINK_ROOM), .room = SINK_ROOM, .fd = fd };
	return out->buf ? 0 : -ENOMEM;
}

void sink_fini(struct sink *out)
{
	free(out->buf);
	out->buf = NULL;
}

int sink_flush(struct sink *out)
{
	for (size_t done = 0; out->fd >= 0 && !out->err && done < out->len;) {
		ssize_t n = write(out->fd, out->buf + done, out->len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			out->err = -errno;
	}
	if (out->fd >= 0)
		out->len = 0;
	return out->err;
}

bool sink_room(struct sink *out, size_t len)
{
	size_t room = out->room;

	if (len <= room - out->len)
		return !out->err;
	sink_flush(out);
	while (room - out->len < len)
		room *= 2;
	char *larger = room > out->room ? realloc(out->buf, room) : out->buf;
	if (!larger) {
		out->err = -ENOMEM;
		return false;
	}
	out->buf = larger;
	out->room = room;
	return !out->err;
}

void sink_bytes(struct sink *out, const char *bytes, size_t len)
{
	if (!sink_room(out, len))
		return;
	memcpy(out->buf + out->len, bytes, len);
	out->len += len;
}

void sink_text(struct sink *out, const char *text)
{
	sink_bytes(out, text, strlen(text));
}

void sink_blanks(struct sink *out, int nr)
{
	if (nr <= 0 || !sink_room(out, (size_t)nr))
		return;
	memset(out->buf + out->len, ' ', (size_t)nr);
	out->len += (size_t)nr;
}

void sink_padded(struct sink *out, const char *text, int width)
{
	int len = (int)strlen(text);

	sink_blanks(out, width - len);
	sink_bytes(out, text, (size_t)len);
	sink_blanks(out, -width - len);
}

/* The digits at the end of a field that is @width wide. */
static void put_field(struct sink *out, const char *digits, int nr, int width, char fill)
{
	int pad = width > nr ? width - nr : 0;

	if (!sink_room(out, (size_t)(pad + nr)))
		return;
	memset(out->buf + out->len, fill, (size_t)pad);
	memcpy(out->buf + out->len + pad, digits, (size_t)nr);
	out->len += (size_t)(pad + nr);
}

void sink_dec(struct sink *out, uint64_t value, int width, char fill)
{
	char digits[DIGITS];
	int at = DIGITS;

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_field(out, digits + at, DIGITS - at, width, fill);
}

void sink_hex(struct sink *out, uint64_t value, int width, char fill)
{
	char digits[DIGITS];
	int at = DIGITS;

	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	put_field(out, digits + at, DIGITS - at, width, fill);
}

void sink_int(struct sink *out, int value, int width)
{
	char text[DIGITS];
	int at = DIGITS;
	unsigned int left = value < 0 ? -(unsigned int)value : (unsigned int)value;

	do {
		text[--at] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		text[--at] = '-';
	if (width < 0) {
		put_field(out, text + at, DIGITS - at, 0, ' ');
		sink_blanks(out, -width - (DIGITS - at));
		return;
	}
	put_field(out, text + at, DIGITS - at, width, ' ');
}

void sink_escaped(struct sink *out, const char *text)
{
	while (*text && sink_room(out, ESCAPE_MAX))
		out->len += escape_next(&text, out->buf + out->len);
}
