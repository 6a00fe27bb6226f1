/* SPDX-License-Identifier: MIT */
/*
 * Rows of files, made in a thread: a file is known by a number at once, and has rows some time
 * later. Rows are never given back; files that come when there is no room have none.
 */
#ifndef BPF_RULE_FILES_H
#define BPF_RULE_FILES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <xperf/unwind.h>

#include "index.h"
#include "rule-tables.h"
#include "rule.h"

struct rule_files {
	struct rule_tables *tables;
	struct xp_unwind_file **files; /* by number; that of RULE_NO_FILE is NULL */
	size_t nr_files;               /* of the thread that adds them */
	struct index by_file;
	_Atomic uint64_t nr_beyond; /* for whose rows or number there was no room */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, made;
	size_t nr_waiting; /* files of which the thread knows that they are there */
	size_t nr_made;    /* those that it has looked at */
	bool is_over;
	pthread_t thread;
	bool has_thread;
};

int xp_rule_files_start(struct rule_files *files, struct rule_tables *tables);
void xp_rule_files_stop(struct rule_files *files);
/* The number of a file, which is open until its rows are made: where many are, that is waited for.
 * RULE_NO_FILE: there is none. */
uint32_t xp_rule_files_number(struct rule_files *files, struct xp_unwind_file *file);
/* Waits until the rows of all files that have a number are made. */
void xp_rule_files_wait(struct rule_files *files);
/* Files whose frame pointers are followed because there was no room for rows. */
uint64_t xp_rule_files_beyond(struct rule_files *files);

/* A rule as a row has it. */
uint32_t xp_rule_row_of(const struct rule *rule);

#endif
