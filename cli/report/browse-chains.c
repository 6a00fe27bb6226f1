/* SPDX-License-Identifier: MIT */
/* Call chains of a row as nodes that are folded and unfolded. */
#include <errno.h>
#include <stdlib.h>

#include "browse.h"

struct copying {
	const struct plan *plan;
	uint64_t total;
};

static int set_text(struct node *node, const struct plan *plan, const struct xp_chain *chain,
		    int idx)
{
	size_t len;
	FILE *file = open_memstream(&node->text, &len);

	if (!file)
		return -ENOMEM;
	graph_put_frame(file, plan, chain, idx);
	return fclose(file) ? -ENOMEM : 0;
}

static size_t count_shown(const struct copying *copying, const struct xp_chain *chain)
{
	size_t nr = 0;

	for (; (chain = graph_shown(copying->plan, chain, copying->total)); chain = chain->next)
		nr++;
	return nr;
}

static int copy_chain(const struct copying *copying, const struct xp_chain *chain,
		      struct node *node);

/* Below a chain's first location: the others, then the chains that go on from there. */
static int copy_below(const struct copying *copying, const struct xp_chain *chain, int first,
		      struct node *parent)
{
	int nr_others = chain->nr_locations > first ? chain->nr_locations - first : 0;
	const struct xp_chain *child = chain->child;
	size_t nr = (size_t)nr_others + count_shown(copying, child);
	int err = 0;

	parent->children = calloc(nr + 1, sizeof(*parent->children));
	if (!parent->children)
		return -ENOMEM;
	for (size_t i = 0; !err && i < nr; i++) {
		struct node *node = &parent->children[parent->nr_children++];

		*node = (struct node){ .parent = parent,
				       .row = parent->row,
				       .depth = parent->depth + 1,
				       .percent = -1 };
		if (i < (size_t)nr_others) {
			node->subject = chain->locations[first + (int)i];
			err = set_text(node, copying->plan, chain, first + (int)i);
			continue;
		}
		child = graph_shown(copying->plan, child, copying->total);
		err = copy_chain(copying, child, node);
		child = child->next;
	}
	parent->can_open = nr > 0;
	return err;
}

static int copy_chain(const struct copying *copying, const struct xp_chain *chain,
		      struct node *node)
{
	struct copying below = *copying;

	node->percent = copying->total ? 100.0 * (double)(chain->hit + chain->below) /
						 (double)copying->total
				       : 0;
	node->subject = chain->nr_locations ? chain->locations[0] : NULL;
	if (copying->plan->graph.mode == GRAPH_FRACTAL)
		below.total = chain->below;
	return set_text(node, copying->plan, chain, 0) ?: copy_below(&below, chain, 1, node);
}

int chains_load(struct node *row, void *data)
{
	const struct rows *rows = data;
	const struct plan *plan = &rows->of->plan;
	const struct xp_profile_row *of = rows_at(rows, row->row);
	struct copying copying = { plan, rows->sheet->totals[0] };
	const struct xp_chain *root;
	int err = xp_profile_chains(rows->of->report.profile, rows->sheet->event, row->row, &root);

	if (err)
		return err;
	if (plan->graph.mode == GRAPH_FRACTAL)
		copying.total = plan->children ? of->sum.children_period : of->sum.period;
	return copy_below(&copying, root, root->nr_locations, row);
}
