/* SPDX-License-Identifier: MIT */
/* From a frame to its caller: by the rule of its code, by what libdw says, or by the frame pointer.
 */
#include <string.h>

#include "expression.h"
#include "start-label.h"
#include "walk-impl.h"

enum { GO_ON = -1 };

/* Words are those of a little-endian machine, as all that are known. */
static inline bool read_word(struct xp_unwinder *unwinder, uint64_t address, uint64_t *ret)
{
	uint64_t at = address - unwinder->stack_address;
	uint32_t half;

	if (unwinder->machine->is_64) {
		if (at < unwinder->stack_len && unwinder->stack_len - at >= sizeof(*ret)) {
			memcpy(ret, unwinder->stack + at, sizeof(*ret));
			return true;
		}
		return xp_unwinder_read(unwinder, address, ret, sizeof(*ret));
	}
	if (!xp_unwinder_read(unwinder, address, &half, sizeof(half)))
		return false;
	*ret = half;
	return true;
}

/* A place, in the width of addresses. */
static uint64_t address_of(const struct machine *machine, uint64_t address)
{
	return machine->is_64 ? address : address & UINT32_MAX;
}

/* The frame of a caller in which only what functions preserve is known. */
static void set_caller(struct xp_unwinder *unwinder, const struct frame *caller)
{
	const struct machine *machine = unwinder->machine;
	uint64_t known = UINT64_C(1) << machine->sp;

	for (size_t i = 0; i < machine->nr_saved; i++)
		known |= UINT64_C(1) << machine->saved[i];
	unwinder->frame = *caller;
	unwinder->frame.known &= known;
}

static uint64_t code_address(const struct machine *machine, uint64_t value)
{
	return value & machine->pc_mask;
}

/* Whether a return address that was not saved is still where the call put it. A call that returns
 * to the frame has put its own there. */
static bool is_back_in_register(const struct machine *machine, bool is_return)
{
	return !machine->is_call_pushing && !is_return;
}

/* --- rules --- */

