/* SPDX-License-Identifier: MIT */
/*
 * Rows that can be unfolded, filtered and walked through: what the screen shows, without a screen.
 */
#ifndef BROWSER_NODE_TREE_H
#define BROWSER_NODE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "scroll.h"

/*
 * A row, or what is below one.
 * @text:    of what is below rows, belongs to the node; NULL: it is a row
 * @percent: less than 0: the line belongs to the one above
 * @row:     the number of the row it is, or is below
 */
struct node {
	struct node *parent, *children;
	size_t nr_children, row;
	char *text;
	const void *subject; /* what it stands for; borrowed */
	double percent;
	int depth;
	bool is_open, can_open, is_loaded;
};

struct tree_calls {
	/* Makes the children of a row: node->children is allocated, and the tree's from then on.
	 * Returns 0 or a negative errno. */
	int (*load)(struct node *row, void *data);
	bool (*can_open)(size_t row, void *data);
	/* Whether a row is one of those shown now. */
	bool (*is_shown)(size_t row, void *data);
	void *data;
};

struct tree {
	struct tree_calls calls;
	struct node *rows;
	size_t nr_rows;
	struct node **lines; /* what is shown, from top to bottom */
	size_t nr_lines, room;
	struct scroll scroll;
};

/* Returns 0 or -ENOMEM; tree_fini() follows in any case. */
int tree_init(struct tree *tree, size_t nr_rows, const struct tree_calls *calls);
void tree_fini(struct tree *tree);

/* What the cursor is on; NULL: there are no lines. */
struct node *tree_at(const struct tree *tree);

/* After is_shown() has changed: makes the lines again. Return 0 or a negative errno. The cursor
 * stays where it is, or goes to what is left above. */
int tree_update(struct tree *tree);
/* The cursor goes to a node, or to the nearest above it that is shown, at the height on the screen
 * where it was in @as; NULL: to the line that it was on there. */
void tree_go_to(struct tree *tree, const struct node *node, const struct scroll *as);
/* Makes what is below a row, once. Returns 0 or a negative errno. */
int tree_load(struct tree *tree, struct node *node);
/* Unfolds or folds what the cursor is on; with what is below; a row's call chains. What cannot be
 * unfolded stays as it is. */
int tree_toggle(struct tree *tree);
int tree_toggle_all_of_row(struct tree *tree);
int tree_fold_row(struct tree *tree);
/* The first @most rows that are shown. Returns how many, or a negative errno. */
long tree_open_all(struct tree *tree, size_t most);
int tree_fold_all(struct tree *tree);

#endif
