/* SPDX-License-Identifier: MIT */
/*
 * Of several rows of one address, the last counts; so do binutils and LLVM. Instructions of
 * processors that have several in one word (op_index) are not distinguished.
 *
 * Source: DWARF 5, 6.2 "Line Number Information".
 */
#include "lines.h"

#include <errno.h>
#include <stdlib.h>

#include "constants.h"
#include "search.h"
#include "vec.h"

/* The header of a program, and the registers of the machine that runs it. */
struct program {
	const struct die_unit *unit;
	struct die_unit sizes; /* of this table: they may differ from the unit's */
	struct line_table *table;
	const char **dirs;
	size_t nr_dirs, room_dirs;
	uint8_t min_len, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *nr_args; /* of standard opcodes */

	uint64_t address;
	uint32_t file, line;
	size_t first; /* row of the sequence */
	bool is_gone; /* the linker has thrown it away */
};

static int add_dir(struct program *program, const char *dir)
{
	if (vec_reserve(&program->dirs, program->nr_dirs, &program->room_dirs,
			sizeof(const char *)))
		return -ENOMEM;
	program->dirs[program->nr_dirs++] = dir;
	return 0;
}

static int add_file(struct program *program, const char *name, uint64_t dir)
{
	struct line_table *table = program->table;

	if (vec_reserve(&table->files, table->nr_files, &table->room_files, sizeof(*table->files)))
		return -ENOMEM;
	table->files[table->nr_files++] = (struct line_file){
		.name = name,
		.dir = dir < program->nr_dirs ? program->dirs[dir] : NULL,
	};
	return 0;
}

/* --- the header --- */

/* Up to DWARF 4: texts, with numbers behind those of files. Directory 0 is the unit's. */
static int read_old_file(struct program *program, struct cursor *c, const char *name)
{
	uint64_t dir = cursor_uleb(c);

	cursor_uleb(c); /* when it was changed */
	cursor_uleb(c); /* its length */
	return c->failed ? -EBADMSG : add_file(program, name, dir);
}

static int read_old_names(struct program *program, struct cursor *c)
{
	const char *name;
	int err = add_dir(program, NULL);

	while (!err && (name = cursor_text(c)) && *name)
		err = add_dir(program, name);
	while (!err && (name = cursor_text(c)) && *name)
		err = read_old_file(program, c, name);
	program->table->first_file = 1;
	return err;
}

/* DWARF 5: what an entry has, and in which form. */
struct format {
	uint64_t type, form;
};

static int read_entry(struct program *program, struct cursor *c, const struct format *formats,
		      unsigned int nr_formats, bool is_dir)
{
	const struct die_unit *sizes = &program->sizes;
	struct value name = { 0 };
	uint64_t dir = 0;

	for (unsigned int i = 0; i < nr_formats; i++) {
		struct value value;

		xp_die_value(sizes, (unsigned int)formats[i].form, c, &value);
		if (formats[i].type == DW_LNCT_path)
			name = value;
		else if (formats[i].type == DW_LNCT_directory_index)
			xp_die_number(&value, &dir);
	}
	if (c->failed)
		return -EBADMSG;
	const char *text = xp_die_text(sizes, &name);
	return is_dir ? add_dir(program, text) : add_file(program, text, dir);
}

static int read_entries(struct program *program, struct cursor *c, bool is_dir)
{
	struct format formats[UINT8_MAX];
	unsigned int nr_formats = cursor_u8(c);
	int err = 0;

	for (unsigned int i = 0; i < nr_formats; i++) {
		formats[i].type = cursor_uleb(c);
		formats[i].form = cursor_uleb(c);
	}
	for (uint64_t nr = cursor_uleb(c); nr && !err && !c->failed; nr--) {
		const uint8_t *begin = c->at;

		err = read_entry(program, c, formats, nr_formats, is_dir);
		if (c->at == begin)
			return -EBADMSG;
	}
	return err;
}

