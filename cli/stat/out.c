/* SPDX-License-Identifier: MIT */
/* Text gathered in memory. Every addition is a copy behind the end; formatting is the exception. */
#include "out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "number.h"

void out_fini(struct out *out)
{
	free(out->text);
	*out = (struct out){ 0 };
}

char *out_room(struct out *out, size_t len)
{
	if (out->failed)
		return NULL;
	if (out->cap - out->len < len) {
		size_t cap = out->cap * 2 + len + 4096;
		char *text = realloc(out->text, cap);

		if (!text) {
			out->failed = true;
			return NULL;
		}
		out->text = text;
		out->cap = cap;
	}
	return out->text + out->len;
}

void out_bytes(struct out *out, const char *bytes, size_t len)
{
	char *room = out_room(out, len);

	if (!room)
		return;
	memcpy(room, bytes, len);
	out->len += len;
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_char(struct out *out, char c)
{
	out_bytes(out, &c, 1);
}

void out_spaces(struct out *out, int nr)
{
	char *room = nr > 0 ? out_room(out, (size_t)nr) : NULL;

	if (!room)
		return;
	memset(room, ' ', (size_t)nr);
	out->len += (size_t)nr;
}

int out_columns(const char *text, size_t len)
{
	int columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += (text[i] & 0xc0) != 0x80;
	return columns;
}

void out_escaped(struct out *out, const char *text)
{
	const char *at = text;

	while (*at >= ' ' && *at <= '~')
		at++;
	out_bytes(out, text, (size_t)(at - text));
	while (*at) {
		char *room = out_room(out, ESCAPE_MAX);

		if (!room)
			return;
		out->len += escape_next(&at, room);
	}
}

void out_left(struct out *out, const char *text, int width)
{
	size_t start = out->len;

	out_escaped(out, text);
	if (!out->failed)
		out_spaces(out, width - out_columns(out->text + start, out->len - start));
}

void out_right(struct out *out, const char *text, int width)
{
	size_t start = out->len;

	out_escaped(out, text);
	size_t len = out->len - start;
	int pad = out->failed || !len ? width : width - out_columns(out->text + start, len);
	out_spaces(out, pad);
	if (pad <= 0 || out->failed)
		return;
	memmove(out->text + start + pad, out->text + start, len);
	memset(out->text + start, ' ', (size_t)pad);
}

void out_uint(struct out *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	out_bytes(out, digits + at, sizeof(digits) - at);
}

void out_fixed(struct out *out, double value, int precision)
{
	char *room = out_room(out, NUMBER_LEN);

	if (room)
		out->len += number_fixed(room, value, precision);
}

void out_seconds(struct out *out, uint64_t ns, int width)
{
	out_format(out, "%*llu.%09llu", width, (unsigned long long)(ns / 1000000000),
		   (unsigned long long)(ns % 1000000000));
}

void out_format(struct out *out, const char *fmt, ...)
{
	char *room = out_room(out, 512);
	va_list ap;

	if (!room)
		return;
	va_start(ap, fmt);
	int len = vsnprintf(room, 512, fmt, ap);
	va_end(ap);
	if (len >= 512) {
		room = out_room(out, (size_t)len + 1);
		if (!room)
			return;
		va_start(ap, fmt);
		vsnprintf(room, (size_t)len + 1, fmt, ap);
		va_end(ap);
	}
	if (len > 0)
		out->len += (size_t)len;
}
