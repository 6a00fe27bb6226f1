/* SPDX-License-Identifier: MIT */
/* Machine code as text: one instruction after the other, in the words of objdump(1). */
#ifndef XPERF_DISASM_H
#define XPERF_DISASM_H

#include <xperf/api.h>

struct xp_diag;

XP_BEGIN_DECLS

/**
 * struct xp_disasm_opts - which code, and how it is written
 * @size:    sizeof(struct xp_disasm_opts), lets the struct grow
 * @machine: as ELF numbers them: EM_386, EM_X86_64, EM_ARM, EM_AARCH64
 * @intel:   of x86: the syntax of Intel's manuals, not AT&T's
 * @thumb:   of Arm: instructions of 2 and 4 bytes
 */
struct xp_disasm_opts {
	size_t size;
	int machine;
	bool intel;
	bool thumb;
	uint8_t padding[2]; /* never used */
};

/** enum xp_instruction_kind - what an instruction does to the flow of a program */
enum xp_instruction_kind {
	XP_INSTRUCTION_OTHER,
	XP_INSTRUCTION_JUMP, /* with a condition or without */
	XP_INSTRUCTION_CALL,
	XP_INSTRUCTION_RETURN,
	XP_INSTRUCTION_BAD, /* these bytes are no instruction that is known */
};

/**
 * struct xp_instruction - one instruction
 * @size:    sizeof(struct xp_instruction), set by the caller
 * @address: of its first byte
 * @target:  where a jump or call goes, or the address that an operand relative to the instruction
 *           means; 0: none that can be known. @text ends with the target of a jump or call
 * @text:    "mov    %rdi,%rax"; valid until the next call
 * @len:     bytes, at least 1
 */
struct xp_instruction {
	size_t size;
	uint64_t address;
	uint64_t target;
	const char *text;
	uint32_t len;
	enum xp_instruction_kind kind;
};

/** struct xp_disasm - a disassembler; one thread at a time */
struct xp_disasm;

/**
 * xp_disasm_new - make a disassembler
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Returns 0, or
 *   -ENOSYS   this library was built without capstone, or capstone cannot be loaded
 *   -ENOTSUP  code of this machine cannot be shown
 *   -EINVAL, -E2BIG (@opts), -ENOMEM
 */
XP_API int xp_disasm_new(const struct xp_disasm_opts *opts, struct xp_disasm **ret_disasm,
			 struct xp_diag *diag);
/** xp_disasm_free - free it; NULL is allowed. */
XP_API void xp_disasm_free(struct xp_disasm *disasm);
/**
 * xp_disasm_next - the instruction that bytes begin with
 * @bytes, @len: what is there; an instruction that is cut off is bad
 * @address: of the first byte, as the text and the target are to have it
 *
 * Returns 1, 0 (@len is 0), -EINVAL (the size of @ret_instruction is not set).
 *
 * Source of the words: objdump(1) of binutils 2.40, measured; what differs is in xperf-annotate(1).
 */
XP_API int xp_disasm_next(struct xp_disasm *disasm, const void *bytes, size_t len, uint64_t address,
			  struct xp_instruction *ret_instruction);

/**
 * xp_instruction_len - how long an instruction is
 * @machine: from xp_symtab_code(): x86, x86-64, aarch64, s390x
 * @bytes, @len: what is there, the longest instruction or more (16 bytes)
 *
 * Returns bytes; 0: unknown.
 */
XP_API int xp_instruction_len(int machine, const void *bytes, size_t len);
/**
 * xp_instruction_is_branch - whether the next instruction can be another one than that after it
 * @machine: x86, x86-64, aarch64
 * @bytes, @len: as above
 *
 * Jumps, with a condition or without, calls, returns, interrupts and system calls.
 *
 * Returns 1 or 0, also where that is not known.
 */
XP_API int xp_instruction_is_branch(int machine, const void *bytes, size_t len);

XP_END_DECLS

#endif
