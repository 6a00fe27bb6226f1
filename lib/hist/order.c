/* SPDX-License-Identifier: MIT */
/*
 * Rows in the order in which they are shown.
 *
 * An outer function stands before what it called where both have the same share, but only if they
 * are of one thread: so a can be before b, b before c, and c before a. What comes out depends on
 * how it is sorted. So that reports can be compared line by line with perf's, it is done its way:
 * rows are put into a red-black tree, one after the other as they were laid.
 *
 * Source: perf 6.1, measured; the tree: Cormen, Leiserson, Rivest, Stein: Introduction to
 * Algorithms, chapter 13.
 */
#include <errno.h>
#include <stdlib.h>

#include "profile-impl.h"

/* Nodes are numbered from 1; 0: none, which is black. */
struct tree_node {
	uint32_t parent, side[2];
	uint32_t row;
	bool is_red;
	uint64_t weight;
};

struct tree {
	struct tree_node *nodes;
	uint32_t root;
};

/* Which of its parent's sides a node is on. */
static int side_of(const struct tree *tree, uint32_t node)
{
	return tree->nodes[tree->nodes[node].parent].side[1] == node;
}

static void replace(struct tree *tree, uint32_t old, uint32_t new)
{
	uint32_t parent = tree->nodes[old].parent;

	if (parent)
		tree->nodes[parent].side[side_of(tree, old)] = new;
	else
		tree->root = new;
	tree->nodes[new].parent = parent;
}

/* The child on the other side comes up, the node goes down to @side. */
static void rotate(struct tree *tree, uint32_t node, int side)
{
	uint32_t up = tree->nodes[node].side[!side], between = tree->nodes[up].side[side];

	replace(tree, node, up);
	tree->nodes[node].side[!side] = between;
	if (between)
		tree->nodes[between].parent = node;
	tree->nodes[up].side[side] = node;
	tree->nodes[node].parent = up;
}

static void repair(struct tree *tree, uint32_t node)
{
	struct tree_node *nodes = tree->nodes;

	while (nodes[nodes[node].parent].is_red) {
		uint32_t parent = nodes[node].parent, above = nodes[parent].parent;
		int side = side_of(tree, parent);
		uint32_t uncle = nodes[above].side[!side];

		nodes[above].is_red = true;
		if (nodes[uncle].is_red) {
			nodes[parent].is_red = nodes[uncle].is_red = false;
			node = above;
			continue;
		}
		if (side_of(tree, node) != side) {
			rotate(tree, parent, side);
			parent = node;
		}
		nodes[parent].is_red = false;
		rotate(tree, above, !side);
		break;
	}
	nodes[tree->root].is_red = false;
}

/* Most rows differ in their weight, which is beside the links. */
static int side_for(const struct tree *tree, const struct xp_profile *profile,
		    const struct tree_node *node, uint32_t at)
{
	const struct row *rows = profile->rows;
	const struct tree_node *other = &tree->nodes[at];

	if (node->weight != other->weight)
		return node->weight < other->weight;
	return xp_row_compare(profile, &rows[node->row], &rows[other->row]) >= 0;
}

static void insert(struct tree *tree, const struct xp_profile *profile, uint32_t node, uint32_t row)
{
	struct tree_node *inserted = &tree->nodes[node];
	uint32_t parent = 0;
	int side = 0;

	*inserted = (struct tree_node){ .row = row,
					.is_red = true,
					.weight = xp_row_weight(profile, &profile->rows[row]) };
	for (uint32_t at = tree->root; at; at = tree->nodes[at].side[side]) {
		parent = at;
		side = side_for(tree, profile, inserted, at);
	}
	inserted->parent = parent;
	if (parent)
		tree->nodes[parent].side[side] = node;
	else
		tree->root = node;
	repair(tree, node);
}

static uint32_t outermost(const struct tree *tree, uint32_t node, int side)
{
	while (tree->nodes[node].side[side])
		node = tree->nodes[node].side[side];
	return node;
}

static uint32_t next_of(const struct tree *tree, uint32_t node)
{
	if (tree->nodes[node].side[1])
		return outermost(tree, tree->nodes[node].side[1], 0);
	while (tree->nodes[node].parent && side_of(tree, node))
		node = tree->nodes[node].parent;
	return tree->nodes[node].parent;
}

int xp_rows_sort(const struct xp_profile *profile, uint32_t *rows, uint32_t nr)
{
	struct tree tree = { .nodes = calloc((size_t)nr + 1, sizeof(*tree.nodes)) };

	if (!tree.nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		insert(&tree, profile, i + 1, rows[i]);
	uint32_t node = nr ? outermost(&tree, tree.root, 0) : 0;
	for (uint32_t i = 0; i < nr && node; i++, node = next_of(&tree, node))
		rows[i] = tree.nodes[node].row;
	free(tree.nodes);
	return 0;
}
