/* SPDX-License-Identifier: MIT */
/*
 * Names that ocamlopt makes: camlUnit__name_12, in which letters that assemblers do not take are $
 * and two hexadecimal digits.
 *
 * Source: ocaml, asmcomp/compilenv.ml and emitaux.ml; perf 6.1, measured: what is a name.
 */
#include "ocaml.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "caml";

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *xp_ocaml_demangle(const char *name, size_t len)
{
	size_t at = sizeof(prefix) - 1;

	if (len <= at || memcmp(name, prefix, at) != 0 || name[at] < 'A' || name[at] > 'Z')
		return NULL;
	char *text = malloc(len), *to = text;
	while (text && at < len) {
		bool is_hex = name[at] == '$' && len - at > 2 && hex_of(name[at + 1]) >= 0 &&
			      hex_of(name[at + 2]) >= 0;
		int hex = is_hex ? hex_of(name[at + 1]) << 4 | hex_of(name[at + 2]) : 0;

		if (hex) {
			*to++ = (char)hex;
			at += 3;
		} else if (len - at > 1 && !memcmp(name + at, "__", 2)) {
			*to++ = '.';
			at += 2;
		} else {
			*to++ = name[at++];
		}
	}
	if (text)
		*to = '\0';
	return text;
}
