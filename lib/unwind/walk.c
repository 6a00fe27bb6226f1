/* SPDX-License-Identifier: MIT */
/* One thread's unwinder: from registers and a stack, frame by frame outwards. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "opts.h"
#include "pages.h"
#include "regs.h"
#include "remote.h"
#include "walk-impl.h"

/* The machines whose registers are known, as xp_arch_regs has them. */
static const struct {
	const char *arch;
	int elf_64, elf_32;
} arches[] = {
	{ "x86", EM_X86_64, EM_386 },
	{ "arm64", EM_AARCH64, EM_NONE },
};

/* Which registers of a sample are which. */
static void set_registers(struct register_map *map, const struct machine *machine,
			  const struct xp_arch_regs *set)
{
	*map = (struct register_map){ .machine = machine, .set = set };
	memset(map->dwarf, NO_REG, sizeof(map->dwarf));
	for (const struct xp_arch_reg *reg = set->regs; reg->name; reg++)
		if (reg->dwarf >= 0 && reg->dwarf < CFI_REGS)
			map->dwarf[reg->bit] = (uint8_t)reg->dwarf;
}

static int set_machine(struct xp_unwinder *unwinder, const char *name)
{
	enum { BITS_32 = 1 };
	const struct xp_arch_regs *set = xp_arch_regs_find(name, 0);
	const struct xp_arch_regs *set_32 = xp_arch_regs_find(name, BITS_32);

	for (size_t i = 0; set && i < sizeof(arches) / sizeof(arches[0]); i++) {
		if (strcmp(set->arch, arches[i].arch) != 0)
			continue;
		const struct machine *small = xp_machine_find(arches[i].elf_32);
		const struct machine *machine =
			set == set_32 && small ? small : xp_machine_find(arches[i].elf_64);
		set_registers(&unwinder->native, machine, set);
		if (small)
			set_registers(&unwinder->compat, small, set_32);
		return 0;
	}
	return -EOPNOTSUPP;
}

int xp_unwinder_new(struct xp_unwind *unwind, const char *machine,
		    const struct xp_unwind_calls *calls, struct xp_unwinder **ret_unwinder)
{
	struct xp_unwind_calls known = { .size = sizeof(known) };
	struct utsname here = { .machine = "" };
	int err = XP_OPTS_COPY(&known, calls, struct xp_unwind_calls, data, NULL);

	if (err)
		return err;
	if (!known.map)
		return -EINVAL;
	if (!machine && !uname(&here))
		machine = here.machine;
	struct xp_unwinder *unwinder = calloc(1, sizeof(*unwinder));
	if (!unwinder)
		return -ENOMEM;
	unwinder->unwind = unwind;
	unwinder->calls = known;
	unwinder->known = xp_pages_alloc(KNOWN * sizeof(*unwinder->known));
	unwinder->maps = xp_pages_alloc(MAPS * sizeof(*unwinder->maps));
	err = unwinder->known && unwinder->maps ? set_machine(unwinder, machine) : -ENOMEM;
	if (!err && unwind->method == XP_UNWIND_LIBUNWIND)
		err = xp_remote_open(&unwinder->remote);
	if (err)
		xp_unwinder_free(unwinder);
	else
		*ret_unwinder = unwinder;
	return err;
}

void xp_unwinder_free(struct xp_unwinder *unwinder)
{
	if (!unwinder)
		return;
	xp_remote_close(unwinder->remote);
	xp_pages_free(unwinder->known, KNOWN * sizeof(*unwinder->known));
	xp_pages_free(unwinder->maps, MAPS * sizeof(*unwinder->maps));
	free(unwinder);
}

/* --- chains --- */

/* The registers that a thread was left with. */
static int begin(struct xp_unwinder *unwinder, const struct xp_unwind_start *start)
{
	enum { ABI_32 = 1 };
	const struct register_map *map =
		start->regs.abi == ABI_32 ? &unwinder->compat : &unwinder->native;
	const struct xp_regs *regs = &start->regs;
	struct frame *frame = &unwinder->frame;
	bool has_pc = false;
	int at = 0;

	if (!map->machine)
		return -EOPNOTSUPP;
	unwinder->machine = map->machine;
	frame->known = 0;
	for (uint64_t left = regs->mask; left && at < regs->nr; left &= left - 1, at++) {
		int bit = __builtin_ctzll(left);
		uint64_t value = regs->values[at];

		if (!map->machine->is_64)
			value &= UINT32_MAX;
		if (bit == map->set->ip_bit) {
			frame->pc = value;
			has_pc = true;
		}
		if (map->dwarf[bit] != NO_REG)
			frame_set(frame, map->dwarf[bit], value);
	}
	if (!has_pc || !frame_knows(frame, map->machine->sp))
		return -EINVAL;
	unwinder->stack = start->stack;
	unwinder->stack_len = start->stack ? start->stack_len : 0;
	unwinder->stack_address =
		start->stack_address ? start->stack_address : frame->regs[map->machine->sp];
	unwinder->space = start->space;
	return 0;
}

