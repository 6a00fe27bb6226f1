/* SPDX-License-Identifier: MIT */
/* The set of files from inside: an entry per file, and where its bytes are to be had. */
#ifndef SESSION_BUILD_IDS_IMPL_H
#define SESSION_BUILD_IDS_IMPL_H

#include <pthread.h>
#include <xperf/symbol.h>
#include <xperf/synth.h>

#include "build-ids.h"
#include "ctx.h"
#include "mapped-file.h"

enum mapped_kind {
	MAPPED_FILE, /* of a process */
	MAPPED_VDSO,
	MAPPED_KERNEL,
	MAPPED_MODULE,
};

/*
 * A file as a map of it was first seen. Nothing changes afterwards but @id, which the thread that
 * reads it writes under the lock.
 * @file:  that map. Its build id is set only if a record has it
 * @id:    of no bytes: not read yet, or it has none
 * @name:  as the records have it, but for the kernel's
 */
struct mapped {
	struct mapped *next; /* in the order they were seen */
	struct mapped *next_to_read;
	uint64_t hash;
	enum mapped_kind kind;
	struct mapped_file file;
	struct xp_build_id id;
	size_t name_len;
	char name[];
};

struct xp_build_ids {
	struct xp_ctx *ctx;
	struct mapped **slots; /* by hash; a power of two of them */
	size_t nr_slots, nr;
	struct mapped *first, *last;

	/* shared with the thread */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool has_thread, quit;
	struct mapped *to_read, *to_read_last;
	bool is_reading;
};

/* Any thread may call these; @root is the context's. */

/* Reads its build id. Returns 0 or why not. */
int xp_mapped_build_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id);

/* Waits until everything is read. */
void xp_build_ids_wait(struct xp_build_ids *ids);

#endif
