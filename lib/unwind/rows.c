/* SPDX-License-Identifier: MIT */
/*
 * The rules of a file by address. libdw is asked when an address is in none of the rows that are
 * known; what it says holds for a range, whose part in one page becomes a row. So rows of a page
 * are few, and adding one moves few.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/symtab.h>

#include "cleanup.h"
#include "edges.h"
#include "epilogue.h"
#include "leaf.h"
#include "search.h"
#include "stub.h"
#include "unwind-impl.h"
#include "vec.h"

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT };

static struct page *find_page(struct file_rules *rules, uint64_t number)
{
	size_t at;

	for (struct index_walk walk =
		     index_walk(&rules->by_number, xp_hash_word(xp_hash_seed(), number));
	     index_next(&walk, &at);)
		if (rules->pages[at].number == number)
			return &rules->pages[at];
	return NULL;
}

/* Finds or makes the page. Returns NULL: no memory. */
static struct page *page_of(struct xp_unwind_file *file, uint64_t number)
{
	struct file_rules *rules = &file->rules;
	struct page *page = find_page(rules, number);

	if (page)
		return page;
	if (vec_add(&rules->pages, rules->nr_pages, sizeof(*rules->pages)) ||
	    index_add(&rules->by_number, xp_hash_word(xp_hash_seed(), number), rules->nr_pages))
		return NULL;
	page = &rules->pages[rules->nr_pages++];
	*page = (struct page){ .number = number };
	return page;
}

static int starts_after(const void *element, const void *key)
{
	const struct row *row = element;
	const uint16_t *at = key;

	return row->start > *at ? 1 : -1;
}

/* How many rows of a page begin at @at or before it: the last of them may have it. */
static size_t rows_up_to(const struct page *page, uint16_t at)
{
	return page->nr
		       ? search_before(&at, page->rows, page->nr, sizeof(*page->rows), starts_after)
		       : 0;
}

static const struct row *find_row(const struct page *page, uint16_t at)
{
	size_t nr = rows_up_to(page, at);

	return nr && at < page->rows[nr - 1].end ? &page->rows[nr - 1] : NULL;
}

/* The number of a rule; UINT32_MAX: no memory. */
static uint32_t rule_number(struct file_rules *rules, const struct rule *rule)
{
	uint64_t hash = xp_hash_bytes(xp_hash_seed(), rule, sizeof(*rule));
	size_t at;

	for (struct index_walk walk = index_walk(&rules->by_rule, hash); index_next(&walk, &at);)
		if (!memcmp(&rules->rules[at], rule, sizeof(*rule)))
			return (uint32_t)at;
	if (vec_add(&rules->rules, rules->nr_rules, sizeof(*rules->rules)) ||
	    index_add(&rules->by_rule, hash, rules->nr_rules))
		return UINT32_MAX;
	rules->rules[rules->nr_rules] = *rule;
	return (uint32_t)rules->nr_rules++;
}

/* Adds a row from @address on, cut where the page ends or another row begins. */
static void add_row(struct xp_unwind_file *file, uint64_t address, uint64_t end,
		    const struct rule *rule)
{
	enum { BYTES = sizeof(struct row) + sizeof(struct rule) / 4 };
	uint64_t first = address & ~(uint64_t)(PAGE_BYTES - 1);
	struct page *page = page_of(file, address >> PAGE_SHIFT);
	uint32_t number = rule_number(&file->rules, rule);

	if (!page || number == UINT32_MAX || vec_add(&page->rows, page->nr, sizeof(*page->rows)))
		return;
	struct row row = { (uint16_t)(address - first),
			   end - first < PAGE_BYTES ? (uint16_t)(end - first) : PAGE_BYTES,
			   number };
	size_t at = rows_up_to(page, row.start);
	if (at < page->nr && page->rows[at].start < row.end)
		row.end = page->rows[at].start;
	memmove(page->rows + at + 1, page->rows + at, (page->nr - at) * sizeof(*page->rows));
	page->rows[at] = row;
	page->nr++;
	xp_unwind_file_account(file, BYTES);
}

/* Whether the code of the end of a signal's handler is at an offset. */
static bool is_signal_return(struct xp_unwind_file *file, uint64_t offset)
{
	const struct machine *machine = file->machine;
	uint8_t code[sizeof(machine->signal_code)];

	return xp_unwind_file_read(file, offset, code, machine->signal_len) ==
		       machine->signal_len &&
	       !memcmp(code, machine->signal_code, machine->signal_len);
}

