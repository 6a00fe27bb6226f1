/* SPDX-License-Identifier: MIT */
/* Text that is kept, or written in large pieces: see sink.h. */
#include "sink.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "digits.h"
#include "escape.h"
#include "number.h"
#include "utf8.h"

enum { SINK_ROOM = 1 << 18, KEPT_ROOM = 1 << 12 };

int sink_init(struct sink *out, int fd)
{
	*out = (struct sink){
		.buf = malloc(SINK_ROOM), .room = SINK_ROOM, .grow = sink_grow, .fd = fd
	};
	return out->buf ? 0 : -ENOMEM;
}

void sink_fini(struct sink *out)
{
	free(out->buf);
	out->buf = NULL;
}

static void write_fd(struct sink *out)
{
	for (size_t done = 0; !out->err && done < out->len;) {
		ssize_t n = write(out->fd, out->buf + done, out->len - done);

		if (n >= 0) {
			done += (size_t)n;
			out->written += (uint64_t)n;
		} else if (errno != EINTR)
			out->err = -errno;
	}
}

static void write_file(struct sink *out)
{
	if (out->err || !out->len)
		return;
	errno = 0;
	if (fwrite(out->buf, 1, out->len, out->file) == out->len)
		out->written += out->len;
	else
		out->err = errno ? -errno : -EIO;
}

int sink_flush(struct sink *out)
{
	if (out->file)
		write_file(out);
	else if (out->fd >= 0)
		write_fd(out);
	else
		return out->err;
	out->len = 0;
	return out->err;
}

bool sink_grow(struct sink *out, size_t len)
{
	size_t room = out->room ? out->room : out->file || out->fd >= 0 ? SINK_ROOM : KEPT_ROOM;

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

void sink_dump(struct sink *out, const unsigned char *bytes, uint32_t at, uint32_t len)
{
	for (uint32_t i = at; i < at + SINK_DUMP_BYTES; i++) {
		sink_char(out, ' ');
		if (i < len)
			sink_hex(out, bytes[i], 2, '0');
		else
			sink_blanks(out, 2);
	}
	sink_blanks(out, 2);
	for (uint32_t i = at; i < at + SINK_DUMP_BYTES; i++)
		sink_char(out, i >= len ? ' ' : isprint(bytes[i]) ? (char)bytes[i] : '.');
	sink_char(out, '\n');
}

void sink_padded(struct sink *out, const char *text, int width)
{
	int columns = utf8_columns(text);

	sink_blanks(out, width - columns);
	sink_text(out, text);
	sink_blanks(out, -width - columns);
}

static char *put_field(char *to, const char *digits, int nr, int width, char fill)
{
	for (; width > nr; width--)
		*to++ = fill;
	for (int i = 0; i < nr; i++)
		to[i] = digits[i];
	return to + nr;
}

char *put_dec(char *to, uint64_t value, int width, char fill)
{
	char digits[DIGITS_MAX], *end = digits + DIGITS_MAX;
	const char *first = digits_before(end, value);

	return put_field(to, first, (int)(end - first), width, fill);
}

/* All bytes, by their first digit. */
#define ROW(d)                                                                                     \
	d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9" d "a" d "b" d "c" d "d" d      \
	  "e" d "f"
static const char hex_pairs[] = ROW("0") ROW("1") ROW("2") ROW("3") ROW("4") ROW("5") ROW("6")
	ROW("7") ROW("8") ROW("9") ROW("a") ROW("b") ROW("c") ROW("d") ROW("e") ROW("f");
#undef ROW

char *put_hex(char *to, uint64_t value, int width, char fill)
{
	int nr = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	for (; width > nr; width--)
		*to++ = fill;
	char *end = to + nr;
	for (to = end; nr > 1; nr -= 2, value >>= 8)
		memcpy(to -= 2, &hex_pairs[(value & 0xff) * 2], 2);
	if (nr)
		to[-1] = hex_pairs[value * 2 + 1];
	return end;
}

char *put_int(char *to, int value, int width)
{
	char text[DIGITS_MAX];
	unsigned int left = value < 0 ? -(unsigned int)value : (unsigned int)value;
	char *end = text;

	if (value < 0)
		*end++ = '-';
	end = put_dec(end, left, 0, ' ');
	int nr = (int)(end - text);
	to = put_field(to, text, nr, width, ' ');
	for (; nr < -width; nr++)
		*to++ = ' ';
	return to;
}

void sink_dec(struct sink *out, uint64_t value, int width, char fill)
{
	char *to = sink_reserve(out, NUMBER_MAX);

	if (to)
		sink_commit(out, put_dec(to, value, width, fill));
}

void sink_hex(struct sink *out, uint64_t value, int width, char fill)
{
	char *to = sink_reserve(out, NUMBER_MAX);

	if (to)
		sink_commit(out, put_hex(to, value, width, fill));
}

void sink_int(struct sink *out, int value, int width)
{
	char *to = sink_reserve(out, NUMBER_MAX);

	if (to)
		sink_commit(out, put_int(to, value, width));
}

static void put_escaped(struct sink *out, const char *text, char also)
{
	for (;;) {
		size_t plain = 0;

		while ((text[plain] >= ' ' && text[plain] < 0x7f) ||
		       (text[plain] && text[plain] == also))
			plain++;
		sink_bytes(out, text, plain);
		text += plain;
		if (!*text || !sink_room(out, ESCAPE_MAX))
			return;
		out->len += escape_next(&text, out->buf + out->len);
	}
}

void sink_escaped(struct sink *out, const char *text)
{
	put_escaped(out, text, '\0');
}

void sink_tabbed(struct sink *out, const char *text)
{
	put_escaped(out, text, '\t');
}

void sink_left(struct sink *out, const char *text, int width)
{
	size_t start = out->len;

	sink_escaped(out, text);
	if (!out->err)
		sink_blanks(out, width - utf8_columns_of(out->buf + start, out->len - start));
}

void sink_right(struct sink *out, const char *text, int width)
{
	size_t start = out->len;

	sink_escaped(out, text);
	size_t len = out->len - start;
	int pad = out->err || !len ? width : width - utf8_columns_of(out->buf + start, len);
	sink_blanks(out, pad);
	if (pad <= 0 || out->err)
		return;
	memmove(out->buf + start + pad, out->buf + start, len);
	memset(out->buf + start, ' ', (size_t)pad);
}

void sink_fixed(struct sink *out, double value, int precision)
{
	char *to = sink_reserve(out, NUMBER_LEN);

	if (to)
		out->len += number_fixed(to, value, precision);
}

void sink_seconds(struct sink *out, uint64_t ns, int width)
{
	sink_dec(out, ns / 1000000000, width, ' ');
	sink_char(out, '.');
	sink_dec(out, ns % 1000000000, 9, '0');
}

void sink_format(struct sink *out, const char *fmt, ...)
{
	enum { ENOUGH_FOR_MOST = 512 };
	char *to = sink_reserve(out, ENOUGH_FOR_MOST);
	va_list ap;

	if (!to)
		return;
	va_start(ap, fmt);
	int len = vsnprintf(to, ENOUGH_FOR_MOST, fmt, ap);
	va_end(ap);
	if (len >= ENOUGH_FOR_MOST) {
		to = sink_reserve(out, (size_t)len + 1);
		if (!to)
			return;
		va_start(ap, fmt);
		vsnprintf(to, (size_t)len + 1, fmt, ap);
		va_end(ap);
	}
	if (len > 0)
		out->len += (size_t)len;
}
