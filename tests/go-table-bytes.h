/* SPDX-License-Identifier: MIT */
/*
 * Small tables as Go's linker makes them, in each of their forms: two functions in two files, with
 * lines.
 *
 *   text + 0x00  main.first   /src/a.go:10; from 0x20 on 12; stack 0x28 deep from 4 to 0x38
 *   text + 0x40  main.second  /src/b.go:20, up to 0x100; stack 8 deep, stacks begin with it, and
 *                             it changes to another one, where the form can say so
 */
#ifndef TESTS_GO_TABLE_BYTES_H
#define TESTS_GO_TABLE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct go_bytes {
	unsigned char at[1024];
	size_t len;
	bool is_big_endian;
	uint8_t pointer_len;
};

#define GO_TEXT UINT64_C(0x401000)

/* Flags of functions, since Go 1.17. */
enum { GO_OUTERMOST = 1, GO_WRITES_SP = 2 };

static inline void go_put_at(struct go_bytes *go, size_t at, uint64_t number, size_t len)
{
	for (size_t i = 0; i < len; i++)
		go->at[at + (go->is_big_endian ? len - 1 - i : i)] =
			(unsigned char)(number >> 8 * i);
}

static inline void go_put(struct go_bytes *go, uint64_t number, size_t len)
{
	go_put_at(go, go->len, number, len);
	go->len += len;
}

static inline size_t go_put_text(struct go_bytes *go, const char *text)
{
	size_t at = go->len;

	memcpy(go->at + at, text, strlen(text) + 1);
	go->len += strlen(text) + 1;
	return at;
}

/* Values each for a number of bytes, as differences; the first is that from -1. */
static inline size_t go_put_values(struct go_bytes *go, const int *values, const int *lens,
				   size_t nr)
{
	size_t at = go->len;
	int value = -1;

	for (size_t i = 0; i < nr; i++) {
		int difference = values[i] - value;

		go->at[go->len++] =
			(unsigned char)(difference < 0 ? -2 * difference - 1 : 2 * difference);
		/* 0x100 and more bytes take two of these */
		go->at[go->len++] = (unsigned char)((lens[i] & 0x7f) | (lens[i] > 0x7f ? 0x80 : 0));
		if (lens[i] > 0x7f)
			go->at[go->len++] = (unsigned char)(lens[i] >> 7);
		value = values[i];
	}
	go->at[go->len++] = 0;
	return at;
}

struct go_pieces {
	size_t names[2], files[2], of_depths[2], of_files[2], of_lines[2];
};

static inline void go_put_counts(struct go_bytes *go, int first_file, struct go_pieces *pieces)
{
	const int lines[] = { 10, 12 }, halves[] = { 0x20, 0x20 };
	const int files[] = { first_file, first_file + 1 }, line = 20, first = 0x40, second = 0xc0;
	const int depths[] = { 0, 0x28, 0 }, parts[] = { 4, 0x34, 8 }, depth = 8;

	go->at[go->len++] = 0; /* place 0 stands for none */
	pieces->of_depths[0] = go_put_values(go, depths, parts, 3);
	pieces->of_depths[1] = go_put_values(go, &depth, &second, 1);
	pieces->of_lines[0] = go_put_values(go, lines, halves, 2);
	pieces->of_lines[1] = go_put_values(go, &line, &second, 1);
	pieces->of_files[0] = go_put_values(go, &files[0], &first, 1);
	pieces->of_files[1] = go_put_values(go, &files[1], &second, 1);
}

/* @address_len: of the address; @counts: what of_files and of_lines count from; @unit: -1: there is
 * no such field, nor those behind it */
