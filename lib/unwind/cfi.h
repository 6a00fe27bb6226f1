/* SPDX-License-Identifier: MIT */
/* Call frame information as libdw reads it, without libdw's types: what holds at an address. */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF numbers of registers are below this, on all machines that are unwound. */
enum { CFI_REGS = 34, CFI_OPS = 192 };

/* An operation of an expression. @offset: its place, in bytes, that jumps count from */
struct cfi_op {
	uint64_t number, number2;
	uint32_t offset;
	uint8_t atom;
};

/* Where the caller's value of a register is. */
struct cfi_value {
	enum { CFI_UNKNOWN, CFI_SAME, CFI_UNDEFINED, CFI_EXPRESSION } kind;
	uint16_t first, nr; /* operations */
};

/*
 * What holds from the address that was asked for on, and before @end. That it holds before, too, is
 * not known: after DW_CFA_restore_state libdw (0.188) gives the start of the state that was
 * remembered.
 * @ra: the register that has the return address
 */
struct cfi_row {
	uint64_t start, end;
	int ra;
	bool is_signal;
	struct cfi_value cfa;
	struct cfi_value regs[CFI_REGS];
	uint16_t nr_ops;
	struct cfi_op ops[CFI_OPS];
};

struct cfi_image;
struct xp_cfi;

/*
 * Opens an ELF file in memory that has nothing but frame sections. It must stay.
 * Returns 0, -ENODATA, -ENOSYS (there is no libdw), -ENOMEM.
 */
int xp_cfi_open(const struct cfi_image *image, struct xp_cfi **ret_cfi);
/* @cfi may be NULL. */
void xp_cfi_close(struct xp_cfi *cfi);
/*
 * What holds at an address, of @nr registers: others are CFI_UNKNOWN. One thread at a time. What
 * would take much memory is not known (cfi-program.h).
 * Returns 0, -ENOENT: nothing is known there; -ENOMEM.
 */
int xp_cfi_find(struct xp_cfi *cfi, uint64_t address, const uint8_t *regs, size_t nr,
		struct cfi_row *ret_row);

/*
 * Lists where what is described begins, in the order of the section, also twice.
 * @ret_starts: the caller's to free
 * Returns 0, -ENODATA: it cannot be read, or nothing is described; -ENOMEM.
 */
int xp_cfi_starts(struct xp_cfi *cfi, uint64_t **ret_starts, size_t *ret_nr);

#endif
