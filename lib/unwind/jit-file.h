/* SPDX-License-Identifier: MIT */
/* What the rules of files need of a dump of code that was made. All with the lock of the file. */
#ifndef UNWIND_JIT_FILE_H
#define UNWIND_JIT_FILE_H

#include "jit-code.h"

struct cfi_row;
struct xp_unwind_file;

/* @len: of the file, as far as it was read; @open_at, @open_address: of the description that is
 * open */
struct jit {
	struct jit_code code;
	uint64_t len;
	uint64_t open_at, open_address;
	bool is_damaged;
};

/* Reads what is new in the file. */
void xp_jit_read(struct xp_unwind_file *file);
/* Forgets what was read. */
void xp_jit_free(struct xp_unwind_file *file);
/* Bytes from an offset to the end of the function that is there; 0: none is. */
size_t xp_jit_code_len(const struct xp_unwind_file *file, uint64_t offset);
/* What its description says of an offset; the row is of offsets, too. Returns 0, -ENOENT, -ENOMEM.
 */
int xp_jit_look_up(struct xp_unwind_file *file, uint64_t offset, struct cfi_row *ret_row);

#endif
