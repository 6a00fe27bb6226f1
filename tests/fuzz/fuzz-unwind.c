/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as an ELF file whose call frame information is used, and as the stack that
 * is unwound with it. Chains end, and nothing is read outside of the stack.
 *
 * The first 8 bytes: machine, method, where the first pc is, where the frame pointer points to, and
 * what else is there (enum with). The rest is the file, and from its end backwards the stack.
 *
 * Only the file is made anew for each input, in memory; unwinders forget what they knew of the one
 * before.
 */
#include <assert.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "walk-impl.h"

enum { BASE = 0x10000000, MAX_FILE = 1 << 20, STACK = 0x7f000000, FRAMES = 64, HEADER = 8 };
enum { STACK_MAX = 512, MAP_CALLS_MAX = 100000, TURNS = 8 };
enum { MACHINES = 4, METHODS = 4 };

/* Bits of the byte at 5, but for the last, which is a value of it. */
enum with {
	WITH_MEMORY = 1,         /* memory answers, besides the stack and the file */
	WITH_LITTLE_MEMORY = 2,  /* rules are forgotten as soon as they are known */
	WITH_SEPARATE_FILE = 67, /* a separate debug file is searched: that takes system calls */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	struct xp_symbols *symbols;
	struct xp_unwind_file *file;
	size_t nr_calls;
	bool has_memory;
} shared;

/* What is made once. */
struct setting {
	struct xp_unwind *unwind;
	struct xp_unwinder *unwinders[MACHINES];
};

/* The file twice, with different offsets, and memory that is no file's. */
static int map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	uint64_t start = address / MAX_FILE * MAX_FILE;

	(void)data;
	assert(++shared.nr_calls < MAP_CALLS_MAX);
	if (address < BASE || address >= BASE + 3 * MAX_FILE)
		return 0;
	*ret_map = (struct xp_unwind_map){ start, start + MAX_FILE, (start - BASE) / 256,
					   start < BASE + 2 * MAX_FILE ? shared.file : NULL, true };
	return 1;
}

static size_t read_memory(void *data, uint64_t address, void *buf, size_t len)
{
	(void)data;
	if (!shared.has_memory)
		return 0;
	memset(buf, (int)(address >> 3), len);
	return address % 16 ? len : 0;
}

static void check(const struct xp_unwind_chain *chain, const uint64_t *pcs)
{
	assert(chain->nr >= 1 && chain->nr <= chain->max && chain->pcs == pcs);
	assert(chain->end <= XP_UNWIND_NO_LIBRARY);
	assert(chain->end != XP_UNWIND_LIMIT || chain->nr == chain->max);
	assert(!chain->end_file || chain->end == XP_UNWIND_NO_INFO ||
	       chain->end == XP_UNWIND_NO_FILE || chain->end == XP_UNWIND_NO_LIBRARY);
	assert((chain->end == XP_UNWIND_COMPLETE) == !*xp_unwind_end_text(chain->end));
}

static void walk(struct xp_unwinder *unwinder, const uint8_t *data, size_t size, bool is_arm,
		 unsigned int turn)
{
	uint64_t values[64], pcs[FRAMES], sps[FRAMES];
	uint8_t marks[FRAMES];
	size_t len = size < STACK_MAX ? size : STACK_MAX;
	struct xp_unwind_start start = { .size = sizeof(start), .space = turn & 1 };
	struct xp_unwind_chain chain = {
		.size = sizeof(chain), .pcs = pcs, .sps = sps, .marks = marks, .max = FRAMES
	};
	/* A copy of its own, so that a sanitizer sees what is read after it. */
	uint8_t *stack = malloc(len ? len : 1);

	assert(stack);
	if (len)
		memcpy(stack, data + size - len, len);
	for (size_t i = 0; i < 64; i++)
		values[i] = STACK + 8 * ((i * 5 + data[4]) & 63);
	uint64_t pc = BASE + (data[2] | (uint64_t)data[3] << 8) + turn * 16;
	values[is_arm ? 32 : 8] = pc;
	values[is_arm ? 31 : 7] = STACK;
	values[is_arm ? 30 : 9] = pc + 8;
	start.regs = (struct xp_regs){ .abi = 1 + (data[0] != 2),
				       .mask = is_arm ? (UINT64_C(1) << 33) - 1 : 0xff0fff,
				       .values = values,
				       .nr = 33 };
	if (!is_arm)
		for (size_t i = 12; i < 20; i++)
			values[i] = values[i + 20];
	start.stack = stack;
	start.stack_len = len;
	start.stack_address = STACK;
	assert(!xp_unwinder_walk(unwinder, &start, &chain));
	check(&chain, pcs);
	free(stack);
}

