/* SPDX-License-Identifier: MIT */
/*
 * Records of a jit-PID.dump as they come, piece by piece: code is at a place until other code is
 * there, or it is moved away.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt. Descriptions: V8 and CPython
 * (node 20, Python 3.13, measured) have .eh_frame before .eh_frame_hdr, and both as if after the
 * code, at the next multiple of 8 bytes; LLVM (PerfSupportPlugin.cpp) has them the other way round,
 * for all code that comes, and where .eh_frame was in the header. Encodings: Linux Standard
 * Base 5.0, 10.5.1.
 */
#include "jit-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jit-places.h"
#include "search.h"
#include "vec.h"

enum {
	WINDOW = 1 << 16,      /* bytes that are read at once */
	NAME_MAX_BYTES = 4096, /* longer ones are no names */
	FRAMES_MAX = 4 << 20,  /* of one description */
	NOT_DESCRIBED = -1,
};

/* A part of the file. */
struct window {
	jit_read_fn read;
	void *data;
	uint64_t file_len, at;
	size_t len;
	uint8_t bytes[WINDOW];
};

/* Bytes of the file, @len of them or as many as there are. */
static const uint8_t *bytes_at(struct window *window, uint64_t at, size_t len, size_t *ret_len)
{
	uint64_t left = at < window->file_len ? window->file_len - at : 0;

	*ret_len = 0;
	if (!left)
		return window->bytes;
	if (len > left)
		len = (size_t)left;
	if (at < window->at || at - window->at > window->len ||
	    window->len - (at - window->at) < len) {
		window->at = at;
		window->len = window->read(window->data, at, window->bytes,
					   left < WINDOW ? (size_t)left : WINDOW);
	}
	size_t there = window->len - (size_t)(at - window->at);
	*ret_len = len < there ? len : there;
	return window->bytes + (at - window->at);
}

/* --- records --- */

