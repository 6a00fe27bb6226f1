/* SPDX-License-Identifier: MIT */
/* The table of system calls: syscall-numbers.c, which syscall-names.c searches. */
#ifndef SYSCALLS_NUMBERS_H
#define SYSCALLS_NUMBERS_H

#include <stddef.h>

#include "syscall-names.h"

struct syscall_numbers {
	const char *name;
	int of_abi[NR_SYSCALL_ABIS]; /* below 0: there is none */
};

extern const struct syscall_numbers syscall_table[];
extern const size_t nr_syscalls;

#endif
