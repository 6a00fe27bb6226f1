/* SPDX-License-Identifier: MIT */
/* The block of what was counted by thread and time of an HTML report. Its order:
 * docs/html-report.md. */
#include <errno.h>
#include <stdlib.h>

#include "html-tree.h"
#include "vec.h"

/* What was counted of a chain in a cell. */
struct entry {
	uint32_t thread, bucket, chain, unused;
	uint64_t samples, weight;
};

/* Those of one event, in the order in which they are written. */
struct entries {
	struct entry *at;
	size_t nr, room;
};

/* --- threads --- */

static int compare_tasks(const void *a, const void *b, void *tree)
{
	const struct tree_task *l = tree_task(tree, *(const uint32_t *)a);
	const struct tree_task *r = tree_task(tree, *(const uint32_t *)b);

	if (l->pid != r->pid)
		return (l->pid > r->pid) - (l->pid < r->pid);
	if (l->tid != r->tid)
		return (l->tid > r->tid) - (l->tid < r->tid);
	return l->comm == r->comm ? 0 : strcmp(l->comm, r->comm);
}

int xp_html_samples_init(struct html_samples *samples, struct html *html)
{
	const struct xp_tree *tree = html->export->tree;
	uint32_t nr = tree->tasks.nr;

	*samples = (struct html_samples){
		.html = html,
		.threads = calloc((size_t)nr + 1, sizeof(uint32_t)),
		.thread_of = calloc((size_t)nr + 1, sizeof(uint32_t)),
	};
	if (!samples->threads || !samples->thread_of)
		return -ENOMEM;
	uint32_t *order = samples->threads;
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), compare_tasks, (void *)tree);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t task = order[i], kept = samples->nr_threads;

		if (!kept || compare_tasks(&order[kept - 1], &task, (void *)tree))
			order[samples->nr_threads++] = task;
		samples->thread_of[task] = samples->nr_threads - 1;
	}
	return 0;
}

void xp_html_samples_fini(struct html_samples *samples)
{
	free(samples->threads);
	free(samples->thread_of);
}

/* --- entries --- */

static int compare_entries(const void *a, const void *b)
{
	const struct entry *l = a, *r = b;

	if (l->thread != r->thread)
		return l->thread < r->thread ? -1 : 1;
	if (l->bucket != r->bucket)
		return l->bucket < r->bucket ? -1 : 1;
	return (l->chain > r->chain) - (l->chain < r->chain);
}

/* Entries of one chain in one cell become one. */
static void merge(struct entries *entries)
{
	size_t nr = 0;

	for (size_t i = 0; i < entries->nr; i++) {
		struct entry *entry = &entries->at[i];

		if (nr && !compare_entries(&entries->at[nr - 1], entry)) {
			entries->at[nr - 1].samples += entry->samples;
			entries->at[nr - 1].weight += entry->weight;
		} else {
			entries->at[nr++] = *entry;
		}
	}
	entries->nr = nr;
}

static int collect(const struct html_samples *samples, uint32_t event, struct entries *entries)
{
	const struct export *export = samples->html->export;

	entries->nr = 0;
	for (uint32_t i = 0; i < export->tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(export->tree, i);
		uint32_t node;

		if (stack->event != event || !stack->samples)
			continue;
		if (vec_reserve(&entries->at, entries->nr, &entries->room, sizeof(*entries->at)))
			return -ENOMEM;
		node = xp_html_node_of(samples->html, stack);
		entries->at[entries->nr++] = (struct entry){
			.thread = samples->thread_of[stack->task],
			.bucket = tree_task(export->tree, stack->task)->bucket,
			.chain = html_node(samples->html, node)->chain,
			.samples = stack->samples,
			.weight = export_weight(export, stack),
		};
	}
	qsort(entries->at, entries->nr, sizeof(*entries->at), compare_entries);
	merge(entries);
	return 0;
}

/* --- columns --- */

/* Whether an entry is of the same cell as the one before. */
static bool goes_on(const struct entries *entries, size_t i)
{
	const struct entry *entry = &entries->at[i];

	return i && entry[-1].thread == entry->thread && entry[-1].bucket == entry->bucket;
}

static void add_cells(const struct entries *entries, struct bytes *bytes)
{
	uint32_t nr = 0, thread = 0, bucket = 0;

	for (size_t i = 0; i < entries->nr; i++)
		nr += !goes_on(entries, i);
	xp_bytes_number(bytes, nr);
	for (size_t i = 0; i < entries->nr; i++)
		if (!goes_on(entries, i)) {
			xp_bytes_number(bytes, entries->at[i].thread - thread);
			thread = entries->at[i].thread;
		}
	xp_bytes_number(bytes, nr);
	for (size_t i = 0; i < entries->nr; i++)
		if (!goes_on(entries, i)) {
			bool same = i && entries->at[i - 1].thread == entries->at[i].thread;

			xp_bytes_number(bytes, entries->at[i].bucket - (same ? bucket : 0));
			bucket = entries->at[i].bucket;
		}
	xp_bytes_number(bytes, nr);
	for (size_t i = 0, from = 0; i < entries->nr; i++)
		if (i + 1 == entries->nr || !goes_on(entries, i + 1)) {
			xp_bytes_number(bytes, i + 1 - from);
			from = i + 1;
		}
}

static void add_entries(const struct entries *entries, uint64_t step, struct bytes *bytes)
{
	int64_t rest = 0;

	xp_bytes_number(bytes, entries->nr);
	for (size_t i = 0; i < entries->nr; i++)
		xp_bytes_number(bytes,
				entries->at[i].chain -
					(goes_on(entries, i) ? entries->at[i - 1].chain : 0));
	xp_bytes_number(bytes, entries->nr);
	for (size_t i = 0; i < entries->nr; i++)
		xp_bytes_number(bytes, entries->at[i].samples - 1);
	xp_bytes_number(bytes, entries->nr);
	for (size_t i = 0; i < entries->nr; i++) {
		int64_t weight = (int64_t)entries->at[i].weight + rest;
		int64_t steps = (weight + (int64_t)step / 2) / (int64_t)step;

		/* What is cut off here is added to the next. */
		rest = weight - steps * (int64_t)step;
		xp_bytes_signed(bytes, steps - (int64_t)entries->at[i].samples);
	}
}

int xp_html_samples(const struct html_samples *samples, struct bytes *bytes)
{
	const struct html *html = samples->html;
	struct entries entries = { 0 };
	int err = 0;

	for (uint32_t i = 0; !err && i < html->nr_events; i++) {
		err = collect(samples, html->events[i].number, &entries);
		if (err)
			break;
		add_cells(&entries, bytes);
		add_entries(&entries, html->events[i].sample_step, bytes);
	}
	free(entries.at);
	return err ?: bytes->err;
}
