/* SPDX-License-Identifier: MIT */
/* Names as they are in the source, from what compilers make of them. */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Holds what demangles C++, once it was needed. */
struct demangler {
	pthread_mutex_t lock;
	bool is_loaded; /* or it was tried */
	bool in_full;   /* with parameters */
	void *library;
	char *(*cxa)(const char *name, char *buf, size_t *len, int *status);
};

void xp_demangler_init(struct demangler *demangler);
void xp_demangler_fini(struct demangler *demangler);

/*
 * Demangles the @len bytes at @name, of C++, Rust or OCaml. Any thread may call it.
 * Returns the caller's to free; NULL: it is not mangled, or cannot be demangled.
 */
char *xp_demangle(struct demangler *demangler, const char *name, size_t len);

/* --- of the library that demangles C++ --- */

enum { CXX_MAX_TEXT = 16 << 10 };

/* Returns the text of a whole name of C++, the caller's to free; NULL: there is none, or it is
 * longer than CXX_MAX_TEXT. */
char *xp_cxx_text(struct demangler *demangler, const char *mangled);

/* A bound on how many times longer than the name its text is. */
double xp_demangle_growth(const char *mangled);

#endif
