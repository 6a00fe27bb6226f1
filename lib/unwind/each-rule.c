/* SPDX-License-Identifier: MIT */
/*
 * All rules of a file: the table of functions gives their order, libdw what holds in each, part by
 * part. A part that the function before it has is asked for once.
 */
#include "each-rule.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "eh-table.h"
#include "unwind-impl.h"

enum { PADDING = 16 };

struct pass {
	struct xp_unwind_file *file;
	const struct machine *machine;
	xp_rule_fn fn;
	void *data;
	bool has_part; /* the one that is handed over when another one follows */
	uint64_t start, end;
	struct rule rule;
};

/* Hands over what came before. */
static int flush(struct pass *pass)
{
	bool had_part = pass->has_part;

	pass->has_part = false;
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

/* What is between the functions before and an address. */
static int fill(struct pass *pass, uint64_t start)
{
	static const struct rule none = { .kind = RULE_NONE };

	if (!pass->has_part || start <= pass->end)
		return 0;
	if (start - pass->end >= PADDING)
		return add(pass, pass->end, start, &none);
	pass->end = start;
	return 0;
}

/* --- functions --- */

static bool is_signal_code(struct xp_unwind_file *file, uint64_t address)
{
	const struct machine *machine = file->machine;
	uint8_t code[sizeof(machine->signal_code)];

	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct xp_elf_segment *segment = &file->segments[i];

		if (segment->is_executable && address - segment->address < segment->len)
			return xp_unwind_file_read(
				       file, address - segment->address + segment->offset, code,
				       machine->signal_len) == machine->signal_len &&
			       !memcmp(code, machine->signal_code, machine->signal_len);
	}
	return false;
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

/* Why there is no table. */
static int reason(struct pass *pass)
{
	const struct file_rules *rules = &pass->file->rules;

	return rules->sources[SOURCE_EH].cfi || rules->sources[SOURCE_DEBUG].cfi ? -EOPNOTSUPP
										 : -ENODATA;
}

/* The @number-th function. Returns 0, 1 after the last, or as xp_unwind_file_each_rule(). */
static int add_numbered(struct pass *pass, uint64_t number)
{
	struct xp_unwind_file *file = pass->file;
	int err;

	pthread_mutex_lock(&file->lock);
	bool can_be_read = xp_unwind_file_use(file, pass->machine);
	const struct frame_source *source = &file->rules.sources[SOURCE_EH];
	const struct eh_table *table = &source->image.table;

	if (!can_be_read) {
		err = -ENOENT;
	} else if (!source->cfi || !table->nr) {
		err = reason(pass);
	} else {
		uint64_t next = number + 1 < table->nr
					? xp_eh_table_start(table, source->image.first, number + 1)
					: UINT64_MAX;

		err = number >= table->nr
			      ? 1
			      : add_function(pass, source->cfi,
					     xp_eh_table_start(table, source->image.first, number),
					     next);
	}
	pthread_mutex_unlock(&file->lock);
	return err;
}

int xp_unwind_file_each_rule(struct xp_unwind_file *file, xp_rule_fn fn, void *data)
{
	struct pass pass = {
		.file = file, .machine = xp_machine_find(EM_X86_64), .fn = fn, .data = data
	};
	int err = 0;

	pthread_mutex_lock(&file->lock);
	xp_unwind_file_open_again(file);
	pthread_mutex_unlock(&file->lock);
	for (uint64_t i = 0; !err; i++)
		err = add_numbered(&pass, i);
	return err == 1 ? flush(&pass) : err;
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
