/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a text of symbols, /proc/kallsyms or the map of a JIT, and as a name
 * that Rust has mangled. What is found is in order, and what was found is found again.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xperf/xperf.h>

#include "reference.h"
#include "rust.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	const uint8_t *data;
	size_t size, offset;
} text;

static int fake_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	(void)sys, (void)path;
	*ret_stat = (struct stat){ .st_mode = S_IFREG };
	return 0;
}

/* There is no build id of a running kernel, nor of its modules. */
static int fake_open(const struct xp_sys *sys, const char *path)
{
	(void)sys;
	text.offset = 0;
	return strncmp(path, "/sys", 4) ? 1000 : -ENOENT;
}

static ssize_t fake_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	size_t left = text.size - text.offset;

	(void)sys, (void)fd;
	len = len < left ? len : left;
	memcpy(buf, text.data + text.offset, len);
	text.offset += len;
	return (ssize_t)len;
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	(void)sys, (void)fd;
	return 0;
}

/* Where numbers begin in the text, there may be symbols. */
static void find_all(struct xp_symtab *symtab)
{
	for (size_t i = 0; i < text.size && i < 4096; i++) {
		char number[17] = "";
		struct xp_function function, first;

		memcpy(number, text.data + i, text.size - i < 16 ? text.size - i : 16);
		uint64_t address = xp_symtab_address(symtab, strtoull(number, NULL, 16));
		if (!xp_symtab_find(symtab, address, &function))
			continue;
		assert(*function.name && function.start <= address);
		assert(address - function.start < function.size);
		assert(xp_symtab_find(symtab, function.start, &first));
		assert(first.start == function.start);
		assert(first.index == function.index && first.name == function.name);
	}
}

static void open_all(struct xp_symbols *symbols)
{
	static const char *const paths[] = { "[kernel.kallsyms]", "[ext4]", "/tmp/perf-1.map" };
	uint64_t address;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct xp_symtab *symtab;

		assert(!xp_symbols_open(symbols, paths[i], NULL, 0, &symtab));
		assert(!*xp_symtab_reason(symtab) ==
		       (xp_symtab_get_state(symtab) == XP_SYMTAB_FOUND));
		find_all(symtab);
		xp_symtab_reference(symtab, "_text", &address);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_sys sys = *xp_sys_linux();
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &sys };
	struct xp_symbols_opts symbols_opts = { .size = sizeof(symbols_opts), .debug_dir = "/" };
	struct xp_symbols *symbols;
	struct xp_ctx *ctx;

	text.data = data;
	text.size = size;
	sys.stat = fake_stat;
	sys.open = fake_open;
	sys.read = fake_read;
	sys.close = fake_close;
	assert(!xp_ctx_new(&opts, &ctx));
	assert(!xp_symbols_new(ctx, &symbols_opts, &symbols));
	open_all(symbols);
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);

	/* The caller of these has seen three bytes. */
	char *name = malloc(size + 4);
	assert(name);
	memcpy(name, data, size);
	memset(name + size, 0, 4);
	free(xp_rust_demangle(name, size));
	free(xp_rust_v0_demangle(name, size));
	free(name);
	return 0;
}
