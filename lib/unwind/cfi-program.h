/* SPDX-License-Identifier: MIT */
/* Instructions of call frame information, looked at before libdw executes them. */
#ifndef UNWIND_CFI_PROGRAM_H
#define UNWIND_CFI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of variable length, LEB128. Returns the bytes it has; 0: it does not end. */
size_t xp_cfi_leb128(const uint8_t *at, const uint8_t *end, uint64_t *ret_value);
/*
 * Whether all instructions are known, whole, and ask for no more memory than those of compilers.
 * @address_bytes: of an address in them
 */
bool xp_cfi_program_ok(const uint8_t *at, const uint8_t *end, size_t address_bytes);

#endif
