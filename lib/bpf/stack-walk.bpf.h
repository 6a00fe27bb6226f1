/* SPDX-License-Identifier: MIT */
/*
 * Callers in user space, by rules: from the registers of the program, frame by frame outwards, as
 * lib/unwind does it.
 *
 * Source: System V ABI, AMD64 supplement; Linux, struct rt_sigframe of
 * arch/x86/include/asm/sigframe.h.
 */
#ifndef BPF_STACK_WALK_BPF_H
#define BPF_STACK_WALK_BPF_H

#include <linux/bpf_perf_event.h>

#include "rule-maps.bpf.h"

/* Whether frame pointers are followed where there are no rules, which is a guess. */
#ifndef WALKS_BY_POINTERS
#define WALKS_BY_POINTERS 1
#endif

enum {
	MAPS_STEPS = 13, /* log2 of the maps of a process that are searched, and one more */
	ROWS_STEPS = 22, /* log2 of RULE_ROWS_MAX, and one more */
	WORD = 8,
	SIGNAL_BP = 40 + 10 * WORD, /* from the stack pointer on */
	SIGNAL_SP = 40 + 15 * WORD,
	SIGNAL_PC = 40 + 16 * WORD,
	STEP_ON = RULE_NR_ENDS,
};

struct walk {
	__u64 pc, sp, bp;
	__u32 first, nr; /* maps */
	__u32 file;
	__u32 is_return; /* the program counter is a return address */
	__u32 bp_is_known;
	__u64 known_ns;      /* maps were known then */
	__u32 is_trampoline; /* of the frame that was left: a signal handler returns to it */
};

/* The walk that goes on on a CPU: programs of one object do not interrupt each other. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walking SEC(".maps");

static __always_inline struct walk *walk_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&walking, &zero);
}

/*
 * The number of the map that ends behind an address, of those from @first on; the verifier looks at
 * functions that are not static once. Those after the last one are never right: @first + @nr.
 */
