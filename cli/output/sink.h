/* SPDX-License-Identifier: MIT */
/*
 * Text that is kept, or written in large pieces. Numbers are formatted by hand: there are very
 * many.
 */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include "sink-room.h"

/* One that keeps its text; one that writes it to a FILE. */
#define SINK_KEPT           ((struct sink){ .fd = -1, .grow = sink_grow })
#define SINK_TO_FILE(file_) ((struct sink){ .fd = -1, .grow = sink_grow, .file = (file_) })

/* Writes to a descriptor, or with -1 keeps the text; has memory at once. Returns 0 or -ENOMEM. */
int sink_init(struct sink *out, int fd);
void sink_fini(struct sink *out);
/* Writes what is held. Returns 0 or out->err. */
int sink_flush(struct sink *out);
/* For sink_room(): where there is none. */
bool sink_grow(struct sink *out, size_t len);

/* Numbers, at @to, where NUMBER_MAX bytes or @width are free. Return the end. */
enum { NUMBER_MAX = 32 };
char *put_dec(char *to, uint64_t value, int width, char fill);
char *put_hex(char *to, uint64_t value, int width, char fill);
/* As %d, with its sign; with a negative width filled up on the right. */
char *put_int(char *to, int value, int width);

void sink_text(struct sink *out, const char *text);
void sink_format(struct sink *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Filled up with blanks on the left, or with a negative width on the right. */
void sink_padded(struct sink *out, const char *text, int width);
void sink_blanks(struct sink *out, int nr);
/* The end of a line: bytes from @at on, in hexadecimal and as text. */
enum { SINK_DUMP_BYTES = 16 };
void sink_dump(struct sink *out, const unsigned char *bytes, uint32_t at, uint32_t len);
/* Right-aligned; filled up with @fill. Widths of numbers are less than NUMBER_MAX. */
void sink_dec(struct sink *out, uint64_t value, int width, char fill);
void sink_hex(struct sink *out, uint64_t value, int width, char fill);
/* As %d: with its sign. */
void sink_int(struct sink *out, int value, int width);
/* As "%.*f" of the C locale. */
void sink_fixed(struct sink *out, double value, int precision);
/* Nanoseconds as seconds with nine digits, the seconds @width columns wide. */
void sink_seconds(struct sink *out, uint64_t ns, int width);
/* Text of a recording: control characters and what is no UTF-8 as \n, \033. */
void sink_escaped(struct sink *out, const char *text);
/* The same, but tabs stay, as formats of the kernel have them. */
void sink_tabbed(struct sink *out, const char *text);
/* Escaped, and filled up on the right (left) or on the left (right) to @width columns; to the right
 * only where the text is kept. */
void sink_left(struct sink *out, const char *text, int width);
void sink_right(struct sink *out, const char *text, int width);

#endif
