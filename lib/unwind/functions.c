/* SPDX-License-Identifier: MIT */
/*
 * Rules of functions that no section describes. Their beginnings are those of symbols: nothing else
 * says where a caller calls, and from another place on the same instructions mean something else.
 */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "code-rule.h"
#include "first-function.h"
#include "unwind-impl.h"
#include "vec.h"

/* Parts that gcc, LLVM and BOLT move away from their function; jumps lead to them. */
static bool is_part(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".warm");
}

/* V8's own functions, which its compiler has made before: as what it makes while programs run, they
 * keep frame pointers. Source: v8/src/snapshot/embedded, names of symbols. */
static bool is_of_engine(const char *name)
{
	static const char prefix[] = "Builtins_";

	return !strncmp(name, prefix, sizeof(prefix) - 1);
}

/* Symbols of assembly may have no type; that of musl's beginning of programs has none. */
static bool is_function(const struct xp_symbol *symbol)
{
	return symbol->type == XP_SYMBOL_FUNCTION ||
	       (symbol->type == XP_SYMBOL_OTHER && !strcmp(symbol->name, "_start"));
}

static bool is_first(const char *name)
{
	return !strcmp(name, "main") || xp_is_first_function(name);
}

static int add_function(const struct xp_elf_symbol *symbol, void *data)
{
	struct file_rules *rules = data;
	uint64_t start = symbol->symbol.address;

	if (!is_function(&symbol->symbol) || symbol->is_undefined || !symbol->is_code)
		return 0;
	if (vec_add(&rules->functions, rules->nr_functions, sizeof(*rules->functions)))
		return -ENOMEM;
	rules->functions[rules->nr_functions++] =
		(struct function){ start,
				   start + symbol->symbol.size,
				   is_part(symbol->symbol.name),
				   is_of_engine(symbol->symbol.name),
				   is_first(symbol->symbol.name),
				   strstr(symbol->symbol.name, "clone") };
	return 0;
}

static int add_go(struct file_rules *rules)
{
	struct go_function function;

	for (size_t i = 0; i < rules->go.table.nr; i++) {
		if (!xp_go_table_function(&rules->go.table, i, &function))
			continue;
		if (vec_add(&rules->functions, rules->nr_functions, sizeof(*rules->functions)))
			return -ENOMEM;
		rules->functions[rules->nr_functions++] =
			(struct function){ .start = function.start, .end = function.end };
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct function *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return (one->end > other->end) - (one->end < other->end);
}

static void read_functions(struct xp_unwind_file *file)
{
	struct file_rules *rules = &file->rules;
	struct xp_elf *elf;
	int err = xp_unwind_file_elf(file, &elf);

	rules->has_functions = !unwind_note(file->unwind, err);
	if (err)
		return;
	err = xp_elf_symbols(elf, XP_ELF_SYMTAB, add_function, rules)
		      ?: xp_elf_symbols(elf, XP_ELF_DYNSYM, add_function, rules);
	if (!xp_is_shortage(err))
		err = xp_go_file_read(elf, &rules->go) ?: add_go(rules);
	rules->entry = xp_elf_facts(elf).entry;
	xp_elf_close(elf);
	if (unwind_note(file->unwind, err)) {
		free(rules->functions);
		free(rules->go.bytes);
		rules->functions = NULL;
		rules->nr_functions = 0;
		rules->go = (struct go_file){ 0 };
		rules->has_functions = false;
		return;
	}
	if (rules->nr_functions)
		qsort(rules->functions, rules->nr_functions, sizeof(*rules->functions), compare);
	xp_unwind_file_account(file, rules->nr_functions * sizeof(*rules->functions) +
					     rules->go.table.len);
}

/* The bytes of a segment of code around an address. Returns false: it is in none. */
static bool find_segment(const struct xp_unwind_file *file, uint64_t address, uint64_t *ret_end,
			 uint64_t *ret_offset)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct xp_elf_segment *segment = &file->segments[i];

		if (!segment->is_executable || address - segment->address >= segment->len)
			continue;
		*ret_end = segment->address + segment->len;
		*ret_offset = segment->offset + (address - segment->address);
		return true;
	}
	return false;
}

