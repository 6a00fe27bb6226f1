/* SPDX-License-Identifier: MIT */
/* The tree of call chains of one row: what begins alike is one branch, and branches of one piece
 * are joined. */
#include <errno.h>
#include <stdlib.h>

#include "profile-impl.h"

/* One location in the tree, before pieces are joined. */
struct step {
	uint32_t child, next, parent; /* 0: none; the root is 0 */
	uint32_t location;
	uint64_t hit, nr_hits;
	uint64_t nr_joined;
};

struct step_key {
	uint32_t parent, location;
};

struct forest {
	struct table keys; /* step - 1 */
	struct step *steps;
	uint32_t cap_steps;
	struct xp_chain *chains;
	uint32_t nr_chains;
	const struct xp_location **locations;
	uint64_t *nr_joined; /* per location */
	uint32_t nr_locations;
	uint32_t *
		path; /* the chain that is added: its calls, in the order in which they are drawn */
	uint32_t cap_path;
};

void xp_forest_free(struct forest *forest)
{
	if (!forest)
		return;
	xp_table_fini(&forest->keys);
	free(forest->steps);
	free(forest->chains);
	free(forest->locations);
	free(forest->nr_joined);
	free(forest->path);
	free(forest);
}

static int step_down(struct forest *forest, uint32_t parent, uint32_t location, uint32_t *ret_step)
{
	struct step_key key = { .parent = parent, .location = location };
	uint32_t nr;
	int is_new = xp_table_intern_sized(&forest->keys, &key, sizeof(key), &nr);

	if (is_new < 0 ||
	    xp_array_grow(&forest->steps, &forest->cap_steps, nr + 1, sizeof(*forest->steps)))
		return -ENOMEM;
	*ret_step = nr + 1;
	if (!is_new)
		return 0;
	struct step *step = &forest->steps[nr + 1];
	*step = (struct step){ .parent = parent,
			       .location = location,
			       .next = forest->steps[parent].child };
	forest->steps[parent].child = nr + 1;
	return 0;
}

static uint32_t drawn_as(const struct xp_profile *profile, uint32_t location)
{
	return location < profile->cap_drawn && profile->drawn[location]
		       ? profile->drawn[location] - 1
		       : location;
}

static const struct call *call_at(const struct xp_profile *profile, uint32_t nr)
{
	return xp_table_at(&profile->calls, nr);
}

/* The chain of an item into the forest's path, as far as it is not drawn yet; seen from the
 * outermost, a call is drawn once for all chains. Returns from where on, or -ENOMEM. */
static int64_t read_path(const struct xp_profile *profile, struct forest *forest, uint32_t call,
			 uint32_t skip, struct drawn_call *ret_last)
{
	bool callers_first = profile->opts.callers_first;
	uint32_t nr = call == NO_NODE ? 0 : call_at(profile, call)->depth, from = nr;

	if (xp_array_grow(&forest->path, &forest->cap_path, nr, sizeof(*forest->path)))
		return -ENOMEM;
	for (; from > (callers_first ? skip : 0); call = call_at(profile, call)->parent) {
		const struct drawn_call *drawn = &profile->drawn_calls[call];

		if (callers_first && drawn->tree == profile->nr_trees && drawn->skip == skip) {
			*ret_last = *drawn;
			break;
		}
		from--;
		forest->path[callers_first ? from : nr - 1 - from] = call;
	}
	return callers_first ? from : skip;
}

/* Adds the step of a call to those of a chain. */
static int draw_call(const struct xp_profile *profile, struct forest *forest, uint32_t call,
		     struct drawn_call *last)
{
	const struct call *at = call_at(profile, call);

	last->nr_joined += at->is_joined;
	int err = step_down(forest, last->step, drawn_as(profile, at->place), &last->step);
	profile->drawn_calls[call] = *last;
	return err;
}

/* Adds samples to the steps of a chain that are joined. */
static void add_joined(const struct xp_profile *profile, struct forest *forest, uint32_t call,
		       uint32_t skip, uint64_t samples)
{
	uint32_t nr = call_at(profile, call)->depth;

	for (uint32_t at = call; at != NO_NODE; at = call_at(profile, at)->parent) {
		uint32_t depth = call_at(profile, at)->depth;
		uint32_t place = profile->opts.callers_first ? depth - 1 : nr - depth;

		if (call_at(profile, at)->is_joined && place >= skip)
			forest->steps[profile->drawn_calls[at].step].nr_joined += samples;
	}
}

static int add_item(const struct xp_profile *profile, struct forest *forest,
		    const struct item *item)
{
	const struct group *group = xp_table_at(&profile->groups, item->group);
	uint32_t nr = group->chain == NO_NODE ? 0 : call_at(profile, group->chain)->depth;
	struct drawn_call last = { .tree = profile->nr_trees, .skip = item->skip };
	int64_t from = read_path(profile, forest, group->chain, item->skip, &last);
	int err = from < 0 ? -ENOMEM : 0;

	for (uint32_t i = (uint32_t)from; !err && i < nr; i++)
		err = draw_call(profile, forest, forest->path[i], &last);
	if (err || !last.step)
		return err;
	if (last.nr_joined)
		add_joined(profile, forest, group->chain, item->skip, group->sum.samples);
	forest->steps[last.step].hit += group->sum.period;
	forest->steps[last.step].nr_hits += group->sum.samples;
	return 0;
}

