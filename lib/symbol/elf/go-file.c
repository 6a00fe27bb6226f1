/* SPDX-License-Identifier: MIT */
/*
 * The place of Go's own table in a program: a section of its name; without sections, it is found by
 * its first bytes in what is loaded and not executable. Addresses in it count from the beginning of
 * Go's text: the head of the table has it up to Go 1.25, the runtime's description of the program
 * always, which begins with the addresses of the table and of the names in it.
 *
 * Source: programs that Go 1.26 has built, static and as PIE, with and without C code.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf-file.h"
#include "go-table.h"

enum { CHUNK = 64 << 10, MAX_BYTES = 1 << 30, PLACE = 8 /* both are at multiples of it */ };

/* A program's parts that are loaded. */
struct parts {
	struct xp_elf *elf;
	struct xp_elf_segment *at;
	size_t nr;
	uint64_t max_bytes; /* that are read at once, and looked through */
};

/* Bytes that are looked for in what is loaded. */
struct wanted {
	bool (*is_it)(const unsigned char *bytes, const void *data);
	const void *data;
	size_t len;
};

/* Looks through @len bytes of a segment, in pieces that overlap. Returns false: they are not there.
 * @ret_at: behind its beginning */
static bool find_in(const struct parts *parts, const struct xp_elf_segment *segment, uint64_t len,
		    const struct wanted *wanted, unsigned char buf[CHUNK], uint64_t *ret_at)
{
	uint64_t at = 0;

	while (at < len) {
		size_t got = xp_elf_read(parts->elf, segment->offset + at, buf,
					 len - at < CHUNK ? (size_t)(len - at) : CHUNK);
		size_t i = 0;

		for (; i + wanted->len <= got; i += PLACE)
			if (wanted->is_it(buf + i, wanted->data)) {
				*ret_at = at + i;
				return true;
			}
		if (!i)
			break;
		at += i;
	}
	return false;
}

/* The first place that is not code. Segments can overlap, so that all of them together are bounded.
 * Returns 0, -ENODATA, -ENOMEM. */
static int look_for(const struct parts *parts, const struct wanted *wanted,
		    const struct xp_elf_segment **ret_segment, uint64_t *ret_at)
{
	uint64_t left = parts->max_bytes;
	unsigned char *buf = malloc(CHUNK);
	int err = buf ? -ENODATA : -ENOMEM;

	for (size_t i = 0; i < parts->nr && err == -ENODATA; i++) {
		const struct xp_elf_segment *segment = &parts->at[i];
		uint64_t len = segment->len < left ? segment->len : left;

		if (segment->is_executable)
			continue;
		left -= len;
		*ret_segment = segment;
		if (find_in(parts, segment, len, wanted, buf, ret_at))
			err = 0;
	}
	free(buf);
	return err;
}

static bool is_head(const unsigned char *bytes, const void *data)
{
	return xp_go_table_begins(bytes, *(const bool *)data);
}

/* Nothing says how long the table is: it is all up to the end of its segment. */
static int by_content(const struct parts *parts, struct go_file *file, uint64_t *ret_address)
{
	const bool is_big_endian = xp_elf_facts(parts->elf).is_big_endian;
	const struct wanted wanted = { is_head, &is_big_endian, GO_TABLE_HEAD };
	const struct xp_elf_segment *segment;
	uint64_t at;
	int err = look_for(parts, &wanted, &segment, &at);

	if (err)
		return err;
	uint64_t left = segment->len - at;
	size_t len = (size_t)(left < parts->max_bytes ? left : parts->max_bytes);
	file->bytes = malloc(len);
	if (!file->bytes)
		return -ENOMEM;
	len = xp_elf_read(parts->elf, segment->offset + at, file->bytes, len);
	*ret_address = segment->address + at;
	return xp_go_table_parse(file->bytes, len, is_big_endian, &file->table) ? -ENODATA : 0;
}

