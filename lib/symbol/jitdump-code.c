/* SPDX-License-Identifier: MIT */
/*
 * The code of a jit-PID.dump by address. Functions are painted over a line that is divided where
 * one begins or ends, the last of them first; each part gets the function that reaches it first.
 */
#include "jitdump-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "jitdump.h"
#include "vec.h"

/* The functions while they are read. @latest: of each address at which one begins, the last */
struct reading {
	struct jitdump_code *code;
	struct index by_address;
	size_t *latest;
	size_t nr_latest;
};

static uint64_t address_hash(uint64_t address)
{
	return xp_hash_word(xp_hash_seed(), address);
}

/* Returns NULL: none begins there. */
static size_t *latest_at(const struct reading *reading, uint64_t address)
{
	size_t at;

	for (struct index_walk walk = index_walk(&reading->by_address, address_hash(address));
	     index_next(&walk, &at);)
		if (reading->code->functions[reading->latest[at]].address == address)
			return &reading->latest[at];
	return NULL;
}

static int add(struct reading *reading, const struct jitdump_function *function)
{
	struct jitdump_code *code = reading->code;
	size_t *latest = latest_at(reading, function->address);
	uint64_t end;

	if (!function->len || __builtin_add_overflow(function->address, function->len, &end))
		return 0;
	if (code->nr >= INT32_MAX || vec_add(&code->functions, code->nr, sizeof(*code->functions)))
		return -ENOMEM;
	code->functions[code->nr] = *function;
	if (latest) {
		*latest = code->nr++;
		return 0;
	}
	if (vec_add(&reading->latest, reading->nr_latest, sizeof(*reading->latest)) ||
	    index_add(&reading->by_address, address_hash(function->address), reading->nr_latest))
		return -ENOMEM;
	reading->latest[reading->nr_latest++] = code->nr++;
	return 0;
}

/* Code comes after the name, to the end of the record. */
static int add_load(struct reading *reading, size_t at, const struct jitdump_record *record)
{
	const char *name = reading->code->dump.s + at + record->fixed;
	size_t room = record->size - record->fixed, name_len = strnlen(name, room) + 1;
	struct jitdump_function function = { record->address, record->len,
					     at + record->fixed + name_len };

	return name_len <= room && record->len <= room - name_len ? add(reading, &function) : 0;
}

/* The function that began at an address goes on at another one. */
static int add_move(struct reading *reading, const struct jitdump_record *record)
{
	const size_t *latest = latest_at(reading, record->from);
	const struct jitdump_function *from = latest ? &reading->code->functions[*latest] : NULL;
	struct jitdump_function function = { record->address, record->len, 0 };

	if (!from || record->len > from->len)
		return 0;
	function.at = from->at;
	return add(reading, &function);
}

static int read_all(struct reading *reading)
{
	const struct xp_str *bytes = &reading->code->dump;
	struct jitdump_record record;
	struct jitdump_header dump;
	int err = xp_jitdump_begin(bytes->s, bytes->len, &dump);

	if (err)
		return err;
	reading->code->machine = dump.machine;
	for (size_t at = dump.first; !err && at < bytes->len; at += record.size) {
		if (!xp_jitdump_record(&dump, bytes->s + at, bytes->len - at, &record) ||
		    record.size > bytes->len - at)
			break;
		if (record.kind == JITDUMP_LOAD)
			err = add_load(reading, at, &record);
		else if (record.kind == JITDUMP_MOVE)
			err = add_move(reading, &record);
	}
	return err;
}

/* --- the line --- */

static int compare_words(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Where functions begin and end, each address once. Returns 0 or -ENOMEM. */
static int set_starts(struct jitdump_code *code)
{
	size_t nr = 0;

	code->starts = calloc(2 * code->nr + 1, sizeof(*code->starts));
	if (!code->starts)
		return -ENOMEM;
	for (size_t i = 0; i < code->nr; i++) {
		code->starts[2 * i] = code->functions[i].address;
		code->starts[2 * i + 1] = code->functions[i].address + code->functions[i].len;
	}
	qsort(code->starts, 2 * code->nr, sizeof(*code->starts), compare_words);
	for (size_t i = 0; i < 2 * code->nr; i++)
		if (!nr || code->starts[nr - 1] != code->starts[i])
			code->starts[nr++] = code->starts[i];
	code->nr_starts = nr;
	return 0;
}

/* The number of the last part that begins at or before an address; @nr_starts: none does. */
static size_t part_of(const struct jitdump_code *code, uint64_t address)
{
	const uint64_t *at = code->starts;
	size_t left = code->nr_starts;

	if (!left || address < *at)
		return code->nr_starts;
	while (left > 1) {
		size_t half = left / 2;

		at = at[half] <= address ? at + half : at;
		left -= half;
	}
	return (size_t)(at - code->starts);
}

/* The first part from @at on that has no function yet. @next: of those that have one, a later part
 */
static size_t first_free(uint32_t *next, size_t at)
{
	while (next[at] != at) {
		next[at] = next[next[at]];
		at = next[at];
	}
	return at;
}

static int set_owners(struct jitdump_code *code)
{
	uint32_t *next = calloc(code->nr_starts + 1, sizeof(*next));

	code->owners = calloc(code->nr_starts + 1, sizeof(*code->owners));
	if (!next || !code->owners) {
		free(next);
		return -ENOMEM;
	}
	for (size_t i = 0; i < code->nr_starts; i++)
		next[i] = (uint32_t)i;
	for (size_t i = code->nr; i-- > 0;) {
		const struct jitdump_function *function = &code->functions[i];
		size_t end = part_of(code, function->address + function->len);

		for (size_t at = part_of(code, function->address);
		     (at = first_free(next, at)) < end;) {
			code->owners[at] = (uint32_t)i + 1;
			next[at] = (uint32_t)at + 1;
		}
	}
	free(next);
	return 0;
}

int xp_jitdump_code_read(struct jitdump_code *code)
{
	struct reading reading = { .code = code };
	int err = read_all(&reading) ?: set_starts(code) ?: set_owners(code);

	index_fini(&reading.by_address);
	free(reading.latest);
	return err;
}

size_t xp_jitdump_code_bytes(const struct jitdump_code *code, uint64_t address, void *buf,
			     size_t len)
{
	size_t part = part_of(code, address);

	if (part == code->nr_starts || !code->owners[part])
		return 0;
	const struct jitdump_function *function = &code->functions[code->owners[part] - 1];
	uint64_t into = address - function->address, rest = function->len - into;
	len = len < rest ? len : (size_t)rest;
	memcpy(buf, code->dump.s + function->at + into, len);
	return len;
}

void xp_jitdump_code_fini(struct jitdump_code *code)
{
	xp_str_fini(&code->dump);
	free(code->functions);
	free(code->starts);
	free(code->owners);
	*code = (struct jitdump_code){ 0 };
}
