/* SPDX-License-Identifier: MIT */
/* Rust's own names. */
#ifndef SYMBOL_RUST_H
#define SYMBOL_RUST_H

#include <stddef.h>

/* Demangles a name of Rust's legacy scheme, its hash left out. Returns the caller's to free; NULL:
 * it is none. */
char *xp_rust_demangle(const char *name, size_t len);

/* The same of its v0 scheme. */
char *xp_rust_v0_demangle(const char *name, size_t len);

#endif
