/* SPDX-License-Identifier: MIT */
/*
 * Sets of ranges that share their parts: AVL trees, made of joins and splits.
 *
 * Their height is at most 1.44 times the logarithm of their size whatever they are filled with, so
 * the recursion here is bounded by some 45 levels.
 *
 * Source: G. Blelloch, D. Ferizovic, Y. Sun, "Just Join for Parallel Ordered Sets" (2016).
 */
#include "ranges.h"

#include <errno.h>
#include <stdlib.h>

/* More nodes than one change makes: each of its splits and joins makes at most two per level. */
enum { SPARE_NODES = 1024 };

static struct range *node(const struct ranges *ranges, uint32_t at)
{
	return &ranges->nodes[at];
}

static uint8_t height(const struct ranges *ranges, uint32_t at)
{
	return at ? node(ranges, at)->height : 0;
}

static uint32_t new_node(struct ranges *ranges, uint64_t start, uint64_t end, uint32_t map)
{
	ranges->nodes[ranges->nr] =
		(struct range){ start, end, map, .stamp = ranges->stamp, .height = 1 };
	return (uint32_t)ranges->nr++;
}

/* The node itself, or a copy: one that may be changed. */
static uint32_t own(struct ranges *ranges, uint32_t at)
{
	if (node(ranges, at)->stamp == ranges->stamp)
		return at;
	ranges->nodes[ranges->nr] = ranges->nodes[at];
	ranges->nodes[ranges->nr].stamp = ranges->stamp;
	return (uint32_t)ranges->nr++;
}

/* @at is owned. */
static uint32_t link_node(struct ranges *ranges, uint32_t left, uint32_t at, uint32_t right)
{
	uint8_t l = height(ranges, left), r = height(ranges, right);
	struct range *range = node(ranges, at);

	range->left = left;
	range->right = right;
	range->height = (uint8_t)((l > r ? l : r) + 1);
	return at;
}

static uint32_t rotate_left(struct ranges *ranges, uint32_t at)
{
	uint32_t top = own(ranges, node(ranges, at)->right);

	at = own(ranges, at);
	at = link_node(ranges, node(ranges, at)->left, at, node(ranges, top)->left);
	return link_node(ranges, at, top, node(ranges, top)->right);
}

static uint32_t rotate_right(struct ranges *ranges, uint32_t at)
{
	uint32_t top = own(ranges, node(ranges, at)->left);

	at = own(ranges, at);
	at = link_node(ranges, node(ranges, top)->right, at, node(ranges, at)->right);
	return link_node(ranges, node(ranges, top)->left, top, at);
}

/* @at is owned; its sides differ by two levels at most. */
static uint32_t balance(struct ranges *ranges, uint32_t left, uint32_t at, uint32_t right)
{
	uint8_t l = height(ranges, left), r = height(ranges, right);

	if (l > r + 1) {
		struct range *low = node(ranges, left);
		if (height(ranges, low->right) > height(ranges, low->left))
			left = rotate_left(ranges, left);
		return rotate_right(ranges, link_node(ranges, left, at, right));
	}
	if (r > l + 1) {
		struct range *high = node(ranges, right);
		if (height(ranges, high->left) > height(ranges, high->right))
			right = rotate_right(ranges, right);
		return rotate_left(ranges, link_node(ranges, left, at, right));
	}
	return link_node(ranges, left, at, right);
}

/* One set of @left, @at, which is owned, and @right: they are in this order. */
static uint32_t join(struct ranges *ranges, uint32_t left, uint32_t at, uint32_t right)
{
	if (height(ranges, left) > height(ranges, right) + 1) {
		uint32_t top = own(ranges, left);
		uint32_t rest = join(ranges, node(ranges, top)->right, at, right);
		return balance(ranges, node(ranges, top)->left, top, rest);
	}
	if (height(ranges, right) > height(ranges, left) + 1) {
		uint32_t top = own(ranges, right);
		uint32_t rest = join(ranges, left, at, node(ranges, top)->left);
		return balance(ranges, rest, top, node(ranges, top)->right);
	}
	return link_node(ranges, left, at, right);
}

