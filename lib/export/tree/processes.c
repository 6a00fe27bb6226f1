/* SPDX-License-Identifier: MIT */
/* What processes are called: after their first thread, with the name that it had at last. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/export.h>
#include <xperf/timeline.h>

#include "search.h"
#include "tree.h"
#include "vec.h"

/* @nr: as they came; of one number, the last process counts */
struct tree_process {
	int32_t pid;
	uint32_t nr;
	const char *name;
};

static int compare(const void *a, const void *b)
{
	const struct tree_process *l = a, *r = b;

	if (l->pid != r->pid)
		return l->pid < r->pid ? -1 : 1;
	return (l->nr > r->nr) - (l->nr < r->nr);
}

static int add(int32_t pid, int32_t tid, int32_t parent_pid, const char *comm, void *data)
{
	struct xp_tree *tree = data;
	const char *name = xp_tree_text(tree, comm);

	(void)parent_pid;
	if (pid != tid)
		return 0;
	if (!name || vec_add(&tree->processes, tree->nr_processes, sizeof(*tree->processes)))
		return -ENOMEM;
	tree->processes[tree->nr_processes] =
		(struct tree_process){ pid, tree->nr_processes, name };
	tree->nr_processes++;
	return 0;
}

int xp_tree_add_processes(struct xp_tree *tree, const struct xp_timeline *timeline)
{
	int err = timeline ? xp_timeline_tasks(timeline, add, tree) : -EINVAL;

	if (tree->nr_processes)
		qsort(tree->processes, tree->nr_processes, sizeof(*tree->processes), compare);
	return err;
}

const char *xp_tree_process(const struct xp_tree *tree, int32_t pid)
{
	const struct tree_process key = { .pid = pid, .nr = UINT32_MAX };
	size_t nr = search_before(&key, tree->processes, tree->nr_processes, sizeof(key), compare);
	const struct tree_process *last = nr ? &tree->processes[nr - 1] : NULL;

	return last && last->pid == pid ? last->name : NULL;
}
