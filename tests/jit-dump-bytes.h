/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a jit-PID.dump, record by record.
 * Source: tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef TESTS_JIT_DUMP_BYTES_H
#define TESTS_JIT_DUMP_BYTES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { DUMP_MAX = 1 << 16, DUMP_LOAD = 0, DUMP_MOVE = 1, DUMP_CLOSE = 3, DUMP_UNWINDING = 4 };

struct dump_bytes {
	uint8_t at[DUMP_MAX];
	size_t len;
};

static inline void dump_put(struct dump_bytes *dump, const void *bytes, size_t len)
{
	assert(dump->len + len <= sizeof(dump->at));
	if (len)
		memcpy(dump->at + dump->len, bytes, len);
	dump->len += len;
}

static inline void dump_number(struct dump_bytes *dump, uint64_t number, size_t len)
{
	dump_put(dump, &number, len);
}

/* @machine: EM_X86_64 ... */
static inline void dump_begin(struct dump_bytes *dump, int machine, uint64_t time, uint64_t flags)
{
	dump->len = 0;
	dump_number(dump, 0x4a695444, 4);
	dump_number(dump, 1, 4);
	dump_number(dump, 40, 4);
	dump_number(dump, (uint64_t)machine, 4);
	dump_number(dump, 0, 4);
	dump_number(dump, 12, 4);
	dump_number(dump, time, 8);
	dump_number(dump, flags, 8);
}

static inline void dump_record(struct dump_bytes *dump, int id, size_t len, uint64_t time)
{
	dump_number(dump, (uint64_t)id, 4);
	dump_number(dump, 16 + len, 4);
	dump_number(dump, time, 8);
}

/* Code of zeros. */
static inline void dump_load(struct dump_bytes *dump, uint64_t time, uint64_t address, size_t len)
{
	static const char name[] = "made";

	dump_record(dump, DUMP_LOAD, 40 + sizeof(name) + len, time);
	dump_number(dump, 0, 8);
	dump_number(dump, address, 8);
	dump_number(dump, address, 8);
	dump_number(dump, len, 8);
	dump_number(dump, 0, 8);
	dump_put(dump, name, sizeof(name));
	for (size_t i = 0; i < len; i++)
		dump_number(dump, 0, 1);
}

static inline void dump_move(struct dump_bytes *dump, uint64_t time, uint64_t from, uint64_t to,
			     uint64_t len)
{
	dump_record(dump, DUMP_MOVE, 48, time);
	dump_number(dump, 0, 8);
	dump_number(dump, to, 8);
	dump_number(dump, from, 8);
	dump_number(dump, to, 8);
	dump_number(dump, len, 8);
	dump_number(dump, 0, 8);
}

/* The description of the code that comes, in the order given. */
static inline void dump_unwinding(struct dump_bytes *dump, uint64_t time, const void *first,
				  size_t first_len, const void *second, size_t second_len,
				  size_t header_len)
{
	dump_record(dump, DUMP_UNWINDING, 24 + first_len + second_len, time);
	dump_number(dump, first_len + second_len, 8);
	dump_number(dump, header_len, 8);
	dump_number(dump, first_len + second_len, 8);
	dump_put(dump, first, first_len);
	dump_put(dump, second, second_len);
}

/*
 * .eh_frame of a function for x86-64, with the return address @cfa bytes above the stack pointer,
 * less 8, all the way through. @distance: from its beginning to the code
 */
static inline size_t dump_frames(struct dump_bytes *frames, int64_t distance, uint32_t code_len,
				 uint8_t cfa)
{
	static const uint8_t common[] = { 1,    'z',  'R', 0, 1,    0x78, 16, 1,
					  0x1b, 0x0c, 7,   8, 0x90, 1,    0,  0 };
	const uint8_t own[] = { 0, 0x0e, cfa, 0 };

	frames->len = 0;
	dump_number(frames, 4 + sizeof(common), 4);
	dump_number(frames, 0, 4);
	dump_put(frames, common, sizeof(common));
	dump_number(frames, 12 + sizeof(own), 4);
	dump_number(frames, frames->len, 4);
	dump_number(frames, (uint32_t)(distance - (int64_t)frames->len), 4);
	dump_number(frames, code_len, 4);
	dump_put(frames, own, sizeof(own));
	dump_number(frames, 0, 4);
	return frames->len;
}

/* Code with its description, as V8 writes it. */
static inline void dump_described(struct dump_bytes *dump, uint64_t time, uint64_t address,
				  size_t len, uint8_t cfa)
{
	static const uint8_t header[20] = { 1, 0x1b, 3, 0x3b };
	static struct dump_bytes frames;

	dump_frames(&frames, -(int64_t)((len + 7) / 8 * 8), (uint32_t)len, cfa);
	dump_unwinding(dump, time, frames.at, frames.len, header, sizeof(header), sizeof(header));
	dump_load(dump, time, address, len);
}

#endif
