/* SPDX-License-Identifier: MIT */
/* The inside of a tree, for the formats: everything is numbered in the order in which it came, and
 * what calls has a lower number than what is called. */
#ifndef EXPORT_TREE_H
#define EXPORT_TREE_H

#include <xperf/export.h>

#include "intern.h"
#include "table.h"
#include "tree-add.h"

/* What is said of the recording. */
struct tree_note {
	const char *what, *text;
	enum xp_tree_note kind;
};

/* @rows, @sums: its own */
struct tree_code {
	const char *function, *file;
	uint64_t address;
	struct xp_code_row *rows;
	struct xp_code_sum *sums;
	size_t nr_rows, nr_sums;
};

struct xp_tree {
	struct xp_intern texts;
	struct xp_tree_info info; /* texts are not NULL */
	struct tree_event *events;
	struct tree_file *files;
	struct tree_note *notes;
	struct tree_code *codes;
	struct tree_process *processes;
	uint32_t nr_events, nr_files, nr_notes, nr_codes, nr_processes;
	struct table frames, calls, tasks, stacks;
};

static inline const struct tree_frame *tree_frame(const struct xp_tree *tree, uint32_t nr)
{
	return xp_table_at(&tree->frames, nr);
}
static inline const struct tree_call *tree_call(const struct xp_tree *tree, uint32_t nr)
{
	return xp_table_at(&tree->calls, nr);
}
static inline const struct tree_task *tree_task(const struct xp_tree *tree, uint32_t nr)
{
	return xp_table_at(&tree->tasks, nr);
}
static inline const struct tree_stack *tree_stack(const struct xp_tree *tree, uint32_t nr)
{
	return xp_table_at(&tree->stacks, nr);
}

/* What a process is called. Returns NULL where that is not known. */
const char *xp_tree_process(const struct xp_tree *tree, int32_t pid);

void xp_tree_free_codes(struct xp_tree *tree);

/* A build id in hexadecimal, where there is room for 41 bytes; "": not known. */
void xp_file_build_id(const struct tree_file *file, char *ret_text);

/* Of the marks of a frame, what is appended to its name in text: "_[k]"; "" for none. Source:
 * flamegraph.pl, inferno: the letters k, i and j; xperf's own: o, a wait off the CPU, and e, a
 * frame of an earlier sample. */
const char *xp_mark_suffix(uint32_t marks);

#endif
