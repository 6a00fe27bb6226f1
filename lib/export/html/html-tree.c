/* SPDX-License-Identifier: MIT */
/* From a tree to the frames, nodes and chains of an HTML report. */
#include "html-tree.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"

/* A tree that is added: that of the report, or what it is compared with. */
struct side {
	struct html *html;
	const struct xp_tree *tree;
	int side;
	const uint32_t *places; /* per event, its place in the report, or NO_PLACE */
};

enum { NO_PLACE = UINT32_MAX };

/* --- events --- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Weights of samples in steps that are not much smaller than they are: see docs/html-report.md. */
static void choose_steps(const struct html *html, struct html_event *event)
{
	enum { MOST_STEPS = 64, ROUNDED_STEPS = 8 };
	const struct xp_tree *tree = html->export->tree;
	uint64_t step = 0, weight = 0, samples = 0;

	for (uint32_t i = 0; i < tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(tree, i);

		if (stack->event != event->number)
			continue;
		step = common_divisor(export_weight(html->export, stack), step);
		weight += export_weight(html->export, stack);
		samples += stack->samples;
	}
	event->step = event->sample_step = step ? step : 1;
	uint64_t average = samples ? weight / samples : 0;
	event->exact = average / event->step <= MOST_STEPS;
	if (!event->exact)
		event->sample_step = average / ROUNDED_STEPS;
}

static int list_events(struct html *html)
{
	const struct xp_tree *tree = html->export->tree;

	html->events = calloc((size_t)tree->nr_events + 1, sizeof(*html->events));
	if (!html->events)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_events; i++)
		if (export_has_event(html->export, i)) {
			html->events[html->nr_events].number = i;
			choose_steps(html, &html->events[html->nr_events++]);
		}
	return 0;
}

/* The event of the report that an event of a base is compared with: that of its name, if none was
 * chosen. */
static uint32_t place_in_base(const struct html *html, uint32_t event)
{
	const struct xp_export_opts *opts = &html->export->opts;
	const struct xp_tree *tree = html->export->tree;

	if (opts->base_event >= 0)
		return html->nr_events && event == (uint32_t)opts->base_event ? 0 : NO_PLACE;
	for (uint32_t i = 0; i < html->nr_events; i++)
		if (!strcmp(tree->events[html->events[i].number].name,
			    opts->base->events[event].name))
			return i;
	return NO_PLACE;
}

static int find_places(struct html *html, int side)
{
	const struct xp_tree *tree = side ? html->export->opts.base : html->export->tree;
	uint32_t *places = calloc((size_t)tree->nr_events + 1, sizeof(*places));

	html->places[side] = places;
	if (!places)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_events; i++)
		places[i] = side ? place_in_base(html, i) : NO_PLACE;
	for (uint32_t i = 0; !side && i < html->nr_events; i++)
		places[html->events[i].number] = i;
	return 0;
}

/* --- frames and nodes --- */

static uint32_t kind_of(uint32_t marks)
{
	static const struct {
		uint32_t mark, kind;
	} kinds[] = {
		{ XP_MARK_CUT, HTML_CUT },         { XP_MARK_ROOT, HTML_GROUP },
		{ XP_MARK_OFF_CPU, HTML_OFF_CPU }, { XP_MARK_UNKNOWN, HTML_UNKNOWN },
		{ XP_MARK_KERNEL, HTML_KERNEL },   { XP_MARK_JIT, HTML_JIT },
		{ XP_MARK_INLINED, HTML_INLINED },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(kinds); i++)
		if (marks & kinds[i].mark)
			return kinds[i].kind;
	return HTML_USER;
}

static int find_frame(const struct side *side, uint32_t nr, uint32_t extra, uint32_t *ret_frame)
{
	const struct tree_frame *frame = tree_frame(side->tree, nr);
	const char *file = frame->file == NO_FILE ? "" : side->tree->files[frame->file].name;
	struct xp_intern *texts = &side->html->texts;
	struct html_frame key = { .kind = kind_of(frame->marks | extra) };

	key.name = xp_intern_add(texts, frame->name, strlen(frame->name));
	key.file = xp_intern_add(texts, file, strlen(file));
	if (!key.name || !key.file)
		return -ENOMEM;
	return xp_table_intern(&side->html->frames, &key, ret_frame) < 0 ? -ENOMEM : 0;
}

static int find_node(struct html *html, uint32_t parent, uint32_t frame, uint32_t *ret_node)
{
	const struct html_node key = { .parent = parent, .frame = frame };
	int is_new = xp_table_intern(&html->nodes, &key, ret_node);

	if (is_new > 0)
		html_node(html, *ret_node)->chain = HTML_NO_CHAIN;
	return is_new < 0 ? -ENOMEM : 0;
}

