/* SPDX-License-Identifier: MIT */
/* Names and numbers of system calls, found in the table. */
#include "syscall-names.h"

#include <string.h>
#include <xperf/suggest.h>

#include "syscall-numbers.h"

enum syscall_abi syscall_abi_of(const char *machine)
{
	static const struct {
		const char *machine;
		enum syscall_abi abi;
	} rows[] = {
		{ "x86_64", SYSCALLS_X86_64 }, { "aarch64", SYSCALLS_ARM64 },
		{ "i386", SYSCALLS_I386 },     { "i486", SYSCALLS_I386 },
		{ "i586", SYSCALLS_I386 },     { "i686", SYSCALLS_I386 },
	};

	for (size_t i = 0; machine && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(machine, rows[i].machine))
			return rows[i].abi;
	return SYSCALLS_UNKNOWN;
}

enum syscall_abi syscall_abi_compat(enum syscall_abi abi)
{
	return abi == SYSCALLS_X86_64 || abi == SYSCALLS_I386 ? SYSCALLS_I386 : SYSCALLS_UNKNOWN;
}

const char *syscall_name(enum syscall_abi abi, int64_t nr)
{
	for (size_t i = 0; abi < NR_SYSCALL_ABIS && nr >= 0 && i < nr_syscalls; i++)
		if (syscall_table[i].of_abi[abi] == nr)
			return syscall_table[i].name;
	return NULL;
}

int syscall_number(enum syscall_abi abi, const char *name, size_t len)
{
	for (size_t i = 0; abi < NR_SYSCALL_ABIS && i < nr_syscalls; i++)
		if (!strncmp(syscall_table[i].name, name, len) && !syscall_table[i].name[len])
			return syscall_table[i].of_abi[abi];
	return -1;
}

const char *syscall_meant(enum syscall_abi abi, const char *name, size_t len)
{
	struct xp_suggest suggest = { .word = name, .len = len };

	for (size_t i = 0; abi < NR_SYSCALL_ABIS && i < nr_syscalls; i++)
		if (syscall_table[i].of_abi[abi] >= 0)
			xp_suggest_offer(&suggest, syscall_table[i].name);
	return suggest.best;
}

bool syscall_makes_task(enum syscall_abi abi, int64_t nr)
{
	static const char *const names[] = { "clone", "clone3", "fork", "vfork" };
	const char *name = syscall_name(abi, nr);

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}
