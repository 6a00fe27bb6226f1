/* SPDX-License-Identifier: MIT */
/* Records that are no samples, as marks of threads and as counts. */
#include "marks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/export.h>
#include <xperf/timeline.h>

#include "maps.h"
#include "vec.h"

/* Who, when, and what it is called. */
struct seen {
	struct xp_sample_id id;
	uint64_t time_ns, moment_ns;
};

static int add_mark(struct marks *marks, const struct seen *seen, struct xp_export_mark mark)
{
	mark.size = sizeof(mark);
	mark.pid = seen->id.pid;
	mark.tid = seen->id.tid;
	if (!mark.time_ns)
		mark.time_ns = seen->time_ns;
	if (!mark.comm)
		mark.comm = xp_timeline_comm_at(marks->rec->timeline, mark.pid, mark.tid,
						seen->moment_ns);
	return xp_exporter_add_mark(marks->exporter, &mark);
}

/* --- what happened to threads --- */

static int add_comm(struct marks *marks, const struct seen *seen, const struct xp_record *record)
{
	const char *name = (const char *)record + sizeof(struct xp_record_comm);
	bool is_exec = record->misc & XP_MISC_COMM_EXEC;

	return add_mark(marks, seen,
			(struct xp_export_mark){
				.name = is_exec ? "exec" : "name", .text = name, .comm = name });
}

static int add_mmap(struct marks *marks, const struct seen *seen, const struct xp_record *record)
{
	size_t head = record->type == XP_RECORD_MMAP2 ? sizeof(struct xp_record_mmap2)
						      : sizeof(struct xp_record_mmap);

	return add_mark(
		marks, seen,
		(struct xp_export_mark){ .name = "mmap", .text = (const char *)record + head });
}

static int add_task(struct marks *marks, const struct seen *seen, const struct xp_record *record)
{
	const struct xp_record_task *task = (const void *)record;
	bool is_fork = record->type == XP_RECORD_FORK;
	bool is_thread = task->pid == task->parent_pid;
	struct seen of = *seen;
	char text[64];

	if (is_fork) {
		/* It is its maker who does something. */
		of.id.pid = (int32_t)task->parent_pid;
		of.id.tid = (int32_t)task->parent_tid;
		snprintf(text, sizeof(text), "%s %u", is_thread ? "thread" : "process",
			 (unsigned int)task->tid);
	}
	return add_mark(marks, &of,
			(struct xp_export_mark){ .name = is_fork ? "fork" : "exit",
						 .text = is_fork ? text : NULL });
}

static int add_lost(struct marks *marks, const struct seen *seen, const struct xp_record *record)
{
	uint64_t nr = record->type == XP_RECORD_LOST
			      ? ((const struct xp_record_lost *)record)->lost
			      : ((const struct xp_record_lost_samples *)record)->lost;
	char text[64];

	snprintf(text, sizeof(text), "%llu %s", (unsigned long long)nr,
		 record->type == XP_RECORD_LOST ? "records" : "samples");
	return add_mark(marks, seen, (struct xp_export_mark){ .name = "lost", .text = text });
}

/* --- context switches --- */

static struct away *find_away(struct marks *marks, int32_t pid, int32_t tid)
{
	uint64_t hash = xp_hash_word(xp_hash_word(marks->seed, (uint32_t)pid), (uint32_t)tid);
	size_t at;

	for (struct index_walk walk = index_walk(&marks->by_thread, hash); index_next(&walk, &at);)
		if (marks->away[at].pid == pid && marks->away[at].tid == tid)
			return &marks->away[at];
	if (vec_add(&marks->away, marks->nr_away, sizeof(*marks->away)) ||
	    index_add(&marks->by_thread, hash, marks->nr_away))
		return NULL;
	marks->away[marks->nr_away] = (struct away){ .pid = pid, .tid = tid };
	return &marks->away[marks->nr_away++];
}

/* Of a thread that comes back, all of the time it was away. */
static int add_switch(struct marks *marks, const struct seen *seen, const struct xp_record *record)
{
	struct away *away;

	if (!seen->id.tid) /* idle */
		return 0;
	away = find_away(marks, seen->id.pid, seen->id.tid);
	if (!away)
		return -ENOMEM;
	if (record->misc & XP_MISC_SWITCH_OUT) {
		away->since_ns = seen->time_ns;
		away->is_preempted = record->misc & XP_MISC_SWITCH_OUT_PREEMPT;
		return 0;
	}
	uint64_t since_ns = away->since_ns;
	away->since_ns = 0;
	if (!since_ns || since_ns >= seen->time_ns)
		return 0;
	return add_mark(
		marks, seen,
		(struct xp_export_mark){ .name = "context switch",
					 .text = away->is_preempted ? "preempted" : "waited",
					 .time_ns = since_ns,
					 .duration_ns = seen->time_ns - since_ns });
}

/* --- counts --- */

