/* SPDX-License-Identifier: MIT */
/*
 * What is unfolded in a tree, and where its cursor is, by names: to be found again in the tree of
 * rows that take the place of these.
 */
#ifndef BROWSER_TREE_MARKS_H
#define BROWSER_TREE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "node-tree.h"

/* A number that stands for what a row is called; @data: that of tree_calls. */
typedef uint64_t (*tree_identity_fn)(size_t row, void *data);

/*
 * A node's path is a number for the names from its row down to it.
 * @open:    paths of what is unfolded, sorted
 * @row, @at: paths of the cursor's row and of its node; 0: the cursor stays on its line
 * @scroll:  where the cursor is
 */
struct tree_marks {
	uint64_t *open;
	size_t nr_open, room;
	uint64_t row, at;
	struct scroll scroll;
};

/* What is below a folded node is not marked, nor a cursor on the first row while that is folded: it
 * looks at what is first. Returns 0 or -ENOMEM; tree_marks_fini() follows in any case. */
int tree_marks_save(struct tree_marks *marks, const struct tree *tree, tree_identity_fn identity);
/* Unfolds what is marked, makes the lines again, and leads the cursor to its node, or to its row;
 * without both, it stays on its line. Returns 0 or a negative errno. */
int tree_marks_restore(const struct tree_marks *marks, struct tree *tree,
		       tree_identity_fn identity);
void tree_marks_fini(struct tree_marks *marks);

#endif
