/* SPDX-License-Identifier: MIT */
/*
 * Rules of code that a process has made itself, from the jit-PID.dump that it writes. To an
 * unwinder the dump is a file, in which code is mapped where it was made: each function is at an
 * offset of its own, whatever else was at its address before or is there after it.
 */
#ifndef UNWIND_JIT_H
#define UNWIND_JIT_H

#include <xperf/api.h>

struct xp_symbol_file;
struct xp_unwind;
struct xp_unwind_file;
struct xp_unwind_map;
struct xp_unwind_mapped;

/*
 * How times of samples and those of the dump belong together.
 * @is_monotonic: samples have those of CLOCK_MONOTONIC, as dumps are to have
 * @mapped_ns: otherwise, when the process mapped the dump, which it does as it begins it. 0: not
 *             known; then code is found at addresses where there was no other
 */
struct xp_jit_clock {
	bool is_monotonic;
	uint64_t mapped_ns;
};

/* The dump of a recording, or of a process, as xp_unwind_open_file() and xp_unwind_open_mapped()
 * find files. Return 0, -EINVAL, -ENOMEM. */
int xp_jit_open(struct xp_unwind *unwind, const struct xp_symbol_file *file,
		const struct xp_jit_clock *clock, struct xp_unwind_file **ret_file);
int xp_jit_open_mapped(struct xp_unwind *unwind, const struct xp_unwind_mapped *mapped,
		       const struct xp_jit_clock *clock, struct xp_unwind_file **ret_file);
/*
 * Reads what the process has added.
 * @ret_latest_ns: on true, time of the latest change; XP_NO_TIME: it is not known
 * Returns whether there is other code, or was.
 */
bool xp_jit_refresh(struct xp_unwind_file *file, uint64_t *ret_latest_ns);
/* The process and all that share its memory have ended: it is not opened again. */
void xp_jit_retire(struct xp_unwind_file *file);

/*
 * The code at an address whose frames the dump describes.
 * @ret_map:  of the function
 * @ret_span: first and last time for which the answer is true, also where there is none
 * Returns false: there is none.
 */
bool xp_jit_find(struct xp_unwind_file *file, uint64_t address, uint64_t time_ns,
		 struct xp_unwind_map *ret_map, uint64_t ret_span[2]);

#endif
