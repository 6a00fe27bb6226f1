/* SPDX-License-Identifier: MIT */
/* JSON for results that are written as they come. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Writes a string with its quotes; what is not UTF-8 becomes U+FFFD. NULL: writes null. */
void json_string(FILE *file, const char *text);

enum { JSON_MAX = 6 };

/* Writes the next character of *text, which is not at its end, as it stands between quotes, and
 * goes on behind it. Returns the bytes written. */
size_t json_next(const char **text, char buf[JSON_MAX]);

#endif