__noinline __u32 find_map(__u32 first, __u32 nr, __u64 pc)
{
	__u32 low = first, high = first + nr;

	for (int i = 0; i < MAPS_STEPS && low < high; i++) {
		__u32 middle = low + (high - low) / 2;
		struct rule_map *map = bpf_map_lookup_elem(&maps, &middle);

		if (!map)
			break;
		if (map->end > pc)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The number of the last row up to an address; @first - 1: there is none. */
__noinline __u32 find_row(__u32 first, __u32 nr, __u32 address)
{
	__u32 low = first, high = first + nr;

	for (int i = 0; i < ROWS_STEPS && low < high; i++) {
		__u32 middle = low + (high - low) / 2;
		struct rule_row *row = bpf_map_lookup_elem(&rows, &middle);

		if (!row)
			break;
		if (row->address > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low - 1;
}

static __always_inline struct rule_map *map_at(const struct walk *w, __u64 pc)
{
	__u32 number = find_map(w->first, w->nr, pc);
	struct rule_map *map = bpf_map_lookup_elem(&maps, &number);

	return map && number - w->first < w->nr && map->start <= pc && pc < map->end ? map : NULL;
}

static __always_inline bool read_word(__u64 address, __u64 *ret)
{
	return !bpf_probe_read_user(ret, sizeof(*ret), (const void *)address);
}

/* The kernel begins programs with a frame pointer of 0, and the code that is entered then, which
 * often nothing describes, leaves it so. */
static __always_inline bool is_outermost(const struct walk *w)
{
	return w->is_return && w->bp_is_known && !w->bp;
}

/* Where there are no rules. It has to lead outwards, and to code. */
static __always_inline int step_by_pointer(struct walk *w)
{
	__u64 next, pc;

	if (is_outermost(w))
		return RULE_END_COMPLETE;
	if (!w->bp_is_known || w->bp < w->sp || w->bp % WORD || !read_word(w->bp, &next) ||
	    !read_word(w->bp + WORD, &pc) || !map_at(w, pc - 1))
		return RULE_END_INSIDE;
	w->sp = w->bp + 2 * WORD;
	w->bp = next;
	w->pc = pc;
	w->is_return = 1;
	return STEP_ON;
}

static __always_inline int step_by_signal(struct walk *w)
{
	__u64 sp = w->sp;

	if (!read_word(sp + SIGNAL_PC, &w->pc) || !read_word(sp + SIGNAL_BP, &w->bp) ||
	    !read_word(sp + SIGNAL_SP, &w->sp))
		return RULE_END_STACK;
	w->bp_is_known = 1;
	w->is_return = 0;
	return STEP_ON;
}

static __always_inline int step_by_row(struct walk *w, __u32 rule)
{
	__u32 kind = rule & 15;
	__s32 offset = (__s32)rule >> ROW_OFFSET_SHIFT;
	__s8 bp_words = (__s8)(rule >> ROW_BP_SHIFT);
	__u64 cfa = kind == ROW_BP || kind == ROW_DEREF_BP ? w->bp : w->sp, pc, bp = w->bp;

	if ((kind == ROW_BP || kind == ROW_DEREF_BP) && !w->bp_is_known)
		return RULE_END_ODD;
	if (kind == ROW_PLT)
		cfa += WORD + ((w->pc & 15) >= (__u32)offset ? WORD : 0);
	else
		cfa += (__s64)offset;
	if (kind == ROW_DEREF_BP && !read_word(cfa, &cfa))
		return RULE_END_STACK;
	if (cfa <= w->sp || !read_word(cfa - WORD, &pc))
		return RULE_END_STACK;
	if (bp_words)
		w->bp_is_known = read_word(cfa + (__s64)bp_words * WORD, &bp);
	w->pc = pc;
	w->sp = cfa;
	w->bp = bp;
	w->is_return = 1;
	return pc ? STEP_ON : RULE_END_COMPLETE;
}

/* Returns STEP_ON with the caller, or enum rule_end. */
static __always_inline int step(struct walk *w)
{
	__u64 pc = w->pc - w->is_return;
	struct rule_map *map = map_at(w, pc);
	struct rule_file *file;
	struct rule_row *row;

	w->file = RULE_NO_FILE;
	w->is_trampoline = 0;
	if (!map)
		return RULE_END_NO_MAP;
	w->file = map->file;
	__u32 address = pc - map->bias, number = map->file;
	file = bpf_map_lookup_elem(&files, &number);
	if (!file || file->state == RULE_FILE_PENDING)
		return RULE_END_NOT_YET;
	if (file->state == RULE_FILE_POINTERS)
		return WALKS_BY_POINTERS ? step_by_pointer(w) : RULE_END_INSIDE;
	number = find_row(file->first, file->nr, address);
	row = bpf_map_lookup_elem(&rows, &number);
	if (!row || number - file->first >= file->nr)
		return RULE_END_NO_ROW;
	__u32 rule = row->rule, kind = rule & 15;
	if (kind == ROW_NONE)
		return WALKS_BY_POINTERS && is_outermost(w) ? RULE_END_COMPLETE : RULE_END_NO_ROW;
	if (kind == ROW_ODD)
		return RULE_END_ODD;
	if (kind == ROW_OUTERMOST)
		return RULE_END_COMPLETE;
	w->is_trampoline = kind == ROW_SIGNAL;
	return w->is_trampoline ? step_by_signal(w) : step_by_row(w, rule);
}

/* From the frame that was reached to its caller; a function of its own, which the verifier looks at
 * once, not once a frame. */
__noinline int step_once(void)
{
	struct walk *w = walk_here();

	return w ? step(w) : RULE_END_STACK;
}

/* Whether the maps of a process are known as they are now. */
static __always_inline bool begin_walk(struct walk *w, __u32 pid)
{
	__u32 zero = 0;
	struct rule_process *process = bpf_map_lookup_elem(&processes, &pid);
	struct rule_control *all = bpf_map_lookup_elem(&control, &zero);
	__u64 *change = change_of(pid), place;

	if (!all || !change)
		return false;
	if (!process)
		all->unknown[pid & (RULE_UNKNOWN - 1)] = pid;
	if (!process || *change > all->known_ns)
		return false;
	place = *(volatile __u64 *)&process->maps;
	w->known_ns = all->known_ns > process->known_ns ? all->known_ns : process->known_ns;
	w->first = place >> 32;
	w->nr = (__u32)place;
	return true;
}

/* --- registers --- */

struct mm_struct;

struct task_struct___walk {
	void *stack;
	struct mm_struct *mm;
} IN_KERNEL;

struct pt_regs___walk {
	__u64 ip, sp, bp, cs;
} IN_KERNEL;

/* Of the task that runs, at the end of its stack in the kernel. Before Linux 5.15 no helper says
 * where they are: where stacks of 16 KiB end. */
static __always_inline struct pt_regs___walk *first_registers(struct task_struct___walk *task)
{
	enum { STACK_BYTES = 16384, REGISTERS = 21 };

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return BPF_CORE_READ(task, stack) + STACK_BYTES - REGISTERS * sizeof(__u64);
}

#define READ_ONCE(lvalue) (*(volatile __typeof__(lvalue) *)&(lvalue))

/* Of the program, where the kernel was interrupted. NULL: there is none */
static __always_inline struct pt_regs___walk *saved_registers(void)
{
	struct task_struct___walk *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, mm) ? first_registers(task) : NULL;
}

/* @event: NULL: the program is not one of an event. Returns false: there are none. */
static __always_inline bool user_registers(struct bpf_perf_event_data *event, struct walk *w,
					   bool *is_64_bit)
{
	enum { USER_MODE = 3, CODE_64 = 0x33, SELECTOR = 0xffff };
	__u64 cs = event ? READ_ONCE(event->regs.cs) : 0;

	if (event && (cs & USER_MODE) == USER_MODE) {
		w->pc = READ_ONCE(event->regs.rip);
		w->sp = READ_ONCE(event->regs.rsp);
		w->bp = READ_ONCE(event->regs.rbp);
	} else {
		struct pt_regs___walk *regs = saved_registers();

		if (!regs)
			return false;
		cs = BPF_CORE_READ(regs, cs);
		w->pc = BPF_CORE_READ(regs, ip);
		w->sp = BPF_CORE_READ(regs, sp);
		w->bp = BPF_CORE_READ(regs, bp);
	}
	w->bp_is_known = 1;
	*is_64_bit = (cs & SELECTOR) == CODE_64;
	return (cs & USER_MODE) == USER_MODE;
}

#endif