static int step_by_rule(struct xp_unwinder *unwinder, const struct rule *rule, bool is_return)
{
	const struct machine *machine = unwinder->machine;
	struct frame *frame = &unwinder->frame;
	uint64_t values[MACHINE_SAVED], cfa;
	unsigned int there = 0;

	if (!frame_knows(frame, rule->cfa_reg))
		return XP_UNWIND_NO_INFO;
	cfa = frame->regs[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_offset;
	if (rule->kind == RULE_PLT && (frame->pc & 15) >= rule->plt_from)
		cfa += machine->word;
	cfa = address_of(machine, cfa);
	if (rule->kind == RULE_DEREF && !read_word(unwinder, cfa, &cfa))
		return XP_UNWIND_END_OF_DUMP;
	for (unsigned int left = rule->saved; left; left &= left - 1) {
		int i = __builtin_ctz(left);
		uint64_t at = cfa + (uint64_t)((int64_t)rule->at[i] * machine->word);

		there |= (unsigned int)read_word(unwinder, address_of(machine, at), &values[i])
			 << i;
	}
	/* The first is the return address. */
	if (rule->saved & 1 && !(there & 1))
		return XP_UNWIND_END_OF_DUMP;
	if (!(rule->saved & 1) &&
	    (!is_back_in_register(machine, is_return) || !frame_knows(frame, machine->ra)))
		return XP_UNWIND_NO_INFO;
	for (unsigned int left = rule->saved; left; left &= left - 1) {
		int i = __builtin_ctz(left);

		if (there >> i & 1)
			frame_set(frame, machine->saved[i], values[i]);
		else
			frame->known &= ~(UINT64_C(1) << machine->saved[i]);
	}
	frame->pc = code_address(machine, frame->regs[machine->ra]);
	frame_set(frame, machine->sp, cfa);
	set_caller(unwinder, frame);
	return GO_ON;
}

/* What the kernel has saved above the stack pointer, all registers. */
static int step_by_signal(struct xp_unwinder *unwinder)
{
	const struct machine *machine = unwinder->machine;
	uint64_t at = unwinder->frame.regs[machine->sp] + machine->signal_at;
	struct frame caller = { .known = 0 };

	if (!frame_knows(&unwinder->frame, machine->sp))
		return XP_UNWIND_NO_INFO;
	for (size_t i = 0; i < machine->nr_signal_regs; i++, at += machine->word) {
		unsigned int reg = machine->signal_regs[i];
		uint64_t value;

		if (reg == NO_REG)
			continue;
		if (!read_word(unwinder, address_of(machine, at), &value))
			return XP_UNWIND_END_OF_DUMP;
		frame_set(&caller, reg, value);
	}
	caller.pc = caller.regs[machine->pc];
	unwinder->frame = caller;
	return GO_ON;
}

/* --- expressions --- */

static bool read_number(void *data, uint64_t address, size_t bytes, uint64_t *ret)
{
	uint64_t value = 0;

	if (!xp_unwinder_read(data, address, &value, bytes))
		return false;
	*ret = value;
	return true;
}

/* The caller's value of a register, if it is not in the register itself. */
static bool evaluate(struct xp_unwinder *unwinder, const struct surroundings *around,
		     const struct cfi_value *value, uint64_t *ret)
{
	const struct cfi_op *ops = unwinder->row.ops + value->first;
	enum result_kind kind;

	return xp_expression_evaluate(around, ops, value->nr, ret, &kind) &&
	       (kind == RESULT_VALUE || read_word(unwinder, *ret, ret));
}

static int step_by_row(struct xp_unwinder *unwinder, bool is_return)
{
	const struct machine *machine = unwinder->machine;
	const struct cfi_row *row = &unwinder->row;
	struct frame caller = unwinder->frame;
	struct surroundings around = {
		.machine = machine, .frame = &unwinder->frame, .read = read_number, .data = unwinder
	};
	enum result_kind kind;
	uint64_t value;

	if (row->cfa.kind != CFI_EXPRESSION)
		return XP_UNWIND_NO_INFO;
	if (!xp_expression_evaluate(&around, row->ops + row->cfa.first, row->cfa.nr, &around.cfa,
				    &kind))
		return XP_UNWIND_END_OF_DUMP;
	frame_set(&caller, machine->sp, around.cfa);
	for (unsigned int i = 0; i < CFI_REGS; i++) {
		if (row->regs[i].kind != CFI_EXPRESSION)
			continue;
		caller.known &= ~(UINT64_C(1) << i);
		if (evaluate(unwinder, &around, &row->regs[i], &value))
			frame_set(&caller, i, value);
	}
	if (row->regs[row->ra].kind == CFI_UNDEFINED)
		return XP_UNWIND_COMPLETE;
	if (!frame_knows(&caller, (unsigned int)row->ra))
		return row->regs[row->ra].kind == CFI_EXPRESSION ? XP_UNWIND_END_OF_DUMP
								 : XP_UNWIND_NO_INFO;
	if (row->regs[row->ra].kind != CFI_EXPRESSION && !is_back_in_register(machine, is_return))
		return XP_UNWIND_NO_INFO;
	caller.pc = code_address(machine, caller.regs[row->ra]);
	set_caller(unwinder, &caller);
	return GO_ON;
}

/* --- frame pointers --- */

/*
 * Follows the frame pointer where code is that the program has made, if that leads into the stack
 * and back to code: compilers that make it keep frame pointers. Those of files need not: then the
 * frame pointer is another function's, and callers would be missing.
 */
static int step_by_frame_pointer(struct xp_unwinder *unwinder, bool is_kept, uint8_t *marks)
{
	const struct machine *machine = unwinder->machine;
	struct frame *frame = &unwinder->frame;
	uint64_t fp = frame->regs[machine->fp], sp = frame->regs[machine->sp], next, pc;
	struct xp_unwind_map map;

	if (unwinder->unwind->no_frame_pointers || !frame_knows(frame, machine->fp) ||
	    !(is_kept || xp_unwind_file_is_made(unwinder->file)))
		return XP_UNWIND_NO_INFO;
	if (fp < sp || fp % machine->word || !read_word(unwinder, fp, &next) ||
	    !read_word(unwinder, fp + machine->word, &pc))
		return XP_UNWIND_NO_INFO;
	pc = code_address(machine, pc);
	if (pc && (!xp_unwinder_map(unwinder, pc - 1, &map) || !map.is_executable))
		return XP_UNWIND_NO_INFO;
	frame->pc = pc;
	frame_set(frame, machine->fp, next);
	frame_set(frame, machine->sp, fp + 2 * machine->word);
	frame->known = UINT64_C(1) << machine->fp | UINT64_C(1) << machine->sp;
	*marks |= XP_UNWIND_BY_FRAME_POINTER;
	return GO_ON;
}

/* --- steps --- */

/*
 * Whether the return address is where a return probe leads to, the beginning of a page of the
 * kernel that is mapped into the process, "[uprobes]": no call can be before it. Source: Linux,
 * kernel/events/uprobes.c, prepare_uretprobe() and __create_xol_area().
 */
static bool is_probed(struct xp_unwinder *unwinder, bool is_return, uint8_t *marks)
{
	uint64_t pc = unwinder->frame.pc;
	struct xp_unwind_map map;

	if (!is_return || unwinder->file || !xp_unwinder_map(unwinder, pc, &map) ||
	    map.start != pc || map.file || !map.is_executable)
		return false;
	*marks |= XP_UNWIND_NOT_CALLED;
	return true;
}

/* The rule of an instruction, and the file it is in. Returns false: nothing is mapped there. */
static bool find_rule(struct xp_unwinder *unwinder, uint64_t pc, bool is_return,
		      const struct rule **ret_rule)
{
	static const struct rule none = { .kind = RULE_NONE };
	uint64_t space = unwinder->space, key = pc, offset;
	struct xp_unwind_map map;
	struct known *slot;

	slot = &unwinder->known[xp_hash_word(space | 1, key) & (KNOWN - 1)];
	if (!space || slot->space != space || slot->pc != pc) {
		if (!xp_unwinder_map(unwinder, pc, &map))
			return false;
		unwinder->file = map.file;
		*ret_rule = &none;
		if (!map.file)
			return true;
		offset = map.offset + (pc - map.start);
		if (!space) {
			space = (uintptr_t)map.file;
			key = offset;
			slot = &unwinder->known[xp_hash_word(space, key) & (KNOWN - 1)];
		}
		if (slot->space != space || slot->pc != key) {
			unsigned int since = unwinder->unwind->nr_shortages;
			struct rule rule =
				xp_unwind_file_rule(map.file, unwinder->machine, offset, is_return);

			if (is_return && xp_unwind_is_start_label(map.file, unwinder->machine,
								  offset + 1, &rule))
				rule = (struct rule){ .kind = RULE_END, .is_signal = true };
			/* It may be another one the next time. */
			if (unwinder->unwind->nr_shortages != since)
				space = 0;
			*slot = (struct known){ space, key, map.file, rule };
		}
	}
	unwinder->file = slot->file;
	*ret_rule = &slot->rule;
	return true;
}

/* What libdw says of an instruction, into the unwinder's row. */
static bool find_row(struct xp_unwinder *unwinder, uint64_t pc)
{
	struct xp_unwind_map map;

	return xp_unwinder_map(unwinder, pc, &map) && map.file &&
	       !xp_unwind_file_row(map.file, unwinder->machine, map.offset + (pc - map.start),
				   &unwinder->row);
}

int xp_unwinder_step(struct xp_unwinder *unwinder, bool is_return, uint8_t *marks)
{
	uint64_t pc = unwinder->frame.pc - is_return;
	const struct rule *rule;
	int end;

	unwinder->file = NULL;
	if (!find_rule(unwinder, pc, is_return, &rule))
		return is_probed(unwinder, is_return, marks) ? XP_UNWIND_PROBED
							     : XP_UNWIND_NOT_MAPPED;
	bool is_odd = rule->kind == RULE_ODD;
	bool is_asked =
		is_odd || (unwinder->unwind->method == XP_UNWIND_LIBDW && rule->kind != RULE_NONE &&
			   rule->kind != RULE_POINTER && rule->kind != RULE_SIGNAL);
	if (rule->is_signal)
		*marks |= XP_UNWIND_INTERRUPTED;
	if (is_asked && unwinder->unwind->method != XP_UNWIND_RULES && find_row(unwinder, pc)) {
		*marks |= XP_UNWIND_BY_LIBRARY;
		return step_by_row(unwinder, is_return);
	}
	if (is_odd) {
		*marks |= XP_UNWIND_BY_LIBRARY;
		return XP_UNWIND_NO_INFO;
	}
	/* What libdw does not know may be a rule that was read from instructions. */
	switch (rule->kind) {
	case RULE_END:
		if (rule->is_signal)
			*marks |= XP_UNWIND_NOT_CALLED;
		return XP_UNWIND_COMPLETE;
	case RULE_SIGNAL:
		return step_by_signal(unwinder);
	case RULE_NONE:
		if (is_probed(unwinder, is_return, marks))
			return XP_UNWIND_PROBED;
		/* fall through */
	case RULE_POINTER:
		return step_by_frame_pointer(unwinder, rule->kind == RULE_POINTER, marks);
	default:
		end = step_by_rule(unwinder, rule, is_return);
	}
	return end;
}
