/* SPDX-License-Identifier: MIT */
/*
 * A file "kernel-BUILDID" holds a header, the parts, and the text as the kernel printed it. It is
 * of one boot: addresses are others after the next one. Its beginning is compared with that of
 * /proc/kallsyms, which costs little, and which shows no addresses to those who may not see them.
 *
 * Modules come and go. What is kept of them is true while each is where it was, and its directory
 * in /sys has the same number: that is a new one each time a module is loaded.
 *
 * Source: proc(5), /proc/modules and /proc/sys/kernel/random/boot_id; the kernel's fs/kernfs/dir.c,
 * __kernfs_new_node(), for the numbers of directories.
 */
#include "kernel-cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/symbol.h>

#include "build-id.h"
#include "cache-dir.h"
#include "cleanup.h"
#include "ctx.h"
#include "hash.h"

enum { MAX_TEXT = 32 << 20, PAGE = 4096, BOOT_ID = 40, MAX_OLD = 3 };

static const char family[] = "kernel-";
static const uint64_t magic = UINT64_C(0x31736d616e6b7078); /* "xpknams1" on most machines */

/* The file begins with it; parts and text are behind. @sum: of the header, where it is 0, and of
 * the parts */
struct header {
	uint64_t magic, sum;
	uint64_t len, modules, modules_loaded;
	uint32_t nr_parts, unused;
	char boot_id[BOOT_ID];
};

/* Which boot of which kernel. */
struct key {
	char boot_id[BOOT_ID];
	char name[sizeof(family) + 2 * sizeof(((struct xp_build_id *)0)->bytes)];
};

/* It finds damage, and has to be the same in all runs. */
static uint64_t sum_of(uint64_t sum, const void *bytes, size_t len)
{
	return xp_hash_bytes(sum ^ UINT64_C(0x9e3779b97f4a7c15), bytes, len);
}

static uint64_t sum_of_header(const struct header *header, const struct kernel_part *parts)
{
	struct header copy = *header;

	copy.sum = 0;
	return sum_of(sum_of(1, &copy, sizeof(copy)), parts, copy.nr_parts * sizeof(*parts));
}

/* Returns 0 or why it is not known. */
static int read_key(struct xp_ctx *ctx, struct key *ret_key)
{
	xp_auto_free char *boot_id = NULL, *notes = NULL;
	struct xp_build_id id;
	size_t len;
	int err = xp_file_read(ctx, &boot_id, &len, "/proc/sys/kernel/random/boot_id");

	if (err)
		return err;
	if (len < 16 || len >= BOOT_ID)
		return -ENODATA;
	*ret_key = (struct key){ 0 };
	memcpy(ret_key->boot_id, boot_id, len);
	err = xp_file_read(ctx, &notes, &len, "/sys/kernel/notes");
	if (err)
		return err;
	if (!xp_build_id_of_notes(notes, len, &xp_notes_native, &id))
		return -ENODATA;
	memcpy(ret_key->name, family, sizeof(family));
	for (int i = 0; i < id.len; i++)
		snprintf(ret_key->name + strlen(family) + 2 * i, 3, "%02x", id.bytes[i]);
	return 0;
}

/* --- modules --- */

/* "NAME SIZE USERS DEPENDENCIES STATE ADDRESS TAINT": who uses it changes, and does not matter. */
static uint64_t add_module(struct xp_ctx *ctx, uint64_t sum, const char *line, const char *name)
{
	char path[512], state[16] = "", address[32] = "";
	struct stat st = { 0 };

	sscanf(line, "%*s %*s %*s %*s %15s %31s", state, address);
	snprintf(path, sizeof(path), "%s/sys/module/%s", ctx->root, name);
	if (ctx->sys->stat(ctx->sys, path, &st))
		st.st_ino = 0;
	const uint64_t number = st.st_ino;
	sum = sum_of(sum, name, strlen(name));
	sum = sum_of(sum, state, sizeof(state));
	sum = sum_of(sum, address, sizeof(address));
	return sum_of(sum, &number, sizeof(number));
}

uint64_t xp_kernel_modules(struct xp_ctx *ctx, const char *name, bool *ret_is_loaded)
{
	xp_auto_free char *text = NULL;
	int err = xp_file_read(ctx, &text, NULL, "/proc/modules");
	uint64_t sum = 1;
	char *rest = NULL;

	if (ret_is_loaded)
		*ret_is_loaded = false;
	if (err) /* a kernel without modules has no list of them */
		return err == -ENOENT ? sum : 0;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char its_name[64] = "";

		sscanf(line, "%63s", its_name);
		sum = add_module(ctx, sum, line, its_name);
		if (name && ret_is_loaded && !strcmp(its_name, name))
			*ret_is_loaded = true;
	}
	return sum ? sum : 1;
}

bool xp_kernel_cache_has_module(const struct kernel_cache *cache, const char *name)
{
	bool is_loaded;
	uint64_t loaded = xp_kernel_modules(cache->ctx, name, &is_loaded);

	return loaded && loaded == cache->modules_loaded && is_loaded;
}

/* --- reading --- */

