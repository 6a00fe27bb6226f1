/* SPDX-License-Identifier: MIT */
/* --kcore: the kernel's code beside a recording, for decoders that must see every instruction. */
#ifndef CLI_RECORD_KCORE_H
#define CLI_RECORD_KCORE_H

#include <stddef.h>
#include <stdint.h>

struct xp_diag;

/* Says whether /proc/kcore can be read. Returns 0 or a negative errno with @diag filled. */
int kcore_check(struct xp_diag *diag);

/*
 * Copies the executable parts of /proc/kcore, /proc/kallsyms and /proc/modules into @dir/kcore_dir.
 * Returns likewise.
 */
int kcore_copy(const char *dir, struct xp_diag *diag);

/* Addresses from @start up to, without, @end. */
struct kcore_range {
	uint64_t start, end;
};

/* Copies of the ELF file @from, a core file of 64 bits, what lies in one of the ranges, to @to.
 * Returns the number of pieces or a negative errno. */
int kcore_extract(int from, int to, const struct kcore_range *ranges, size_t nr);

#endif
