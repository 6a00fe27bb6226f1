/* SPDX-License-Identifier: MIT */
/* Bytes of code, and the text of the instruction they begin with. */
#ifndef SCRIPT_INSTRUCTION_H
#define SCRIPT_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct script;
struct xp_frame;

enum { INSTRUCTION_MAX = 16 /* bytes */ };

/* @at: room for what is read; @nr: bytes there are; @machine: as ELF numbers them */
struct code_bytes {
	uint8_t *at;
	size_t nr;
	int machine;
};

/* Reads up to @len bytes of code where @frame is into @code. */
void code_bytes_read(const struct xp_frame *frame, uint64_t len, struct code_bytes *code);

/*
 * Prints the first instruction of @code: its text if @as_text and a disassembler knows the machine,
 * else its bytes. @len: its length; 0: it is none. @ip: where it ran. Returns the number of
 * characters, -ENOSYS with the reason in the recording's diag (no disassembler), -ENOMEM.
 */
int instruction_text(struct script *script, bool as_text, const struct code_bytes *code, int len,
		     uint64_t ip);

#endif