/* Returns 0 with *c at the first opcode. */
static int read_header(struct program *program, struct cursor *c)
{
	struct die_unit *sizes = &program->sizes;

	sizes->version = cursor_u16(c) & UINT8_MAX;
	if (sizes->version >= 5) {
		sizes->address_size = cursor_u8(c);
		cursor_u8(c); /* of segments */
	}
	uint64_t len = cursor_fixed(c, sizes->offset_size);
	if (c->failed || sizes->version < 2 || sizes->version > 5 || len > cursor_left(c) ||
	    (sizes->address_size != 4 && sizes->address_size != 8))
		return -EBADMSG;
	const uint8_t *opcodes = c->at + len;
	program->min_len = cursor_u8(c);
	if (sizes->version >= 4)
		cursor_u8(c); /* instructions in a word */
	cursor_u8(c);         /* whether rows are statements at first */
	program->line_base = (int8_t)cursor_u8(c);
	program->line_range = cursor_u8(c);
	program->opcode_base = cursor_u8(c);
	program->nr_args = c->at;
	if (!program->opcode_base || !cursor_skip(c, program->opcode_base - 1U))
		return -EBADMSG;
	int err = sizes->version >= 5 ? read_entries(program, c, true) : read_old_names(program, c);
	if (!err && sizes->version >= 5)
		err = read_entries(program, c, false);
	c->failed = false;
	c->at = opcodes;
	return err;
}

/* --- the program --- */

static void reset(struct program *program)
{
	program->address = 0;
	program->file = program->line = 1;
	program->is_gone = false;
	program->first = program->table->nr_rows;
}

static int add_row(struct program *program, uint32_t line)
{
	struct line_table *table = program->table;
	struct line_row row = { program->address, program->file, line };
	struct line_row *last =
		table->nr_rows > program->first ? &table->rows[table->nr_rows - 1] : NULL;

	if (last && last->address == row.address) {
		*last = row;
		return 0;
	}
	if (last && last->file == row.file && last->line == row.line)
		return 0;
	if (vec_reserve(&table->rows, table->nr_rows, &table->room_rows, sizeof(row)))
		return -ENOMEM;
	table->rows[table->nr_rows++] = row;
	return 0;
}

/* One that begins at 0, or the highest address, was thrown away. */
static bool is_gone(const struct program *program, uint64_t address)
{
	uint64_t highest = program->sizes.address_size == 8 ? UINT64_MAX : UINT32_MAX;
	bool is_module = xp_elf_facts(program->unit->addresses->elf).is_relocatable;

	return address >= highest - 1 || (!address && !is_module);
}

static int end_sequence(struct program *program)
{
	struct line_table *table = program->table;
	int err = add_row(program, LINE_NONE);

	if (program->is_gone)
		table->nr_rows = program->first;
	reset(program);
	return err;
}

static int run_extended(struct program *program, struct cursor *c)
{
	uint64_t len = cursor_uleb(c);
	const uint8_t *begin = c->at;
	int err = 0;

	if (c->failed || !len || len > cursor_left(c))
		return -EBADMSG;
	switch (cursor_u8(c)) {
	case DW_LNE_end_sequence:
		err = end_sequence(program);
		break;
	case DW_LNE_set_address:
		program->address = cursor_fixed(c, len - 1 < program->sizes.address_size
							   ? (unsigned int)(len - 1)
							   : program->sizes.address_size);
		if (program->table->nr_rows == program->first)
			program->is_gone = is_gone(program, program->address);
		break;
	case DW_LNE_define_file: {
		const char *name = cursor_text(c);

		err = name ? read_old_file(program, c, name) : -EBADMSG;
		break;
	}
	default:
		break;
	}
	c->at = begin + len;
	return err;
}

