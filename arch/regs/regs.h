/* SPDX-License-Identifier: MIT */
/* Tables of the registers that samples bear, of machines of any architecture: data, no code. */
#ifndef REGS_REGS_H
#define REGS_REGS_H

#include <xperf/arch.h>

/* In the order of their bits, a row without a name behind the last. */
extern const struct xp_arch_reg xp_regs_x86_64[];
extern const struct xp_arch_reg xp_regs_i386[];
extern const struct xp_arch_reg xp_regs_arm64[];
extern const struct xp_arch_reg xp_regs_arm_on_arm64[]; /* 32-bit programs on a 64-bit kernel */
extern const struct xp_arch_reg xp_regs_arm[];
extern const struct xp_arch_reg xp_regs_riscv[];
extern const struct xp_arch_reg xp_regs_powerpc[];
extern const struct xp_arch_reg xp_regs_s390[];

#endif
