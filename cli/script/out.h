/* SPDX-License-Identifier: MIT */
/* Text that is written in large pieces. Numbers are formatted by hand: there are very many. */
#ifndef SCRIPT_OUT_H
#define SCRIPT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct out {
	char *buf;
	size_t len, room;
	int fd;  /* -1: it is kept in @buf */
	int err; /* negative errno of what failed; nothing is written from then on */
};

/* Writes to a descriptor, or with -1 keeps the text. Returns 0 or -ENOMEM. */
int out_init(struct out *out, int fd);
void out_fini(struct out *out);
/* Writes what is held. Returns 0 or out->err. */
int out_flush(struct out *out);
/* Makes room for @len more bytes; out->len + @len <= out->room afterwards, or out->err. */
bool out_room(struct out *out, size_t len);

void out_bytes(struct out *out, const char *bytes, size_t len);
void out_text(struct out *out, const char *text);
/* Filled up with blanks on the left, or with a negative width on the right. */
void out_padded(struct out *out, const char *text, int width);
void out_blanks(struct out *out, int nr);
/* Right-aligned; filled up with @fill. */
void out_dec(struct out *out, uint64_t value, int width, char fill);
void out_hex(struct out *out, uint64_t value, int width, char fill);
/* As %d: with its sign. */
void out_int(struct out *out, int value, int width);
/* Text of a recording: control characters and what is no UTF-8 as \n, \033. */
void out_escaped(struct out *out, const char *text);

static inline void out_char(struct out *out, char c)
{
	if (out_room(out, 1))
		out->buf[out->len++] = c;
}

#endif
