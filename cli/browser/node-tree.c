/* SPDX-License-Identifier: MIT */
/* Rows that can be unfolded, filtered and walked through. */
#include "node-tree.h"

#include <errno.h>
#include <stdlib.h>

#include "vec.h"

static void free_children(struct node *node)
{
	for (size_t i = 0; i < node->nr_children; i++) {
		free_children(&node->children[i]);
		free(node->children[i].text);
	}
	free(node->children);
}

int tree_init(struct tree *tree, size_t nr_rows, const struct tree_calls *calls)
{
	*tree = (struct tree){ .calls = *calls };
	tree->rows = calloc(nr_rows + 1, sizeof(*tree->rows));
	if (!tree->rows)
		return -ENOMEM;
	tree->nr_rows = nr_rows;
	for (size_t i = 0; i < nr_rows; i++) {
		tree->rows[i].row = i;
		tree->rows[i].can_open = calls->can_open(i, calls->data);
	}
	return tree_update(tree);
}

void tree_fini(struct tree *tree)
{
	for (size_t i = 0; i < tree->nr_rows; i++)
		free_children(&tree->rows[i]);
	free(tree->rows);
	free(tree->lines);
	*tree = (struct tree){ 0 };
}

struct node *tree_at(const struct tree *tree)
{
	return tree->scroll.at < tree->nr_lines ? tree->lines[tree->scroll.at] : NULL;
}

/* --- lines --- */

static int add_lines(struct tree *tree, struct node *node)
{
	int err = vec_reserve(&tree->lines, tree->nr_lines, &tree->room, sizeof(struct node *));

	if (err)
		return err;
	tree->lines[tree->nr_lines++] = node;
	for (size_t i = 0; !err && node->is_open && i < node->nr_children; i++)
		err = add_lines(tree, &node->children[i]);
	return err;
}

/* The line of a node, or of the nearest above it in the tree that is shown. */
static size_t find_line(const struct tree *tree, const struct node *node)
{
	for (; node; node = node->parent)
		for (size_t i = 0; i < tree->nr_lines; i++)
			if (tree->lines[i] == node)
				return i;
	return tree->nr_lines;
}

int tree_update(struct tree *tree)
{
	const struct node *at = tree_at(tree);
	int err = 0;

	tree->nr_lines = 0;
	for (size_t i = 0; !err && i < tree->nr_rows; i++)
		if (tree->calls.is_shown(i, tree->calls.data))
			err = add_lines(tree, &tree->rows[i]);
	size_t line = find_line(tree, at);
	scroll_fit(&tree->scroll, tree->nr_lines, tree->scroll.height);
	if (at && line < tree->nr_lines)
		scroll_to(&tree->scroll, line);
	return err;
}

void tree_go_to(struct tree *tree, const struct node *node, const struct scroll *as)
{
	size_t line = find_line(tree, node);

	tree->scroll = *as;
	if (line < tree->nr_lines) {
		size_t above = as->at - as->top;

		tree->scroll.at = line;
		tree->scroll.top = line > above ? line - above : 0;
	}
	scroll_fit(&tree->scroll, tree->nr_lines, as->height);
}

/* --- folding --- */

int tree_load(struct tree *tree, struct node *node)
{
	if (node->parent || node->is_loaded || !node->can_open)
		return 0;
	int err = tree->calls.load(node, tree->calls.data);
	if (err) {
		free_children(node);
		node->children = NULL;
		node->nr_children = 0;
		return err;
	}
	node->is_loaded = true;
	node->can_open = node->nr_children > 0;
	return 0;
}

static void set_open(struct node *node, bool is_open)
{
	node->is_open = is_open && node->can_open;
	for (size_t i = 0; i < node->nr_children; i++)
		set_open(&node->children[i], is_open);
}

int tree_toggle(struct tree *tree)
{
	struct node *node = tree_at(tree);

	if (!node)
		return 0;
	int err = tree_load(tree, node);
	if (err)
		return err;
	node->is_open = !node->is_open && node->can_open;
	return tree_update(tree);
}

static struct node *row_at(const struct tree *tree)
{
	const struct node *node = tree_at(tree);

	return node ? &tree->rows[node->row] : NULL;
}

int tree_toggle_all_of_row(struct tree *tree)
{
	struct node *row = row_at(tree);

	if (!row)
		return 0;
	int err = tree_load(tree, row);
	if (err)
		return err;
	set_open(row, !row->is_open);
	return tree_update(tree);
}

int tree_fold_row(struct tree *tree)
{
	struct node *row = row_at(tree);

	if (row)
		set_open(row, false);
	return tree_update(tree);
}

long tree_open_all(struct tree *tree, size_t most)
{
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; !err && i < tree->nr_rows && nr < most; i++) {
		if (!tree->calls.is_shown(i, tree->calls.data))
			continue;
		err = tree_load(tree, &tree->rows[i]);
		set_open(&tree->rows[i], !err);
		nr++;
	}
	err = err ? err : tree_update(tree);
	return err ? err : (long)nr;
}

int tree_fold_all(struct tree *tree)
{
	for (size_t i = 0; i < tree->nr_rows; i++)
		if (tree->rows[i].is_open)
			set_open(&tree->rows[i], false);
	return tree_update(tree);
}
