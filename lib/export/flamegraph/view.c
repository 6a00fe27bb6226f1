/* SPDX-License-Identifier: MIT */
/* The tree that pictures are drawn from. */
#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct view_key {
	const char *name;
	uint32_t parent, marks;
};

/* A call below the roots of a task. */
struct reached {
	uint32_t root, call;
	uint64_t node; /* value */
};

/* A tree that is added to a view, as one of its sides. */
struct side {
	struct view *view;
	const struct export *export;
	const struct xp_tree *tree;
	int event; /* -1: all */
	int side;
	struct table reached;
	uint32_t *path; /* of calls, the innermost first */
	uint32_t cap_path;
};

/* By which frames look different. */
enum {
	SHOWN_MARKS = XP_MARK_KERNEL | XP_MARK_INLINED | XP_MARK_JIT | XP_MARK_OFF_CPU |
		      XP_MARK_CUT | XP_MARK_UNKNOWN | XP_MARK_ROOT
};

static int find_node(struct view *view, uint32_t parent, const char *name, uint32_t marks,
		     uint32_t *ret_node)
{
	struct view_key key = { .parent = parent, .marks = marks & view->key_marks };
	uint32_t nr;

	key.name = xp_intern_add(&view->texts, name, strlen(name));
	if (!key.name)
		return -ENOMEM;
	int is_new = xp_table_intern_sized(&view->keys, &key, sizeof(key), &nr);
	*ret_node = nr + 1;
	if (is_new < 0 || xp_array_grow(&view->nodes, &view->cap, nr + 1, sizeof(*view->nodes)))
		return -ENOMEM;
	if (!is_new) {
		view->nodes[nr + 1].marks &= marks | ~(uint32_t)XP_MARK_JOINED;
		return 0;
	}
	view->nodes[nr + 1] = (struct view_node){ .parent = parent,
						  .depth = view->nodes[parent].depth + 1,
						  .name = key.name,
						  .marks = marks & (SHOWN_MARKS | XP_MARK_JOINED),
						  .file = NO_FILE };
	if (view->nodes[nr + 1].depth > view->max_depth)
		view->max_depth = view->nodes[nr + 1].depth;
	view->nr = nr + 2;
	return 0;
}

/* --- what stands at the root --- */

static void name_root(char *buf, size_t size, enum xp_by by, const struct xp_tree *tree,
		      const struct tree_stack *stack)
{
	const struct tree_event *event = &tree->events[stack->event];
	const struct tree_task *task = tree_task(tree, stack->task);
	const char *process = xp_tree_process(tree, task->pid);

	switch (by) {
	case XP_BY_EVENT:
		snprintf(buf, size, "%s", event->name);
		break;
	case XP_BY_CGROUP:
		snprintf(buf, size, "%s", *task->cgroup ? task->cgroup : "[cgroup]");
		break;
	case XP_BY_CPU:
		snprintf(buf, size, task->cpu < 0 ? "[CPU]" : "CPU %d", task->cpu);
		break;
	case XP_BY_COMM:
		snprintf(buf, size, "%s", task->comm);
		break;
	case XP_BY_PROCESS:
		snprintf(buf, size, "%s-%d", process && *process ? process : task->comm, task->pid);
		break;
	default:
		snprintf(buf, size, "%s-%d/%d", task->comm, task->pid, task->tid);
		break;
	}
}

static int find_root(const struct side *side, const struct tree_stack *stack, uint32_t *ret_root)
{
	uint32_t at = VIEW_ROOT;
	char name[4200];
	int err = 0;

	const struct tree_task *task = tree_task(side->tree, stack->task);
	const uint8_t *by = side->export->opts.by;

	for (; !err && *by; by++) {
		/* Trees of other programs need not know threads. */
		if (*by >= XP_BY_COMM && !*task->comm && task->pid < 0)
			continue;
		name_root(name, sizeof(name), *by, side->tree, stack);
		err = find_node(side->view, at, name, XP_MARK_ROOT, &at);
	}
	*ret_root = at;
	return err;
}

/* --- call chains --- */

static int call_down(struct side *side, uint32_t root, uint32_t parent, uint32_t call,
		     uint32_t *ret_node)
{
	const struct tree_frame *frame = tree_frame(side->tree, tree_call(side->tree, call)->frame);
	struct reached key = { .root = root, .call = call };
	uint32_t nr;
	int err = find_node(side->view, parent, frame->name, frame->marks, ret_node);

	if (err ||
	    xp_table_intern_sized(&side->reached, &key, offsetof(struct reached, node), &nr) < 0)
		return -ENOMEM;
	((struct reached *)xp_table_at(&side->reached, nr))->node = *ret_node;
	struct view_node *node = &side->view->nodes[*ret_node];
	if (node->file == NO_FILE) {
		node->file = frame->file;
		node->tree = side->tree;
	}
	return 0;
}