/* The node of a call, whose parent has its own already. */
static int add_call(const struct side *side, uint32_t nr, uint64_t samples)
{
	const struct tree_call *call = tree_call(side->tree, nr);
	uint32_t *nodes = side->html->nodes_of[side->side];
	uint32_t *frame = &side->html->frames_of[side->side][call->frame];
	uint32_t parent = call->parent == NO_CALL ? HTML_ROOT : nodes[call->parent];
	int err = 0;

	if (!*frame) {
		err = find_frame(side, call->frame, 0, frame);
		*frame += !err;
	}
	if (!err)
		err = find_node(side->html, parent, *frame - 1, &nodes[nr]);
	if (!err && side->side == 0 && tree_frame(side->tree, call->frame)->marks & XP_MARK_JOINED)
		html_node(side->html, nodes[nr])->nr_joined += samples;
	return err;
}

static bool counts(const struct side *side, const struct tree_stack *stack)
{
	return side->places[stack->event] != NO_PLACE;
}

/* Nodes of all calls that have samples of what is written. */
static int add_calls(const struct side *side)
{
	const struct xp_tree *tree = side->tree;
	uint64_t *samples = calloc((size_t)tree->calls.nr + 1, sizeof(*samples));
	int err = samples ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(tree, i);

		if (counts(side, stack) && stack->call != NO_CALL)
			samples[stack->call] += stack->samples;
	}
	for (uint32_t i = tree->calls.nr; !err && i-- > 0;)
		if (tree_call(tree, i)->parent != NO_CALL)
			samples[tree_call(tree, i)->parent] += samples[i];
	for (uint32_t i = 0; !err && i < tree->calls.nr; i++)
		if (samples[i])
			err = add_call(side, i, samples[i]);
	free(samples);
	return err;
}

/* Where a thread waited is another frame than where it ran. */
static int find_end(const struct side *side, const struct tree_stack *stack, uint32_t *ret_node)
{
	struct html *html = side->html;
	uint32_t frame;

	*ret_node = stack->call == NO_CALL ? HTML_ROOT : html->nodes_of[side->side][stack->call];
	if (stack->call == NO_CALL || !side->tree->events[stack->event].is_off_cpu)
		return 0;
	uint32_t parent = html_node(html, *ret_node)->parent;
	return find_frame(side, tree_call(side->tree, stack->call)->frame, XP_MARK_OFF_CPU, &frame)
		       ?: find_node(html, parent, frame, ret_node);
}

uint32_t xp_html_node_of(struct html *html, const struct tree_stack *stack)
{
	const struct side side = { .html = html, .tree = html->export->tree };
	uint32_t node = HTML_ROOT;

	/* The node was met when the report was made: nothing can fail. */
	find_end(&side, stack, &node);
	return node;
}

static int add_ends(const struct side *side)
{
	uint32_t node;
	int err = 0;

	for (uint32_t i = 0; !err && i < side->tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(side->tree, i);

		if (!counts(side, stack))
			continue;
		err = find_end(side, stack, &node);
		if (!err)
			html_node(side->html, node)->chain = 0;
	}
	return err;
}

static int add_side(const struct side *side)
{
	struct html *html = side->html;

	html->nodes_of[side->side] = calloc((size_t)side->tree->calls.nr + 1, sizeof(uint32_t));
	html->frames_of[side->side] = calloc((size_t)side->tree->frames.nr + 1, sizeof(uint32_t));
	if (!html->nodes_of[side->side] || !html->frames_of[side->side])
		return -ENOMEM;
	return add_calls(side) ?: add_ends(side);
}

/* --- order --- */

static int compare_frames(const void *a, const void *b, void *html)
{
	const struct html_frame *l = html_frame(html, *(const uint32_t *)a);
	const struct html_frame *r = html_frame(html, *(const uint32_t *)b);
	int order = strcmp(l->name, r->name) ?: strcmp(l->file, r->file);

	return order ? order : (l->kind > r->kind) - (l->kind < r->kind);
}

static int compare_nodes(const void *a, const void *b, void *html)
{
	const struct html_node *l = html_node(html, *(const uint32_t *)a);
	const struct html_node *r = html_node(html, *(const uint32_t *)b);
	uint64_t x = html_frame(html, l->frame)->rank, y = html_frame(html, r->frame)->rank;

	if (l->parent != r->parent)
		return (l->parent > r->parent) - (l->parent < r->parent);
	return (x > y) - (x < y);
}

static uint32_t *sorted(uint32_t first, uint32_t nr, struct html *html,
			int (*compare)(const void *a, const void *b, void *html))
{
	uint32_t *order = calloc((size_t)nr + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < nr; i++)
		order[i] = first + i;
	if (order)
		qsort_r(order, nr, sizeof(*order), compare, html);
	return order;
}

static int rank_frames(struct html *html)
{
	html->by_rank = sorted(0, html->frames.nr, html, compare_frames);
	if (!html->by_rank)
		return -ENOMEM;
	for (uint32_t i = 0; i < html->frames.nr; i++)
		html_frame(html, html->by_rank[i])->rank = i;
	return 0;
}

