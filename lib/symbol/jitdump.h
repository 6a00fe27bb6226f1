/* SPDX-License-Identifier: MIT */
/* jit-PID.dump: what a JIT compiler has written down of the code it made. */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table;

enum { JITDUMP_HEADER_BYTES = 40, JITDUMP_RECORD_BYTES = 16, JITDUMP_FIXED_MAX = 64 };

/* What the header says. @machine: EM_X86_64 ... @first: where the records begin
 * @has_own_clock: times are those of a counter of the processor, and no nanoseconds */
struct jitdump_header {
	uint32_t machine;
	uint32_t first;
	uint64_t time_ns;
	bool is_swapped;
	bool has_own_clock;
};

enum jitdump_kind {
	JITDUMP_LOAD,      /* code */
	JITDUMP_MOVE,      /* code is at another address from now on */
	JITDUMP_UNWINDING, /* what describes the frames of the code that comes next */
	JITDUMP_OTHER,
};

/*
 * A record.
 * @size:    all of it, bytes
 * @fixed:   bytes before the name of code, and before descriptions
 * @address: of the code; where it is moved to
 * @from:    of JITDUMP_MOVE: where it was
 * @len:     of the code, or of descriptions
 * @header_len: of JITDUMP_UNWINDING: bytes of them that are .eh_frame_hdr
 */
struct jitdump_record {
	enum jitdump_kind kind;
	uint32_t size, fixed;
	uint64_t time_ns;
	uint64_t address, from, len;
	uint64_t header_len;
};

/* Returns 0, -ENOEXEC: it is no such file. */
int xp_jitdump_begin(const void *bytes, size_t len, struct jitdump_header *ret_dump);
/*
 * Decodes a record. @bytes: JITDUMP_FIXED_MAX of it, or fewer if it or the file is shorter
 * One that is too short for its kind is JITDUMP_OTHER. Returns false: what comes after it cannot be
 * found.
 */
bool xp_jitdump_record(const struct jitdump_header *dump, const void *bytes, size_t len,
		       struct jitdump_record *ret_record);

/*
 * Adds the functions of a file that is in memory to a table of which the later ones win. Those
 * behind damage are left out. Returns 0, -ENOEXEC (it is no such file), -ENOMEM.
 */
int xp_jitdump_add(struct table *table, const void *bytes, size_t len);

#endif
