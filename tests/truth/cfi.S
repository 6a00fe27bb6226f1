/* SPDX-License-Identifier: MIT
 *
 * Functions whose unwind information is written by hand: void NAME(const char *point). Each stores
 * the address that it returns to, and calls assembly_point(point).
 * Source: System V ABI AMD64, table 3.36 (numbers of registers); DWARF 5, sections 2.5 and 6.4.2.
 */
	.text
#ifdef CFI_SECTIONS
	.cfi_sections CFI_SECTIONS
#endif

	.macro begin name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	movq	(%rsp), %rax
	movq	%rax, assembly_back(%rip)
	movq	%rsp, assembly_sp(%rip)
	.endm

	.macro end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* Pushes and pops, with an early way out in the middle of the function. */
	begin	cfi_pushes
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	xorl	%ebp, %ebp
	testq	%rdi, %rdi
	jnz	1f
	.cfi_remember_state
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	.cfi_restore_state
	/* Not adjusted: clang 14 adjusts what was before the early way out. */
1:	pushq	$1
	.cfi_def_cfa_offset 40
	pushq	$2
	.cfi_def_cfa_offset 48
	call	assembly_point
	addq	$24, %rsp
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_restore %rbp
	popq	%rbx
	.cfi_def_cfa_offset 8
	.cfi_restore %rbx
	ret
	end	cfi_pushes

	/* The frame's address is in a register that is seldom used for it. */
	begin	cfi_register
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset %r13, -16
	movq	%rsp, %r13
	.cfi_def_cfa %r13, 16
	subq	$1000, %rsp
	andq	$-64, %rsp
	call	assembly_point
	movq	%r13, %rsp
	.cfi_def_cfa %rsp, 16
	popq	%r13
	.cfi_def_cfa_offset 8
	.cfi_restore %r13
	ret
	end	cfi_register

	/* The frame's address is in memory: DW_CFA_def_cfa_expression, rsp + 8, deref, + 8. */
	begin	cfi_expression
	movq	%rsp, %rax
	subq	$400, %rsp
	.cfi_adjust_cfa_offset 400
	andq	$-32, %rsp
	.cfi_def_cfa %rax, 8
	movq	%rax, 8(%rsp)
	.cfi_escape 0x0f, 0x05, 0x77, 0x08, 0x06, 0x23, 0x08
	call	assembly_point
	movq	8(%rsp), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end	cfi_expression

	/*
	 * rbp is stored with its bits inverted, and destroyed; its caller's frame is found by it.
	 * DW_CFA_val_expression of register 6: the address of the frame is on the stack, - 16, deref,
	 * not.
	 */
	begin	cfi_value_expression
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movq	%rbp, %rax
	notq	%rax
	movq	%rax, (%rsp)
	.cfi_escape 0x16, 0x06, 0x04, 0x40, 0x1c, 0x06, 0x20
	movq	$-1, %rbp
	call	assembly_point
	movq	(%rsp), %rbp
	notq	%rbp
	.cfi_restore %rbp
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	end	cfi_value_expression

	/* DW_CFA_expression of register 3: rbx is where rsp + 16 points. */
	begin	cfi_place_expression
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	movq	%rsp, %rbx
	subq	$32, %rsp
	.cfi_adjust_cfa_offset 32
	movq	%rbx, 16(%rsp)
	.cfi_escape 0x10, 0x03, 0x03, 0x77, 0x10, 0x06
	xorl	%ebx, %ebx
	call	assembly_point
	addq	$32, %rsp
	.cfi_adjust_cfa_offset -32
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	end	cfi_place_expression

	/* The return address is in a register, and that register's value in its place. */
	begin	cfi_back_in_register
	xchgq	%r12, (%rsp)
	.cfi_register %rip, %r12
	.cfi_offset %r12, -8
	call	assembly_point
	xchgq	%r12, (%rsp)
	.cfi_restore %rip
	.cfi_restore %r12
	ret
	end	cfi_back_in_register

	.section .note.GNU-stack, "", @progbits
