/* SPDX-License-Identifier: MIT */
/*
 * Sealing a timeline: events in the order of their times, one after the other, change the ranges of
 * processes and the names of threads.
 *
 * A range knows, by its map, since when it is there. So one that comes where nothing was needs no
 * version of its own: before its time it is passed over. A version is made when something goes. A
 * child's first one is its parent's at the time of the fork: both share it from then on.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

#include "timeline-impl.h"

static const struct mapping *map_at(const struct xp_timeline *timeline, uint32_t idx)
{
	return (const struct mapping *)timeline->maps.at + idx;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static bool is_sorted(const struct vector *events)
{
	const struct event *at = events->at;

	for (size_t i = 1; i < events->nr; i++)
		if (at[i - 1].time_ns > at[i].time_ns)
			return false;
	return true;
}

/* From now on what was there stays as it is. */
static void new_stamp(struct xp_timeline *timeline, struct process *process)
{
	process->stamp = ++timeline->nr_stamps;
}

/* The set from a time on is another. Returns it, or NULL. */
static struct version *begin_version(struct xp_timeline *timeline, struct process *process,
				     uint64_t time_ns, uint32_t root)
{
	struct version *last = process->nr ? &process->versions[process->nr - 1] : NULL;
	uint32_t before = last ? last->before : 0;

	new_stamp(timeline, process);
	if (!last || last->time_ns != time_ns) {
		struct vector vector = { process->versions, process->nr, process->cap };

		last = xp_vector_add(&vector, sizeof(*last));
		process->versions = vector.at;
		process->nr = (uint32_t)vector.nr;
		process->cap = (uint32_t)vector.cap;
		if (!last)
			return NULL;
	}
	*last = (struct version){ time_ns, root, before };
	return last;
}

/* The one with this pid; there is one afterwards. Its position, or -ENOMEM. */
static int process_of(struct xp_timeline *timeline, int32_t pid)
{
	int idx = xp_id_map_find(&timeline->processes_of, (uint32_t)pid);

	if (idx >= 0)
		return idx;
	struct process *process = xp_vector_add(&timeline->processes, sizeof(*process));
	idx = (int)timeline->processes.nr - 1;
	if (!process || xp_id_map_add(&timeline->processes_of, (uint32_t)pid, idx) ||
	    !begin_version(timeline, process, 0, 0))
		return -ENOMEM;
	return idx;
}

static struct process *process_at(const struct xp_timeline *timeline, int idx)
{
	return (struct process *)timeline->processes.at + idx;
}

static int process_for(struct xp_timeline *timeline, const struct event *event,
		       struct process **ret_process)
{
	if (event->is_kernel) {
		*ret_process = &timeline->kernel;
		return timeline->kernel.nr || begin_version(timeline, &timeline->kernel, 0, 0)
			       ? 0
			       : -ENOMEM;
	}
	int idx = process_of(timeline, event->pid);
	if (idx < 0)
		return idx;
	*ret_process = process_at(timeline, idx);
	return 0;
}

/* One that is recorded twice. */
static bool is_again(const struct xp_timeline *timeline, const struct range *range,
		     const struct mapping *map)
{
	const struct mapping *there = map_at(timeline, range->map);

	return range->start == map->start && range->end == map->end && there->start == map->start &&
	       there->offset == map->offset && there->dso == map->dso && there->prot == map->prot &&
	       there->flags == map->flags;
}

static int do_map(struct xp_timeline *timeline, const struct event *event)
{
	const struct mapping *map = map_at(timeline, event->arg);
	bool comes = event->kind == EVENT_MAP;
	struct process *process;
	int err = process_for(timeline, event, &process);

	if (err)
		return err;
	struct version *version = &process->versions[process->nr - 1];
	const struct range *range = xp_ranges_below(&timeline->ranges, version->root, map->end);
	bool covers = range && range->end > map->start;
	if (covers && comes && is_again(timeline, range, map))
		return 0;
	/* Only what began there can go. */
	if (!comes && !(covers && map_at(timeline, range->map)->start == map->start))
		return 0;
	if (covers && version->time_ns != event->time_ns) {
		version = begin_version(timeline, process, event->time_ns, version->root);
		if (!version)
			return -ENOMEM;
	}
	if (comes && !event->is_kernel)
		xp_timeline_note_moved(timeline, version->root, event->arg);
	timeline->ranges.stamp = process->stamp;
	return xp_ranges_put(&timeline->ranges, &version->root, map->start, map->end,
			     comes ? event->arg : RANGES_NO_MAP);
}

static struct thread *thread_at(const struct xp_timeline *timeline, int idx)
{
	return (struct thread *)timeline->threads.at + idx;
}

static struct task *task_of(const struct xp_timeline *timeline, const struct thread *thread)
{
	return (struct task *)timeline->tasks.at + thread->task;
}

/* From now on one has this number. */
static int begin_task(struct xp_timeline *timeline, struct thread *thread,
		      const struct event *event)
{
	struct task *task = xp_vector_add(&timeline->tasks, sizeof(*task));

	if (!task)
		return -ENOMEM;
	*task = (struct task){ event->pid, event->tid, -1, XP_NO_TIME };
	thread->task = (uint32_t)timeline->tasks.nr - 1;
	thread->has_ended = false;
	return 0;
}

/* The one with this tid; there is one afterwards. Its position, or -ENOMEM. */
static int thread_of(struct xp_timeline *timeline, const struct event *event)
{
	int idx = xp_id_map_find(&timeline->threads_of, (uint32_t)event->tid);

	if (idx >= 0)
		return idx;
	struct thread *thread = xp_vector_add(&timeline->threads, sizeof(*thread));
	idx = (int)timeline->threads.nr - 1;
	if (!thread || begin_task(timeline, thread, event) ||
	    xp_id_map_add(&timeline->threads_of, (uint32_t)event->tid, idx))
		return -ENOMEM;
	return idx;
}

