/* SPDX-License-Identifier: MIT */
/*
 * Functions, lines and depths of stacks of Go's own table, which its runtime needs for call chains.
 * Four forms: of Go 1.2, 1.16, 1.18 and 1.20. All numbers are checked against the bytes there are.
 *
 * Source: "Go 1.2 Runtime Symbol Information" (golang.org/s/go12symtab); what Go 1.26 writes,
 * looked at in its programs: a head of 8 bytes and words, a list of addresses and descriptions,
 * which name pairs of differences (value, addresses) for the line, the file and the depth.
 */
#include "go-table.h"

#include <errno.h>
#include <string.h>

enum {
	MAGIC_1_2 = 0xfb,
	MAGIC_1_16 = 0xfa,
	MAGIC_1_18 = 0xf0,
	MAGIC_1_20 = 0xf1,
	MAX_STEPS = 1 << 20, /* through the differences of one function */
};

uint64_t xp_go_number(const unsigned char *bytes, size_t len, bool is_big_endian)
{
	uint64_t number = 0;

	for (size_t i = 0; i < len; i++)
		number = number << 8 | bytes[is_big_endian ? i : len - 1 - i];
	return number;
}

/* 0 beyond the end. */
static uint64_t number_at(const struct go_table *table, size_t at, size_t len)
{
	return at <= table->len && len <= table->len - at
		       ? xp_go_number(table->bytes + at, len, table->is_big_endian)
		       : 0;
}

bool xp_go_table_begins(const unsigned char bytes[GO_TABLE_HEAD], bool is_big_endian)
{
	unsigned char magic = bytes[is_big_endian ? 3 : 0];
	unsigned char quantum = bytes[6], pointer_len = bytes[7];

	for (int i = 1; i < 4; i++)
		if (bytes[is_big_endian ? 3 - i : i] != 0xff)
			return false;
	return (magic == MAGIC_1_2 || magic == MAGIC_1_16 || magic == MAGIC_1_18 ||
		magic == MAGIC_1_20) &&
	       !bytes[4] && !bytes[5] && (quantum == 1 || quantum == 2 || quantum == 4) &&
	       (pointer_len == 4 || pointer_len == 8);
}

static size_t entry_len(const struct go_table *table)
{
	return 2 * (table->is_relative ? sizeof(uint32_t) : table->pointer_len);
}

/* A place that a word of the head has; the end of all if it leads outside. */
static size_t place_of(const struct go_table *table, size_t word)
{
	uint64_t place =
		number_at(table, GO_TABLE_HEAD + word * table->pointer_len, table->pointer_len);

	return place < table->len ? (size_t)place : table->len;
}

/* The form of Go 1.2: the number of functions, and at once their list. Places count from the
 * beginning. */
static void read_old_head(struct go_table *table)
{
	table->functions = GO_TABLE_HEAD + table->pointer_len;
	size_t end = table->functions + table->nr * entry_len(table) + table->pointer_len;

	table->files = (size_t)number_at(table, end, sizeof(uint32_t));
}

static void read_head(struct go_table *table)
{
	size_t word = 2; /* behind the numbers of functions and files */

	if (table->is_relative)
		table->text = number_at(table, GO_TABLE_HEAD + word++ * table->pointer_len,
					table->pointer_len);
	table->names = place_of(table, word++);
	table->units = place_of(table, word++);
	table->files = place_of(table, word++);
	table->counts = place_of(table, word++);
	table->functions = table->base = place_of(table, word);
}

int xp_go_table_parse(const unsigned char *bytes, size_t len, bool is_big_endian,
		      struct go_table *ret_table)
{
	struct go_table table = { .bytes = bytes, .len = len, .is_big_endian = is_big_endian };

