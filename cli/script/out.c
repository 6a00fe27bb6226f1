/* SPDX-License-Identifier: MIT */
/* The output of a script: see out.h. */
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "utf8.h"

enum { OUT_ROOM = 1 << 18, DIGITS = 20 };

int out_init(struct out *out, int fd)
{
	*out = (struct out){ .buf = malloc(OUT_ROOM), .room = OUT_ROOM, .fd = fd };
	return out->buf ? 0 : -ENOMEM;
}

void out_fini(struct out *out)
{
	free(out->buf);
	out->buf = NULL;
}

int out_flush(struct out *out)
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

bool out_room(struct out *out, size_t len)
{
	size_t room = out->room;

	if (len <= room - out->len)
		return !out->err;
	out_flush(out);
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

void out_bytes(struct out *out, const char *bytes, size_t len)
{
	if (!out_room(out, len))
		return;
	memcpy(out->buf + out->len, bytes, len);
	out->len += len;
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_blanks(struct out *out, int nr)
{
	if (nr <= 0 || !out_room(out, (size_t)nr))
		return;
	memset(out->buf + out->len, ' ', (size_t)nr);
	out->len += (size_t)nr;
}

void out_padded(struct out *out, const char *text, int width)
{
	int len = (int)strlen(text);

	out_blanks(out, width - len);
	out_bytes(out, text, (size_t)len);
	out_blanks(out, -width - len);
}

/* The digits at the end of a field that is @width wide. */
static void put_field(struct out *out, const char *digits, int nr, int width, char fill)
{
	int pad = width > nr ? width - nr : 0;

	if (!out_room(out, (size_t)(pad + nr)))
		return;
	memset(out->buf + out->len, fill, (size_t)pad);
	memcpy(out->buf + out->len + pad, digits, (size_t)nr);
	out->len += (size_t)(pad + nr);
}

void out_dec(struct out *out, uint64_t value, int width, char fill)
{
	char digits[DIGITS];
	int at = DIGITS;

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_field(out, digits + at, DIGITS - at, width, fill);
}

void out_hex(struct out *out, uint64_t value, int width, char fill)
{
	char digits[DIGITS];
	int at = DIGITS;

	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	put_field(out, digits + at, DIGITS - at, width, fill);
}

void out_int(struct out *out, int value, int width)
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
		out_blanks(out, -width - (DIGITS - at));
		return;
	}
	put_field(out, text + at, DIGITS - at, width, ' ');
}

/* A byte that would do something to a terminal, or is no text. */
static void put_escape(struct out *out, unsigned char c)
{
	static const char letters[] = "abtnvfr"; /* from BEL, 7, on */

	out_char(out, '\\');
	if (c >= '\a' && c <= '\r')
		out_char(out, letters[c - '\a']);
	else
		for (int shift = 6; shift >= 0; shift -= 3)
			out_char(out, (char)('0' + (c >> shift & 7)));
}

void out_escaped(struct out *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = utf8_len(s);
		/* U+0080 .. U+009f are control characters, too */
		bool control = *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);

		if (len && !control) {
			out_bytes(out, (const char *)s, len);
			s += len;
		} else {
			put_escape(out, *s++);
		}
	}
}
