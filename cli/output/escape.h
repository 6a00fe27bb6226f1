/* SPDX-License-Identifier: MIT */
/* Text from a recording for people: nothing in it does anything to a terminal. */
#ifndef CLI_ESCAPE_H
#define CLI_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

enum { ESCAPE_MAX = 4 };

/*
 * Writes the next character of *text, which is not at its end, and goes on behind it: as it is, or
 * control characters, those that change the direction of text, and bytes that are no UTF-8 as \n,
 * \033. Returns the bytes written.
 */
size_t escape_next(const char **text, char buf[ESCAPE_MAX]);

void escape_print(FILE *file, const char *text);
/* escaped.c: the text as escape_print() would print it. Valid as long as the program runs; the same
 * pointer where nothing is to be done. */
const char *escaped(const char *text);
/* In at least @width columns, to the right; to the left if it is negative. */
void escape_padded(FILE *file, const char *text, int width);

#endif
