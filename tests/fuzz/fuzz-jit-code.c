/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a jit-PID.dump whose descriptions of frames are used. Read in two
 * parts, it says the same as read at once; answers hold for the time that they name; chains end.
 *
 * The first 4 bytes: how the clocks belong together, how much is read first, what is looked up
 * besides beginnings of code (two). The rest is the file, and its end the stack that is unwound.
 */
#include <assert.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "walk-impl.h"

enum { HEADER = 4, FRAMES = 16, STACK = 0x7f000000, STACK_MAX = 512, LOOK_UPS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is made once. */
static struct {
	struct xp_unwind *unwind;
	struct xp_unwinder *unwinders[2];
	bool is_used[2]; /* their tables, of 2 MB, have something of an input */
	struct xp_unwind_file *file;
	uint64_t time_ns;
} shared;

static int map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	uint64_t span[2];

	(void)data;
	return xp_jit_find(shared.file, address, shared.time_ns, ret_map, span);
}

static void make_shared(void)
{
	static const char *const machines[] = { "x86_64", "aarch64" };
	const struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map };
	const struct xp_symbol_file file = { .size = sizeof(file), .path = "/nowhere" };
	const struct xp_jit_clock clock = { .mapped_ns = 0 };
	struct xp_symbols *symbols;
	struct xp_ctx *ctx;

	if (shared.unwind)
		return;
	/* Loaded once, not for every file that is opened. With it, libelf. */
	dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	assert(!xp_ctx_new(NULL, &ctx) && !xp_symbols_new(ctx, NULL, &symbols));
	assert(!xp_unwind_new(symbols, NULL, &shared.unwind));
	assert(!xp_jit_open(shared.unwind, &file, &clock, &shared.file));
	for (size_t i = 0; i < 2; i++)
		assert(!xp_unwinder_new(shared.unwind, machines[i], &calls, &shared.unwinders[i]));
}

static void begin(const uint8_t *data, size_t size)
{
	struct xp_unwind_file *file = shared.file;
	size_t first = size * data[1 - HEADER] / 256;
	uint64_t latest_ns;

	file->code = (struct xp_code_file){ .fd = -1, .image = data, .image_len = first };
	file->is_open = true;
	file->state = XP_SYMTAB_FOUND;
	file->jit_clock =
		(struct xp_jit_clock){ data[0 - HEADER] & 1, data[0 - HEADER] & 2 ? 1000 : 0 };
	xp_jit_refresh(file, &latest_ns);
	file->code.image_len = size;
	xp_jit_refresh(file, &latest_ns);
	for (size_t i = 0; i < 2; i++) {
		if (!shared.is_used[i])
			continue;
		shared.is_used[i] = false;
		memset(shared.unwinders[i]->known, 0, KNOWN * sizeof(struct known));
		memset(shared.unwinders[i]->maps, 0, MAPS * sizeof(struct known_map));
	}
}

static void end(void)
{
	struct xp_unwind_file *file = shared.file;

	xp_unwind_file_unload(file);
	file->machine = NULL;
	file->used = 0;
	assert(!shared.unwind->memory);
}

static size_t read_bytes(void *data, uint64_t offset, void *buf, size_t len)
{
	const struct xp_code_file *code = data;

	assert(offset <= code->image_len && len <= code->image_len - offset);
	memcpy(buf, (const uint8_t *)code->image + offset, len);
	return len;
}

/* At once, it is the same. */
static void check_parts(void)
{
	struct xp_code_file *file = &shared.file->code;
	const struct jit_code *parts = &shared.file->jit->code;
	struct jit_code whole = { .at = 0 };

	if (shared.file->jit->is_damaged)
		return;
	xp_jit_code_read(&whole, file->image_len, read_bytes, file);
	assert(whole.nr_places == parts->nr_places && whole.at == parts->at);
	assert(whole.nr_functions == parts->nr_functions && whole.bytes == parts->bytes);
	for (size_t i = 0; i < whole.nr_functions; i++)
		assert(!memcmp(&whole.functions[i].frames, &parts->functions[i].frames,
			       sizeof(whole.functions[i].frames)));
	xp_jit_code_fini(&whole);
}

/* A function is the same wherever it is asked for, and what is said of a time holds for all of it.
 */
static void check_place(uint64_t address, uint64_t time_ns)
{
	const struct jit_code *code = &shared.file->jit->code;
	uint64_t span[2], other[2];
	const struct jit_place *place = xp_jit_place_at(code, address, time_ns, span);

	assert(span[0] <= time_ns && time_ns <= span[1]);
	assert(xp_jit_place_at(code, address, span[0], other) == place || span[0] == time_ns);
	assert(xp_jit_place_at(code, address, span[1], other) == place || span[1] == time_ns);
	if (!place)
		return;
	assert(place->start <= address && address < place->end);
	assert(place->function == UINT32_MAX || place->function < code->nr_functions);
}

static void walk(const uint8_t *data, size_t size, uint64_t address, bool is_arm)
{
	uint64_t values[33], pcs[FRAMES];
	size_t len = size < STACK_MAX ? size : STACK_MAX;
	struct xp_unwind_start start = { .size = sizeof(start), .space = address & 1 };
	struct xp_unwind_chain chain = { .size = sizeof(chain), .pcs = pcs, .max = FRAMES };
	/* A copy of its own, so that a sanitizer sees what is read after it. */
	uint8_t *stack = malloc(len ? len : 1);

	assert(stack);
	if (len)
		memcpy(stack, data + size - len, len);
	for (size_t i = 0; i < 33; i++)
		values[i] = STACK + 8 * (i & 15);
	values[is_arm ? 32 : 8] = address;
	values[is_arm ? 31 : 7] = STACK;
	start.regs = (struct xp_regs){ .abi = 2,
				       .mask = is_arm ? (UINT64_C(1) << 33) - 1 : 0xff0fff,
				       .values = values,
				       .nr = is_arm ? 33 : 20 };
	start.stack = stack;
	start.stack_len = len;
	shared.is_used[is_arm] = true;
	assert(!xp_unwinder_walk(shared.unwinders[is_arm], &start, &chain));
	assert(chain.nr >= 1 && chain.nr <= FRAMES && chain.end <= XP_UNWIND_NO_LIBRARY);
	free(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER)
		return 0;
	make_shared();
	begin(data + HEADER, size - HEADER);
	if (shared.file->jit) {
		const struct jit_code *code = &shared.file->jit->code;

		check_parts();
		for (size_t i = 0; i < code->nr_places && i < LOOK_UPS_MAX; i++) {
			uint64_t address = code->places[i].start, time_ns = code->places[i].from_ns;

			check_place(address, time_ns);
			check_place(address + data[2], time_ns + data[3]);
			shared.time_ns = time_ns;
			walk(data, size, address, false);
			walk(data, size, address + data[2], data[0] & 4);
		}
	}
	end();
	return 0;
}
