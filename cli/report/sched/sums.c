/* SPDX-License-Identifier: MIT */
/*
 * What each task does, from one event to the next. A wake-up can come while the task is still on
 * its CPU, on the way to sleep: then it waits from where it leaves.
 *
 * Source of the order of events: the kernel's kernel/sched/core.c, try_to_wake_up() and
 * __schedule(); of states: include/linux/sched.h, __task_state_index(), and the format of
 * sched:sched_switch.
 */
#include "sums.h"

#include <errno.h>
#include <stdlib.h>

#include "index.h"
#include "losses.h"
#include "vec.h"
#include "wakes.h"

/* What a task does now. */
enum doing { UNKNOWN, RUNNING, WOKEN, PREEMPTED, ASLEEP, BLOCKED, AWAY, ENDED };

struct task {
	struct sched_task sums;
	enum doing doing;
	uint64_t since_ns;
	bool began_in_filter;     /* what it does now began where it passes the filters */
	int cpu;                  /* it ran on last; -1: not known */
	bool has_to_run;          /* before it leaves a CPU: it was not on one when it was woken */
	bool is_woken_early;      /* before it has left its CPU: */
	struct sched_chain early; /* by these */
	struct sched_chain woken; /* when it was woken last; empty: not known */
};

/* A thread id is given to another task once its task has ended. */
struct slot {
	int32_t tid;
	size_t task;
};

struct sched_sums {
	const struct time_spans *times;
	const struct losses *losses;
	uint64_t seed;
	uint64_t first_ns, last_ns;
	bool has_begun;
	struct task *tasks;
	struct slot *slots;
	size_t nr_tasks, nr_slots;
	struct index by_tid;
	struct sched_wakes wakes;
};

enum sched_off sched_off_of(int64_t prev_state)
{
	enum {
		INTERRUPTIBLE = 0x01,
		UNINTERRUPTIBLE = 0x02,
		STOPPED = 0x04 | 0x08,
		DEAD = 0x10 | 0x20,
		PARKED = 0x40,
		IDLE = 0x80,
	};

	if (prev_state & INTERRUPTIBLE)
		return SCHED_ASLEEP;
	if (prev_state & UNINTERRUPTIBLE)
		return SCHED_BLOCKED;
	if (prev_state & DEAD)
		return SCHED_ENDED;
	return prev_state & (STOPPED | PARKED | IDLE) ? SCHED_ASLEEP : SCHED_RUNNABLE;
}

struct sched_sums *sched_sums_new(const struct time_spans *times, const struct losses *losses)
{
	struct sched_sums *sums = calloc(1, sizeof(*sums));

	if (!sums)
		return NULL;
	sums->seed = sums->wakes.seed = xp_hash_seed();
	sums->times = times;
	sums->losses = losses;
	return sums;
}

void sched_sums_free(struct sched_sums *sums)
{
	if (!sums)
		return;
	index_fini(&sums->by_tid);
	sched_wakes_fini(&sums->wakes);
	free(sums->tasks);
	free(sums->slots);
	free(sums);
}

/* --- times that count --- */

/* Whether what happens with it is counted. */
static bool counts(const struct sched_sums *sums, const struct sched_event *event)
{
	return event->counts && times_have(sums->times, event->time_ns);
}

/* Whether any of the time until it is counted. @ret_ns, @ret_from_ns: of what is. */
static bool counts_since(const struct sched_sums *sums, const struct sched_event *event,
			 uint64_t since_ns, uint64_t *ret_ns, uint64_t *ret_from_ns)
{
	*ret_from_ns = since_ns;
	*ret_ns = 0;
	if (!event->counts || event->time_ns < since_ns)
		return false;
	*ret_ns = times_within(sums->times, since_ns, event->time_ns, ret_from_ns);
	return *ret_ns || (event->time_ns == since_ns && counts(sums, event));
}

/* A time until it is not known, of which something is missing. */
static void add_unsure(const struct sched_sums *sums, struct task *task,
		       const struct sched_event *event)
{
	uint64_t ns, from_ns;

	task->sums.nr_unsure += counts_since(sums, event, task->since_ns, &ns, &from_ns) ||
				event->time_ns < task->since_ns;
}

/* --- tasks --- */

static uint64_t hash_of(const struct sched_sums *sums, int32_t tid)
{
	return xp_hash_word(sums->seed, (uint32_t)tid);
}

static struct slot *find_slot(const struct sched_sums *sums, int32_t tid)
{
	size_t at;

	for (struct index_walk walk = index_walk(&sums->by_tid, hash_of(sums, tid));
	     index_next(&walk, &at);)
		if (sums->slots[at].tid == tid)
			return &sums->slots[at];
	return NULL;
}

