/* SPDX-License-Identifier: MIT */
/* The table of functions that each program in Go carries, however it was stripped. */
#ifndef SYMBOL_GO_TABLE_H
#define SYMBOL_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xp_elf;

/*
 * A table, whose bytes are untrusted.
 * @text:      what the addresses of functions count from; 0: they are addresses
 * @functions: where the list of functions is; @base: what their descriptions count from
 * @names, @units, @files, @counts: where these parts are
 */
struct go_table {
	const unsigned char *bytes;
	size_t len;
	bool is_big_endian;
	bool is_relative;    /* to @text, since Go 1.18 */
	bool has_parts;      /* since Go 1.16 */
	bool has_first_line; /* of each function, since Go 1.20 */
	uint8_t pointer_len; /* bytes */
	uint8_t quantum;     /* bytes that addresses are counted in */
	uint64_t text;
	size_t nr, functions, base, names, units, files, counts;
};

/* The beginning of a table has this many bytes at least. */
enum { GO_TABLE_HEAD = 8 };

/* Reads a number of up to 8 bytes. */
uint64_t xp_go_number(const unsigned char *bytes, size_t len, bool is_big_endian);
/* True if a table could begin with these bytes. */
bool xp_go_table_begins(const unsigned char bytes[GO_TABLE_HEAD], bool is_big_endian);
/* Reads the head. Returns 0 or -ENOEXEC. */
int xp_go_table_parse(const unsigned char *bytes, size_t len, bool is_big_endian,
		      struct go_table *ret_table);

/*
 * @name:         where it begins in the table's bytes; a NUL, or their end, ends it
 * @is_outermost: stacks begin with it
 * @writes_sp:    it changes to another stack: depths say nothing of it
 */
struct go_function {
	uint64_t start, end;
	size_t name;
	bool is_outermost, writes_sp;
};

/* Function @i of @nr; they are in the order of their addresses unless the table is damaged. Returns
 * false: it is damaged, or has no name. */
bool xp_go_table_function(const struct go_table *table, size_t i, struct go_function *ret_function);
/* The address of function @i without @text; that of @nr is where the last one ends. */
uint64_t xp_go_table_place(const struct go_table *table, size_t i);

/* The line of an address. Returns false: it is not known. @ret_file: in the table's bytes;
 * *ret_start_line: of the function, 0: before Go 1.20 */
bool xp_go_table_line(const struct go_table *table, uint64_t address, const char **ret_file,
		      uint32_t *ret_line, uint32_t *ret_start_line);

/* The function around an address. Returns false: there is none. */
bool xp_go_table_find(const struct go_table *table, uint64_t address,
		      struct go_function *ret_function);

/* Addresses from @start on and before @end have the stack pointer @depth bytes below where their
 * function found it. Returns false: that was enough. */
typedef bool (*xp_go_depth_fn)(void *data, uint64_t start, uint64_t end, int32_t depth);

/* Hands over all parts of the function around an address, as far as they are known. */
void xp_go_table_depths(const struct go_table *table, uint64_t address, xp_go_depth_fn fn,
			void *data);

/* The table of a file. @bytes: the caller's to free */
struct go_file {
	struct go_table table;
	void *bytes;
};

/* Finds the table of an ELF file (go-file.c). Returns 0, -ENODATA: there is none; -ENOMEM. */
int xp_go_file_read(struct xp_elf *elf, struct go_file *ret_file);

#endif