static bool read_at(const struct kernel_cache *cache, uint64_t offset, void *buf, size_t len)
{
	const struct xp_sys *sys = cache->ctx->sys;

	while (len) {
		ssize_t n = sys->pread(sys, cache->fd, buf, len, offset);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return false;
		buf = (char *)buf + n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

/* The beginning of the kernel's text is in front of us: one page of it costs 50 us. */
static bool has_same_beginning(const struct kernel_cache *cache)
{
	const struct xp_sys *sys = cache->ctx->sys;
	char path[512], now[PAGE], kept[PAGE];

	snprintf(path, sizeof(path), "%s/proc/kallsyms", cache->ctx->root);
	int fd = sys->open(sys, path);
	if (fd < 0)
		return false;
	ssize_t len = sys->read(sys, fd, now, sizeof(now));
	sys->close(sys, fd);
	return len > 0 && (uint64_t)len <= cache->len &&
	       read_at(cache, cache->text_at, kept, (size_t)len) && !memcmp(now, kept, (size_t)len);
}

/* Parts follow each other, and so do addresses: they are searched by halves. */
static bool is_in_order(const struct kernel_cache *cache)
{
	const struct kernel_part *parts = cache->parts;
	uint32_t nr = cache->nr_parts;

	for (uint32_t i = 1; i < nr; i++)
		if (parts[i].offset < parts[i - 1].offset ||
		    (i + 1 < nr && parts[i].address < parts[i - 1].address))
			return false;
	return parts[nr - 1].offset == cache->modules && cache->modules <= cache->len;
}

static int read_header(struct kernel_cache *cache, const struct key *key, uint64_t file_len)
{
	struct header header;

	if (!read_at(cache, 0, &header, sizeof(header)) || header.magic != magic ||
	    memcmp(header.boot_id, key->boot_id, BOOT_ID) != 0)
		return -ESTALE;
	uint64_t parts_len = header.nr_parts * sizeof(struct kernel_part);
	cache->text_at = sizeof(header) + parts_len;
	cache->len = header.len;
	cache->modules = header.modules;
	cache->modules_loaded = header.modules_loaded;
	cache->nr_parts = header.nr_parts;
	if (header.len > MAX_TEXT || header.nr_parts < 2 || parts_len > file_len ||
	    cache->text_at + header.len != file_len)
		return -EBADMSG;
	cache->parts = malloc(parts_len);
	if (!cache->parts)
		return -ENOMEM;
	if (!read_at(cache, sizeof(header), cache->parts, parts_len) ||
	    header.sum != sum_of_header(&header, cache->parts) || !is_in_order(cache))
		return -EBADMSG;
	return has_same_beginning(cache) ? 0 : -ESTALE;
}

int xp_kernel_cache_open(struct xp_ctx *ctx, const char *dir, struct kernel_cache **ret_cache)
{
	struct key key;
	uint64_t len;
	int err = read_key(ctx, &key);
	int fd = err ? err : xp_cache_open(ctx->sys, dir, key.name, &len);

	if (fd < 0)
		return fd;
	struct kernel_cache *cache = calloc(1, sizeof(*cache));
	if (!cache) {
		ctx->sys->close(ctx->sys, fd);
		return -ENOMEM;
	}
	cache->ctx = ctx;
	cache->fd = fd;
	err = read_header(cache, &key, len);
	if (err)
		xp_kernel_cache_close(cache);
	else
		*ret_cache = cache;
	return err;
}

void xp_kernel_cache_close(struct kernel_cache *cache)
{
	if (!cache)
		return;
	cache->ctx->sys->close(cache->ctx->sys, cache->fd);
	free(cache->parts);
	free(cache);
}

size_t xp_kernel_part_at(const struct kernel_cache *cache, size_t part, size_t *ret_begin)
{
	const struct kernel_part *at = &cache->parts[part];
	uint64_t begin = part ? at->offset : 0;
	uint64_t end = part + 1 < cache->nr_parts ? at[1].offset : cache->len;

	*ret_begin = (size_t)begin;
	return (size_t)(end - begin);
}

int xp_kernel_cache_read(const struct kernel_cache *cache, size_t part, char *text)
{
	size_t begin, len = xp_kernel_part_at(cache, part, &begin);

	if (!read_at(cache, cache->text_at + begin, text + begin, len) ||
	    sum_of(1, text + begin, len) != cache->parts[part].sum)
		return -EBADMSG;
	return 0;
}

/* --- writing --- */

int xp_kernel_cache_write(struct xp_ctx *ctx, const char *dir, const struct kernel_cache *text,
			  const char *bytes)
{
	struct header header = { .magic = magic,
				 .len = text->len,
				 .modules = text->modules,
				 .modules_loaded = text->modules_loaded,
				 .nr_parts = text->nr_parts };
	size_t parts_len = text->nr_parts * sizeof(*text->parts);
	struct key key;
	int err = text->len > MAX_TEXT ? -EFBIG : read_key(ctx, &key);

	if (err)
		return err;
	for (uint32_t i = 0; i < text->nr_parts; i++) {
		size_t begin, part_len = xp_kernel_part_at(text, i, &begin);

		text->parts[i].sum = sum_of(1, bytes + begin, part_len);
	}
	memcpy(header.boot_id, key.boot_id, BOOT_ID);
	header.sum = sum_of_header(&header, text->parts);
	const struct iovec pieces[] = {
		{ &header, sizeof(header) },
		{ text->parts, parts_len },
		{ (char *)bytes, (size_t)text->len },
	};
	return xp_cache_write(ctx->sys, dir, key.name, family, MAX_OLD, pieces,
			      XP_ARRAY_LEN(pieces));
}