static struct cell *find_cell(struct marks *marks, int event, const struct stat_record *record)
{
	const struct cell key = { .event = event, .cpu = record->cpu, .thread = record->thread };
	uint64_t hash = xp_hash_word(xp_hash_word(marks->seed, (uint32_t)event),
				     (uint64_t)key.cpu << 32 | key.thread);
	size_t at;

	for (struct index_walk walk = index_walk(&marks->by_cell, hash); index_next(&walk, &at);)
		if (marks->cells[at].event == event && marks->cells[at].cpu == key.cpu &&
		    marks->cells[at].thread == key.thread)
			return &marks->cells[at];
	if (vec_add(&marks->cells, marks->nr_cells, sizeof(*marks->cells)) ||
	    index_add(&marks->by_cell, hash, marks->nr_cells))
		return NULL;
	marks->cells[marks->nr_cells] = key;
	return &marks->cells[marks->nr_cells++];
}

/* Counts are sums since the beginning; where counters took turns, they are scaled. */
static int note_count(struct marks *marks, const struct stat_record *record)
{
	int event = maps_event_of(marks->rec->data, record->id);
	struct cell *cell = event < 0 ? NULL : find_cell(marks, event, record);

	if (!cell)
		return event < 0 ? 0 : -ENOMEM;
	if (record->value >= cell->value && record->running > cell->running) {
		double enabled = (double)(record->enabled - cell->enabled);
		double running = (double)(record->running - cell->running);

		cell->scaled += (double)(record->value - cell->value) *
				(enabled > running ? enabled / running : 1);
		cell->has_run = true;
	}
	cell->value = record->value;
	cell->enabled = record->enabled;
	cell->running = record->running;
	return 0;
}

/* The sum of an event over all CPUs and threads. What was not counted is not 0: it is left out. */
static int add_count(struct marks *marks, int event, uint64_t to_ns)
{
	struct xp_export_count count = { .size = sizeof(count),
					 .from_ns = marks->last_round_ns,
					 .to_ns = to_ns,
					 .event = event };
	bool has_run = false;

	for (size_t i = 0; i < marks->nr_cells; i++) {
		struct cell *cell = &marks->cells[i];

		if (cell->event != event)
			continue;
		count.value += cell->scaled;
		has_run |= cell->has_run;
		cell->scaled = 0;
		cell->has_run = false;
	}
	return has_run ? xp_exporter_add_count(marks->exporter, &count) : 0;
}

static int add_round(struct marks *marks, const struct round_record *round)
{
	int err = 0;

	if (round->time_ns <= marks->last_round_ns)
		return 0;
	for (int i = 0; !err && xp_data_event_at(marks->rec->data, i); i++)
		err = add_count(marks, i, round->time_ns);
	marks->last_round_ns = round->time_ns;
	return err;
}

/* --- records --- */

static const struct {
	uint32_t type;
	int (*add)(struct marks *marks, const struct seen *seen, const struct xp_record *record);
} kinds[] = {
	{ XP_RECORD_COMM, add_comm },
	{ XP_RECORD_MMAP, add_mmap },
	{ XP_RECORD_MMAP2, add_mmap },
	{ XP_RECORD_FORK, add_task },
	{ XP_RECORD_EXIT, add_task },
	{ XP_RECORD_LOST, add_lost },
	{ XP_RECORD_LOST_SAMPLES, add_lost },
	{ XP_RECORD_SWITCH, add_switch },
	{ XP_RECORD_SWITCH_CPU_WIDE, add_switch },
};

static size_t kind_of(const struct xp_record *record)
{
	size_t i = 0;

	while (i < sizeof(kinds) / sizeof(kinds[0]) && kinds[i].type != record->type)
		i++;
	return i;
}

bool marks_want(const struct xp_record *record)
{
	return record->type == XP_RECORD_STAT || record->type == XP_RECORD_STAT_ROUND ||
	       kind_of(record) < sizeof(kinds) / sizeof(kinds[0]);
}

int marks_add(struct marks *marks, const struct xp_record *record, uint64_t time_ns,
	      uint64_t position)
{
	const struct xp_data_event *event =
		xp_data_event_at(marks->rec->data, xp_data_event_of(marks->rec->data, record));
	struct seen seen = { .time_ns = time_ns };

	if (!marks->seed)
		marks->seed = xp_hash_seed();
	if (record->type == XP_RECORD_STAT)
		return note_count(marks, (const void *)record);
	if (record->type == XP_RECORD_STAT_ROUND)
		return add_round(marks, (const void *)record);
	/* What was there before the recording began has no time. */
	if (!time_ns || marks->rec->without_times || !event ||
	    xp_sample_id_decode(record, &event->attr, &seen.id))
		return 0;
	seen.moment_ns = xp_timeline_moment(marks->rec->timeline, time_ns, position);
	return kinds[kind_of(record)].add(marks, &seen, record);
}

void marks_fini(struct marks *marks)
{
	free(marks->away);
	free(marks->cells);
	index_fini(&marks->by_thread);
	index_fini(&marks->by_cell);
}
