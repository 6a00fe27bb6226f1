/* SPDX-License-Identifier: MIT */
/*
 * The running kernel's /proc/kallsyms, kept in a directory from one command to the next: the kernel
 * takes 40 ms to print it. The text is divided into parts, which are read when they are needed.
 */
#ifndef SYMBOL_KERNEL_CACHE_H
#define SYMBOL_KERNEL_CACHE_H

#include <xperf/api.h>

struct xp_ctx;

/* A part of the text: up to the next one; the first begins with the text. @offset, @address: of its
 * first symbol. @sum: of its bytes */
struct kernel_part {
	uint64_t offset, address, sum;
};

/*
 * What is kept.
 * @len: bytes of the text; @modules: where lines of modules begin
 * @parts: the last holds the modules, and has no address
 */
struct kernel_cache {
	uint64_t len, modules;
	uint32_t nr_parts;
	struct kernel_part *parts;

	struct xp_ctx *ctx;
	int fd;
	uint64_t text_at;        /* in the file */
	uint64_t modules_loaded; /* when the text was read */
};

/*
 * A number for the modules that are loaded: it changes when one is loaded or removed; 0: not known.
 * @name: a module; *ret_is_loaded: whether it is one of them. Both may be NULL.
 */
uint64_t xp_kernel_modules(struct xp_ctx *ctx, const char *name, bool *ret_is_loaded);

/* Opens what is kept of this boot of this kernel. Returns 0 with *ret_cache the caller's to close,
 * or why it cannot be used. */
int xp_kernel_cache_open(struct xp_ctx *ctx, const char *dir, struct kernel_cache **ret_cache);
/* @cache may be NULL. */
void xp_kernel_cache_close(struct kernel_cache *cache);
/* Where a part begins in the text. Returns its bytes. */
size_t xp_kernel_part_at(const struct kernel_cache *cache, size_t part, size_t *ret_begin);
/* Reads a part, into a copy of the text. Returns 0, or -EBADMSG: it is damaged, or cut. */
int xp_kernel_cache_read(const struct kernel_cache *cache, size_t part, char *text);
/* Whether what is kept of a module is true now. */
bool xp_kernel_cache_has_module(const struct kernel_cache *cache, const char *name);

/* Keeps a text that was read while modules were those of @text->modules_loaded; sets the sums of
 * its parts. Returns 0 or why it is not kept. */
int xp_kernel_cache_write(struct xp_ctx *ctx, const char *dir, const struct kernel_cache *text,
			  const char *bytes);

#endif
