/* SPDX-License-Identifier: MIT */
/*
 * All rules of a file: the table of functions gives their order, or a list of all that is
 * described, of both sections. libdw has what holds in each function, part by part. A part that the
 * function before it has is asked for once.
 */
#include "each-rule.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "eh-table.h"
#include "unwind-impl.h"
#include "vec.h"

enum { PADDING = 16 };

/* A function, and the section that describes it. */
struct beginning {
	uint64_t address;
	int source;
};

/* @list: what begins where, of a file without a table, or with more than that says; sorted */
struct pass {
	struct xp_unwind_file *file;
	const struct machine *machine;
	xp_rule_fn fn;
	void *data;
	struct beginning *list;
	size_t nr_list;
	uint64_t limit; /* of what is read of code */
	int err;        /* of that */
	bool has_any;
	bool has_part; /* the one that is handed over when another one follows */
	uint64_t start, end;
	struct rule rule;
};

/* Hands over what came before. */
static int flush(struct pass *pass)
{
	bool had_part = pass->has_part;

	pass->has_part = false;
	pass->has_any = pass->has_any || had_part;
	return had_part ? pass->fn(pass->data, pass->start, pass->end, &pass->rule) : 0;
}

/* Equal ones become one. */
static int add(struct pass *pass, uint64_t start, uint64_t end, const struct rule *rule)
{
	if (pass->has_part && pass->end == start && !memcmp(&pass->rule, rule, sizeof(*rule))) {
		pass->end = end;
		return 0;
	}
	int err = flush(pass);

	pass->has_part = true;
	pass->start = start;
	pass->end = end;
	pass->rule = *rule;
	return err;
}

/* What is between the parts before and an address. */
static int skip(struct pass *pass, uint64_t start)
{
	static const struct rule none = { .kind = RULE_NONE };

	if (!pass->has_part || start <= pass->end)
		return 0;
	if (start - pass->end >= PADDING)
		return add(pass, pass->end, start, &none);
	pass->end = start;
	return 0;
}

/* --- code --- */

/* A part of a function that nothing describes, as far as it is not beyond pass->limit. */
static void add_code(void *data, uint64_t start, uint64_t end, const struct rule *rule)
{
	struct pass *pass = data;

	if (pass->has_part && start < pass->end)
		start = pass->end;
	if (end > pass->limit)
		end = pass->limit;
	/* Walks by rules do not know frame pointers. */
	if (pass->err || start >= end || rule->kind == RULE_NONE || rule->kind == RULE_POINTER)
		return;
	pass->err = skip(pass, start) ?: add(pass, start, end, rule);
}

/* What is between the functions before and an address: its code says it, if symbols have it. */
static int fill(struct pass *pass, uint64_t start)
{
	uint64_t at = pass->has_part ? pass->end : 0;
	struct function function;

	if (start <= at)
		return 0;
	pass->limit = start;
	pass->err = 0;
	while (start - at >= PADDING && !pass->err && xp_function_next(pass->file, at, &function) &&
	       function.start < start) {
		xp_function_rules(pass->file, function.start, add_code, pass);
		at = function.start + 1;
	}
	return pass->err ?: start == UINT64_MAX ? pass->err : skip(pass, start);
}

/* --- functions --- */

/* The segment of code around an address; NULL: there is none. */
static const struct xp_elf_segment *segment_of(const struct xp_unwind_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->nr_segments; i++)
		if (file->segments[i].is_executable &&
		    address - file->segments[i].address < file->segments[i].len)
			return &file->segments[i];
	return NULL;
}

static bool is_signal_code(struct xp_unwind_file *file, uint64_t address)
{
	const struct machine *machine = file->machine;
	uint8_t code[sizeof(machine->signal_code)];

	const struct xp_elf_segment *segment = segment_of(file, address);

	return segment &&
	       xp_unwind_file_read(file, address - segment->address + segment->offset, code,
				   machine->signal_len) == machine->signal_len &&
	       !memcmp(code, machine->signal_code, machine->signal_len);
}

/* Descriptions begin one byte before the code that handlers of signals return to. */
static struct rule rule_of(struct pass *pass, const struct cfi_row *row, uint64_t start)
{
	struct rule rule = xp_rule_of(pass->machine, row);

	if (rule.is_signal &&
	    (is_signal_code(pass->file, start) || is_signal_code(pass->file, start + 1)))
		rule = (struct rule){ .kind = RULE_SIGNAL, .is_signal = true };
	return rule;
}

/* The parts of one function, which ends where the next one begins. */
static int add_function(struct pass *pass, struct xp_cfi *cfi, uint64_t start, uint64_t next)
{
	const struct machine *machine = pass->machine;
	struct cfi_row row;
	int err = 0;

	for (uint64_t at = start; at < next && !err; at = row.end) {
		if (xp_cfi_find(cfi, at, machine->saved, machine->nr_saved, &row))
			break;
		if (row.end > next)
			row.end = next;
		struct rule rule = rule_of(pass, &row, at);
		err = fill(pass, at) ?: add(pass, at, row.end, &rule);
	}
	return err;
}

/* What linkers have left out can be described still, at 0. */
static int add_beginning(struct pass *pass, int source, uint64_t address)
{
	if (!segment_of(pass->file, address))
		return 0;
	if (vec_add(&pass->list, pass->nr_list, sizeof(*pass->list)))
		return -ENOMEM;
	pass->list[pass->nr_list++] = (struct beginning){ address, source };
	return 0;
}

