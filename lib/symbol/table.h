/* SPDX-License-Identifier: MIT */
/*
 * Functions sorted by address. A table is filled, then sealed, and only read from then on: by any
 * number of threads.
 */
#ifndef SYMBOL_TABLE_H
#define SYMBOL_TABLE_H

#include <stdatomic.h>
#include <xperf/api.h>

#include "demangle.h"
#include "str.h"

struct xp_function;

/* What speaks for a symbol among several of the same address. */
enum {
	TABLE_WEAK = 1 << 0,
	TABLE_LOCAL = 1 << 1,
};

/* @end: behind it; @start: not known yet. @name: where it begins in the text */
struct table_entry {
	uint64_t start, end;
	uint32_t name;
	union {
		uint32_t flags;  /* until it is sealed: TABLE_WEAK ..., or a number: later_wins */
		uint32_t around; /* then: the nearest before it that was not over yet */
	};
};

struct table {
	struct xp_str text; /* holds all names */
	bool later_wins;    /* among those of one address: the one with the highest number */
	uint64_t base;      /* of a module in the running kernel: where its addresses count from */
	uint64_t limit;     /* where the last one ends that has no size; 0: with its page */
	const char *stops;  /* one of these, or NUL, ends a name in the text */
	struct demangler *demangler; /* NULL: names are shown as they are */
	struct table_entry *at;
	size_t nr;     /* that are found */
	size_t nr_all; /* and their aliases behind them, which only have names */
	size_t cap;
	_Atomic(char *) *shown; /* names as they are shown, each made when it is first asked for */
};

/* Makes room for @nr more. Returns 0 or -ENOMEM. */
int xp_function_table_reserve(struct table *table, size_t nr);
/* Adds one. Returns 0 or -ENOMEM. */
int xp_function_table_add(struct table *table, const struct table_entry *entry);
/* Adds the name of the next entry to the text. Returns 0 or -ENOMEM. */
int xp_function_table_add_name(struct table *table, const char *name, size_t len,
			       uint32_t *ret_name);

/* table-sort.c: brings all into the order of their addresses. Returns 0 or -ENOMEM. */
int xp_function_table_sort(struct table *table);
/* Sorts, keeps the best of each address, gives each an end. Returns 0 or -ENOMEM. */
int xp_function_table_seal(struct table *table);
/* Returns 1 or 0. */
int xp_function_table_find(struct table *table, uint64_t address, struct xp_function *ret_function);
/* The address of a name. Returns 0 or -ENODATA. */
int xp_function_table_address(const struct table *table, const char *name, uint64_t *ret_address);
void xp_function_table_fini(struct table *table);

#endif
