/* SPDX-License-Identifier: MIT */
/*
 * A tree as pictures show it: frames that look alike are one, the outermost stand for threads or
 * whatever is asked for, and what is beside each other is sorted by name. So equal trees give equal
 * pictures.
 */
#ifndef EXPORT_VIEW_H
#define EXPORT_VIEW_H

#include "format.h"

enum { VIEW_ROOT = 0, VIEW_SIDES = 2 };

/* @text: with marks, see xp_view_mark(). @file: of the first of the frames, or NO_FILE. Weights: of
 * the tree, then of what it is compared with */
struct view_node {
	uint32_t parent, child, next; /* 0: none; the root is 0 */
	uint32_t depth;               /* of the root: 0 */
	const char *name;
	uint32_t marks, file;
	const struct xp_tree *tree; /* that @file is of */
	uint64_t self[VIEW_SIDES], total[VIEW_SIDES];
};

/* Parents have lower numbers. */
struct view {
	struct xp_intern texts;
	struct table keys;
	struct view_node *nodes;
	uint32_t nr, cap;
	uint32_t max_depth;
	uint32_t key_marks; /* frames that differ in these are beside each other */
};

/* Makes the view of a tree and, if there is one, of what it is compared with. @has_joined: frames
 * of earlier samples are beside others of their names; else they are one, with XP_MARK_JOINED if
 * all have it. xp_view_fini() in any case. Returns 0 or -ENOMEM. */
int xp_view_init(struct view *view, const struct export *export, bool has_joined);
void xp_view_fini(struct view *view);

/* The node after @at where each comes before what it calls; 0: there is none. */
static inline uint32_t view_next(const struct view *view, uint32_t at)
{
	if (view->nodes[at].child)
		return view->nodes[at].child;
	while (at && !view->nodes[at].next)
		at = view->nodes[at].parent;
	return at ? view->nodes[at].next : 0;
}

#endif