/* How many begin at an address or before it. */
static size_t functions_up_to(struct xp_unwind_file *file, uint64_t address)
{
	const struct file_rules *rules = &file->rules;

	if (!rules->has_functions)
		read_functions(file);
	size_t low = 0, high = rules->nr_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rules->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool xp_function_next(struct xp_unwind_file *file, uint64_t address, struct function *ret)
{
	size_t at = address ? functions_up_to(file, address - 1) : 0;

	if (!file->rules.has_functions)
		read_functions(file);
	if (at == file->rules.nr_functions)
		return false;
	*ret = file->rules.functions[at];
	return true;
}

/* One whose size is not said ends where the next one begins. */
bool xp_function_find(struct xp_unwind_file *file, uint64_t address, struct function *ret)
{
	const size_t low = functions_up_to(file, address);
	const struct file_rules *rules = &file->rules;

	if (!low)
		return false;
	*ret = rules->functions[low - 1];
	if (ret->end == ret->start)
		ret->end = low < rules->nr_functions ? rules->functions[low].start : UINT64_MAX;
	return address < ret->end && !ret->is_part;
}

/*
 * Nothing called the code that a program or the dynamic linker begins with, and it returns nowhere:
 * the frames of what follows the entry, up to code that is described, are the outermost ones.
 */
static bool add_entry(struct xp_unwind_file *file, uint64_t address, xp_function_fn fn, void *data)
{
	enum { ENTRY_BYTES = 64 };
	uint64_t start = file->rules.entry, end = start;
	struct cfi_row row;

	if (!start || address - start >= ENTRY_BYTES)
		return false;
	while (end - start < ENTRY_BYTES && xp_unwind_file_look_up(file, end, &row) == -ENOENT)
		end++;
	if (address >= end)
		return false;
	fn(data, start, end, &(struct rule){ .kind = RULE_END });
	return true;
}

struct handing {
	struct xp_unwind_file *file;
	uint64_t start;
	xp_function_fn fn;
	void *data;
};

static bool hand_over_depth(void *data, uint64_t start, uint64_t end, int32_t depth)
{
	const struct handing *handing = data;
	const struct machine *machine = handing->file->machine;
	struct rule rule = { .kind = RULE_FRAME, .cfa_reg = machine->sp, .saved = 1, .at = { -1 } };

	rule.cfa_offset = depth + machine->word;
	handing->fn(handing->data, start, end, &rule);
	return true;
}

/*
 * Functions in Go: the return address is above what they have taken of the stack. With functions
 * that change to another stack, chains end. Returns false: it is none.
 */
static bool hand_over_go(struct handing *handing, uint64_t address)
{
	const struct go_file *go = &handing->file->rules.go;
	struct go_function function;

	if (!go->bytes || !xp_go_table_find(&go->table, address, &function))
		return false;
	if (function.is_outermost)
		handing->fn(handing->data, function.start, function.end,
			    &(struct rule){ .kind = RULE_END });
	else if (!function.writes_sp)
		xp_go_table_depths(&go->table, address, hand_over_depth, handing);
	return true;
}

static void hand_over(void *data, size_t start, size_t end, const struct code_frame *frame)
{
	const struct handing *handing = data;
	struct rule rule = xp_code_rule(handing->file->machine, frame);

	handing->fn(handing->data, handing->start + start, handing->start + end, &rule);
}

void xp_function_rules(struct xp_unwind_file *file, uint64_t address, xp_function_fn fn, void *data)
{
	const struct machine *machine = file->machine;
	struct function function;
	uint64_t segment_end, offset;

	if (file->is_jit)
		return;
	bool is_known = xp_function_find(file, address, &function);
	if (add_entry(file, address, fn, data) || !is_known)
		return;
	if (function.is_of_engine)
		fn(data, function.start, function.end, &(struct rule){ .kind = RULE_POINTER });
	if (function.is_of_engine || !machine->is_call_pushing ||
	    !find_segment(file, function.start, &segment_end, &offset))
		return;
	struct handing handing = { file, function.start, fn, data };
	if (hand_over_go(&handing, address))
		return;
	if (function.end > segment_end)
		function.end = segment_end;
	size_t len = (size_t)(function.end - function.start);
	if (address >= function.end || len > CODE_RULE_BYTES)
		return;
	xp_auto_free uint8_t *code = malloc(len);
	/* What handlers of signals return to was not called. */
	if (!code || xp_unwind_file_read(file, offset, code, len) != len ||
	    (len >= machine->signal_len &&
	     !memcmp(code, machine->signal_code, machine->signal_len)))
		return;
	xp_code_frames(machine, code, len, hand_over, &handing);
}