/* Adds the frame that was reached. Returns false: there is no room for another one. */
static bool add_frame(const struct xp_unwinder *unwinder, struct xp_unwind_chain *chain,
		      uint8_t marks)
{
	if (chain->nr == chain->max)
		return false;
	chain->pcs[chain->nr] = unwinder->frame.pc;
	if (chain->sps)
		chain->sps[chain->nr] = unwinder->frame.regs[unwinder->machine->sp];
	if (chain->marks)
		chain->marks[chain->nr] = marks;
	chain->nr++;
	return true;
}

/* A signal can interrupt code that runs on another stack, otherwise frames go outwards. Only the
 * innermost function can have no frame at all: its return address is in a register, as in vfork()
 * of the C library. */
static bool is_outwards(const struct xp_unwinder *unwinder, const struct frame *before,
			bool is_return, uint8_t marks)
{
	const struct machine *machine = unwinder->machine;
	uint64_t old = before->regs[machine->sp], new = unwinder->frame.regs[machine->sp];

	if (marks & XP_UNWIND_INTERRUPTED)
		return new != old || unwinder->frame.pc != before->pc;
	return new > old || (new == old && (!machine->is_call_pushing || !is_return) &&
			     unwinder->frame.pc != before->pc);
}

/* Whether the function that was reached needs no caller, though nothing says where that is. */
static bool is_at_first(struct xp_unwinder *unwinder, bool is_return)
{
	uint64_t pc = unwinder->frame.pc - is_return;
	struct xp_unwind_map map;

	return xp_unwinder_map(unwinder, pc, &map) && map.file &&
	       xp_unwind_file_is_first(map.file, unwinder->machine, map.offset + (pc - map.start),
				       is_return);
}

static void walk(struct xp_unwinder *unwinder, struct xp_unwind_chain *chain)
{
	uint8_t marks = 0;
	bool is_return = false;

	chain->nr = 0;
	chain->end_file = NULL;
	for (;;) {
		struct frame before = unwinder->frame;

		if (!add_frame(unwinder, chain, marks)) {
			chain->end = XP_UNWIND_LIMIT;
			return;
		}
		marks = 0;
		int end = xp_unwinder_step(unwinder, is_return, &marks);
		if (end >= 0) {
			chain->end = (enum xp_unwind_end)end;
			if (chain->marks)
				chain->marks[chain->nr - 1] |= marks & XP_UNWIND_NOT_CALLED;
			break;
		}
		if (!unwinder->frame.pc) {
			chain->end = XP_UNWIND_COMPLETE;
			break;
		}
		if (!is_outwards(unwinder, &before, is_return, marks)) {
			chain->end = XP_UNWIND_BAD;
			break;
		}
		is_return = !(marks & XP_UNWIND_INTERRUPTED);
	}
	if (chain->end != XP_UNWIND_NO_INFO || !unwinder->file)
		return;
	chain->end = is_at_first(unwinder, is_return) ? XP_UNWIND_COMPLETE
						      : xp_unwind_file_end(unwinder->file);
	if (chain->end != XP_UNWIND_COMPLETE)
		chain->end_file = unwinder->file;
}

int xp_unwinder_walk(struct xp_unwinder *unwinder, const struct xp_unwind_start *start,
		     struct xp_unwind_chain *chain)
{
	struct xp_unwind_start from;
	struct xp_unwind_chain to;
	int err = XP_OPTS_COPY(&from, start, struct xp_unwind_start, space, NULL)
			  ?: XP_OPTS_COPY(&to, chain, struct xp_unwind_chain, padding, NULL);

	if (err)
		return err;
	if (!to.max || !to.pcs)
		return -EINVAL;
	err = begin(unwinder, &from);
	if (err)
		return err;
	unsigned int since = unwinder->unwind->nr_shortages;
	unwinder->err = 0;
	bool has_stack = unwinder->stack_len || unwinder->calls.read;
	/* libunwind is that of this machine. */
	if (unwinder->remote && xp_remote_machine(unwinder->remote) == unwinder->machine->elf)
		xp_unwinder_walk_remote(unwinder, &to);
	else
		walk(unwinder, &to);
	if (to.end == XP_UNWIND_END_OF_DUMP && !has_stack)
		to.end = XP_UNWIND_NO_STACK;
	if (unwinder->unwind->nr_shortages != since)
		err = unwinder->unwind->shortage;
	return XP_OUTPUT_COPY(chain, &to, struct xp_unwind_chain, padding) ?: unwinder->err ?: err;
}

const char *xp_unwind_end_text(enum xp_unwind_end end)
{
	static const char *const texts[] = {
		[XP_UNWIND_COMPLETE] = "",
		[XP_UNWIND_END_OF_DUMP] = "the copy of the stack ends",
		[XP_UNWIND_NO_INFO] = "nothing describes where the code was called from",
		[XP_UNWIND_NOT_MAPPED] = "nothing is mapped at the address",
		[XP_UNWIND_LIMIT] = "the call chain is longer than the limit",
		[XP_UNWIND_BAD] = "the stack is damaged",
		[XP_UNWIND_NO_STACK] = "there is no copy of the stack, as in execve()",
		[XP_UNWIND_NO_FILE] = "the file of the code could not be read",
		[XP_UNWIND_NO_LIBRARY] = "libdw is not installed",
		[XP_UNWIND_PROBED] = "a return probe has replaced the return address",
	};

	return end <= XP_UNWIND_PROBED ? texts[end] : "";
}
