/* SPDX-License-Identifier: MIT */
/* What the system calls of a machine are called. */
#ifndef SYSCALLS_NAMES_H
#define SYSCALLS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who numbers them; the columns of syscall-numbers.c. */
enum syscall_abi {
	SYSCALLS_X86_64,
	SYSCALLS_I386,
	SYSCALLS_ARM64,
	NR_SYSCALL_ABIS,
	SYSCALLS_UNKNOWN = NR_SYSCALL_ABIS, /* numbers without names */
};

/* That of a machine, as uname(2) calls it; NULL: of none. */
enum syscall_abi syscall_abi_of(const char *machine);
/* That of its 32-bit programs. */
enum syscall_abi syscall_abi_compat(enum syscall_abi abi);

/* Returns static text, NULL: not known. */
const char *syscall_name(enum syscall_abi abi, int64_t nr);
/* Returns the number, -1: there is no such call. @len: of @name. */
int syscall_number(enum syscall_abi abi, const char *name, size_t len);
/* The name closest to one that is none, NULL: none is close. */
const char *syscall_meant(enum syscall_abi abi, const char *name, size_t len);
/* Whether a new task returns from it, too. */
bool syscall_makes_task(enum syscall_abi abi, int64_t nr);

#endif
