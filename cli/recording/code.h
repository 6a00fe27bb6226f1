/* SPDX-License-Identifier: MIT */
/* The instructions of a function that has samples. */
#ifndef RECORDING_CODE_H
#define RECORDING_CODE_H

#include <xperf/disasm.h>

#include "heat.h"
#include "sink.h"

struct xp_symtab;

/* @text: where it begins in the text of all; @file: NULL: not known. @function: what is inlined
 * there; NULL: the function itself, or not known */
struct code_line {
	uint64_t address, target;
	size_t text;
	const char *file, *function;
	uint32_t line, len;
	enum xp_instruction_kind kind;
};

/* A function's instructions. */
struct code {
	struct code_line *at;
	size_t nr, room;
	struct sink text;
	uint8_t *bytes;
	size_t len;
	int machine;
};

/*
 * Reads and disassembles a function. @with_lines: with lines of source
 * Returns 0, -ENODATA (its code is not there), -ENOTSUP (not of this machine), -ENOSYS (no
 * disassembler), -ENOMEM; @diag has a sentence but for -ENOMEM. code_fini() follows.
 */
int code_read(const struct hot_function *function, bool intel, bool with_lines, struct code *code,
	      struct xp_diag *diag);
void code_fini(struct code *code);

/* Appends where a branch leads, or what is read there, to the text of an instruction. */
void code_put_target(const struct code *code, const struct code_line *line,
		     struct xp_symtab *symtab, struct sink *out);

#endif
