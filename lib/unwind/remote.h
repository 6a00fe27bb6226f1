/* SPDX-License-Identifier: MIT */
/* Unwinding by libunwind, without its types: each frame is computed by the library. */
#ifndef UNWIND_REMOTE_H
#define UNWIND_REMOTE_H

#include "machine.h"

/* A table of functions (.eh_frame_hdr) where it is mapped. @start, @end: addresses it is for;
 * @base: of the section; @entries: its sorted entries, of which there are @nr */
struct remote_table {
	uint64_t start, end;
	uint64_t base, entries, nr;
};

/* What the library looks at. @add: is called with each frame; returns false: that is enough */
struct remote_thread {
	const struct frame *frame; /* the innermost */
	bool (*find_table)(void *data, uint64_t pc, struct remote_table *ret_table);
	bool (*read)(void *data, uint64_t address, size_t bytes, uint64_t *ret);
	bool (*add)(void *data, uint64_t pc, uint64_t sp, bool is_interrupted);
	void *data;
};

/* How a walk ended. */
enum remote_end { REMOTE_COMPLETE, REMOTE_NO_INFO, REMOTE_BAD, REMOTE_ENOUGH };

struct xp_remote;

/* Loads the library. Returns 0, -ENOSYS, -ENOMEM. */
int xp_remote_open(struct xp_remote **ret_remote);
/* @remote may be NULL. */
void xp_remote_close(struct xp_remote *remote);
/* The machine whose code it unwinds, EM_X86_64 ... */
int xp_remote_machine(const struct xp_remote *remote);
/* One thread at a time. Calls @add for the innermost frame, too. */
enum remote_end xp_remote_walk(struct xp_remote *remote, const struct remote_thread *thread);

#endif