static int add_section(struct pass *pass, int number)
{
	struct frame_source *source = &pass->file->rules.sources[number];
	const struct eh_table *table = &source->image.table;
	uint64_t *starts;
	size_t nr;
	int err = 0;

	if (!source->cfi)
		return 0;
	if (table->nr) {
		for (uint64_t i = 0; i < table->nr && !err; i++)
			err = add_beginning(pass, number,
					    xp_eh_table_start(table, source->image.first, i));
		return err;
	}
	err = xp_cfi_starts(source->cfi, &starts, &nr);
	if (err)
		return err == -ENODATA ? 0 : err;
	for (size_t i = 0; i < nr && !err; i++)
		err = add_beginning(pass, number, starts[i]);
	free(starts);
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct beginning *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return one->source - other->source;
}

/* Of two sections that describe a function, the first one counts. */
static void sort(struct pass *pass)
{
	size_t nr = 0;

	if (pass->nr_list)
		qsort(pass->list, pass->nr_list, sizeof(*pass->list), compare);
	for (size_t i = 0; i < pass->nr_list; i++)
		if (!nr || pass->list[nr - 1].address != pass->list[i].address)
			pass->list[nr++] = pass->list[i];
	pass->nr_list = nr;
}

/* The table is enough where it is there, and nothing else describes anything. */
static int make_list(struct pass *pass)
{
	const struct frame_source *sources = pass->file->rules.sources;
	int err = 0;

	if (!xp_unwind_file_use(pass->file, pass->machine))
		return -ENOENT;
	if (!sources[SOURCE_DEBUG].cfi &&
	    (!sources[SOURCE_EH].cfi || sources[SOURCE_EH].image.table.nr))
		return 0;
	for (int i = SOURCE_EH; i <= SOURCE_DEBUG && !err; i++)
		err = add_section(pass, i);
	sort(pass);
	return err ?: pass->nr_list ? err : -EOPNOTSUPP;
}

static int add_listed(struct pass *pass, size_t number)
{
	const struct beginning *at = &pass->list[number];
	uint64_t next = number + 1 < pass->nr_list ? at[1].address : UINT64_MAX;
	struct xp_cfi *cfi = pass->file->rules.sources[at->source].cfi;

	return cfi ? add_function(pass, cfi, at->address, next) : -ENOENT;
}

static int add_of_table(struct pass *pass, uint64_t number)
{
	const struct frame_source *source = &pass->file->rules.sources[SOURCE_EH];
	const struct eh_table *table = &source->image.table;

	if (!source->cfi || number >= table->nr)
		return -ENOENT;
	return add_function(
		pass, source->cfi, xp_eh_table_start(table, source->image.first, number),
		number + 1 < table->nr ? xp_eh_table_start(table, source->image.first, number + 1)
				       : UINT64_MAX);
}

/* The @number-th function. Returns 0, 1 after the last, or as xp_unwind_file_each_rule(). */
static int add_numbered(struct pass *pass, uint64_t number)
{
	struct xp_unwind_file *file = pass->file;
	int err;

	pthread_mutex_lock(&file->lock);
	if (!xp_unwind_file_use(file, pass->machine))
		err = -ENOENT;
	else if (number >=
		 (pass->list ? pass->nr_list : file->rules.sources[SOURCE_EH].image.table.nr))
		err = fill(pass, UINT64_MAX) ?: 1;
	else
		err = pass->list ? add_listed(pass, number) : add_of_table(pass, number);
	pthread_mutex_unlock(&file->lock);
	return err;
}

int xp_unwind_file_each_rule(struct xp_unwind_file *file, xp_rule_fn fn, void *data)
{
	struct pass pass = {
		.file = file, .machine = xp_machine_find(EM_X86_64), .fn = fn, .data = data
	};
	int err;

	pthread_mutex_lock(&file->lock);
	xp_unwind_file_open_again(file);
	err = make_list(&pass);
	pthread_mutex_unlock(&file->lock);
	for (uint64_t i = 0; !err; i++)
		err = add_numbered(&pass, i);
	free(pass.list);
	if (err != 1)
		return err;
	err = flush(&pass);
	return err ?: pass.has_any ? err : -ENODATA;
}

/* --- the file --- */

bool xp_unwind_file_place(struct xp_unwind_file *file, uint64_t offset, uint64_t *ret_address)
{
	pthread_mutex_lock(&file->lock);
	bool is_there = xp_unwind_file_is_open(file, xp_machine_find(EM_X86_64));
	if (is_there)
		*ret_address = xp_unwind_file_address(file, offset);
	pthread_mutex_unlock(&file->lock);
	return is_there;
}

uint64_t xp_unwind_file_size(struct xp_unwind_file *file)
{
	struct stat st;
	uint64_t bytes = 0;

	pthread_mutex_lock(&file->lock);
	if (!file->is_open)
		xp_unwind_file_load(file);
	if (file->code.image)
		bytes = file->code.image_len;
	else if (file->code.fd >= 0 && !fstat(file->code.fd, &st))
		bytes = (uint64_t)st.st_size;
	pthread_mutex_unlock(&file->lock);
	return bytes;
}

void xp_unwind_file_forget(struct xp_unwind_file *file)
{
	pthread_mutex_lock(&file->lock);
	xp_unwind_file_unload(file);
	xp_unwind_file_close(file);
	pthread_mutex_unlock(&file->lock);
}
