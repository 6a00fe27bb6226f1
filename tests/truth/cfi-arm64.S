/* SPDX-License-Identifier: MIT
 *
 * For arm64, functions whose unwind information is written by hand: void NAME(const char *point). Each
 * stores the address that it returns to, and calls assembly_point(point).
 * Source: DWARF for the Arm 64-bit Architecture, 4.1 (numbers of registers); DWARF 5, sections 2.5
 * and 6.4.2.
 */
	.text
#ifdef CFI_SECTIONS
	.cfi_sections CFI_SECTIONS
#endif

	.macro begin name
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	adrp	x9, assembly_back
	str	x30, [x9, :lo12:assembly_back]
	mov	x10, sp
	adrp	x9, assembly_sp
	str	x10, [x9, :lo12:assembly_sp]
	.endm

	.macro end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* Pairs are pushed one by one, and no frame pointer; an early way out in the middle. */
	begin	cfi_pushes
	stp	x19, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x19, 0
	.cfi_rel_offset x30, 8
	stp	x20, x29, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x20, 0
	.cfi_rel_offset x29, 8
	mov	x29, xzr
	cbnz	x0, 1f
	.cfi_remember_state
	ldp	x20, x29, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x20
	.cfi_restore x29
	ldp	x19, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x19
	.cfi_restore x30
	ret
	.cfi_restore_state
1:	sub	sp, sp, #4064
	.cfi_def_cfa_offset 4096
	bl	assembly_point
	add	sp, sp, #4064
	.cfi_def_cfa_offset 32
	ldp	x20, x29, [sp], #16
	.cfi_def_cfa_offset 16
	.cfi_restore x20
	.cfi_restore x29
	ldp	x19, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore x19
	.cfi_restore x30
	ret
	end	cfi_pushes

	/* The frame's address is in a register that is seldom used for it. */
	begin	cfi_register
	stp	x25, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x25, 0
	.cfi_rel_offset x30, 8
	mov	x25, sp
	.cfi_def_cfa x25, 16
	sub	x9, sp, #1008
	and	sp, x9, #-64
	bl	assembly_point
	mov	sp, x25
	.cfi_def_cfa sp, 16
	ldp	x25, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x25
	.cfi_restore x30
	ret
	end	cfi_register

	/* The frame's address is in memory: DW_CFA_def_cfa_expression, sp + 16, deref, + 16. */
	begin	cfi_expression
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x9, sp
	.cfi_def_cfa x9, 16
	sub	x10, sp, #416
	and	sp, x10, #-32
	str	x9, [sp, #16]
	.cfi_escape 0x0f, 0x05, 0x8f, 0x10, 0x06, 0x23, 0x10
	bl	assembly_point
	ldr	x9, [sp, #16]
	mov	sp, x9
	.cfi_def_cfa sp, 16
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
	ret
	end	cfi_expression

	/*
	 * x29 is stored with its bits inverted, and destroyed; its caller's frame is found by it.
	 * DW_CFA_val_expression of register 29: the address of the frame is on the stack, - 16, deref,
	 * not.
	 */
	begin	cfi_value_expression
	mvn	x9, x29
	stp	x9, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x30, 8
	.cfi_escape 0x16, 0x1d, 0x04, 0x40, 0x1c, 0x06, 0x20
	mov	x29, #-1
	bl	assembly_point
	ldp	x9, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x30
	mvn	x29, x9
	.cfi_restore x29
	ret
	end	cfi_value_expression

	/* DW_CFA_expression of register 19: x19 is where sp + 16 points. */
	begin	cfi_place_expression
	stp	x19, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x19, 0
	.cfi_rel_offset x30, 8
	mov	x19, sp
	sub	sp, sp, #32
	.cfi_adjust_cfa_offset 32
	str	x19, [sp, #16]
	.cfi_escape 0x10, 0x13, 0x03, 0x8f, 0x10, 0x06
	mov	x19, xzr
	bl	assembly_point
	add	sp, sp, #32
	.cfi_adjust_cfa_offset -32
	ldp	x19, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x19
	.cfi_restore x30
	ret
	end	cfi_place_expression

	/* The return address is in a register, and that register's value in its place. */
	begin	cfi_back_in_register
	str	x24, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x24, 0
	mov	x24, x30
	.cfi_register x30, x24
	bl	assembly_point
	mov	x30, x24
	.cfi_restore x30
	ldr	x24, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x24
	ret
	end	cfi_back_in_register

	.section .note.GNU-stack, "", %progbits
