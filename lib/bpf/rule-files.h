/* SPDX-License-Identifier: MIT */
/*
 * Rows of files, made in a thread: a file is known by a number at once, and has rows some time
 * later. They stay when no process maps the file any more, and give way to others when there is no
 * room; a file for which there is none even so has no rows. The thread has a share of a CPU: where
 * there are more files, those are first in which chains have ended for lack of rows.
 */
#ifndef BPF_RULE_FILES_H
#define BPF_RULE_FILES_H

#include <pthread.h>
#include <stdbool.h>

#include "cpu-share.h"
#include "index.h"
#include "row-room.h"
#include "rule-tables.h"

struct xp_unwind_file;

/* Files that wait at most: others are put off. */
enum { RULE_FILES_WAITING = 256 };

/* @file: NULL: the number is not used, or RULE_NO_FILE. @maps: that are in the tables, and have its
 * number. @too_many: rows for which there was no room. @unused_since: counts the files that became
 * unused. @missed: chains that had ended for lack of rows when rows were made last. */
struct known_file {
	struct xp_unwind_file *file;
	uint64_t missed;
	uint64_t bytes; /* of the file; 0: not known */
	uint32_t maps;
	enum { FILE_NEW, FILE_WAITS, FILE_DONE, FILE_NO_ROOM, FILE_GAVE_WAY } state;
	uint32_t too_many;
	uint64_t unused_since;
};

/* @on_demand: rows of a file are made when chains have ended for lack of them; @is_thrifty: when
 * copies of their stacks have cost as much */
struct rule_files {
	struct rule_tables *tables;
	bool on_demand, is_thrifty;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, made;
	struct known_file *known; /* by number */
	uint32_t nr;              /* numbers that were used */
	struct index by_file;
	struct row_room room;
	uint32_t nr_unused_rows;              /* of files that no process maps */
	uint64_t nr_unused;                   /* files that became unused */
	uint64_t nr_beyond;                   /* for whose rows or number there was no room */
	uint32_t waiting[RULE_FILES_WAITING]; /* numbers whose rows are to be made */
	size_t nr_waiting;
	bool is_making;         /* rows of one that waits no longer */
	uint32_t nr_awaiting;   /* callers that want all of them, at once */
	struct cpu_share share; /* of the thread */
	bool is_over;
	pthread_t thread;
	bool has_thread;
};

/* @nr_rows: for how many the table has room; @cpu_ppm: the share of a CPU for them; 0: any */
int xp_rule_files_start(struct rule_files *files, struct rule_tables *tables, uint32_t nr_rows,
			uint64_t cpu_ppm);
void xp_rule_files_stop(struct rule_files *files);
/* The number of a file for one map more. RULE_NO_FILE: there is none. */
uint32_t xp_rule_files_use(struct rule_files *files, struct xp_unwind_file *file);
/* Maps are gone, and nothing reads them any more. @data: struct rule_files */
void xp_rule_files_unuse(void *data, const struct rule_map *maps, uint32_t nr);
/* Files whose rows were put off, and in which chains have ended since, wait again. */
void xp_rule_files_look(struct rule_files *files);
/* Waits until the rows of all files that have a number are made. */
void xp_rule_files_wait(struct rule_files *files);
/* Files whose frame pointers were followed because there was no room for rows. */
uint64_t xp_rule_files_beyond(struct rule_files *files);
/* The name of a file by its number; NULL: it has none. */
const char *xp_rule_files_name(struct rule_files *files, uint32_t number);

#endif
