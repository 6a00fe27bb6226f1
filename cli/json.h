/* SPDX-License-Identifier: MIT */
/* JSON for results that are written as they come. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

/* Writes a string with its quotes; what is not UTF-8 becomes U+FFFD. */
void json_string(FILE *file, const char *text);

#endif
