/* SPDX-License-Identifier: MIT */
/* What a library says of one instruction, before it is put into words. */
#ifndef CODE_DECODER_H
#define CODE_DECODER_H

#include <xperf/disasm.h>

struct decoder;

/*
 * @mnemonic, @operands: as the library writes them; valid until the next call
 * @name: the mnemonic without what it says of the operands' size: "mov" of "movl"
 * @target: as in struct xp_instruction
 * @bytes: of the instruction
 * @has_zero: of x86: a displacement is there, and is 0
 * @has_immediate: likewise: a number is there
 * @operand_bytes: likewise: the size of the first operand
 */
struct decoded {
	const char *mnemonic, *operands, *name;
	const uint8_t *bytes;
	uint64_t target;
	uint32_t len;
	enum xp_instruction_kind kind;
	bool has_zero, has_immediate;
	uint8_t operand_bytes;
};

/* Returns 0, -ENOSYS (no library; @diag), -ENOTSUP (not of this machine), -ENOMEM. */
int xp_decoder_open(const struct xp_disasm_opts *opts, struct decoder **ret_decoder,
		    struct xp_diag *diag);
/* NULL is allowed. */
void xp_decoder_close(struct decoder *decoder);
/* Returns false: the bytes are no instruction. */
bool xp_decoder_next(struct decoder *decoder, const void *bytes, size_t len, uint64_t address,
		     struct decoded *ret_decoded);

#endif
