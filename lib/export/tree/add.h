/* SPDX-License-Identifier: MIT */
/* Places of a recording become frames of a tree, and its events those of the tree. */
#ifndef EXPORT_ADD_H
#define EXPORT_ADD_H

#include "tree.h"

/* @events: per event of the recording, its number in the tree */
struct tree_adder {
	struct xp_tree *tree;
	struct table files;
	uint32_t *events;
	uint32_t nr_events;
	bool addresses;
};

/* @line: NULL: not known. @is_inlined: it is that of an inlined function */
struct frame_place {
	const struct xp_frame *frame;
	const struct xp_line *line;
	bool is_inlined;
	uint32_t marks; /* besides those that follow from the frame */
};

/* Adds the events of a recording. @has: of struct xp_export_format. xp_adder_fini() in any case.
 * Returns 0 or -ENOMEM. */
int xp_adder_init(struct tree_adder *adder, struct xp_tree *tree, const struct xp_data *data,
		  unsigned int has);
void xp_adder_fini(struct tree_adder *adder);
/* Each returns 0 or -ENOMEM. */
int xp_adder_frame(struct tree_adder *adder, const struct frame_place *place, uint32_t *ret_frame);
/* The call that stands for the callers of a chain that is as long as the kernel lets it be. */
int xp_adder_cut(struct tree_adder *adder, uint32_t *ret_call);
/* The same frame, of an earlier sample. */
int xp_adder_joined(struct tree_adder *adder, uint32_t frame, uint32_t *ret_frame);

#endif