static struct slot *slot_of(struct sched_sums *sums, int32_t tid)
{
	struct slot *slot = find_slot(sums, tid);
	uint64_t hash = hash_of(sums, tid);

	if (slot)
		return slot;
	if (vec_add(&sums->slots, sums->nr_slots, sizeof(*sums->slots)) ||
	    index_add(&sums->by_tid, hash, sums->nr_slots))
		return NULL;
	sums->slots[sums->nr_slots] = (struct slot){ tid, SIZE_MAX };
	return &sums->slots[sums->nr_slots++];
}

static void update(struct sched_sums *sums, struct task *task, const struct sched_event *event)
{
	task->sums.pid = event->pid >= 0 ? event->pid : task->sums.pid;
	task->sums.comm = event->comm ? event->comm : task->sums.comm;
	if (!losses_between(sums->losses, task->since_ns, event->time_ns))
		return;
	if (task->doing != UNKNOWN && task->doing != ENDED)
		add_unsure(sums, task, event);
	task->doing = UNKNOWN;
	task->cpu = -1;
	task->is_woken_early = false;
	task->woken.nr = 0;
}

/* The task of an event. Returns NULL without memory; valid until the next call. */
static struct task *task_of(struct sched_sums *sums, const struct sched_event *event)
{
	struct slot *slot = slot_of(sums, event->tid);

	if (!slot)
		return NULL;
	/* A record can come after younger ones. */
	if (!sums->has_begun || event->time_ns < sums->first_ns)
		sums->first_ns = event->time_ns;
	if (!sums->has_begun || event->time_ns > sums->last_ns)
		sums->last_ns = event->time_ns;
	sums->has_begun = true;
	if (slot->task == SIZE_MAX || sums->tasks[slot->task].doing == ENDED) {
		if (vec_add(&sums->tasks, sums->nr_tasks, sizeof(*sums->tasks)))
			return NULL;
		slot->task = sums->nr_tasks++;
		sums->tasks[slot->task] = (struct task){
			.sums = { .tid = event->tid, .pid = -1, .waker.tid = SCHED_NOBODY },
			.since_ns = event->time_ns,
			.cpu = -1,
		};
	}
	update(sums, &sums->tasks[slot->task], event);
	return &sums->tasks[slot->task];
}

/* --- times --- */

static void add_wait(struct sched_waits *waits, uint64_t ns, uint64_t from_ns)
{
	waits->nr++;
	waits->total_ns += ns;
	if (waits->nr > 1 && ns <= waits->max_ns)
		return;
	waits->max_ns = ns;
	waits->max_from_ns = from_ns;
}

static void add_time(struct sched_task *sums, enum doing doing, uint64_t from_ns, uint64_t ns)
{
	switch (doing) {
	case RUNNING:
		sums->nr_runs++;
		sums->run_ns += ns;
		sums->max_run_ns = ns > sums->max_run_ns ? ns : sums->max_run_ns;
		break;
	case WOKEN:
		add_wait(&sums->woken, ns, from_ns);
		break;
	case PREEMPTED:
		add_wait(&sums->preempted, ns, from_ns);
		break;
	case ASLEEP:
		sums->asleep_ns += ns;
		break;
	case BLOCKED:
		sums->blocked_ns += ns;
		break;
	case AWAY:
		sums->away_ns += ns;
		break;
	case UNKNOWN:
	case ENDED:
		break;
	}
}

/* It did one thing until now, and does another from now on. */
static void turn(const struct sched_sums *sums, struct task *task, enum doing doing,
		 const struct sched_event *event)
{
	uint64_t ns, from_ns;

	if (counts_since(sums, event, task->since_ns, &ns, &from_ns))
		add_time(&task->sums, task->doing, from_ns, ns);
	task->doing = doing;
	task->since_ns = event->time_ns;
	task->began_in_filter = event->counts;
}

/* --- wakers --- */

static struct sched_chain chain_of(const struct sched_sums *sums, int32_t tid,
				   struct sched_waker waker)
{
	const struct slot *slot = waker.tid > 0 ? find_slot(sums, waker.tid) : NULL;

	return sched_chain_of(
		tid, waker, slot && slot->task != SIZE_MAX ? &sums->tasks[slot->task].woken : NULL);
}

/* Returns 0 or -ENOMEM. */
static int add_wake(struct sched_sums *sums, const struct task *task,
		    const struct sched_chain *chain)
{
	return sched_wakes_add(&sums->wakes, (size_t)(task - sums->tasks), chain);
}

