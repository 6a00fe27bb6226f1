/* SPDX-License-Identifier: MIT */
/* What a tree is made of, and how it gets there. */
#ifndef EXPORT_TREE_ADD_H
#define EXPORT_TREE_ADD_H

#include <xperf/api.h>

struct xp_tree;

enum { NO_CALL = UINT32_MAX, NO_FILE = UINT32_MAX };

/* Texts are of tree->texts: equal pointers are equal texts, and none is NULL. */

/* @unit: "nanoseconds" or "count" */
struct tree_event {
	const char *name, *unit;
	uint64_t period, samples;
	uint64_t sample_period; /* 0: it was not constant */
	bool is_off_cpu, is_tracepoint;
};

/* Where code comes from. @name: what is after the last slash of @path */
struct tree_file {
	const char *path, *name;
	uint8_t build_id[20];
	uint8_t build_id_len;
	bool is_kernel;
};

/* @name: of the function; of one that is not known "[file]". @address: in the file's own terms, of
 * the first place met there; only with addresses, a part of the key. @source: "", and @line: 0,
 * where they are not known */
struct tree_frame {
	const char *name, *source;
	uint64_t key_address;
	uint32_t file, line;
	uint32_t marks, start_line;
	uint64_t address; /* value */
};

/* A frame, called by another. */
struct tree_call {
	uint32_t parent, frame; /* the first: NO_CALL */
};

/* Whose samples they are. Numbers are -1, and texts "", where they are not distinguished. */
struct tree_task {
	const char *comm, *cgroup;
	int32_t pid, tid, cpu;
	uint32_t bucket; /* of time */
};

/* What was counted. @call: the innermost, or NO_CALL */
struct tree_stack {
	uint32_t event, task, call, unused;
	uint64_t period, samples; /* value */
};

/* Adding. Texts are copied; NULL is "". Each returns 0 or -ENOMEM, and gives equal things equal
 * numbers. */
const char *xp_tree_text(struct xp_tree *tree, const char *text); /* NULL: -ENOMEM */
int xp_tree_add_event(struct xp_tree *tree, const struct tree_event *event, uint32_t *ret_nr);
int xp_tree_add_file(struct xp_tree *tree, const struct tree_file *file, uint32_t *ret_nr);
int xp_tree_add_frame(struct xp_tree *tree, const struct tree_frame *frame, uint32_t *ret_nr);
int xp_tree_add_call(struct xp_tree *tree, uint32_t parent, uint32_t frame, uint32_t *ret_nr);
int xp_tree_add_task(struct xp_tree *tree, const struct tree_task *task, uint32_t *ret_nr);
int xp_tree_add_stack(struct xp_tree *tree, const struct tree_stack *stack);

#endif