static int by_name(struct xp_elf *elf, struct go_file *file, uint64_t *ret_address)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	bool is_big_endian = xp_elf_facts(elf).is_big_endian;
	struct xp_elf_section section;
	size_t i = 0;

	while (i < 2 && xp_elf_section(elf, names[i], &section))
		i++;
	if (i == 2 || !section.bytes || section.is_packed ||
	    xp_go_table_parse(section.bytes, section.len, is_big_endian, &file->table))
		return -ENODATA;
	file->bytes = malloc(section.len);
	if (!file->bytes)
		return -ENOMEM;
	memcpy(file->bytes, section.bytes, section.len);
	file->table.bytes = file->bytes;
	*ret_address = section.address;
	return 0;
}

/* The runtime's description of a program, as words: the addresses of the table and of its names,
 * and further on the first and the last address of its functions. */
enum { WORD_NAMES = 1, WORD_FIRST = 20, WORD_LAST = 21, NR_WORDS = 22 };

struct described {
	const struct go_table *table;
	uint64_t address;
};

static uint64_t word_at(const struct go_table *table, const unsigned char *bytes, size_t i)
{
	size_t len = table->pointer_len;

	return xp_go_number(bytes + i * len, len, table->is_big_endian);
}

static bool is_description(const unsigned char *bytes, const void *data)
{
	const struct described *described = data;
	const struct go_table *table = described->table;

	return word_at(table, bytes, 0) == described->address &&
	       word_at(table, bytes, WORD_NAMES) == described->address + table->names &&
	       word_at(table, bytes, WORD_LAST) - word_at(table, bytes, WORD_FIRST) ==
		       xp_go_table_place(table, table->nr) - xp_go_table_place(table, 0);
}

static bool is_code(const struct parts *parts, uint64_t address)
{
	for (size_t i = 0; i < parts->nr; i++)
		if (parts->at[i].is_executable && address - parts->at[i].address < parts->at[i].len)
			return true;
	return false;
}

/* Finds the beginning of Go's text. Returns 0, -ENODATA: it is not known; -ENOMEM. */
static int find_text(const struct parts *parts, uint64_t address, struct go_table *table)
{
	const struct described described = { table, address };
	const struct wanted wanted = { is_description, &described,
				       (size_t)NR_WORDS * table->pointer_len };
	const struct xp_elf_segment *segment;
	unsigned char words[NR_WORDS * sizeof(uint64_t)];
	struct xp_elf_section section;
	uint64_t at;

	if (!table->is_relative || is_code(parts, table->text))
		return 0;
	int err = look_for(parts, &wanted, &segment, &at);
	if (err == -ENOMEM)
		return err;
	if (!err && xp_elf_read(parts->elf, segment->offset + at, words, wanted.len) == wanted.len)
		table->text = word_at(table, words, WORD_FIRST) - xp_go_table_place(table, 0);
	else if (!xp_elf_section(parts->elf, ".text", &section))
		table->text =
			section.address; /* where no C code was linked, nothing is before it */
	return is_code(parts, table->text) ? 0 : -ENODATA;
}

int xp_go_file_read(struct xp_elf *elf, struct go_file *ret_file)
{
	const uint64_t max_bytes = xp_elf_facts(elf).content_max;
	struct parts parts = { .elf = elf,
			       .max_bytes = max_bytes < MAX_BYTES ? max_bytes : MAX_BYTES };
	struct go_file file = { .bytes = NULL };
	struct xp_elf_section text;
	uint64_t address;
	int nr = xp_elf_segments(elf, &parts.at);

	if (nr < 0)
		return nr == -ENOMEM ? nr : -ENODATA;
	parts.nr = (size_t)nr;
	int err = by_name(elf, &file, &address);
	if (err == -ENODATA && xp_elf_section(elf, ".text", &text))
		err = by_content(&parts, &file, &address);
	if (!err)
		err = find_text(&parts, address, &file.table);
	free(parts.at);
	if (err)
		free(file.bytes);
	else
		*ret_file = file;
	return err;
}