/* Removes the last one. Returns it, owned, and in *root what is left. */
static uint32_t pop_last(struct ranges *ranges, uint32_t *root)
{
	uint32_t top = own(ranges, *root);

	if (!node(ranges, top)->right) {
		*root = node(ranges, top)->left;
		return top;
	}
	uint32_t rest = node(ranges, top)->right;
	uint32_t last = pop_last(ranges, &rest);
	*root = balance(ranges, node(ranges, top)->left, top, rest);
	return last;
}

static uint32_t join_two(struct ranges *ranges, uint32_t left, uint32_t right)
{
	if (!left)
		return right;
	uint32_t last = pop_last(ranges, &left);
	return join(ranges, left, last, right);
}

/* Those that begin below @address, and the others. */
static void split(struct ranges *ranges, uint32_t root, uint64_t address, uint32_t *ret_below,
		  uint32_t *ret_others)
{
	uint32_t part;

	if (!root) {
		*ret_below = *ret_others = 0;
		return;
	}
	root = own(ranges, root);
	uint32_t left = node(ranges, root)->left, right = node(ranges, root)->right;
	if (node(ranges, root)->start < address) {
		split(ranges, right, address, &part, ret_others);
		*ret_below = join(ranges, left, root, part);
	} else {
		split(ranges, left, address, ret_below, &part);
		*ret_others = join(ranges, part, root, right);
	}
}

static int reserve(struct ranges *ranges)
{
	size_t cap = ranges->cap;

	if (!ranges->nr)
		ranges->nr = 1; /* the empty set */
	if (cap >= ranges->nr + SPARE_NODES)
		return 0;
	cap = cap ? cap + cap / 2 : 2 * SPARE_NODES;
	if (cap > UINT32_MAX)
		return -ENOMEM;
	struct range *nodes = realloc(ranges->nodes, cap * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	if (!ranges->nodes)
		nodes[0] = (struct range){ 0 };
	ranges->nodes = nodes;
	ranges->cap = cap;
	return 0;
}

int xp_ranges_put(struct ranges *ranges, uint32_t *root, uint64_t start, uint64_t end, uint32_t map)
{
	uint32_t below, inside, above;
	int err = reserve(ranges);

	if (err)
		return err;
	const struct range *first = xp_ranges_below(ranges, *root, start);
	const struct range *last = xp_ranges_below(ranges, *root, end);
	bool reaches_in = first && first->end > start;
	struct range tail = last ? *last : (struct range){ 0 };
	split(ranges, *root, start, &below, &inside);
	split(ranges, inside, end, &inside, &above);
	if (tail.end > end)
		above = join(ranges, 0, new_node(ranges, end, tail.end, tail.map), above);
	if (reaches_in) {
		uint32_t cut = pop_last(ranges, &below);

		node(ranges, cut)->end = start;
		below = join(ranges, below, cut, 0);
	}
	*root = map == RANGES_NO_MAP
			? join_two(ranges, below, above)
			: join(ranges, below, new_node(ranges, start, end, map), above);
	return 0;
}

const struct range *xp_ranges_below(const struct ranges *ranges, uint32_t root, uint64_t end)
{
	const struct range *best = NULL;

	while (root) {
		const struct range *range = node(ranges, root);

		if (range->start < end)
			best = range;
		root = range->start < end ? range->right : range->left;
	}
	return best;
}

const struct range *xp_ranges_at(const struct ranges *ranges, uint32_t root, uint64_t address)
{
	while (root) {
		const struct range *range = node(ranges, root);

		if (address < range->start)
			root = range->left;
		else if (address >= range->end)
			root = range->right;
		else
			return range;
	}
	return NULL;
}

struct range xp_ranges_gap(const struct ranges *ranges, uint32_t root, uint64_t address)
{
	struct range gap = { .end = UINT64_MAX, .map = RANGES_NO_MAP };

	while (root) {
		const struct range *range = node(ranges, root);

		if (address < range->start) {
			gap.end = range->start;
			root = range->left;
		} else if (address >= range->end) {
			gap.start = range->end;
			root = range->right;
		} else {
			return *range;
		}
	}
	return gap;
}

void xp_ranges_fini(struct ranges *ranges)
{
	free(ranges->nodes);
	*ranges = (struct ranges){ 0 };
}
