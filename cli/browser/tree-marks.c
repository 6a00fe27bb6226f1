/* SPDX-License-Identifier: MIT */
#include "tree-marks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "vec.h"

static uint64_t path_below(uint64_t path, const char *name)
{
	return xp_hash_word(path, xp_hash_bytes(xp_hash_seed(), name, strlen(name)));
}

/* A line without a share belongs to the one above: what follows is below both, as it is where the
 * chain forks between them. */
static bool is_continued(const struct node *node)
{
	return node->percent < 0;
}

/* --- taking --- */

static int mark(struct tree_marks *marks, uint64_t path)
{
	int err = vec_reserve(&marks->open, marks->nr_open, &marks->room, sizeof(*marks->open));

	if (!err)
		marks->open[marks->nr_open++] = path;
	return err;
}

/* A node that is unfolded, and what is below. @at: the cursor's */
static int mark_open(struct tree_marks *marks, const struct node *node, uint64_t path,
		     const struct node *at)
{
	int err = mark(marks, path);

	for (size_t i = 0; !err && i < node->nr_children; i++) {
		const struct node *child = &node->children[i];
		uint64_t its = path_below(path, child->text);

		if (child == at)
			marks->at = its;
		if (child->is_open || is_continued(child))
			err = mark_open(marks, child, its, at);
		if (is_continued(child))
			path = its;
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int tree_marks_save(struct tree_marks *marks, const struct tree *tree, tree_identity_fn identity)
{
	const struct node *at = tree_at(tree);
	bool is_marked = at && (tree->scroll.at || at->is_open);
	int err = 0;

	*marks = (struct tree_marks){ .scroll = tree->scroll };
	if (is_marked)
		marks->row = marks->at = identity(at->row, tree->calls.data);
	for (size_t i = 0; !err && i < tree->nr_rows; i++)
		if (tree->rows[i].is_open)
			err = mark_open(marks, &tree->rows[i], identity(i, tree->calls.data), at);
	if (marks->nr_open)
		qsort(marks->open, marks->nr_open, sizeof(*marks->open), compare);
	return err;
}

void tree_marks_fini(struct tree_marks *marks)
{
	free(marks->open);
	*marks = (struct tree_marks){ 0 };
}

/* --- restoring --- */

static bool is_open(const struct tree_marks *marks, uint64_t path)
{
	return marks->nr_open && bsearch(&path, marks->open, marks->nr_open, sizeof(path), compare);
}

/* Likewise; *ret_at: the cursor's, if it is there. */
static void open_marked(const struct tree_marks *marks, struct node *node, uint64_t path,
			const struct node **ret_at)
{
	node->is_open = node->can_open;
	for (size_t i = 0; i < node->nr_children; i++) {
		struct node *child = &node->children[i];
		uint64_t its = path_below(path, child->text);

		if (its == marks->at)
			*ret_at = child;
		if (is_open(marks, its))
			open_marked(marks, child, its, ret_at);
		if (is_continued(child))
			path = its;
	}
}

static int restore_rows(const struct tree_marks *marks, struct tree *tree,
			tree_identity_fn identity, const struct node **ret_at)
{
	int err = 0;

	for (size_t i = 0; !err && i < tree->nr_rows; i++) {
		struct node *row = &tree->rows[i];
		uint64_t path = identity(i, tree->calls.data);

		if (path == marks->row && !*ret_at)
			*ret_at = row;
		if (!is_open(marks, path))
			continue;
		err = tree_load(tree, row);
		if (!err)
			open_marked(marks, row, path, ret_at);
	}
	return err;
}

int tree_marks_restore(const struct tree_marks *marks, struct tree *tree, tree_identity_fn identity)
{
	const struct node *at = NULL;
	int err = marks->row || marks->nr_open ? restore_rows(marks, tree, identity, &at) : 0;

	err = err ? err : tree_update(tree);
	if (!err)
		tree_go_to(tree, at, &marks->scroll);
	return err;
}
