/* SPDX-License-Identifier: MIT */
/* What unwinding has to know of a machine, as tables. Registers have their DWARF numbers. */
#ifndef UNWIND_MACHINE_H
#define UNWIND_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi.h"

enum { MACHINE_SAVED = 12 };

/* @signal_code: the instructions that a handler of a signal returns to, where the kernel has left
 * the interrupted registers above the stack pointer */
struct machine {
	uint16_t elf; /* EM_X86_64 ... */
	bool is_64;
	bool is_call_pushing; /* a call puts the return address onto the stack */
	uint8_t word;         /* bytes */
	uint8_t sp, fp, pc;
	uint8_t ra; /* register of the return address in CFI */
	uint8_t nr_saved;
	uint8_t saved[MACHINE_SAVED]; /* what functions preserve; the return address is among them
				       */
	uint64_t pc_mask;             /* bits of a code address: others are a signature */
	uint8_t signal_len;
	uint8_t signal_code[16];
	uint16_t signal_at; /* of the registers, from the stack pointer */
	uint8_t nr_signal_regs;
	uint8_t signal_regs[CFI_REGS]; /* as the kernel orders them; NO_REG: others */
};

enum { NO_REG = 255 };

/* By the machine of an ELF file. Returns NULL: it is not known. */
const struct machine *xp_machine_find(int elf);

/* Registers of a frame. */
struct frame {
	uint64_t pc;
	uint64_t known; /* which of them are */
	uint64_t regs[CFI_REGS];
};

static inline bool frame_knows(const struct frame *frame, unsigned int reg)
{
	return reg < CFI_REGS && frame->known >> reg & 1;
}

static inline void frame_set(struct frame *frame, unsigned int reg, uint64_t value)
{
	frame->regs[reg] = value;
	frame->known |= UINT64_C(1) << reg;
}

#endif