static void make_setting(struct setting *setting, enum xp_unwind_method method, bool is_little)
{
	static const char *const machines[MACHINES] = { "x86_64", "aarch64", "x86_64", "i686" };
	const struct xp_unwind_calls calls = { .size = sizeof(calls),
					       .map = map,
					       .read = read_memory };
	const struct xp_unwind_opts opts = { .size = sizeof(opts),
					     .method = method,
					     .memory_max_bytes = is_little };

	struct xp_unwind_file *file;

	if (setting->unwind || xp_unwind_new(shared.symbols, &opts, &setting->unwind))
		return;
	assert(!xp_unwind_open(setting->unwind, "/nowhere", NULL, 0, &file));
	for (size_t i = 0; i < MACHINES; i++)
		assert(!xp_unwinder_new(setting->unwind, machines[i], &calls,
					&setting->unwinders[i]));
}

/* The unwinder of an input; NULL: there is no libunwind. */
static struct xp_unwinder *unwinder_of(const uint8_t *data)
{
	static struct setting settings[METHODS][2];
	const struct xp_symbols_opts opts = { .size = sizeof(opts), .debug_dir = "/nowhere" };
	int method = data[1] % METHODS, is_little = !!(data[5] & WITH_LITTLE_MEMORY);
	struct setting *setting = &settings[method][is_little];
	struct xp_ctx *ctx;

	if (!shared.symbols) {
		/* Loaded once, not for every file that is opened. With it, libelf. */
		dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
		assert(!xp_ctx_new(NULL, &ctx));
		assert(!xp_symbols_new(ctx, &opts, &shared.symbols));
	}
	make_setting(setting, (enum xp_unwind_method)method, is_little);
	return setting->unwind ? setting->unwinders[data[0] % MACHINES] : NULL;
}

/* The file has other bytes from here on. */
static void begin(struct xp_unwinder *unwinder, struct xp_unwind_file *file, const uint8_t *data,
		  size_t size)
{
	memset(unwinder->known, 0, KNOWN * sizeof(*unwinder->known));
	memset(unwinder->maps, 0, MAPS * sizeof(*unwinder->maps));
	file->code = (struct xp_code_file){ .fd = -1, .image = data, .image_len = size };
	file->state = XP_SYMTAB_FOUND;
	xp_unwind_file_load(file);
	file->rules.is_searched = data[5 - HEADER] != WITH_SEPARATE_FILE;
}

static void end(struct xp_unwind_file *file)
{
	xp_unwind_file_unload(file);
	free(file->segments);
	file->segments = NULL;
	file->nr_segments = 0;
	file->machine = NULL;
	file->is_open = false;
	file->used = 0;
	assert(!file->unwind->memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_unwinder *unwinder = size < HEADER ? NULL : unwinder_of(data);
	struct xp_unwind_file *file;

	if (!unwinder)
		return 0;
	file = unwinder->unwind->files[0];
	shared.file = file;
	shared.nr_calls = 0;
	shared.has_memory = data[5] & WITH_MEMORY;
	begin(unwinder, file, data + HEADER, size - HEADER);
	for (unsigned int turn = 0; turn < TURNS; turn++)
		walk(unwinder, data, size, data[0] % MACHINES == 1, turn);
	assert(xp_unwind_file_reason(file));
	end(file);
	return 0;
}
