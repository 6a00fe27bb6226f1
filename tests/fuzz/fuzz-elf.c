/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as an ELF file that is searched for symbols, markers and lines, and by
 * address.
 */
#include <assert.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "loads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads what a callback was given, so that a sanitizer sees what is not there. */
static void touch(const char *text)
{
	assert(strlen(text) < SIZE_MAX);
}

static int check_symbol(const struct xp_symbol *symbol, void *data)
{
	size_t *nr = data;

	touch(symbol->name);
	assert(symbol->name[0] && symbol->type <= XP_SYMBOL_DATA);
	++*nr;
	return 0;
}

static int check_sdt(const struct xp_sdt *sdt, void *data)
{
	size_t *nr = data;

	touch(sdt->args);
	assert(sdt->provider[0] && sdt->name[0]);
	++*nr;
	return 0;
}

static void check_diag(const struct xp_diag *diag, int err)
{
	assert(err <= 0);
	assert(!err || (diag->err == err && diag->what[0]));
}

/* One name, of one type: @turn says which. */
static void find(const char *path, size_t turn)
{
	static const char *const names[] = { "leaf", "thing", "thing@V1", "other", "x@@V2", "" };
	enum { NR_NAMES = sizeof(names) / sizeof(names[0]), NR_TYPES = XP_SYMBOL_DATA + 1 };
	struct xp_symbol_place place;
	struct xp_diag diag = { 0 };

	check_diag(&diag, xp_symbol_find(path, names[turn % NR_NAMES],
					 (enum xp_symbol_type)(turn / NR_NAMES % NR_TYPES), &place,
					 &diag));
}

static void find_lines(struct xp_symtab *symtab, uint64_t address)
{
	const struct xp_line *lines;
	int nr = xp_symtab_lines(symtab, address, &lines);

	assert(nr >= 0);
	for (int i = 0; i < nr; i++) {
		touch(lines[i].name ? lines[i].name : "");
		touch(lines[i].file ? lines[i].file : "");
	}
}

/* Looks up each symbol, and what comes before and behind it. */
static int look_up(const struct xp_symbol *symbol, void *data)
{
	struct xp_symtab *symtab = data;

	for (uint64_t address = symbol->address - 1; address != symbol->address + 2; address++) {
		struct xp_function function;

		find_lines(symtab, address);
		if (!xp_symtab_find(symtab, address, &function))
			continue;
		touch(function.name);
		assert(function.name[0] && address - function.start < function.size);
	}
	return 0;
}

static void find_addresses(const char *path)
{
	struct xp_symbols_opts opts = { .size = sizeof(opts),
					.debug_dir = "/nowhere",
					.no_demangle = true };
	struct xp_symbols *symbols;
	struct xp_symtab *symtab;
	struct xp_ctx *ctx;

	assert(!xp_ctx_new(NULL, &ctx));
	assert(!xp_symbols_new(ctx, &opts, &symbols));
	assert(!xp_symbols_open(symbols, path, NULL, 0, &symtab));
	assert(!*xp_symtab_reason(symtab) == (xp_symtab_get_state(symtab) == XP_SYMTAB_FOUND));
	xp_symbol_walk(path, look_up, symtab, NULL);
	for (uint64_t offset = 1; offset; offset <<= 1)
		find_lines(symtab, xp_symtab_address(symtab, offset));
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
}

/* What is loaded where, without libelf. */
static void find_code(int fd)
{
	const struct xp_load_source source = { .fd = fd };
	struct xp_loads loads;
	uint8_t code[64];

	if (xp_loads_read(&source, &loads))
		return;
	assert(loads.nr <= XP_ELF_SEGMENTS);
	for (size_t i = 0; i < loads.nr; i++) {
		uint64_t end = loads.at[i].address + loads.at[i].len;

		assert(xp_loads_bytes(&loads, &source, loads.at[i].address, code, sizeof(code)) <=
		       sizeof(code));
		assert(xp_loads_bytes(&loads, &source, end - 1, code, sizeof(code)) <=
		       sizeof(code));
	}
	xp_loads_fini(&loads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void *libelf;
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct xp_diag diag = { 0 };
	size_t nr = 0, turn = size ? size ^ data[size / 2] : 0;
	char path[64];

	/* Loaded once, not for every file that is opened. */
	if (!libelf)
		libelf = dlopen("libelf.so.1", RTLD_NOW | RTLD_LOCAL);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_diag(&diag, xp_symbol_walk(path, check_symbol, &nr, &diag));
	assert(nr <= size);
	nr = 0;
	check_diag(&diag, xp_sdt_walk(path, check_sdt, &nr, &diag));
	assert(nr <= size);
	find(path, turn);
	find_addresses(path);
	find_code(fd);
	close(fd);
	return 0;
}
