/* SPDX-License-Identifier: MIT */
/* The text of one rendering, gathered in memory so that it is written at once. */
#ifndef CLI_STAT_OUT_H
#define CLI_STAT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. Out of memory: @failed, and what follows is dropped. */
struct out {
	char *text;
	size_t len;
	size_t cap;
	bool failed;
};

void out_fini(struct out *out);

/* Makes room for @len bytes behind the text; NULL when there is none. */
char *out_room(struct out *out, size_t len);

void out_bytes(struct out *out, const char *bytes, size_t len);
void out_text(struct out *out, const char *text);
void out_char(struct out *out, char c);
void out_spaces(struct out *out, int nr);
/* Adds a text of somebody else's: what would do something to a terminal is shown as \033. */
void out_escaped(struct out *out, const char *text);
/* The same, filled up with spaces behind (left) or before it (right) to @width columns. */
void out_left(struct out *out, const char *text, int width);
void out_right(struct out *out, const char *text, int width);
void out_uint(struct out *out, uint64_t value);
/* Adds "%.*f" of the C locale. */
void out_fixed(struct out *out, double value, int precision);
/* Adds nanoseconds as seconds with nine digits, the seconds @width columns wide. */
void out_seconds(struct out *out, uint64_t ns, int width);
void out_format(struct out *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Columns a text takes: its characters in UTF-8. */
int out_columns(const char *text, size_t len);

#endif