/*
 * Numbers nodes depth first. @order has them by parent and rank; @first: per node, the place there
 * of its first child.
 */
static void number_nodes(struct html *html, const uint32_t *order, const uint32_t *first)
{
	uint32_t node = HTML_ROOT, nr = 0, *at = html->order;

	for (;;) {
		struct html_node *this = html_node(html, node);

		this->depth = nr ? html_node(html, this->parent)->depth + 1 : 0;
		this->number = nr;
		at[nr++] = node;
		uint32_t child = first[node], parent = node;
		while (child == first[parent + 1] && parent != HTML_ROOT) {
			child = html_node(html, parent)->next;
			parent = html_node(html, parent)->parent;
		}
		if (child == first[parent + 1])
			return;
		node = order[child];
		/* Where to go on when all below this one has its number. */
		html_node(html, node)->next = child + 1;
	}
}

static int order_nodes(struct html *html)
{
	uint32_t nr = html->nodes.nr;
	uint32_t *order = sorted(1, nr - 1, html, compare_nodes);
	uint32_t *first = calloc((size_t)nr + 2, sizeof(*first));

	html->order = calloc(nr, sizeof(*html->order));
	bool ok = order && first && html->order;
	for (uint32_t i = 1; ok && i < nr; i++)
		first[html_node(html, i)->parent + 1]++;
	for (uint32_t i = 1; ok && i <= nr; i++)
		first[i] += first[i - 1];
	if (ok)
		number_nodes(html, order, first);
	free(order);
	free(first);
	return ok ? 0 : -ENOMEM;
}

static int list_chains(struct html *html)
{
	html->chains = calloc(html->nodes.nr, sizeof(*html->chains));
	if (!html->chains)
		return -ENOMEM;
	for (uint32_t i = 0; i < html->nodes.nr; i++) {
		struct html_node *node = html_node(html, html->order[i]);

		if (node->chain == HTML_NO_CHAIN)
			continue;
		node->chain = html->nr_chains;
		html->chains[html->nr_chains++] = html->order[i];
	}
	return 0;
}

/* --- what was counted --- */

static struct html_sum *sum_of(const struct html *html, uint32_t event, uint32_t chain)
{
	return &html->sums[(size_t)event * html->nr_chains + chain];
}

static void add_up(const struct side *side)
{
	struct html *html = side->html;
	uint32_t node = HTML_ROOT;

	for (uint32_t i = 0; i < side->tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(side->tree, i);

		if (!counts(side, stack))
			continue;
		find_end(side, stack, &node);
		uint32_t event = side->places[stack->event];
		struct html_sum *sum = sum_of(html, event, html_node(html, node)->chain);
		uint64_t weight = export_weight(html->export, stack);

		sum->base += side->side ? weight : 0;
		sum->weight += side->side ? 0 : weight;
		sum->samples += side->side ? 0 : stack->samples;
	}
}

static int make_sums(struct html *html, const struct side sides[2], int nr_sides)
{
	html->sums = calloc((size_t)html->nr_events * html->nr_chains + 1, sizeof(*html->sums));
	if (!html->sums)
		return -ENOMEM;
	for (int i = 0; i < nr_sides; i++)
		add_up(&sides[i]);
	return 0;
}

int xp_html_init(struct html *html, const struct export *export)
{
	const struct html_node root = { .parent = HTML_ROOT, .frame = UINT32_MAX };
	const struct xp_tree *trees[] = { export->tree, export->opts.base };
	int nr_sides = export->opts.base ? 2 : 1;
	struct side sides[2];
	uint32_t nr;

	*html = (struct html){ .export = export };
	html->frames = xp_table(offsetof(struct html_frame, rank), sizeof(struct html_frame));
	html->nodes = xp_table(offsetof(struct html_node, number), sizeof(struct html_node));
	int err = xp_table_intern(&html->nodes, &root, &nr) < 0 ? -ENOMEM : list_events(html);
	if (err)
		return err;
	html_node(html, HTML_ROOT)->chain = HTML_NO_CHAIN;
	for (int i = 0; !err && i < nr_sides; i++) {
		err = find_places(html, i);
		sides[i] = (struct side){
			.html = html, .tree = trees[i], .side = i, .places = html->places[i]
		};
		err = err ?: add_side(&sides[i]);
	}
	return err ?: rank_frames(html) ?: order_nodes(html) ?: list_chains(html)
			       ?: make_sums(html, sides, nr_sides);
}

void xp_html_fini(struct html *html)
{
	xp_intern_fini(&html->texts);
	xp_table_fini(&html->frames);
	xp_table_fini(&html->nodes);
	free(html->by_rank);
	free(html->order);
	free(html->chains);
	free(html->events);
	free(html->sums);
	for (int side = 0; side < 2; side++) {
		free(html->places[side]);
		free(html->nodes_of[side]);
		free(html->frames_of[side]);
	}
}