/* Whether code is there that a linker has added. */
static bool is_stub(struct xp_unwind_file *file, uint64_t offset, struct rule *rule)
{
	uint8_t code[STUB_BYTES] = { 0 };

	return offset >= STUB_BEFORE &&
	       xp_unwind_file_read(file, offset - STUB_BEFORE, code, sizeof(code)) > STUB_BEFORE &&
	       xp_stub_rule(file->machine, code, rule);
}

/* Whether nothing is saved: a function begins, or does without a frame. */
static bool is_bare(const struct machine *machine, const struct rule *rule)
{
	return rule->kind == RULE_FRAME && rule->cfa_reg == machine->sp && !rule->cfa_offset &&
	       !rule->saved;
}

/* Instructions of the file. Returns how many there were. */
static size_t read_code(struct xp_unwind_file *file, uint64_t offset, uint32_t *code, size_t nr)
{
	return xp_unwind_file_read(file, offset, code, nr * sizeof(*code)) / sizeof(*code);
}

/* The return address is in its register all through a function that nothing describes. Functions
 * are entered by calls, or by others that leave as they were called. */
static bool is_leaf(struct xp_unwind_file *file, uint64_t address, uint64_t offset,
		    struct rule *rule)
{
	struct function function;

	if (!xp_function_find(file, address, &function))
		return false;
	uint64_t len = function.end - function.start, done = address - function.start;
	if (len % sizeof(uint32_t) || len / sizeof(uint32_t) > LEAF_INSTRUCTIONS || done > offset)
		return false;
	size_t nr = (size_t)len / sizeof(uint32_t);
	xp_auto_free uint32_t *code = calloc(nr, sizeof(*code));
	if (!code)
		unwind_note(file->unwind, -ENOMEM);
	return code && read_code(file, offset - done, code, nr) == nr &&
	       xp_leaf_rule(file->machine, code, nr, rule);
}

/* Where a description may leave out the edges of a function, what the code there does instead. */
static void read_edges(struct xp_unwind_file *file, uint64_t offset, uint64_t done,
		       struct rule *rule)
{
	const struct machine *machine = file->machine;
	uint32_t code[EDGE_INSTRUCTIONS];
	size_t nr = done / sizeof(*code);

	if (rule->kind != RULE_FRAME && rule->kind != RULE_NONE)
		return;
	if (xp_edge_end(machine, code, read_code(file, offset, code, EDGE_INSTRUCTIONS), rule))
		return;
	if (offset >= sizeof(code) / 2 &&
	    xp_edge_jump(machine, code, EDGE_INSTRUCTIONS / 2,
			 read_code(file, offset - sizeof(code) / 2, code, EDGE_INSTRUCTIONS), rule))
		return;
	if (is_bare(machine, rule) && nr <= EDGE_INSTRUCTIONS && done <= offset &&
	    read_code(file, offset - done, code, nr) == nr)
		xp_edge_begin(machine, code, nr, rule);
}

/* Which instruction it is decides, where registers are saved below the stack pointer. */
static void read_epilogue(struct xp_unwind_file *file, uint64_t offset, struct rule *rule)
{
	uint8_t code[EPILOGUE_BYTES];
	size_t len = xp_unwind_file_read(file, offset, code, sizeof(code));

	xp_epilogue_rule(file->machine, code, len, rule);
}

/* What libdw says of an address as a rule. @ret_done: bytes from where on that holds */
static int described_rule(struct xp_unwind_file *file, uint64_t address, struct rule *rule,
			  uint64_t *ret_end, uint64_t *ret_done)
{
	const struct machine *machine = file->machine;
	struct cfi_row found;
	int err = xp_unwind_file_look_up(file, address, &found);

	if (err)
		return err;
	*rule = xp_rule_of(machine, &found);
	*ret_end = found.end;
	*ret_done = address - found.start;
	/* Before the instruction that tells of them, the words have been pushed already. */
	if (!machine->is_call_pushing && is_bare(machine, rule) &&
	    !xp_unwind_file_look_up(file, *ret_end, &found))
		xp_rule_move(machine, rule, xp_rule_pushed(machine, &found));
	return 0;
}

/* Rows of what the code says, but where there are some, or are described. */
static void add_rows(void *data, uint64_t start, uint64_t end, const struct rule *rule)
{
	struct xp_unwind_file *file = data;
	struct cfi_row row;

	for (uint64_t next; start < end; start = next) {
		const struct page *page = find_page(&file->rules, start >> PAGE_SHIFT);

		next = (start | (PAGE_BYTES - 1)) + 1;
		if (next > end)
			next = end;
		if (!(page && find_row(page, (uint16_t)(start % PAGE_BYTES))) &&
		    xp_unwind_file_look_up(file, start, &row) == -ENOENT &&
		    xp_unwind_file_look_up(file, next - 1, &row) == -ENOENT)
			add_row(file, start, next, rule);
	}
}

