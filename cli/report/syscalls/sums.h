/* SPDX-License-Identifier: MIT */
/*
 * Entries of system calls and returns from them -> how often and how long each thread made each
 * call. Knows no recording. A call is counted where it returns; nothing is concluded about what was
 * not recorded: that is counted apart.
 */
#ifndef SYSCALLS_SUMS_H
#define SYSCALLS_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "syscall-names.h"

/* An entry or a return. */
struct syscall_event {
	int32_t pid, tid;
	const char *comm; /* of the thread; borrowed as long as the sums */
	uint64_t time_ns;
	enum syscall_abi abi;
	bool is_compat; /* of a 32-bit program on a 64-bit machine */
	int64_t nr;     /* its number; of a return, -1: the kernel has forgotten it */
	int64_t result; /* of a return */
	bool counts;    /* passes the filters */
};

/* Calls without a time. */
enum syscall_fate {
	SYSCALL_OPEN,    /* have not returned */
	SYSCALL_UNSURE,  /* records were lost between entry and return, perhaps the entry */
	SYSCALL_ENTERED, /* returned, but entered before the recording */
	NR_SYSCALL_FATES,
};

/* One call of one thread, or of all. */
struct syscall_sum {
	int32_t pid, tid; /* the thread; -1: all */
	const char *comm; /* the name that the thread had last; NULL: all */
	enum syscall_abi abi;
	bool is_compat;
	int64_t nr;
	uint64_t nr_calls;  /* that have returned */
	uint64_t nr_errors; /* of them */
	uint64_t total_ns, min_ns, max_ns;
	uint64_t untimed[NR_SYSCALL_FATES];
};

struct losses;
struct syscall_sums;

/* @is_total: of all threads together; @losses: when records are missing, borrowed until
 * syscall_sums_free(). Returns NULL without memory. */
struct syscall_sums *syscall_sums_new(bool is_total, const struct losses *losses);
void syscall_sums_free(struct syscall_sums *sums);

/* In the order of time. Return 0 or -ENOMEM. */
int syscall_sums_enter(struct syscall_sums *sums, const struct syscall_event *event);
int syscall_sums_return(struct syscall_sums *sums, const struct syscall_event *event);
/* After the last: what is open is counted, and rows are sorted by their time. */
int syscall_sums_finish(struct syscall_sums *sums);

/* Then. Returns NULL after the last row; valid as long as @sums. */
const struct syscall_sum *syscall_sums_at(const struct syscall_sums *sums, size_t idx);
/* Everything, as one row. */
const struct syscall_sum *syscall_sums_total(const struct syscall_sums *sums);
/* The number of errors that the kernel returns: -1 to -4095. */
bool syscall_has_failed(int64_t result);

#endif
