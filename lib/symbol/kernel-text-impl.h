/* SPDX-License-Identifier: MIT */
/* A text of /proc/kallsyms from inside: its blocks, and the lines of its modules. */
#ifndef SYMBOL_KERNEL_TEXT_IMPL_H
#define SYMBOL_KERNEL_TEXT_IMPL_H

#include <pthread.h>
#include <string.h>

#include "kernel-text.h"
#include "symbol-text.h"

struct kernel_cache;

/* @limit: where the next one begins; 0: there is none */
struct block {
	size_t offset, end;
	uint64_t address, limit;
	_Atomic(struct table *) table; /* NULL: not made yet */
};

/* Lines of one module, one after the other. */
struct run {
	const char *module;
	size_t module_len;
	const char *at, *end;
};

/* @kept, @is_read: of a text in a cache: the cache, and per part whether its bytes are there.
 * @dir: of the cache; NULL: none */
struct kernel_text {
	atomic_uint users;
	struct xp_ctx *ctx;
	char *path, *dir;
	struct xp_str read;
	const char *bytes;
	size_t len;     /* up to the last newline */
	size_t modules; /* where those begin */
	struct block *blocks;
	size_t nr_blocks;

	pthread_mutex_t lock; /* of what follows, and of bytes that are read later */
	struct kernel_cache *kept;
	bool *is_read;
	bool is_replaced; /* what was kept is not true any more */
	struct kernel_text *replacement;
	bool has_runs;
	struct run *runs; /* by the modules' names, in their order */
	size_t nr_runs;
};

/* What names code or data; perf 6.1 takes these. */
static inline bool kernel_symbol_is_wanted(const struct text_symbol *symbol)
{
	static const char types[] = "TtWwDdBb";

	return strchr(types, symbol->type) && symbol->address;
}

/* Adds a symbol to a table, its address counted from @base. Returns 0 or -ENOMEM. */
int xp_kernel_text_add(struct table *table, const struct text_symbol *symbol, uint64_t base);
/* Reads all of a text that is kept. Returns 0, or -EBADMSG: what is kept is damaged. */
int xp_kernel_text_read_all(struct kernel_text *text);
/* The kernel's text of now, instead of one that is kept; NULL: it cannot be read. */
struct kernel_text *xp_kernel_text_replacement(struct kernel_text *text);

#endif
