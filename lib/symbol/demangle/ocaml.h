/* SPDX-License-Identifier: MIT */
/* Names of OCaml. */
#ifndef SYMBOL_OCAML_H
#define SYMBOL_OCAML_H

#include <stddef.h>

/* Returns the caller's to free; NULL: it is none. */
char *xp_ocaml_demangle(const char *name, size_t len);

#endif