	if (len < GO_TABLE_HEAD || !xp_go_table_begins(bytes, is_big_endian))
		return -ENOEXEC;
	unsigned char magic = bytes[is_big_endian ? 3 : 0];
	table.quantum = bytes[6];
	table.pointer_len = bytes[7];
	table.has_parts = magic != MAGIC_1_2;
	table.has_first_line = magic == MAGIC_1_20;
	table.is_relative = magic == MAGIC_1_18 || magic == MAGIC_1_20;
	uint64_t nr = number_at(&table, GO_TABLE_HEAD, table.pointer_len);
	if (!nr || nr > len / entry_len(&table))
		return -ENOEXEC;
	table.nr = (size_t)nr;
	if (table.has_parts)
		read_head(&table);
	else
		read_old_head(&table);
	size_t list_len = table.nr * entry_len(&table) + entry_len(&table) / 2;
	if (table.functions >= len || list_len > len - table.functions)
		return -ENOEXEC;
	*ret_table = table;
	return 0;
}

uint64_t xp_go_table_place(const struct go_table *table, size_t i)
{
	size_t len = entry_len(table);

	return number_at(table, table->functions + i * len, len / 2);
}

/* The place of the description of a function. */
static size_t description_of(const struct go_table *table, size_t i)
{
	size_t len = entry_len(table);
	uint64_t at = number_at(table, table->functions + i * len + len / 2, len / 2);

	return at < table->len - table->base ? table->base + (size_t)at : table->len;
}

/* Field @i of a description, which begins with the address of the function. */
static uint32_t field_of(const struct go_table *table, size_t description, size_t i)
{
	size_t address_len = table->is_relative ? sizeof(uint32_t) : table->pointer_len;

	return (uint32_t)number_at(table, description + address_len + i * sizeof(uint32_t),
				   sizeof(uint32_t));
}

enum {
	FIELD_NAME = 0,
	FIELD_DEPTH = 3,
	FIELD_FILE = 4,
	FIELD_LINE = 5,
	FIELD_UNIT = 7,
	FIELD_FIRST_LINE = 8,
	FIELD_FLAGS = 8 /* behind the first line, where there is one */
};

/* Bits of the second byte of FIELD_FLAGS. Source: abi.FuncFlag of Go 1.17 and later. */
enum { IS_OUTERMOST = 1, WRITES_SP = 2 };

static uint64_t flags_of(const struct go_table *table, size_t description)
{
	size_t address_len = table->is_relative ? sizeof(uint32_t) : table->pointer_len;
	size_t field = FIELD_FLAGS + table->has_first_line;

	return table->has_parts
		       ? number_at(table, description + address_len + field * sizeof(uint32_t) + 1,
				   1)
		       : 0;
}

/* The runtime's handler of signals says that stacks begin with it, but it interrupts a function. */
static bool is_handler(const struct go_table *table, size_t name)
{
	static const char handler[] = "runtime.sigtramp";
	enum { LEN = sizeof(handler) - 1 };

	return table->len - name >= LEN && !memcmp(table->bytes + name, handler, LEN);
}

bool xp_go_table_function(const struct go_table *table, size_t i, struct go_function *ret_function)
{
	size_t description = description_of(table, i);
	uint64_t name = field_of(table, description, FIELD_NAME);
	struct go_function function = { .start = table->text + xp_go_table_place(table, i),
					.end = table->text + xp_go_table_place(table, i + 1) };

	if (description >= table->len || name >= table->len - table->names ||
	    function.end <= function.start)
		return false;
	function.name = table->names + (size_t)name;
	function.is_outermost =
		flags_of(table, description) & IS_OUTERMOST && !is_handler(table, function.name);
	function.writes_sp = flags_of(table, description) & WRITES_SP;
	*ret_function = function;
	return table->bytes[function.name];
}

/* The last function that does not begin behind an address. Returns false: there is none. */
static bool find(const struct go_table *table, uint64_t address, size_t *ret_i)
{
	uint64_t place = address - table->text;
	size_t low = 0, high = table->nr;

	if (address < table->text || place >= xp_go_table_place(table, table->nr))
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (xp_go_table_place(table, middle) <= place)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_i = low - 1;
	return low;
}

bool xp_go_table_find(const struct go_table *table, uint64_t address,
		      struct go_function *ret_function)
{
	size_t i;

	return find(table, address, &i) && xp_go_table_function(table, i, ret_function);
}

