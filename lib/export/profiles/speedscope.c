/* SPDX-License-Identifier: MIT */
/*
 * speedscope: all frames once; then per event and thread a profile of the kind "sampled", with a
 * call chain and its weight for each place in the tree.
 *
 * Source: src/lib/file-format-spec.ts of github.com/jlfwong/speedscope.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format.h"
#include "json.h"

static void put_frame(struct json *json, const struct xp_tree *tree, uint32_t nr)
{
	const struct tree_frame *frame = tree_frame(tree, nr);
	char name[4200];

	snprintf(name, sizeof(name), "%s%s", frame->name, xp_mark_suffix(frame->marks));
	json_object(json, NULL, &json_compact);
	json_string(json, "name", name);
	if (*frame->source) {
		json_string(json, "file", frame->source);
		json_uint(json, "line", frame->line);
	} else if (frame->file != NO_FILE) {
		json_string(json, "file", tree->files[frame->file].path);
	}
	json_end(json);
}

/* The frames of a call chain, the outermost first. Returns 0 or -ENOMEM. */
static int put_chain(struct json *json, const struct xp_tree *tree, uint32_t call)
{
	uint32_t *path = NULL, nr = 0, cap = 0;

	for (; call != NO_CALL; call = tree_call(tree, call)->parent) {
		if (xp_array_grow(&path, &cap, nr, sizeof(*path))) {
			free(path);
			return -ENOMEM;
		}
		path[nr++] = tree_call(tree, call)->frame;
	}
	json_array(json, NULL, &json_compact);
	while (nr--)
		json_uint(json, NULL, path[nr]);
	json_end(json);
	free(path);
	return 0;
}

/* Stacks in the order of events and tasks. */
static int compare(const void *a, const void *b, void *tree)
{
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	const struct tree_stack *left = tree_stack(tree, l), *right = tree_stack(tree, r);

	if (left->event != right->event)
		return left->event < right->event ? -1 : 1;
	if (left->task != right->task)
		return left->task < right->task ? -1 : 1;
	return l < r ? -1 : 1;
}

static const char *unit_of(const struct export *export, const struct tree_event *event)
{
	bool is_time = !export->opts.samples && !strcmp(event->unit, "nanoseconds");

	return is_time ? "nanoseconds" : "none";
}

/* The stacks @order of one event and task. */
static int put_profile(struct json *json, const struct export *export, const uint32_t *order,
		       uint32_t nr)
{
	const struct xp_tree *tree = export->tree;
	const struct tree_stack *first = tree_stack(tree, order[0]);
	const struct tree_event *event = &tree->events[first->event];
	const struct tree_task *task = tree_task(tree, first->task);
	uint64_t end = 0;
	char name[4300];
	int err = 0;

	snprintf(name, sizeof(name), "%s %d/%d %s", task->comm, task->pid, task->tid, event->name);
	json_object(json, NULL, &json_compact);
	json_string(json, "type", "sampled");
	json_string(json, "name", name);
	json_string(json, "unit", unit_of(export, event));
	json_array(json, "samples", &json_compact);
	for (uint32_t i = 0; !err && i < nr; i++)
		err = put_chain(json, tree, tree_stack(tree, order[i])->call);
	json_end(json);
	json_array(json, "weights", &json_compact);
	for (uint32_t i = 0; i < nr; i++) {
		json_uint(json, NULL, export_weight(export, tree_stack(tree, order[i])));
		end += export_weight(export, tree_stack(tree, order[i]));
	}
	json_end(json);
	json_uint(json, "startValue", 0);
	json_uint(json, "endValue", end);
	json_end(json);
	return err;
}

static int put_profiles(struct json *json, const struct export *export)
{
	const struct xp_tree *tree = export->tree;
	uint32_t *order = calloc((size_t)tree->stacks.nr + 1, sizeof(*order)), nr = 0;
	int err = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < tree->stacks.nr; i++)
		if (export_has_event(export, tree_stack(tree, i)->event))
			order[nr++] = i;
	if (!err)
		qsort_r(order, nr, sizeof(*order), compare, (void *)(uintptr_t)tree);
	for (uint32_t at = 0, end; !err && at < nr; at = end) {
		const struct tree_stack *first = tree_stack(tree, order[at]);

		for (end = at + 1; end < nr; end++)
			if (tree_stack(tree, order[end])->event != first->event ||
			    tree_stack(tree, order[end])->task != first->task)
				break;
		err = put_profile(json, export, order + at, end - at);
	}
	free(order);
	return err;
}

int xp_format_speedscope(const struct export *export)
{
	struct json json;
	char exporter[64];

	json_init(&json, &export->out->sink, ":");
	snprintf(exporter, sizeof(exporter), "libxperf@%s", xp_version());
	json_object(&json, NULL, &json_compact);
	json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_string(&json, "exporter", exporter);
	json_string(&json, "name", export->tree->info.title);
	json_uint(&json, "activeProfileIndex", 0);
	json_object(&json, "shared", &json_compact);
	json_array(&json, "frames", &json_compact);
	for (uint32_t i = 0; i < export->tree->frames.nr; i++)
		put_frame(&json, export->tree, i);
	json_end(&json);
	json_end(&json);
	json_array(&json, "profiles", &json_compact);
	int err = put_profiles(&json, export);
	json_end(&json);
	json_end(&json);
	xp_out_char(export->out, '\n');
	return err;
}