static uint64_t u64_of(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint32_t u32_of(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Whether .eh_frame begins there: with what entries have in common. */
static bool is_cie(const uint8_t *bytes, uint64_t len)
{
	enum { LEN = 4, ID = 4 };

	return u32_of(bytes) >= ID && u32_of(bytes) <= len - LEN && !u32_of(bytes + LEN);
}

/* Whether a header has the address of .eh_frame in 8 bytes after four of its own. */
static bool has_address(const uint8_t *header, uint64_t len)
{
	enum { VERSION = 1, ABSOLUTE = 0, UDATA8 = 4, SDATA8 = 12, WITH_ADDRESS = 12 };

	return len >= WITH_ADDRESS && header[0] == VERSION &&
	       (header[1] == ABSOLUTE || header[1] == UDATA8 || header[1] == SDATA8);
}

/* Notes where .eh_frame is. @at: of the record */
static void note_frames(struct jit_code *code, struct window *window, uint64_t at,
			const struct jitdump_record *record)
{
	enum { BEGINNING = 12 };
	uint64_t data_at = at + record->fixed, header_len = record->header_len;
	size_t there;
	const uint8_t *bytes = bytes_at(window, data_at, BEGINNING, &there);

	code->has_frames = code->is_fixed = false;
	if (record->len > record->size - record->fixed || header_len > record->len ||
	    record->len - header_len < BEGINNING || record->len - header_len > FRAMES_MAX ||
	    there < BEGINNING)
		return;
	code->has_frames = true;
	code->frames =
		(struct jit_frames){ .at = data_at, .len = (uint32_t)(record->len - header_len) };
	if (is_cie(bytes, code->frames.len))
		return;
	code->frames.at += header_len;
	code->frames.address = header_len;
	code->is_fixed = has_address(bytes, header_len);
	if (code->is_fixed)
		code->frames.address = u64_of(bytes + 4);
}

/* Where in the file the code of a record is. Returns 0: it is not there. */
static uint64_t find_code(struct window *window, uint64_t at, const struct jitdump_record *record)
{
	size_t room = record->size - record->fixed, there;

	if (record->len >= room)
		return 0;
	room -= (size_t)record->len;
	const uint8_t *name = bytes_at(window, at + record->fixed,
				       room < NAME_MAX_BYTES ? room : NAME_MAX_BYTES, &there);
	const uint8_t *end = memchr(name, '\0', there);
	return end ? at + record->fixed + (uint64_t)(end - name) + 1 : 0;
}

/* Notes what describes the frames of code, and uses it up. Returns its number, NOT_DESCRIBED,
 * -ENOMEM. */
static int64_t add_function(struct jit_code *code, uint64_t code_at,
			    const struct jitdump_record *record)
{
	enum { ALIGN = 8 };
	struct jit_function function = { code_at, record->address, record->len, code->frames };

	if (!code->has_frames || !code_at)
		return NOT_DESCRIBED;
	if (!code->is_fixed) {
		function.frames.address +=
			record->address + ((record->len + ALIGN - 1) & ~(uint64_t)(ALIGN - 1));
		code->has_frames = false;
	}
	if (vec_add(&code->functions, code->nr_functions, sizeof(*code->functions)))
		return -ENOMEM;
	code->functions[code->nr_functions] = function;
	code->bytes += sizeof(function);
	return (int64_t)code->nr_functions++;
}

static int add_load(struct jit_code *code, struct window *window, uint64_t at,
		    const struct jitdump_record *record)
{
	struct jit_place place = { .start = record->address, .from_ns = record->time_ns };
	uint64_t code_at = find_code(window, at, record);

	if (!record->len || __builtin_add_overflow(place.start, record->len, &place.end))
		return 0;
	int64_t function = add_function(code, code_at, record);
	if (function == -ENOMEM)
		return -ENOMEM;
	place.function = (uint32_t)function;
	return xp_jit_place_add(code, place);
}

static int add_move(struct jit_code *code, const struct jitdump_record *record)
{
	struct jit_place *from = xp_jit_place_now(code, record->from);
	struct jit_place place = { .start = record->address,
				   .from_ns = record->time_ns,
				   .function = from ? from->function : UINT32_MAX };
	uint64_t len = from ? from->end - from->start : record->len;

	if (from)
		xp_jit_place_end(from, record->time_ns);
	return len && !__builtin_add_overflow(place.start, len, &place.end)
		       ? xp_jit_place_add(code, place)
		       : 0;
}

static int add_record(struct jit_code *code, struct window *window, uint64_t at,
		      const struct jitdump_record *record)
{
	switch (record->kind) {
	case JITDUMP_LOAD:
		return add_load(code, window, at, record);
	case JITDUMP_MOVE:
		return add_move(code, record);
	case JITDUMP_UNWINDING:
		note_frames(code, window, at, record);
		break;
	case JITDUMP_OTHER:
		break;
	}
	return 0;
}

static int read_records(struct jit_code *code, struct window *window)
{
	struct jitdump_record record;
	size_t there;
	int err = 0;

	while (!err && !code->is_ended) {
		const uint8_t *bytes = bytes_at(window, code->at, JITDUMP_FIXED_MAX, &there);

		if (there < JITDUMP_RECORD_BYTES)
			break;
		if (!xp_jitdump_record(&code->header, bytes, there, &record)) {
			xp_jit_code_end(code);
			break;
		}
		if (record.size > window->file_len - code->at)
			break;
		record.time_ns -= record.time_ns == UINT64_MAX; /* that is for ever */
		if (!code->has_records)
			code->first_ns = record.time_ns;
		code->has_records = true;
		code->last_ns = record.time_ns;
		if (record.time_ns > code->latest_ns)
			code->latest_ns = record.time_ns;
		err = add_record(code, window, code->at, &record);
		code->at += record.size;
	}
	return err;
}

static int read_header(struct jit_code *code, struct window *window)
{
	size_t there;
	const uint8_t *bytes = bytes_at(window, 0, JITDUMP_HEADER_BYTES, &there);

	if (there < JITDUMP_HEADER_BYTES)
		return -ENODATA;
	int err = xp_jitdump_begin(bytes, there, &code->header);
	if (err || code->header.is_swapped)
		return -ENOEXEC;
	code->at = code->header.first;
	code->has_header = true;
	return 0;
}

int xp_jit_code_read(struct jit_code *code, uint64_t len, jit_read_fn read, void *data)
{
	struct window *window = malloc(sizeof(*window));

	if (!window)
		return -ENOMEM;
	window->read = read;
	window->data = data;
	window->file_len = len;
	window->at = window->len = 0;
	int err = code->has_header ? 0 : read_header(code, window);
	if (!err)
		err = read_records(code, window);
	if (err == -ENOMEM)
		xp_jit_code_end(code);
	free(window);
	return err;
}

void xp_jit_code_fini(struct jit_code *code)
{
	free(code->functions);
	free(code->places);
	free(code->refs);
	free(code->pages);
	index_fini(&code->by_page);
	*code = (struct jit_code){ 0 };
}

/* --- looking up --- */

static int begins_after(const void *element, const void *key)
{
	const struct jit_function *function = element;
	const uint64_t *offset = key;

	return function->code_at > *offset ? 1 : -1;
}

const struct jit_function *xp_jit_function_at(const struct jit_code *code, uint64_t offset)
{
	size_t nr = code->nr_functions ? search_before(&offset, code->functions, code->nr_functions,
						       sizeof(*code->functions), begins_after)
				       : 0;
	const struct jit_function *function = nr ? &code->functions[nr - 1] : NULL;

	return function && offset - function->code_at < function->len ? function : NULL;
}
