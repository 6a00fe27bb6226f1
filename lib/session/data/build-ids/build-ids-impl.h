/* SPDX-License-Identifier: MIT */
/* The set of files from inside: an entry per file, and where its bytes can be had. */
#ifndef SESSION_BUILD_IDS_IMPL_H
#define SESSION_BUILD_IDS_IMPL_H

#include <pthread.h>
#include <xperf/symbol.h>

#include "build-ids.h"
#include "ctx.h"
#include "inside.h"
#include "mapped-file.h"

struct xp_ctx;
struct xp_diag;

/* More files than this are not held open; a quarter of what the process may open, if that is less.
 */
enum { XP_HELD_MAX = 256 };

enum mapped_kind {
	MAPPED_FILE, /* of a process */
	MAPPED_VDSO,
	MAPPED_KERNEL,
	MAPPED_MODULE,
	MAPPED_MADE, /* code that a process made, of which it has a list in its own /tmp */
};

/*
 * A file as a map of it was first seen. Nothing changes afterwards but @id and @ways, which the
 * thread that looks at it writes under the lock.
 * @file:  that map. Its build id is set only if a record has it
 * @id:    of no bytes: not read yet, or it has none
 * @ways:  how it can be had at the end; NULL: by its name, if it has not been replaced
 * @name:  as the records have it, but for the kernel's
 */
struct mapped {
	struct mapped *next; /* in the order they were seen */
	struct mapped *next_to_read;
	uint64_t hash;
	enum mapped_kind kind;
	struct mapped_file file;
	struct xp_build_id id;
	uint64_t device, inode; /* of the file, where it was at its name; 0: it was not */
	struct ways *ways;
	size_t name_len;
	char name[];
};

/* All that is known of a file that is not at its name, as we see it.
 * @fd:        it is held open, of MAPPED_MADE the directory it is in; -1: it is not
 * @path:      where we see it; NULL: nowhere
 * @is_wanted: it has names of functions
 * @inside:    of MAPPED_MADE */
struct ways {
	int fd;
	char *path;
	bool is_wanted;
	struct xp_inside inside;
};

/* The result of looking at a file. */
struct looked_at {
	struct xp_build_id id;
	uint64_t device, inode;
	struct ways *ways;
};

/* Descriptors that are held. @root_mount, @own_namespace: ours; 0: not known yet */
struct holding {
	struct xp_build_id ids[XP_HELD_MAX]; /* of what is held */
	int nr;
	uint64_t root_mount, own_namespace;
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
	struct holding holding; /* of the thread, until everything is read */
};

/* Looks at a file while it is there: reads its build id, and holds what may not be there at the
 * end. One thread at a time. */
void xp_mapped_look(struct xp_build_ids *ids, const struct mapped *mapped,
		    struct looked_at *ret_looked);
/* The build id of what is no file of a process. @root: the context's. Returns 0 or why not. */
int xp_mapped_build_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id);
void xp_mapped_free_ways(struct ways *ways);
/* True if an open file is a program or a library, or the dump of a JIT compiler. */
bool xp_mapped_is_wanted(const struct mapped *mapped, int fd);
/* True if a file is where its name says, as we see it. */
bool xp_mapped_is_at_name(const struct xp_ctx *ctx, const struct mapped *mapped, uint64_t device,
			  uint64_t inode);

/* --- the cache: build-ids-cache.c --- */

/* Makes the directory. Returns 0 or why it cannot be written, with @diag filled. */
int xp_build_ids_open_cache(const struct xp_ctx *ctx, const char *dir, struct xp_diag *diag);
/* True if the cache has it. */
bool xp_build_ids_is_cached(const struct xp_ctx *ctx, const char *dir, const struct mapped *mapped);
/* Keeps a copy. @fd: of the file; -1: it is opened. Returns 0, also if it is there, or why not. */
int xp_build_ids_copy(const struct xp_ctx *ctx, const char *dir, const struct mapped *mapped,
		      int fd);
/* True if an error ends it all, and not the copy of one file only. */
bool xp_build_ids_is_hopeless(int err);

/* Waits until everything is read. */
void xp_build_ids_wait(struct xp_build_ids *ids);

#endif
