/* SPDX-License-Identifier: MIT */
/* Text that is written in large pieces. Numbers are formatted by hand: there are very many. */
#ifndef SCRIPT_SINK_H
#define SCRIPT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sink {
	char *buf;
	size_t len, room;
	int fd;  /* -1: it is kept in @buf */
	int err; /* negative errno of what failed; nothing is written from then on */
};

/* Writes to a descriptor, or with -1 keeps the text. Returns 0 or -ENOMEM. */
int sink_init(struct sink *out, int fd);
void sink_fini(struct sink *out);
/* Writes what is held. Returns 0 or out->err. */
int sink_flush(struct sink *out);
/* Makes room for @len more bytes; out->len + @len <= out->room afterwards, or out->err. */
bool sink_room(struct sink *out, size_t len);

void sink_bytes(struct sink *out, const char *bytes, size_t len);
void sink_text(struct sink *out, const char *text);
/* Filled up with blanks on the left, or with a negative width on the right. */
void sink_padded(struct sink *out, const char *text, int width);
void sink_blanks(struct sink *out, int nr);
/* Right-aligned; filled up with @fill. */
void sink_dec(struct sink *out, uint64_t value, int width, char fill);
void sink_hex(struct sink *out, uint64_t value, int width, char fill);
/* As %d: with its sign. */
void sink_int(struct sink *out, int value, int width);
/* Text of a recording: control characters and what is no UTF-8 as \n, \033. */
void sink_escaped(struct sink *out, const char *text);

static inline void sink_char(struct sink *out, char c)
{
	if (sink_room(out, 1))
		out->buf[out->len++] = c;
}

#endif