/* A number of which each byte has 7 bits, the lowest first. Returns false: there is none. */
static bool next_number(const struct go_table *table, size_t *at, uint32_t *ret_number)
{
	enum { BITS = 7, MAX_BITS = 32 };
	uint32_t number = 0;

	for (unsigned int shift = 0; shift < MAX_BITS && *at < table->len; shift += BITS) {
		unsigned char byte = table->bytes[(*at)++];

		number |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_number = number;
			return true;
		}
	}
	return false;
}

/* Values of one function, one after the other. @until: bytes from its beginning that have @value */
struct steps {
	const struct go_table *table;
	size_t at;
	int nr;
	uint32_t value;
	uint64_t until;
};

/* Those that field @i of a description leads to. Returns false: there are none. */
static bool steps_begin(struct steps *steps, const struct go_table *table, size_t description,
			size_t i)
{
	uint32_t place = field_of(table, description, i);

	*steps = (struct steps){ .table = table, .value = (uint32_t)-1 };
	steps->at = place < table->len - table->counts ? table->counts + place : table->len;
	return place;
}

/* Returns false: that was the last one. */
static bool steps_next(struct steps *steps)
{
	uint32_t difference, addresses;

	if (steps->nr == MAX_STEPS || !next_number(steps->table, &steps->at, &difference) ||
	    (steps->nr++ && !difference) || !next_number(steps->table, &steps->at, &addresses))
		return false;
	/* The lowest bit says that it is negative. */
	steps->value += difference & 1 ? ~(difference >> 1) : difference >> 1;
	steps->until += (uint64_t)addresses * steps->table->quantum;
	return true;
}

/* The value at @distance behind the beginning of a function. Returns false: it is not known. */
static bool value_at(const struct go_table *table, size_t description, size_t field,
		     uint64_t distance, uint32_t *ret_value)
{
	struct steps steps;

	if (!steps_begin(&steps, table, description, field))
		return false;
	while (steps_next(&steps))
		if (distance < steps.until) {
			*ret_value = steps.value;
			return true;
		}
	return false;
}

/* Returns NULL: it is not known. */
static const char *file_of(const struct go_table *table, size_t description, uint32_t number)
{
	const uint32_t none = UINT32_MAX;
	uint64_t index = table->has_parts
				 ? (uint64_t)field_of(table, description, FIELD_UNIT) + number
				 : number;
	size_t list = table->has_parts ? table->units : table->files;

	if (list >= table->len || index >= (table->len - list) / sizeof(uint32_t))
		return NULL;
	uint32_t name =
		(uint32_t)number_at(table, list + index * sizeof(uint32_t), sizeof(uint32_t));
	size_t names = table->has_parts ? table->files : 0;
	if (name == none || name >= table->len - names ||
	    !memchr(table->bytes + names + name, '\0', table->len - names - name))
		return NULL;
	return (const char *)table->bytes + names + name;
}

bool xp_go_table_line(const struct go_table *table, uint64_t address, const char **ret_file,
		      uint32_t *ret_line, uint32_t *ret_start_line)
{
	uint32_t line, file;
	size_t i;

	if (!find(table, address, &i))
		return false;
	size_t description = description_of(table, i);
	uint64_t distance = address - table->text - xp_go_table_place(table, i);
	if (!value_at(table, description, FIELD_LINE, distance, &line) ||
	    !value_at(table, description, FIELD_FILE, distance, &file))
		return false;
	const char *name = file_of(table, description, file);
	if (!name || !*name)
		return false;
	*ret_file = name;
	*ret_line = line;
	*ret_start_line =
		table->has_first_line ? field_of(table, description, FIELD_FIRST_LINE) : 0;
	return true;
}

void xp_go_table_depths(const struct go_table *table, uint64_t address, xp_go_depth_fn fn,
			void *data)
{
	struct steps steps;
	size_t i;

	if (!find(table, address, &i) ||
	    !steps_begin(&steps, table, description_of(table, i), FIELD_DEPTH))
		return;
	const uint64_t start = table->text + xp_go_table_place(table, i);
	const uint64_t len = xp_go_table_place(table, i + 1) - xp_go_table_place(table, i);
	for (uint64_t done = 0; done < len && steps_next(&steps); done = steps.until) {
		uint64_t end = steps.until < len ? steps.until : len;

		if (end > done && !fn(data, start + done, start + end, (int32_t)steps.value))
			return;
	}
}