/* The name of one that had none yet is taken for its name from the beginning on. */
static int name_thread(struct thread *thread, uint64_t time_ns, const char *comm)
{
	struct naming *last = thread->nr ? &thread->names[thread->nr - 1] : NULL;

	if (last && last->comm == comm)
		return 0;
	if (!last || (last->comm && last->time_ns != time_ns)) {
		struct vector vector = { thread->names, thread->nr, thread->cap };

		last = xp_vector_add(&vector, sizeof(*last));
		thread->names = vector.at;
		thread->nr = (uint32_t)vector.nr;
		thread->cap = (uint32_t)vector.cap;
		if (!last)
			return -ENOMEM;
		last->time_ns = time_ns;
	}
	last->comm = comm;
	return 0;
}

static int do_comm(struct xp_timeline *timeline, const struct event *event)
{
	int idx = thread_of(timeline, event);

	if (idx < 0)
		return idx;
	struct thread *thread = thread_at(timeline, idx);
	const char *comm = ((const char **)timeline->names.at)[event->arg];
	task_of(timeline, thread)->pid = event->pid;
	return name_thread(thread, thread->nr ? event->time_ns : 0, comm);
}

static int do_exec(struct xp_timeline *timeline, const struct event *event)
{
	struct process *process;
	int err = process_for(timeline, event, &process);

	if (err)
		return err;
	uint32_t before = process->versions[process->nr - 1].root;
	struct version *version = begin_version(timeline, process, event->time_ns, 0);
	if (!version)
		return -ENOMEM;
	version->before = before;
	return do_comm(timeline, event);
}

/* A thread that was there: whose it is. */
static int do_found(struct xp_timeline *timeline, const struct event *event)
{
	int idx = thread_of(timeline, event);

	if (idx < 0)
		return idx;
	struct task *task = task_of(timeline, thread_at(timeline, idx));
	task->pid = event->pid;
	task->parent_pid = (int32_t)event->arg;
	return 0;
}

/* The child has the parent's maps as they are now. */
static int copy_maps(struct xp_timeline *timeline, const struct event *event)
{
	int parent_idx = process_of(timeline, (int32_t)event->arg);
	int child_idx = parent_idx < 0 ? parent_idx : process_of(timeline, event->pid);

	if (child_idx < 0)
		return child_idx;
	struct process *parent = process_at(timeline, parent_idx);
	struct process *child = process_at(timeline, child_idx);
	new_stamp(timeline, parent);
	const struct version now = parent->versions[parent->nr - 1];
	struct version *version = begin_version(timeline, child, event->time_ns, now.root);
	if (!version)
		return -ENOMEM;
	version->before = now.before;
	return 0;
}

/* The name of the thread that made it; NULL: not known. */
static const char *maker_comm(const struct xp_timeline *timeline, const struct event *event)
{
	int idx = xp_id_map_find(&timeline->threads_of, (uint32_t)event->parent_tid);
	const struct thread *maker = idx < 0 ? NULL : thread_at(timeline, idx);

	return maker && maker->nr ? maker->names[maker->nr - 1].comm : NULL;
}

static int do_fork(struct xp_timeline *timeline, const struct event *event)
{
	const char *comm = maker_comm(timeline, event);
	bool is_process = event->pid != (int32_t)event->arg;
	int err = is_process ? copy_maps(timeline, event) : 0;
	int idx = err ? err : thread_of(timeline, event);

	if (idx < 0)
		return idx;
	struct thread *thread = thread_at(timeline, idx);
	if (thread->has_ended || task_of(timeline, thread)->pid != event->pid) {
		task_of(timeline, thread)->to_ns = event->time_ns - 1;
		err = begin_task(timeline, thread, event);
	}
	if (!err)
		err = do_found(timeline, event);
	/* One that was never named has no name to lose. */
	return err || (!comm && !thread->nr) ? err : name_thread(thread, event->time_ns, comm);
}

static int do_exit(struct xp_timeline *timeline, const struct event *event)
{
	int idx = xp_id_map_find(&timeline->threads_of, (uint32_t)event->tid);

	if (idx >= 0)
		thread_at(timeline, idx)->has_ended = true;
	return 0;
}

static int do_event(struct xp_timeline *timeline, const struct event *event)
{
	static int (*const doers[])(struct xp_timeline * timeline, const struct event *event) = {
		[EVENT_MAP] = do_map,   [EVENT_UNMAP] = do_map, [EVENT_COMM] = do_comm,
		[EVENT_EXEC] = do_exec, [EVENT_FORK] = do_fork, [EVENT_FOUND] = do_found,
		[EVENT_EXIT] = do_exit,
	};

	return doers[event->kind](timeline, event);
}

int xp_timeline_seal(struct xp_timeline *timeline)
{
	struct event *events = timeline->events.at;
	int err = timeline->is_sealed ? 0 : xp_timeline_finalize_dsos(timeline);

	timeline->is_sealed = true;
	xp_timeline_sort_chains(timeline);
	if (!is_sorted(&timeline->events))
		qsort(events, timeline->events.nr, sizeof(*events), by_time);
	if (!err)
		err = xp_timeline_make_moments(timeline);
	for (size_t i = 0; i < timeline->events.nr && !err; i++)
		err = do_event(timeline, &events[i]);
	free(timeline->events.at);
	free(timeline->names.at);
	timeline->events = timeline->names = (struct vector){ 0 };
	xp_intern_seal(&timeline->texts);
	return err;
}

bool xp_timeline_is_sealed(const struct xp_timeline *timeline)
{
	return timeline->is_sealed;
}
