/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the file in which the kernel's names are kept. Its magic number, the id
 * of the boot and the sum of its header are right, so that all else is believed as far as possible.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xperf/xperf.h>

#include "hash.h"
#include "reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As kernel-cache.c lays it out. */
struct header {
	uint64_t magic, sum;
	uint64_t len, modules, modules_loaded;
	uint32_t nr_parts, unused;
	char boot_id[40];
};

enum { PART = 24, BOOT, NOTES, KALLSYMS, KEPT, MODULES, NR_FILES };

static const char boot_id[] = "39be87e0-9bf4-421d-8b04-30d0f39d8c28\n";
static const char notes[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0kkkkkkkkkkkkkkkkkkkk";
static const char modules[] = "ext4 1 1 - Live 0x1\n";

static struct file {
	const char *path;
	const void *bytes;
	size_t len, offset;
} files[NR_FILES] = {
	[BOOT] = { "/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id) - 1, 0 },
	[NOTES] = { "/sys/kernel/notes", notes, sizeof(notes) - 1, 0 },
	[KALLSYMS] = { "/proc/kallsyms", NULL, 0, 0 },
	[KEPT] = { "/cache/xperf/kernel-6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b", NULL, 0, 0 },
	[MODULES] = { "/proc/modules", modules, sizeof(modules) - 1, 0 },
};

static uint64_t sum_of(uint64_t sum, const void *bytes, size_t len)
{
	return xp_hash_bytes(sum ^ UINT64_C(0x9e3779b97f4a7c15), bytes, len);
}

static int fake_open(const struct xp_sys *sys, const char *path)
{
	(void)sys;
	for (int i = BOOT; i < NR_FILES; i++)
		if (files[i].path && !strcmp(files[i].path, path)) {
			files[i].offset = 0;
			return i;
		}
	return -ENOENT;
}

static ssize_t fake_pread(const struct xp_sys *sys, int fd, void *buf, size_t len, uint64_t offset)
{
	const struct file *file = &files[fd];
	size_t left = offset < file->len ? file->len - (size_t)offset : 0;

	(void)sys;
	len = len < left ? len : left;
	if (len)
		memcpy(buf, (const char *)file->bytes + offset, len);
	return (ssize_t)len;
}

static ssize_t fake_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	ssize_t n = fake_pread(sys, fd, buf, len, files[fd].offset);

	files[fd].offset += (size_t)n;
	return n;
}

static int fake_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	int fd = fake_open(sys, path);

	*ret_stat = (struct stat){ .st_mode = (fd < 0 ? S_IFDIR : S_IFREG) | 0600,
				   .st_size = fd < 0 ? 0 : (off_t)files[fd].len };
	return 0;
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	(void)sys, (void)fd;
	return 0;
}

static int fake_create(const struct xp_sys *sys, const char *path, int flags)
{
	(void)sys, (void)path, (void)flags;
	return -EROFS;
}

static int fake_change(const struct xp_sys *sys, const char *path)
{
	(void)sys, (void)path;
	return -EROFS;
}

static uid_t fake_euid(const struct xp_sys *sys)
{
	(void)sys;
	return 0;
}

/* The text of the kernel is what is kept, so that its beginning is the same. */
static void seal(uint8_t *bytes, size_t size)
{
	static const uint64_t magic = UINT64_C(0x31736d616e6b7078);
	struct header header;

	memcpy(&header, bytes, sizeof(header));
	header.magic = magic;
	header.nr_parts %= 64;
	memset(header.boot_id, 0, sizeof(header.boot_id));
	memcpy(header.boot_id, boot_id, sizeof(boot_id) - 1);
	size_t text_at = sizeof(header) + (size_t)header.nr_parts * PART;
	if (text_at < size) {
		header.len = size - text_at;
		header.modules %= header.len + 1;
		header.sum = 0;
		header.sum = sum_of(sum_of(1, &header, sizeof(header)), bytes + sizeof(header),
				    (size_t)header.nr_parts * PART);
		files[KALLSYMS].bytes = bytes + text_at;
		files[KALLSYMS].len = (size_t)header.len;
	}
	memcpy(bytes, &header, sizeof(header));
	/* Parts without a right sum are not looked into. */
	for (size_t i = 0; text_at < size && i < header.nr_parts; i++) {
		uint64_t begin, next = header.len, sum;
		uint8_t *part = bytes + sizeof(header) + i * PART;

		memcpy(&begin, part, sizeof(begin));
		if (i + 1 < header.nr_parts)
			memcpy(&next, part + PART, sizeof(next));
		begin = i ? begin : 0;
		if (begin > next || next > header.len)
			continue;
		sum = sum_of(1, bytes + text_at + begin, (size_t)(next - begin));
		memcpy(part + 16, &sum, sizeof(sum));
	}
	if (text_at < size) {
		header.sum = 0;
		header.sum = sum_of(sum_of(1, &header, sizeof(header)), bytes + sizeof(header),
				    (size_t)header.nr_parts * PART);
		memcpy(bytes, &header, sizeof(header));
	}
}

static void ask(struct xp_symbols *symbols, const uint8_t *data, size_t size)
{
	static const char *const paths[] = { "[kernel.kallsyms]", "[ext4]" };
	struct xp_symtab *symtab;
	struct xp_function function;
	uint64_t address;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert(!xp_symbols_open(symbols, paths[i], NULL, 0, &symtab));
		xp_symtab_reference(symtab, "_text", &address);
		for (size_t at = 0; at + 16 <= size && at < 4096; at++) {
			char number[17] = "";

			memcpy(number, data + at, 16);
			address = strtoull(number, NULL, 16);
			if (xp_symtab_find(symtab, address, &function))
				assert(function.start <= address &&
				       address - function.start < function.size);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_sys sys = *xp_sys_linux();
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &sys };
	struct xp_symbols_opts symbols_opts = { .size = sizeof(symbols_opts),
						.debug_dir = "/none",
						.cache_dir = "/cache/xperf" };
	struct xp_symbols *symbols;
	struct xp_ctx *ctx;

	if (size < sizeof(struct header))
		return 0;
	uint8_t *bytes = malloc(size);
	assert(bytes);
	memcpy(bytes, data, size);
	files[KALLSYMS].len = 0;
	seal(bytes, size);
	files[KEPT].bytes = bytes;
	files[KEPT].len = size;
	sys.open = fake_open;
	sys.read = fake_read;
	sys.pread = fake_pread;
	sys.stat = sys.lstat = fake_stat;
	sys.close = fake_close;
	sys.create = fake_create;
	sys.mkdir = sys.remove = fake_change;
	sys.euid = fake_euid;
	assert(!xp_ctx_new(&opts, &ctx));
	assert(!xp_symbols_new(ctx, &symbols_opts, &symbols));
	ask(symbols, data, size);
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	free(bytes);
	return 0;
}