static int run_standard(struct program *program, unsigned int opcode, struct cursor *c)
{
	switch (opcode) {
	case DW_LNS_extended:
		return run_extended(program, c);
	case DW_LNS_copy:
		return add_row(program, program->line);
	case DW_LNS_advance_pc:
		program->address += cursor_uleb(c) * program->min_len;
		return 0;
	case DW_LNS_advance_line:
		program->line += (uint32_t)cursor_sleb(c);
		return 0;
	case DW_LNS_set_file:
		program->file = (uint32_t)cursor_uleb(c);
		return 0;
	case DW_LNS_const_add_pc:
		if (program->line_range)
			program->address +=
				(uint64_t)((255 - program->opcode_base) / program->line_range) *
				program->min_len;
		return 0;
	case DW_LNS_fixed_advance_pc:
		program->address += cursor_u16(c);
		return 0;
	default:
		for (unsigned int i = 0; i < program->nr_args[opcode - 1]; i++)
			cursor_uleb(c);
		return 0;
	}
}

static int run(struct program *program, struct cursor *c)
{
	int err = 0;

	reset(program);
	while (!err && c->at < c->end && !c->failed) {
		unsigned int opcode = cursor_u8(c);

		if (opcode < program->opcode_base) {
			err = run_standard(program, opcode, c);
			continue;
		}
		if (!program->line_range)
			return -EBADMSG;
		unsigned int special = opcode - program->opcode_base;
		program->address += (uint64_t)(special / program->line_range) * program->min_len;
		program->line +=
			(uint32_t)(program->line_base + (int)(special % program->line_range));
		err = add_row(program, program->line);
	}
	/* A sequence without an end is not one. */
	if (err != -ENOMEM)
		program->table->nr_rows = program->first;
	return err == -ENOMEM ? err : 0;
}

/* --- the table --- */

static int compare_rows(const void *a, const void *b)
{
	const struct line_row *l = a, *r = b;

	if (l->address != r->address)
		return l->address < r->address ? -1 : 1;
	/* Where one sequence ends another one may begin. */
	return (l->line != LINE_NONE) - (r->line != LINE_NONE);
}

static void sort_rows(struct line_table *table)
{
	for (size_t i = 1; i < table->nr_rows; i++)
		if (compare_rows(&table->rows[i - 1], &table->rows[i]) > 0) {
			qsort(table->rows, table->nr_rows, sizeof(*table->rows), compare_rows);
			return;
		}
}

int xp_lines_read(const struct die_unit *unit, uint64_t offset, struct line_table *ret_table)
{
	enum { ENOUGH_FOR_LENGTH = 16 };
	struct line_table table = { 0 };
	struct program program = { .unit = unit, .sizes = *unit, .table = &table };
	struct cursor c;

	if (!xp_dwarf_read(unit->image, DWARF_LINE, offset, ENOUGH_FOR_LENGTH, &c))
		return -EBADMSG;
	const uint8_t *begin = c.at;
	uint64_t len = cursor_length(&c, &program.sizes.offset_size);
	uint64_t head = (uint64_t)(c.at - begin);
	/* As much is read of all tables as the file is long: several units may have the same one.
	 */
	if (c.failed || len > unit->image->left ||
	    !xp_dwarf_read(unit->image, DWARF_LINE, offset + head, len, &c))
		return -EBADMSG;
	unit->image->left -= len;
	int err = read_header(&program, &c) ?: run(&program, &c);

	free(program.dirs);
	if (err) {
		xp_line_table_fini(&table);
		return err;
	}
	sort_rows(&table);
	*ret_table = table;
	return 0;
}

void xp_line_table_fini(struct line_table *table)
{
	free(table->rows);
	free(table->files);
	*table = (struct line_table){ 0 };
}

const struct line_row *xp_lines_find(const struct line_table *table, uint64_t address)
{
	size_t nr = SEARCH_UP_TO(address, table->rows, table->nr_rows, address);

	return nr && table->rows[nr - 1].line != LINE_NONE ? &table->rows[nr - 1] : NULL;
}

const struct line_file *xp_lines_file(const struct line_table *table, uint64_t number)
{
	uint64_t at = number - table->first_file;

	return at < table->nr_files && table->files[at].name ? &table->files[at] : NULL;
}
