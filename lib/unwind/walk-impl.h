/* SPDX-License-Identifier: MIT */
/* An unwinder from inside. */
#ifndef UNWIND_WALK_IMPL_H
#define UNWIND_WALK_IMPL_H

#include <xperf/api.h>

#include "unwind-impl.h"

struct xp_arch_regs;
struct xp_remote;
struct xp_unwind;
struct xp_unwind_chain;
struct xp_unwind_file;
struct xp_unwind_map;

/* Powers of two. A rule that is known costs one look at a line of the cache. */
enum { KNOWN = 1 << 14, MAPS = 1 << 9 };

/* The rule of an instruction. @space: of the address space; @file: where answers about maps are not
 * kept, and then @pc is the offset in it */
struct known {
	uint64_t space, pc;
	struct xp_unwind_file *file;
	struct rule rule;
};

/* What is mapped in a page of addresses. */
struct known_map {
	uint64_t space, page;
	struct xp_unwind_map map;
};

/* Registers of samples. @machine: NULL: they are not known */
struct register_map {
	const struct machine *machine;
	const struct xp_arch_regs *set;
	uint8_t dwarf[64]; /* by their bit */
};

struct xp_unwinder {
	struct xp_unwind *unwind;
	struct xp_unwind_calls calls;
	struct register_map native, compat;
	struct known *known;
	struct known_map *maps;
	struct xp_remote *remote; /* NULL: libunwind is not used */

	/* The chain that is computed. */
	const struct machine *machine;
	struct frame frame;
	const unsigned char *stack;
	uint64_t stack_address, stack_len;
	uint64_t space;
	struct xp_unwind_file *file; /* of the last pc; NULL: none */
	struct cfi_row row;          /* of an odd frame */
	int err;                     /* that the program's @map has answered; 0: none */
};

/* What is mapped at an address. Returns false: nothing. */
bool xp_unwinder_map(struct xp_unwinder *unwinder, uint64_t address, struct xp_unwind_map *ret_map);
/* Copies memory: of the stack, of mapped files, what the program answers. Returns false: it is not
 * there, all of it. */
bool xp_unwinder_read(struct xp_unwinder *unwinder, uint64_t address, void *buf, size_t len);

/*
 * Goes to the caller of the frame. @is_return: its pc is a return address
 * @marks: what is special about the caller
 * Returns -1, or an enum xp_unwind_end: there is no caller, and the frame is as it was.
 */
int xp_unwinder_step(struct xp_unwinder *unwinder, bool is_return, uint8_t *marks);
/* The whole chain by libunwind. */
void xp_unwinder_walk_remote(struct xp_unwinder *unwinder, struct xp_unwind_chain *chain);

#endif
