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

static int add_function(const struct xp_elf_symbol *symbol, void *data)
{
	struct file_rules *rules = data;
	uint64_t start = symbol->symbol.address;

	if (symbol->symbol.type != XP_SYMBOL_FUNCTION || symbol->is_undefined || !symbol->is_code)
		return 0;
	if (vec_add(&rules->functions, rules->nr_functions, sizeof(*rules->functions)))
		return -ENOMEM;
	rules->functions[rules->nr_functions++] =
		(struct function){ start, start + symbol->symbol.size, is_part(symbol->symbol.name),
				   is_of_engine(symbol->symbol.name) };
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

	rules->has_functions = true;
	if (xp_unwind_file_elf(file, &elf))
		return;
	if (!xp_elf_symbols(elf, XP_ELF_SYMTAB, add_function, rules))
		xp_elf_symbols(elf, XP_ELF_DYNSYM, add_function, rules);
	rules->entry = xp_elf_facts(elf).entry;
	xp_elf_close(elf);
	if (rules->nr_functions)
		qsort(rules->functions, rules->nr_functions, sizeof(*rules->functions), compare);
	xp_unwind_file_account(file, rules->nr_functions * sizeof(*rules->functions));
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

/* One whose size is not said ends where the next one begins. */
bool xp_function_find(struct xp_unwind_file *file, uint64_t address, struct function *ret)
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
static bool add_entry(struct xp_unwind_file *file, uint64_t address, xp_function_fn fn)
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
	fn(file, start, end, &(struct rule){ .kind = RULE_END });
	return true;
}

struct handing {
	struct xp_unwind_file *file;
	uint64_t start;
	xp_function_fn fn;
};

static void hand_over(void *data, size_t start, size_t end, const struct code_frame *frame)
{
	const struct handing *handing = data;
	struct rule rule = xp_code_rule(handing->file->machine, frame);

	handing->fn(handing->file, handing->start + start, handing->start + end, &rule);
}

void xp_function_rules(struct xp_unwind_file *file, uint64_t address, xp_function_fn fn)
{
	const struct machine *machine = file->machine;
	struct function function;
	uint64_t segment_end, offset;

	if (file->is_jit)
		return;
	bool is_known = xp_function_find(file, address, &function);
	if (add_entry(file, address, fn) || !is_known)
		return;
	if (function.is_of_engine)
		fn(file, function.start, function.end, &(struct rule){ .kind = RULE_POINTER });
	if (function.is_of_engine || !machine->is_call_pushing ||
	    !find_segment(file, function.start, &segment_end, &offset))
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
	struct handing handing = { file, function.start, fn };
	xp_code_frames(machine, code, len, hand_over, &handing);
}
