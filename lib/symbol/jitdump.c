/* SPDX-License-Identifier: MIT */
/*
 * jit-PID.dump: functions with their code, one after the other; code that is moved is a function
 * again. Source: tools/perf/Documentation/jitdump-specification.txt.
 */
#include "jitdump.h"

#include <errno.h>
#include <string.h>

enum {
	HEADER = 40,
	HEADER_SIZE_AT = 8,
	RECORD = 16, /* u32 id, u32 size, u64 time */
	LOAD = 0,
	MOVE = 1,
	LOAD_NAME_AT = RECORD + 40, /* u32 pid, u32 tid, u64 vma, address, size, index */
	MOVES_FROM = 1 << 14,       /* as many functions back is looked for what is moved */
	MOVE_BYTES = RECORD + 48,   /* u32 pid, u32 tid, u64 vma, from, to, size, index */
};

#define MAGIC UINT32_C(0x4a695444)

struct dump {
	const uint8_t *bytes;
	size_t len;
	bool is_swapped;
};

static uint32_t u32_at(const struct dump *dump, size_t at)
{
	uint32_t value;

	memcpy(&value, dump->bytes + at, sizeof(value));
	return dump->is_swapped ? __builtin_bswap32(value) : value;
}

static uint64_t u64_at(const struct dump *dump, size_t at)
{
	uint64_t value;

	memcpy(&value, dump->bytes + at, sizeof(value));
	return dump->is_swapped ? __builtin_bswap64(value) : value;
}

/* @at: its record, of @size bytes. */
static int add_load(struct table *table, const struct dump *dump, size_t at, size_t size)
{
	const char *name = (const char *)dump->bytes + at + LOAD_NAME_AT;
	struct table_entry entry;

	if (size <= LOAD_NAME_AT || !*name || !memchr(name, '\0', size - LOAD_NAME_AT))
		return 0;
	entry = (struct table_entry){ .start = u64_at(dump, at + RECORD + 16),
				      .flags = (uint32_t)table->nr };
	if (__builtin_add_overflow(entry.start, u64_at(dump, at + RECORD + 24), &entry.end))
		return 0;
	int err = xp_function_table_add_name(table, name, strlen(name), &entry.name);
	return err ? err : xp_function_table_add(table, &entry);
}

/* The function that was at an address before goes on at another one. */
static int add_move(struct table *table, const struct dump *dump, size_t at, size_t size)
{
	struct table_entry entry;

	if (size < MOVE_BYTES)
		return 0;
	uint64_t from = u64_at(dump, at + RECORD + 16), len = u64_at(dump, at + RECORD + 32);
	entry = (struct table_entry){ .start = u64_at(dump, at + RECORD + 24),
				      .flags = (uint32_t)table->nr };
	if (__builtin_add_overflow(entry.start, len, &entry.end))
		return 0;
	for (size_t i = table->nr, tries = 0; i-- > 0 && tries < MOVES_FROM; tries++)
		if (table->at[i].start == from) {
			entry.name = table->at[i].name;
			return xp_function_table_add(table, &entry);
		}
	return 0;
}

int xp_jitdump_add(struct table *table, const void *bytes, size_t len)
{
	struct dump dump = { bytes, len, false };
	int err = 0;

	if (len < HEADER)
		return -ENOEXEC;
	dump.is_swapped = u32_at(&dump, 0) == __builtin_bswap32(MAGIC);
	if (u32_at(&dump, 0) != MAGIC)
		return -ENOEXEC;
	for (size_t at = u32_at(&dump, HEADER_SIZE_AT), size; !err && at >= HEADER && at < len;
	     at += size) {
		if (len - at < RECORD)
			break;
		size = u32_at(&dump, at + 4);
		if (size < RECORD || size > len - at)
			break;
		if (u32_at(&dump, at) == LOAD)
			err = add_load(table, &dump, at, size);
		else if (u32_at(&dump, at) == MOVE)
			err = add_move(table, &dump, at, size);
	}
	return err;
}