static inline size_t go_put_function(struct go_bytes *go, uint64_t address, size_t address_len,
				     size_t name, const struct go_pieces *pieces, int i,
				     size_t counts, int unit, bool has_first_line)
{
	size_t at = go->len;

	go_put(go, address, address_len);
	go_put(go, name, 4);
	go_put(go, 0, 4);
	go_put(go, 0, 4);
	go_put(go, pieces->of_depths[i] - counts, 4);
	go_put(go, pieces->of_files[i] - counts, 4);
	go_put(go, pieces->of_lines[i] - counts, 4);
	go_put(go, 0, 4);
	if (unit < 0)
		return at;
	go_put(go, (uint64_t)unit, 4);
	if (has_first_line)
		go_put(go, 1, 4);
	go_put(go, 0, 1);
	go_put(go, i ? GO_OUTERMOST | GO_WRITES_SP : 0, 1);
	go_put(go, 0, 2);
	return at;
}

static inline void go_put_head(struct go_bytes *go, uint32_t magic)
{
	go_put(go, magic, 4);
	go_put(go, 0, 2);
	go_put(go, 1, 1);
	go_put(go, go->pointer_len, 1);
}

/* As Go 1.2 to 1.15. */
static inline void go_make_old(struct go_bytes *go)
{
	const uint64_t places[] = { GO_TEXT, GO_TEXT + 0x40, GO_TEXT + 0x100 };
	size_t list = 8 + go->pointer_len, len = go->pointer_len;
	struct go_pieces pieces;

	go_put_head(go, 0xfffffffb);
	go_put(go, 2, len);
	go->len += 5 * len + 4;
	pieces.names[0] = go_put_text(go, "main.first");
	pieces.names[1] = go_put_text(go, "main.second");
	pieces.files[0] = go_put_text(go, "/src/a.go");
	pieces.files[1] = go_put_text(go, "/src/b.go");
	go_put_counts(go, 1, &pieces);
	for (int i = 0; i < 2; i++) {
		go_put_at(go, list + (size_t)i * 2 * len, places[i], len);
		go_put_at(go, list + ((size_t)i * 2 + 1) * len, go->len, len);
		go_put_function(go, places[i], len, pieces.names[i], &pieces, i, 0, -1, false);
	}
	go_put_at(go, list + 4 * len, places[2], len);
	go_put_at(go, list + 5 * len, go->len, 4);
	go_put(go, 3, 4);
	go_put(go, pieces.files[0], 4);
	go_put(go, pieces.files[1], 4);
}

/* As Go 1.16 (@is_relative: false), 1.18 and 1.20. @text: what the head has */
static inline void go_make(struct go_bytes *go, uint32_t magic, bool is_relative, uint64_t text)
{
	const uint64_t base = is_relative ? 0 : GO_TEXT;
	const uint64_t places[] = { base, base + 0x40, base + 0x100 };
	const size_t len = go->pointer_len, word_len = is_relative ? 4 : len;
	size_t word = 8 + (is_relative ? 3 : 2) * len, counts, list;
	struct go_pieces pieces;

	go_put_head(go, magic);
	go_put(go, 2, len);
	go_put(go, 2, len);
	if (is_relative)
		go_put(go, text, len);
	go->len += 5 * len;
	go_put_at(go, word, go->len, len);
	size_t names = go->len;
	pieces.names[0] = go_put_text(go, "main.first") - names;
	pieces.names[1] = go_put_text(go, "main.second") - names;
	go_put_at(go, word + len, go->len, len);
	/* The first unit is another one, which has no files. */
	go_put(go, UINT32_MAX, 4);
	go_put(go, 0, 4);
	go_put(go, 10, 4);
	go_put_at(go, word + 2 * len, go->len, len);
	go_put_text(go, "/src/a.go");
	go_put_text(go, "/src/b.go");
	go_put_at(go, word + 3 * len, counts = go->len, len);
	go_put_counts(go, 0, &pieces);
	go_put_at(go, word + 4 * len, list = go->len, len);
	go->len += 5 * word_len;
	for (int i = 0; i < 2; i++) {
		go_put_at(go, list + (size_t)i * 2 * word_len, places[i], word_len);
		go_put_at(go, list + ((size_t)i * 2 + 1) * word_len, go->len - list, word_len);
		go_put_function(go, places[i], word_len, pieces.names[i], &pieces, i, counts, 1,
				magic == 0xfffffff1);
	}
	go_put_at(go, list + 4 * word_len, places[2], word_len);
}

#endif