/* Reads the code of an address that nothing describes. Returns false: it says nothing. */
static bool read_function(struct xp_unwind_file *file, uint64_t address, struct rule *ret_rule)
{
	xp_function_rules(file, address, add_rows, file);
	const struct page *page = find_page(&file->rules, address >> PAGE_SHIFT);
	const struct row *row = page ? find_row(page, (uint16_t)(address % PAGE_BYTES)) : NULL;

	if (row)
		*ret_rule = file->rules.rules[row->rule];
	return row;
}

/* The rule of an address that is in no row, which becomes one. */
static struct rule make_rule(struct xp_unwind_file *file, uint64_t address, uint64_t offset,
			     bool is_return)
{
	unsigned int since = file->unwind->nr_shortages;
	struct rule rule = { .kind = RULE_NONE };
	uint64_t end = address + 1, done = 0;
	int err = described_rule(file, address, &rule, &end, &done);

	/* Handlers return to its first instruction, which no call comes before. */
	if ((rule.kind == RULE_NONE || rule.is_signal) &&
	    is_signal_return(file, offset + is_return)) {
		rule = (struct rule){ .kind = RULE_SIGNAL, .is_signal = true };
		end = address + 1;
	}
	/* Each instruction can have a rule of its own. */
	if (!file->machine->is_call_pushing) {
		end = address + 1;
		if (!is_return &&
		    (rule.kind != RULE_NONE ||
		     (!is_stub(file, offset, &rule) && !is_leaf(file, address, offset, &rule))))
			read_edges(file, offset, done, &rule);
	} else if (xp_rule_has_popped(file->machine, &rule)) {
		end = address + 1;
		if (!is_return)
			read_epilogue(file, offset, &rule);
	} else if (err == -ENOENT && rule.kind == RULE_NONE &&
		   read_function(file, address, &rule)) {
		return rule;
	}
	unwind_note(file->unwind, err);
	if (file->unwind->nr_shortages == since)
		add_row(file, address, end, &rule);
	return rule;
}

bool xp_unwind_file_use(struct xp_unwind_file *file, const struct machine *machine)
{
	xp_unwind_file_load(file);
	atomic_store_explicit(
		&file->used,
		atomic_fetch_add_explicit(&file->unwind->uses, 1, memory_order_relaxed),
		memory_order_relaxed);
	/* CPython 3.13 does not write which one it is. */
	if (file->jit && !file->jit->code.header.machine)
		file->machine = machine;
	return file->state == XP_SYMTAB_FOUND && file->machine == machine;
}

struct rule xp_unwind_file_rule(struct xp_unwind_file *file, const struct machine *machine,
				uint64_t offset, bool is_return)
{
	struct rule rule = { .kind = RULE_NONE };

	pthread_mutex_lock(&file->lock);
	if (xp_unwind_file_use(file, machine)) {
		uint64_t address = xp_unwind_file_address(file, offset);
		const struct page *page = find_page(&file->rules, address >> PAGE_SHIFT);
		const struct row *row =
			page ? find_row(page, (uint16_t)(address % PAGE_BYTES)) : NULL;

		rule = row ? file->rules.rules[row->rule]
			   : make_rule(file, address, offset, is_return);
	}
	pthread_mutex_unlock(&file->lock);
	return rule;
}

int xp_unwind_file_row(struct xp_unwind_file *file, const struct machine *machine, uint64_t offset,
		       struct cfi_row *ret_row)
{
	int err = -ENOENT;

	pthread_mutex_lock(&file->lock);
	if (xp_unwind_file_use(file, machine))
		err = xp_unwind_file_look_up(file, xp_unwind_file_address(file, offset), ret_row);
	pthread_mutex_unlock(&file->lock);
	return err;
}

bool xp_unwind_file_table(struct xp_unwind_file *file, const struct machine *machine,
			  uint64_t offset, struct eh_table *ret_table, uint64_t *ret_address)
{
	pthread_mutex_lock(&file->lock);
	bool has_table = xp_unwind_file_use(file, machine) && file->rules.table.nr;
	if (has_table) {
		*ret_table = file->rules.table;
		*ret_address = xp_unwind_file_address(file, offset);
	}
	pthread_mutex_unlock(&file->lock);
	return has_table;
}
