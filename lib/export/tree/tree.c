/* SPDX-License-Identifier: MIT */
/* Trees of call chains: what is equal is kept once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/export.h>

#include "cleanup.h"
#include "opts.h"
#include "tree.h"
#include "vec.h"

int xp_tree_new(struct xp_tree **ret_tree)
{
	struct xp_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	tree->frames = xp_table(offsetof(struct tree_frame, address), sizeof(struct tree_frame));
	tree->calls = xp_table(sizeof(struct tree_call), sizeof(struct tree_call));
	tree->tasks = xp_table(sizeof(struct tree_task), sizeof(struct tree_task));
	tree->stacks = xp_table(offsetof(struct tree_stack, period), sizeof(struct tree_stack));
	tree->info.title = tree->info.host = xp_tree_text(tree, "");
	if (!tree->info.title) {
		xp_tree_free(tree);
		return -ENOMEM;
	}
	*ret_tree = tree;
	return 0;
}

void xp_tree_free(struct xp_tree *tree)
{
	if (!tree)
		return;
	xp_table_fini(&tree->frames);
	xp_table_fini(&tree->calls);
	xp_table_fini(&tree->tasks);
	xp_table_fini(&tree->stacks);
	xp_intern_fini(&tree->texts);
	free(tree->events);
	free(tree->files);
	free(tree->notes);
	free(tree->processes);
	xp_tree_free_codes(tree);
	free(tree);
}

int xp_tree_describe(struct xp_tree *tree, const struct xp_tree_info *info)
{
	struct xp_tree_info copy = { .size = 0 };
	int err = XP_OPTS_COPY(&copy, info, struct xp_tree_info, duration_ns, NULL);

	if (err)
		return err;
	copy.title = xp_tree_text(tree, copy.title);
	copy.host = xp_tree_text(tree, copy.host);
	if (!copy.title || !copy.host)
		return -ENOMEM;
	tree->info = copy;
	return 0;
}

int xp_tree_add_note(struct xp_tree *tree, enum xp_tree_note kind, const char *what,
		     const char *text)
{
	const struct tree_note note = { xp_tree_text(tree, what), xp_tree_text(tree, text), kind };

	if (kind > XP_NOTE_BAD)
		return -EINVAL;
	if (!note.what || !note.text || vec_add(&tree->notes, tree->nr_notes, sizeof(note)))
		return -ENOMEM;
	tree->notes[tree->nr_notes++] = note;
	return 0;
}

const char *xp_tree_text(struct xp_tree *tree, const char *text)
{
	return xp_intern_add(&tree->texts, text ? text : "", text ? strlen(text) : 0);
}

int xp_tree_add_event(struct xp_tree *tree, const struct tree_event *event, uint32_t *ret_nr)
{
	struct tree_event copy = *event;

	copy.name = xp_tree_text(tree, event->name);
	copy.unit = xp_tree_text(tree, event->unit);
	if (!copy.name || !copy.unit)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_events; i++)
		if (tree->events[i].name == copy.name) {
			*ret_nr = i;
			return 0;
		}
	if (vec_add(&tree->events, tree->nr_events, sizeof(copy)))
		return -ENOMEM;
	tree->events[tree->nr_events] = copy;
	*ret_nr = tree->nr_events++;
	return 0;
}

void xp_file_build_id(const struct tree_file *file, char *ret_text)
{
	*ret_text = '\0';
	for (size_t i = 0; i < file->build_id_len && i < sizeof(file->build_id); i++)
		snprintf(ret_text + 2 * i, 3, "%02x", file->build_id[i]);
}

int xp_tree_add_file(struct xp_tree *tree, const struct tree_file *file, uint32_t *ret_nr)
{
	struct tree_file copy = *file;

	copy.path = xp_tree_text(tree, file->path);
	copy.name = xp_tree_text(tree, file->name);
	if (!copy.path || !copy.name || vec_add(&tree->files, tree->nr_files, sizeof(copy)))
		return -ENOMEM;
	tree->files[tree->nr_files] = copy;
	*ret_nr = tree->nr_files++;
	return 0;
}

int xp_tree_add_frame(struct xp_tree *tree, const struct tree_frame *frame, uint32_t *ret_nr)
{
	struct tree_frame copy = *frame;

	copy.name = xp_tree_text(tree, frame->name);
	copy.source = xp_tree_text(tree, frame->source);
	if (!copy.name || !copy.source)
		return -ENOMEM;
	int is_new = xp_table_intern(&tree->frames, &copy, ret_nr);
	if (is_new <= 0)
		return is_new;
	((struct tree_frame *)xp_table_at(&tree->frames, *ret_nr))->address = frame->address;
	return 0;
}

int xp_tree_add_call(struct xp_tree *tree, uint32_t parent, uint32_t frame, uint32_t *ret_nr)
{
	const struct tree_call call = { parent, frame };

	return xp_table_intern_sized(&tree->calls, &call, sizeof(call), ret_nr) < 0 ? -ENOMEM : 0;
}

int xp_tree_add_task(struct xp_tree *tree, const struct tree_task *task, uint32_t *ret_nr)
{
	struct tree_task copy = *task;

	copy.comm = xp_tree_text(tree, task->comm);
	copy.cgroup = xp_tree_text(tree, task->cgroup);
	if (!copy.comm || !copy.cgroup)
		return -ENOMEM;
	return xp_table_intern(&tree->tasks, &copy, ret_nr) < 0 ? -ENOMEM : 0;
}

int xp_tree_add_stack(struct xp_tree *tree, const struct tree_stack *stack)
{
	struct tree_stack key = *stack;
	uint32_t nr;

	key.unused = 0;
	if (xp_table_intern(&tree->stacks, &key, &nr) < 0)
		return -ENOMEM;
	struct tree_stack *known = xp_table_at(&tree->stacks, nr);
	known->period += stack->period;
	known->samples += stack->samples;
	tree->events[stack->event].period += stack->period;
	tree->events[stack->event].samples += stack->samples;
	return 0;
}

int xp_tree_event_at(const struct xp_tree *tree, int idx, struct xp_tree_event *ret_event)
{
	if (idx < 0 || (uint32_t)idx >= tree->nr_events)
		return -EINVAL;
	const struct tree_event *event = &tree->events[idx];
	const struct xp_tree_event shown = { .name = event->name,
					     .unit = event->unit,
					     .period = event->period,
					     .samples = event->samples,
					     .is_off_cpu = event->is_off_cpu };

	return XP_OUTPUT_COPY(ret_event, &shown, struct xp_tree_event, is_off_cpu);
}

const char *xp_mark_suffix(uint32_t marks)
{
	static const struct {
		uint32_t mark;
		const char *suffix;
	} suffixes[] = {
		{ XP_MARK_OFF_CPU, "_[o]" }, { XP_MARK_INLINED, "_[i]" },
		{ XP_MARK_KERNEL, "_[k]" },  { XP_MARK_JOINED, "_[e]" },
		{ XP_MARK_JIT, "_[j]" },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(suffixes); i++)
		if (marks & suffixes[i].mark)
			return suffixes[i].suffix;
	return "";
}