static uint64_t weight(const struct xp_chain *chain)
{
	return chain->hit + chain->below;
}

/* Which of two branches is shown first. Of equal ones, as perf 6.1: the later file, the higher
 * address. */
static bool is_before(const struct xp_chain *a, const struct xp_chain *b)
{
	const struct xp_location *left = a->locations[0], *right = b->locations[0];
	int left_file = left->frame.map.dso ? left->frame.map.dso->index : -1;
	int right_file = right->frame.map.dso ? right->frame.map.dso->index : -1;

	if (weight(a) != weight(b))
		return weight(a) > weight(b);
	if (left_file != right_file)
		return left_file > right_file;
	return (left->frame.function.name ? left->frame.function.start : left->ip) >
	       (right->frame.function.name ? right->frame.function.start : right->ip);
}

static struct xp_chain *merge(struct xp_chain *a, struct xp_chain *b)
{
	struct xp_chain *first = NULL, **at = &first;

	while (a && b) {
		struct xp_chain **from = is_before(b, a) ? &b : &a;

		*at = *from;
		*from = (*from)->next;
		at = &(*at)->next;
	}
	*at = a ? a : b;
	return first;
}

static struct xp_chain *sort(struct xp_chain *list)
{
	struct xp_chain *slow = list;

	if (!list || !list->next)
		return list;
	for (struct xp_chain *fast = list->next; fast && fast->next; fast = fast->next->next)
		slow = slow->next;
	struct xp_chain *half = slow->next;
	slow->next = NULL;
	return merge(sort(list), sort(half));
}

/* Follows steps from @at on into @chain, down to where something ends or branches off. Returns the
 * last. */
static uint32_t join(const struct xp_profile *profile, struct forest *forest, uint32_t at,
		     struct xp_chain *chain)
{
	const struct step *steps = forest->steps;

	chain->locations = &forest->locations[forest->nr_locations];
	chain->nr_joined = &forest->nr_joined[forest->nr_locations];
	for (;; at = steps[at].child) {
		forest->nr_joined[forest->nr_locations] = steps[at].nr_joined;
		forest->locations[forest->nr_locations++] = profile->places[steps[at].location];
		chain->nr_locations++;
		if (steps[at].hit || steps[at].nr_hits || !steps[at].child ||
		    steps[steps[at].child].next)
			break;
	}
	chain->hit = steps[at].hit;
	chain->nr_hits = steps[at].nr_hits;
	return at;
}

/* Makes the branches below a chain whose last step is @step; chains are as deep as stacks are, at
 * most xp_profile_opts.max_stack. */
static void branch(const struct xp_profile *profile, struct forest *forest, uint32_t step,
		   struct xp_chain *chain)
{
	for (uint32_t at = forest->steps[step].child; at; at = forest->steps[at].next) {
		struct xp_chain *child = &forest->chains[forest->nr_chains++];
		uint32_t last = join(profile, forest, at, child);

		child->parent = chain;
		branch(profile, forest, last, child);
		child->next = chain->child;
		chain->child = child;
		chain->below += weight(child);
		chain->nr_below += child->nr_hits + child->nr_below;
	}
	chain->child = sort(chain->child);
}

static int grow(const struct xp_profile *profile, const struct row *row, struct forest *forest)
{
	forest->keys = xp_table(sizeof(struct step_key), sizeof(struct step_key));
	int err = xp_array_grow(&forest->steps, &forest->cap_steps, 0, sizeof(*forest->steps));
	for (uint32_t i = 0; !err && i < row->nr_items; i++)
		err = add_item(profile, forest, &row->items[i]);
	if (err)
		return err;
	forest->chains = calloc((size_t)forest->keys.nr + 1, sizeof(*forest->chains));
	forest->locations = calloc((size_t)forest->keys.nr + 1, sizeof(struct xp_location *));
	forest->nr_joined = calloc((size_t)forest->keys.nr + 1, sizeof(*forest->nr_joined));
	if (!forest->chains || !forest->locations || !forest->nr_joined)
		return -ENOMEM;
	forest->nr_chains = 1;
	branch(profile, forest, 0, &forest->chains[0]);
	return 0;
}

int xp_profile_chains(struct xp_profile *profile, int event, size_t idx,
		      const struct xp_chain **ret_root)
{
	if (idx >= xp_profile_nr_rows(profile, event))
		return -EINVAL;
	struct forest *forest = calloc(1, sizeof(*forest));
	if (!profile->drawn_calls)
		profile->drawn_calls =
			calloc((size_t)profile->calls.nr + 1, sizeof(*profile->drawn_calls));
	profile->nr_trees++;
	int err =
		forest && profile->drawn_calls
			? grow(profile, &profile->rows[profile->order[profile->first[event] + idx]],
			       forest)
			: -ENOMEM;
	if (err) {
		xp_forest_free(forest);
		return err;
	}
	xp_forest_free(profile->forest);
	profile->forest = forest;
	*ret_root = &forest->chains[0];
	return 0;
}
