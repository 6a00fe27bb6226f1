/* SPDX-License-Identifier: MIT */
/*
 * How many threads ran at a time, by the context switches of a recording: of a period in which n of
 * them ran, an n-th counts as time that passed.
 *
 * Source of the idea: perf 6.14, Documentation/cpu-and-latency-overheads.txt.
 */
#include <errno.h>
#include <stdlib.h>

#include "report.h"
#include "search.h"
#include "vec.h"

struct change {
	uint64_t time_ns;
	int32_t tid;
	int32_t by; /* 1: it began to run; when they are counted: how many run from then on */
};

struct running {
	struct change *changes;
	size_t nr;
	bool has_switches, is_counted;
};

int parallelism_note(struct running **running_ptr, const struct xp_record *record,
		     const struct xp_sample_id *id)
{
	bool is_switch =
		record->type == XP_RECORD_SWITCH || record->type == XP_RECORD_SWITCH_CPU_WIDE;
	const struct xp_record_task *task = (const void *)record;
	struct running *running = *running_ptr;

	if (!is_switch && record->type != XP_RECORD_EXIT)
		return 0;
	int32_t tid = is_switch ? id->tid : (int32_t)task->tid;
	/* The idle task has number 0. */
	if (tid <= 0 || id->time_ns == XP_NO_TIME)
		return 0;
	if (!running)
		running = *running_ptr = calloc(1, sizeof(*running));
	if (!running)
		return -ENOMEM;
	if (vec_add(&running->changes, running->nr, sizeof(*running->changes)))
		return -ENOMEM;
	running->has_switches |= is_switch;
	bool begins = is_switch && !(record->misc & XP_MISC_SWITCH_OUT);
	running->changes[running->nr++] = (struct change){ id->time_ns, tid, begins ? 1 : -1 };
	return 0;
}

static int by_thread(const void *a, const void *b)
{
	const struct change *l = a, *r = b;

	if (l->tid != r->tid)
		return l->tid < r->tid ? -1 : 1;
	return (l->time_ns > r->time_ns) - (l->time_ns < r->time_ns);
}

static int by_time(const void *a, const void *b)
{
	const struct change *l = a, *r = b;

	if (l->time_ns != r->time_ns)
		return l->time_ns < r->time_ns ? -1 : 1;
	return (l->by > r->by) - (l->by < r->by);
}

/* Leaves of each thread what changes something. One that first stops has run from the beginning
 * on. Returns how many those are that did. */
static int clean(struct running *running)
{
	size_t kept = 0;
	int state = 0, nr = 0;

	for (size_t i = 0; i < running->nr; i++) {
		struct change change = running->changes[i];
		bool is_first = !i || running->changes[i - 1].tid != change.tid;

		if (is_first) {
			state = change.by < 0;
			nr += state;
		}
		if (state == (change.by > 0))
			continue;
		state = change.by > 0;
		running->changes[kept++] = change;
	}
	running->nr = kept;
	return nr;
}

bool parallelism_count(struct running *running)
{
	if (!running || !running->has_switches)
		return false;
	if (running->is_counted)
		return true;
	qsort(running->changes, running->nr, sizeof(*running->changes), by_thread);
	int nr = clean(running);
	qsort(running->changes, running->nr, sizeof(*running->changes), by_time);
	for (size_t i = 0; i < running->nr; i++)
		running->changes[i].by = nr += running->changes[i].by;
	return running->is_counted = true;
}

/* The thread that was sampled did run. */
uint64_t parallelism_at(const struct running *running, uint64_t time_ns)
{
	size_t nr = running ? SEARCH_UP_TO(time_ns, running->changes, running->nr, time_ns) : 0;

	return nr && running->changes[nr - 1].by > 1 ? (uint64_t)running->changes[nr - 1].by : 1;
}

void parallelism_free(struct running *running)
{
	if (running)
		free(running->changes);
	free(running);
}