/* --- events --- */

int sched_sums_leave(struct sched_sums *sums, const struct sched_event *event, enum sched_off why)
{
	static const enum doing then[] = {
		[SCHED_RUNNABLE] = PREEMPTED, [SCHED_ASLEEP] = ASLEEP, [SCHED_BLOCKED] = BLOCKED,
		[SCHED_AWAY] = AWAY,          [SCHED_ENDED] = ENDED,
	};
	struct task *task = task_of(sums, event);

	if (!task)
		return -ENOMEM;
	/* It ran before the recording began, perhaps when it was woken; or something is missing. */
	if (task->doing != RUNNING || task->cpu != event->cpu) {
		if (task->doing != UNKNOWN && (task->doing != WOKEN || task->has_to_run))
			add_unsure(sums, task, event);
		task->doing = UNKNOWN;
	}
	task->sums.nr_preempted += counts(sums, event) && why == SCHED_RUNNABLE;
	task->is_woken_early &= why != SCHED_RUNNABLE;
	task->cpu = event->cpu;
	turn(sums, task, then[why], event);
	return 0;
}

int sched_sums_run(struct sched_sums *sums, const struct sched_event *event)
{
	struct task *task = task_of(sums, event);
	int err = 0;

	if (!task)
		return -ENOMEM;
	bool slept = task->doing == ASLEEP || task->doing == BLOCKED || task->doing == AWAY;
	if (slept && task->is_woken_early) {
		task->doing = WOKEN;
		task->woken = task->early;
		err = counts(sums, event) ? add_wake(sums, task, &task->early) : 0;
	} else if (slept) {
		task->doing = AWAY; /* when it was woken is not recorded */
		task->woken.nr = 0;
	} else if (task->doing == RUNNING) {
		add_unsure(sums, task, event);
		task->doing = UNKNOWN;
		task->woken.nr = 0;
	}
	task->sums.nr_migrations +=
		counts(sums, event) && task->cpu >= 0 && task->cpu != event->cpu;
	task->cpu = event->cpu;
	task->is_woken_early = false;
	turn(sums, task, RUNNING, event);
	return err;
}

int sched_sums_wake(struct sched_sums *sums, const struct sched_event *event,
		    struct sched_waker waker)
{
	const struct sched_chain chain = chain_of(sums, event->tid, waker);
	struct task *task = task_of(sums, event);

	if (!task)
		return -ENOMEM;
	if (task->doing == RUNNING) {
		task->is_woken_early = true;
		task->early = chain;
		return 0;
	}
	if (task->doing == WOKEN || task->doing == PREEMPTED)
		return 0;
	task->has_to_run = event->is_new || task->doing != UNKNOWN;
	turn(sums, task, WOKEN, event);
	task->woken = chain;
	return counts(sums, event) ? add_wake(sums, task, &chain) : 0;
}

/* --- rows --- */

static struct sched_task *sums_of(size_t task, void *data)
{
	struct sched_sums *sums = data;

	return &sums->tasks[task].sums;
}

static int compare(const void *a, const void *b)
{
	const struct sched_task *l = &((const struct task *)a)->sums;
	const struct sched_task *r = &((const struct task *)b)->sums;

	if (l->run_ns != r->run_ns)
		return l->run_ns > r->run_ns ? -1 : 1;
	return (l->tid > r->tid) - (l->tid < r->tid);
}

void sched_sums_finish(struct sched_sums *sums, bool (*keep)(struct sched_task *task, void *data),
		       void *data)
{
	uint64_t from_ns;
	size_t nr = 0;

	sched_wakes_choose(&sums->wakes, sums_of, sums);
	for (size_t i = 0; i < sums->nr_tasks; i++) {
		struct task *task = &sums->tasks[i];

		if (task->doing == RUNNING && task->began_in_filter &&
		    !losses_between(sums->losses, task->since_ns, sums->last_ns))
			task->sums.open_run_ns =
				times_within(sums->times, task->since_ns, sums->last_ns, &from_ns);
		if (keep(&task->sums, data))
			sums->tasks[nr++] = *task;
	}
	sums->nr_tasks = nr;
	if (nr)
		qsort(sums->tasks, nr, sizeof(*sums->tasks), compare);
}

const struct sched_task *sched_sums_at(const struct sched_sums *sums, size_t idx)
{
	return idx < sums->nr_tasks ? &sums->tasks[idx].sums : NULL;
}

uint64_t sched_sums_elapsed_ns(const struct sched_sums *sums)
{
	uint64_t from_ns;

	return times_within(sums->times, sums->first_ns, sums->last_ns, &from_ns);
}
