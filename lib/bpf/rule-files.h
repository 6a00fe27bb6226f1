/* SPDX-License-Identifier: MIT */
/*
 * Rows of files, made in a thread: a file is known by a number at once, and has rows some time
 * later. They stay when no process maps the file any more, and give way to others when there is no
 * room; a file for which there is none even so has no rows.
 */
#ifndef BPF_RULE_FILES_H
#define BPF_RULE_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <xperf/unwind.h>

#include "index.h"
#include "row-room.h"
#include "rule-tables.h"

/* @file: NULL: the number is not used, or RULE_NO_FILE. @maps: that are in the tables, and have its
 * number. @too_many: rows for which there was no room. @unused_since: counts the files that became
 * unused. */
struct known_file {
	struct xp_unwind_file *file;
	uint32_t maps;
	enum { FILE_NEW, FILE_WAITS, FILE_DONE, FILE_NO_ROOM, FILE_GAVE_WAY } state;
	uint32_t too_many;
	uint64_t unused_since;
};

struct rule_files {
	struct rule_tables *tables;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, made;
	struct known_file *known; /* by number */
	uint32_t nr;              /* numbers that were used */
	struct index by_file;
	struct row_room room;
	uint32_t nr_unused_rows; /* of files that no process maps */
	uint64_t nr_unused;      /* files that became unused */
	uint64_t nr_beyond;      /* for whose rows or number there was no room */
	uint32_t *queue;         /* numbers whose rows are to be made, as a ring */
	uint64_t nr_queued, nr_made;
	bool is_over;
	pthread_t thread;
	bool has_thread;
};

/* @nr_rows: for how many the table has room */
int xp_rule_files_start(struct rule_files *files, struct rule_tables *tables, uint32_t nr_rows);
void xp_rule_files_stop(struct rule_files *files);
/* The number of a file for one map more. It is open until its rows are made: where many are, that
 * is waited for. RULE_NO_FILE: there is none. */
uint32_t xp_rule_files_use(struct rule_files *files, struct xp_unwind_file *file);
/* Maps are gone, and nothing reads them any more. @data: struct rule_files */
void xp_rule_files_unuse(void *data, const struct rule_map *maps, uint32_t nr);
/* Waits until the rows of all files that have a number are made. */
void xp_rule_files_wait(struct rule_files *files);
/* Files whose frame pointers were followed because there was no room for rows. */
uint64_t xp_rule_files_beyond(struct rule_files *files);
/* The name of a file by its number; NULL: it has none. */
const char *xp_rule_files_name(struct rule_files *files, uint32_t number);

#endif
