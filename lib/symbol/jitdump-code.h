/* SPDX-License-Identifier: MIT */
/* The code of a jit-PID.dump by address: of what was at one address one after the other, the last.
 */
#ifndef SYMBOL_JITDUMP_CODE_H
#define SYMBOL_JITDUMP_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* A function of a JIT compiler. @at: its code in the dump */
struct jitdump_function {
	uint64_t address, len;
	size_t at;
};

/* Zero-initialised is empty. @owners: of what begins at each of @starts, the function, plus 1; 0:
 * none */
struct jitdump_code {
	struct xp_str dump;
	uint32_t machine;
	struct jitdump_function *functions;
	size_t nr;
	uint64_t *starts;
	uint32_t *owners;
	size_t nr_starts;
};

/* Reads the functions of @code->dump. Returns 0, -ENOEXEC (it is no dump), -ENOMEM. */
int xp_jitdump_code_read(struct jitdump_code *code);
/* Copies code from an address on, as far as its function goes. Returns the number of bytes. */
size_t xp_jitdump_code_bytes(const struct jitdump_code *code, uint64_t address, void *buf,
			     size_t len);
void xp_jitdump_code_fini(struct jitdump_code *code);

#endif
