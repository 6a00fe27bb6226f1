/* SPDX-License-Identifier: MIT */
/*
 * What processes have mapped while they are recorded: the maps of each at present, and those it had
 * a moment ago, for samples that were taken before a change.
 *
 * A process that was forked shares the maps of its parent until one of them changes. Maps that are
 * gone are forgotten by xp_live_prune(), processes some time after their end.
 */
#ifndef SESSION_LIVE_MAPS_H
#define SESSION_LIVE_MAPS_H

#include <xperf/unwind.h>

#include "index.h"

enum {
	XP_LIVE_TENURES = 4,                   /* address spaces of a process that are remembered */
	XP_LIVE_PAST_MAX = 256,                /* maps of a space that are gone */
	XP_LIVE_BYTES_MAX = 512 * 1024 * 1024, /* of all maps and names; more are not noted */
	XP_LIVE_NO_FILE = -1,
};

/* A file that is mapped somewhere: the same for all maps with its name and identity. */
struct xp_live_file {
	const char *name;
	uint64_t identity[3]; /* device, inode, generation; or the build id */
	bool has_build_id;    /* which of both it is */
	void *data;           /* the user's, NULL at first */
	uint32_t tries;       /* likewise, 0 at first */
};

struct xp_live_map {
	uint64_t start, end;
	uint64_t offset; /* in the file, bytes */
	uint64_t since_ns;
	int file; /* for xp_live_file(); XP_LIVE_NO_FILE: memory */
	bool is_executable;
};

/* A file in which processes write down the code that they make (live-dumps.c). */
struct xp_live_dump {
	struct xp_live_map map; /* the first of it */
	int32_t pid;
	size_t nr_spaces; /* that have it */
	struct xp_unwind_file *file;
	bool is_over; /* it is not used any more */
};

struct xp_live_process;
struct xp_live_space;
struct xp_record;
struct xp_unwind_file;

struct xp_live_maps {
	struct xp_live_process **processes;
	size_t nr_processes, processes_room;
	struct index by_pid;
	struct xp_live_file **files;
	size_t nr_files;
	struct index by_file;
	struct xp_live_dump *dumps;
	size_t nr_dumps;
	size_t bytes;       /* of maps and names, about */
	uint64_t state;     /* counts changes of spaces */
	uint64_t latest_ns; /* of all changes */
	uint64_t nr_unnoted;
};

/* Zero-initialised is empty. */
void xp_live_fini(struct xp_live_maps *maps);
/* Whether xp_live_add() makes something of a record of this type. */
bool xp_live_wants(uint32_t type);
/*
 * Notes a change. Records come in the order of time but for little; others than those of tasks and
 * maps are ignored.
 * @time_ns: 0: the record describes what is there already
 * Returns 0, -EBADMSG, or -ENOMEM: then it is not noted.
 */
int xp_live_add(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns);
/* Forgets what was gone before a time, and processes that had ended at the call before. */
void xp_live_prune(struct xp_live_maps *maps, uint64_t before_ns);
/*
 * The address space of a process at a time.
 * @ret_state: a number that is the same as long as all answers of xp_live_find() are; 0: there is
 *             none, because the space has changed after this time
 * Returns NULL if the process is not known; valid until the next change.
 */
const struct xp_live_space *xp_live_space(const struct xp_live_maps *maps, uint32_t pid,
					  uint64_t time_ns, uint64_t *ret_state);
/* Whether all threads of a process have ended, as far as they are known. */
bool xp_live_has_ended(const struct xp_live_maps *maps, uint32_t pid);
/* What was mapped at an address. Returns false: nothing. */
bool xp_live_find(const struct xp_live_space *space, uint64_t time_ns, uint64_t address,
		  struct xp_live_map *ret_map);
/* All spaces with a dump have changed at a time. */
void xp_live_changed(struct xp_live_maps *maps, int dump, uint64_t time_ns);
/* The file of a map. */
struct xp_live_file *xp_live_file(const struct xp_live_maps *maps, int file);
/* What the record of a map says of its file: device, inode and generation, or the build id. Borrows
 * from @file. */
struct xp_unwind_mapped xp_live_mapped(const struct xp_live_file *file,
				       const struct xp_live_map *map, int32_t pid);

#endif