/* Whether a call below a root was reached before. Nothing is added. */
static bool is_reached(struct side *side, uint32_t root, uint32_t call, uint32_t *ret_node)
{
	const struct reached key = { .root = root, .call = call };
	uint64_t hash = xp_table_hash(side->reached.seed, &key, offsetof(struct reached, node));
	uint32_t nr;

	if (!xp_table_has(&side->reached, &key, offsetof(struct reached, node), hash, &nr))
		return false;
	*ret_node = (uint32_t)((struct reached *)xp_table_at(&side->reached, nr))->node;
	return true;
}

static int find_chain(struct side *side, uint32_t root, uint32_t call, uint32_t *ret_node)
{
	uint32_t nr = 0, node = root;
	int err = 0;

	for (; call != NO_CALL && !is_reached(side, root, call, &node);
	     call = tree_call(side->tree, call)->parent) {
		if (xp_array_grow(&side->path, &side->cap_path, nr, sizeof(*side->path)))
			return -ENOMEM;
		side->path[nr++] = call;
	}
	while (!err && nr--)
		err = call_down(side, root, node, side->path[nr], &node);
	*ret_node = node;
	return err;
}

/* Where a thread waited is another frame than where it ran. */
static int mark_wait(struct view *view, uint32_t *node)
{
	const struct view_node like = view->nodes[*node];
	int err = find_node(view, like.parent, like.name, like.marks | XP_MARK_OFF_CPU, node);

	if (!err) {
		view->nodes[*node].file = like.file;
		view->nodes[*node].tree = like.tree;
	}
	return err;
}

static int add_stack(struct side *side, const struct tree_stack *stack)
{
	struct view *view = side->view;
	uint32_t root, node;
	int err = find_root(side, stack, &root) ?: find_chain(side, root, stack->call, &node);

	if (!err && side->tree->events[stack->event].is_off_cpu && stack->call != NO_CALL)
		err = mark_wait(view, &node);
	if (!err)
		view->nodes[node].self[side->side] += export_weight(side->export, stack);
	return err;
}

static int add_side(struct view *view, const struct export *export, const struct xp_tree *tree,
		    int event, int nr)
{
	struct side side = {
		.view = view, .export = export, .tree = tree, .event = event, .side = nr
	};
	int err = 0;

	side.reached = xp_table(offsetof(struct reached, node), sizeof(struct reached));
	for (uint32_t i = 0; !err && i < tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(tree, i);

		if (event < 0 || (uint32_t)event == stack->event)
			err = add_stack(&side, stack);
	}
	xp_table_fini(&side.reached);
	free(side.path);
	return err;
}

/* --- when all is there --- */

static int compare(const void *a, const void *b, void *nodes)
{
	const struct view_node *l = (struct view_node *)nodes + *(const uint32_t *)a;
	const struct view_node *r = (struct view_node *)nodes + *(const uint32_t *)b;

	if (l->parent != r->parent)
		return (l->parent > r->parent) - (l->parent < r->parent);
	int order = strcmp(l->name, r->name);
	return order ? order : (l->marks > r->marks) - (l->marks < r->marks);
}

static int link_nodes(struct view *view)
{
	uint32_t *order = malloc(((size_t)view->nr + 1) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 1; i < view->nr; i++)
		order[i - 1] = i;
	qsort_r(order, view->nr - 1, sizeof(*order), compare, view->nodes);
	for (uint32_t i = view->nr - 1; i-- > 0;) {
		struct view_node *node = &view->nodes[order[i]];

		node->next = view->nodes[node->parent].child;
		view->nodes[node->parent].child = order[i];
	}
	free(order);
	return 0;
}

static void add_up(struct view *view)
{
	for (uint32_t i = view->nr; i-- > 0;)
		for (int side = 0; side < VIEW_SIDES; side++) {
			struct view_node *node = &view->nodes[i];

			node->total[side] += node->self[side];
			if (i)
				view->nodes[node->parent].total[side] += node->total[side];
		}
}

int xp_view_init(struct view *view, const struct export *export, bool has_joined)
{
	const struct xp_export_opts *opts = &export->opts;

	*view = (struct view){ .keys = xp_table(sizeof(struct view_key), sizeof(struct view_key)),
			       .nr = 1,
			       .key_marks = SHOWN_MARKS | (has_joined ? XP_MARK_JOINED : 0) };
	int err = xp_array_grow(&view->nodes, &view->cap, 0, sizeof(*view->nodes));
	if (err)
		return err;
	view->nodes[VIEW_ROOT].name = "all";
	view->nodes[VIEW_ROOT].file = NO_FILE;
	view->nodes[VIEW_ROOT].marks = XP_MARK_ROOT;
	err = add_side(view, export, export->tree, opts->event, 0);
	if (!err && opts->base)
		err = add_side(view, export, opts->base, opts->base_event, 1);
	if (!err)
		err = link_nodes(view);
	if (!err)
		add_up(view);
	return err;
}

void xp_view_fini(struct view *view)
{
	xp_table_fini(&view->keys);
	xp_intern_fini(&view->texts);
	free(view->nodes);
}
