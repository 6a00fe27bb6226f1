/* SPDX-License-Identifier: MIT */
/*
 * jit-PID.dump: functions with their code, one after the other; code that is moved is a function
 * again. Source: tools/perf/Documentation/jitdump-specification.txt.
 */
#include "jitdump.h"

#include <errno.h>
#include <string.h>

#include "table.h"

enum {
	MACHINE_AT = 12,
	SIZE_AT = 8,
	TIME_AT = 24,
	FLAGS_AT = 32,
	OWN_CLOCK = 1,
	MOVES_FROM = 1 << 14, /* as many functions back is looked for what is moved */
};

#define MAGIC UINT32_C(0x4a695444)

/* Where numbers of 8 bytes are in a record; 0: it has none. */
struct layout {
	enum jitdump_kind kind;
	uint32_t fixed;
	uint8_t address_at, from_at, len_at, header_len_at;
};

static const struct layout layouts[] = {
	/* u32 pid, u32 tid, u64 vma, address, size, index */
	[0] = { JITDUMP_LOAD, 56, .address_at = 32, .len_at = 40 },
	/* u32 pid, u32 tid, u64 vma, from, to, size, index */
	[1] = { JITDUMP_MOVE, 64, .from_at = 32, .address_at = 40, .len_at = 48 },
	/* lines, and the end */
	[2] = { JITDUMP_OTHER, 16, 0, 0, 0, 0 },
	[3] = { JITDUMP_OTHER, 16, 0, 0, 0, 0 },
	/* u64 size, size of .eh_frame_hdr, size in memory */
	[4] = { JITDUMP_UNWINDING, 40, .len_at = 16, .header_len_at = 24 },
};

static uint32_t u32_at(const struct jitdump_header *dump, const uint8_t *bytes, size_t at)
{
	uint32_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return dump->is_swapped ? __builtin_bswap32(value) : value;
}

static uint64_t u64_at(const struct jitdump_header *dump, const uint8_t *bytes, size_t at)
{
	uint64_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return dump->is_swapped ? __builtin_bswap64(value) : value;
}

int xp_jitdump_begin(const void *bytes, size_t len, struct jitdump_header *ret_dump)
{
	struct jitdump_header dump = { .is_swapped = false };

	if (len < JITDUMP_HEADER_BYTES)
		return -ENOEXEC;
	dump.is_swapped = u32_at(&dump, bytes, 0) == __builtin_bswap32(MAGIC);
	if (u32_at(&dump, bytes, 0) != MAGIC)
		return -ENOEXEC;
	dump.first = u32_at(&dump, bytes, SIZE_AT);
	if (dump.first < JITDUMP_HEADER_BYTES)
		return -ENOEXEC;
	dump.machine = u32_at(&dump, bytes, MACHINE_AT);
	dump.time_ns = u64_at(&dump, bytes, TIME_AT);
	dump.has_own_clock = u64_at(&dump, bytes, FLAGS_AT) & OWN_CLOCK;
	*ret_dump = dump;
	return 0;
}

bool xp_jitdump_record(const struct jitdump_header *dump, const void *bytes, size_t len,
		       struct jitdump_record *ret_record)
{
	static const struct layout none = { JITDUMP_OTHER, JITDUMP_RECORD_BYTES, 0, 0, 0, 0 };
	struct jitdump_record *record = ret_record;

	if (len < JITDUMP_RECORD_BYTES)
		return false;
	uint32_t id = u32_at(dump, bytes, 0), size = u32_at(dump, bytes, 4);
	const struct layout *of = id < sizeof(layouts) / sizeof(layouts[0]) ? &layouts[id] : &none;

	if (size < of->fixed || len < of->fixed)
		of = &none;
	*record = (struct jitdump_record){ .kind = of->kind,
					   .size = size,
					   .fixed = of->fixed,
					   .time_ns = u64_at(dump, bytes, 8) };
	if (of->address_at)
		record->address = u64_at(dump, bytes, of->address_at);
	if (of->from_at)
		record->from = u64_at(dump, bytes, of->from_at);
	if (of->len_at)
		record->len = u64_at(dump, bytes, of->len_at);
	if (of->header_len_at)
		record->header_len = u64_at(dump, bytes, of->header_len_at);
	return size >= JITDUMP_RECORD_BYTES;
}

/* --- functions --- */

static int add_load(struct table *table, const uint8_t *bytes, const struct jitdump_record *record)
{
	const char *name = (const char *)bytes + record->fixed;
	size_t room = record->size - record->fixed;
	struct table_entry entry = { .start = record->address, .flags = (uint32_t)table->nr };

	if (!room || !*name || !memchr(name, '\0', room) ||
	    __builtin_add_overflow(entry.start, record->len, &entry.end))
		return 0;
	int err = xp_function_table_add_name(table, name, strlen(name), &entry.name);
	return err ? err : xp_function_table_add(table, &entry);
}

/* The function that was at an address before goes on at another one. */
static int add_move(struct table *table, const struct jitdump_record *record)
{
	struct table_entry entry = { .start = record->address, .flags = (uint32_t)table->nr };

	if (__builtin_add_overflow(entry.start, record->len, &entry.end))
		return 0;
	for (size_t i = table->nr, tries = 0; i-- > 0 && tries < MOVES_FROM; tries++)
		if (table->at[i].start == record->from) {
			entry.name = table->at[i].name;
			return xp_function_table_add(table, &entry);
		}
	return 0;
}

int xp_jitdump_add(struct table *table, const void *bytes, size_t len)
{
	const uint8_t *start = bytes;
	struct jitdump_record record;
	struct jitdump_header dump;
	int err = xp_jitdump_begin(bytes, len, &dump);

	if (err)
		return err;
	for (size_t at = dump.first; !err && at < len; at += record.size) {
		if (!xp_jitdump_record(&dump, start + at, len - at, &record) ||
		    record.size > len - at)
			break;
		if (record.kind == JITDUMP_LOAD)
			err = add_load(table, start + at, &record);
		else if (record.kind == JITDUMP_MOVE)
			err = add_move(table, &record);
	}
	return err;
}
