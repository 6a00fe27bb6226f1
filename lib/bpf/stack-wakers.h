/* SPDX-License-Identifier: MIT */
/* Wakers of sums of waits, as samples of the tracepoint sched:sched_waking. */
#ifndef BPF_STACK_WAKERS_H
#define BPF_STACK_WAKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack-sums.h"

struct xp_diag;
struct xp_evsel;
struct xp_symbols;
struct xp_symtab;
struct xp_tracepoint;

/* What a record of the tracepoint takes at most here; names that are kept. */
enum { WAKING_BYTES = 256, WAKERS_KEPT = 256 };

/* What a thread was called last. */
struct waker_name {
	uint32_t tid;
	char comm[16];
};

/* Zero-initialised there are none. */
struct stack_wakers {
	struct xp_evsel *evsel; /* NULL: they are not asked for */
	struct xp_tracepoint *waking;
	uint32_t len;                         /* of its records */
	struct waker_name named[WAKERS_KEPT]; /* by the last bits of their numbers */
	struct xp_symbols *symbols;
	struct xp_symtab *kernel;
};

/*
 * Finds what this kernel has in records of @evsel.
 * Returns 0, or a negative errno with @diag filled: -EINVAL (another event), or as
 * xp_tracepoint_new() does.
 */
int xp_stack_wakers_init(struct stack_wakers *wakers, struct xp_evsel *evsel, struct xp_diag *diag);
void xp_stack_wakers_fini(struct stack_wakers *wakers);

/* Writes the record of a task that was woken by its waker. Returns its length. */
uint32_t xp_stack_wakers_record(const struct stack_wakers *wakers, const struct stack_key *task,
				unsigned char record[WAKING_BYTES]);

/* Whether the thread's name was not told, or another one was, by what is kept; it is kept then. */
bool xp_stack_wakers_is_new(struct stack_wakers *wakers, const struct stack_waker *waker);

/* How many of the first frames of a call chain are how the tracepoint got to the BPF program. */
size_t xp_stack_wakers_tracing(const struct stack_wakers *wakers, const uint64_t *ips, size_t nr);

#endif
