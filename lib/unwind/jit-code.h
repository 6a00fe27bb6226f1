/* SPDX-License-Identifier: MIT */
/*
 * What a jit-PID.dump says of the code that a process made: where it was, from when to when, and
 * where in the file its frames are described. Times are those of the file.
 */
#ifndef UNWIND_JIT_CODE_H
#define UNWIND_JIT_CODE_H

#include "index.h"
#include "jitdump.h"

/* Bytes of .eh_frame in the file. @address: what in it counts from its own place counts from there
 */
struct jit_frames {
	uint64_t at, address;
	uint32_t len;
};

/* Code whose frames are described. @code_at: of its bytes in the file; @address: where it was made
 */
struct jit_function {
	uint64_t code_at, address, len;
	struct jit_frames frames;
};

/* Code at an address, before @to_ns. @function: UINT32_MAX: its frames are not described */
struct jit_place {
	uint64_t start, end;
	uint64_t from_ns, to_ns;
	uint32_t function;
};

/* A place that is, in part, in a page of addresses. @next, @next_now: plus 1; 0: there is none */
struct jit_ref {
	uint32_t place, next, next_now;
};

/* @first: of all places that were there, the later ones first; @first_now: of those that are */
struct jit_page {
	uint64_t number;
	uint32_t first, first_now;
};

/* Zero-initialised, nothing has been read. */
struct jit_code {
	struct jitdump_header header;
	bool has_header;
	bool is_ended; /* what comes cannot be read, or there is no room for it */
	uint64_t at;   /* of the record that is read next */
	bool has_records;
	uint64_t first_ns, last_ns; /* of records */
	uint64_t latest_ns;         /* of all */
	uint64_t until_ns;          /* from then on, nothing is known; if @is_ended */

	/* Of the code that comes next. @is_fixed: of all that comes, since it has addresses. */
	struct jit_frames frames;
	bool has_frames, is_fixed;

	struct jit_function *functions; /* in the order of the file */
	struct jit_place *places;
	struct jit_ref *refs;
	struct jit_page *pages;
	size_t nr_functions, nr_places, nr_refs, nr_pages;
	struct index by_page;
	uint64_t bytes; /* approximately */
};

/* Copies bytes of the file. Returns how many there were. */
typedef size_t (*jit_read_fn)(void *data, uint64_t offset, void *buf, size_t len);

/*
 * Reads what is new in the file, up to @len bytes; a record that ends beyond is left for later.
 * Returns 0, -ENOEXEC: it is no such file, or of another byte order; -ENODATA: there is no header
 * yet; -ENOMEM.
 */
int xp_jit_code_read(struct jit_code *code, uint64_t len, jit_read_fn read, void *data);
void xp_jit_code_fini(struct jit_code *code);

/* The function whose bytes are at an offset in the file. Returns NULL: none. */
const struct jit_function *xp_jit_function_at(const struct jit_code *code, uint64_t offset);
/*
 * What was at an address.
 * @ret_span: first and last time for which that is the answer
 * Returns NULL: nothing that is known.
 */
const struct jit_place *xp_jit_place_at(const struct jit_code *code, uint64_t address,
					uint64_t time_ns, uint64_t ret_span[2]);
/* The same where times mean nothing. Returns NULL also if it was not the same at all times. */
const struct jit_place *xp_jit_place_always(const struct jit_code *code, uint64_t address);

#endif
