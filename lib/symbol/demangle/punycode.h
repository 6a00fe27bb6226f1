/* SPDX-License-Identifier: MIT */
/* Identifiers with letters outside ASCII, as Rust writes them in ASCII. */
#ifndef SYMBOL_PUNYCODE_H
#define SYMBOL_PUNYCODE_H

#include <stddef.h>

enum { PUNYCODE_MAX = 128 }; /* characters */

/* Decodes an identifier into UTF-8. Returns its length; 0: it is none, or it is too long. */
size_t xp_punycode_decode(const char *text, size_t len, char ret_text[PUNYCODE_MAX * 4]);

#endif
