/* SPDX-License-Identifier: MIT */
/*
 * x86-64, i386 and arm64: which registers functions preserve, and how the kernel lays out the frame
 * of a signal.
 *
 * Source: System V ABI, AMD64 supplement, 3.2.1 and figure 3.36, and Intel386 supplement; Procedure
 * Call Standard for the Arm 64-bit Architecture, 6.1.1, and DWARF for it, 4.1. Linux: struct
 * rt_sigframe of arch/x86/include/asm/sigframe.h and of arch/arm64/kernel/signal.c, struct
 * sigcontext of asm/sigcontext.h, system calls 15, 173 and 139 (rt_sigreturn). User addresses of
 * arm64 have 48 bits unless a program asks for more: Documentation/arch/arm64/memory.rst.
 */
#include "machine.h"

#include <elf.h>

#define NO NO_REG
static const struct machine machines[] = {
	{
		.elf = EM_X86_64,
		.is_64 = true,
		.is_call_pushing = true,
		.word = 8,
		.sp = 7,
		.fp = 6,
		.pc = 16,
		.ra = 16,
		.nr_saved = 7,
		.saved = { 16, 6, 3, 12, 13, 14, 15 },
		.pc_mask = UINT64_MAX,
		/* mov $15, %rax; syscall */
		.signal_len = 9,
		.signal_code = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
		.signal_at = 40,
		.nr_signal_regs = 17,
		.signal_regs = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 },
	},
	{
		.elf = EM_386,
		.is_call_pushing = true,
		.word = 4,
		.sp = 4,
		.fp = 5,
		.pc = 8,
		.ra = 8,
		.nr_saved = 5,
		.saved = { 8, 5, 3, 6, 7 },
		.pc_mask = UINT32_MAX,
		/* mov $173, %eax; int $0x80 */
		.signal_len = 7,
		.signal_code = { 0xb8, 173, 0, 0, 0, 0xcd, 0x80 },
		.signal_at = 160,
		.nr_signal_regs = 15,
		.signal_regs = { NO, NO, NO, NO, 7, 6, 5, 4, 3, 2, 1, 0, NO, NO, 8 },
	},
	{
		.elf = EM_AARCH64,
		.is_64 = true,
		.word = 8,
		.sp = 31,
		.fp = 29,
		.pc = 32,
		.ra = 30,
		.nr_saved = 12,
		.saved = { 30, 29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28 },
		.pc_mask = (UINT64_C(1) << 48) - 1,
		/* mov x8, #139; svc #0 */
		.signal_len = 8,
		.signal_code = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
		.signal_at = 312,
		.nr_signal_regs = 33,
		.signal_regs = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
				 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
	},
};
#undef NO

const struct machine *xp_machine_find(int elf)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}
