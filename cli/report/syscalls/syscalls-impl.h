/* SPDX-License-Identifier: MIT */
/* What the parts of `xperf report --syscalls` share. */
#ifndef SYSCALLS_SYSCALLS_IMPL_H
#define SYSCALLS_SYSCALLS_IMPL_H

#include <stdio.h>

#include "losses.h"
#include "sums.h"
#include "syscalls.h"

/* What a recording has of them. */
struct syscalls {
	struct syscall_sums *sums;
	struct losses lost;  /* of any event */
	bool has_names;      /* the machine's calls are known */
	const char *machine; /* NULL: not known; the recording's */
};

/* load.c: of an open recording. Returns 0 or a negative errno; syscalls_fini() follows. */
int syscalls_load(struct recording *rec, bool is_total, struct syscalls *ret_syscalls);
void syscalls_fini(struct syscalls *syscalls);

/* Renderers. */
void syscalls_print(FILE *file, const struct syscalls *syscalls, const struct syscalls_opts *opts);
/* Returns 0 or a negative errno. */
int syscalls_print_json(FILE *file, const struct syscalls *syscalls);
enum { SYSCALL_NAME_MAX = 64 };
/* Its name; "syscall_NNN" where that is not known. Returns @name. */
const char *syscalls_name(const struct syscall_sum *sum, char name[SYSCALL_NAME_MAX]);

#endif
