/* SPDX-License-Identifier: MIT */
/*
 * The tables by which the kernel walks stacks (stack-rules.h), as xperf fills them: rows of files,
 * and ranges of maps that processes have.
 */
#ifndef BPF_RULE_TABLES_H
#define BPF_RULE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "stack-rules.h"

struct xp_bpf;
struct xp_diag;

/* @RULE_PIDS: numbers of processes are below. Source: linux/threads.h, PID_MAX_LIMIT */
enum { RANGE_ORDERS = 13, NO_RANGE = 0, RULE_PIDS = 4 << 20 };

/* Maps of processes with the same maps. */
struct rule_range {
	uint32_t first, nr;
	uint32_t order; /* it has room for 2^order maps */
	uint32_t refs;
	uint64_t state;   /* the caller's: which maps these are */
	uint64_t left_ns; /* when the last process left it */
	uint32_t next;    /* that is free, too, or left later */
};

/* Ranges are known by their number plus 1. */
struct rule_tables {
	struct xp_bpf *bpf;
	struct rule_row *rows;
	struct rule_map *maps;
	struct rule_file *files;
	struct rule_control *control;
	int processes;         /* the descriptor of the map */
	uint64_t described_ns; /* when maps were read from /proc that are given to a process now */
	uint32_t nr_maps;
	/* Maps that nothing reads any more; NULL: nobody wants to know */
	void (*gone)(void *data, const struct rule_map *maps, uint32_t nr);
	void *gone_data;

	struct rule_range *ranges;
	size_t nr_ranges;
	uint32_t free[RANGE_ORDERS];
	uint32_t left, left_last; /* that processes may still have */
	uint32_t *range_of;       /* by process */
	uint32_t pids_end;        /* behind the highest one that had a range */
};

/* Loads them into the kernel, with what watches processes. Returns 0 or a negative errno with @diag
 * filled. */
int xp_rule_tables_open(struct rule_tables *tables, struct xp_diag *diag);
void xp_rule_tables_close(struct rule_tables *tables);
/* Another object uses them, which is not loaded yet. */
int xp_rule_tables_share(const struct rule_tables *tables, struct xp_bpf *other);
/* Another object does without them: it has maps of its own that are as small as can be. */
int xp_rule_tables_leave_out(struct xp_bpf *other);

/* Room for maps of one process, which the caller fills in and then gives to it. Returns a range, or
 * NO_RANGE. */
uint32_t xp_rule_range_new(struct rule_tables *tables, uint32_t nr, struct rule_map **ret_maps);
/* The process has this range from now on, or none. @now_ns: the time */
void xp_rule_range_give(struct rule_tables *tables, uint32_t pid, uint32_t range, uint64_t now_ns);
/* No process has maps any more. */
void xp_rule_tables_forget(struct rule_tables *tables, uint64_t now_ns);
/* The next process without maps whose stack the kernel was to walk, in the place @at or behind,
 * which becomes the place behind. Returns 0: there are no more. */
uint32_t xp_rule_tables_unknown(struct rule_tables *tables, uint32_t *at);
/* The range of a process, or NO_RANGE. */
uint32_t xp_rule_range_of(const struct rule_tables *tables, uint32_t pid);
/* All that happened up to a time is in the tables. Ranges that were left before are used again. */
void xp_rule_tables_known(struct rule_tables *tables, uint64_t until_ns);

#endif
