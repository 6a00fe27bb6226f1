/* SPDX-License-Identifier: MIT */
/* "-T": what each thread has counted when it ended, of recordings made with `record -s`. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>

#include "hash.h"
#include "index.h"
#include "report.h"
#include "vec.h"

struct thread_count {
	int32_t pid, tid;
	uint64_t *values; /* per event */
};

struct event_id {
	uint64_t id;
	int event;
};

struct thread_counts {
	struct thread_count *threads;
	size_t nr;
	struct index by_thread;
	struct event_id *ids;
	size_t nr_ids;
	struct index by_id;
	uint64_t seed;
};

static struct thread_count *find(struct thread_counts *counts, int32_t pid, int32_t tid,
				 int nr_events)
{
	uint64_t hash = xp_hash_word(counts->seed, (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid);
	size_t at;

	for (struct index_walk walk = index_walk(&counts->by_thread, hash); index_next(&walk, &at);)
		if (counts->threads[at].pid == pid && counts->threads[at].tid == tid)
			return &counts->threads[at];
	struct thread_count count = { pid, tid, calloc((size_t)nr_events, sizeof(uint64_t)) };
	if (!count.values || vec_add(&counts->threads, counts->nr, sizeof(count)) ||
	    index_add(&counts->by_thread, hash, counts->nr)) {
		free(count.values);
		return NULL;
	}
	counts->threads[counts->nr] = count;
	return &counts->threads[counts->nr++];
}

/* The event of an id; -1: none. */
static int event_of_id(const struct thread_counts *counts, uint64_t id)
{
	uint64_t hash = xp_hash_word(counts->seed, id);
	size_t at;

	for (struct index_walk walk = index_walk(&counts->by_id, hash); index_next(&walk, &at);)
		if (counts->ids[at].id == id)
			return counts->ids[at].event;
	return -1;
}

/* The first event with an id has it. */
static int add_id(struct thread_counts *counts, uint64_t id, int event)
{
	if (event_of_id(counts, id) >= 0)
		return 0;
	if (vec_add(&counts->ids, counts->nr_ids, sizeof(*counts->ids)) ||
	    index_add(&counts->by_id, xp_hash_word(counts->seed, id), counts->nr_ids))
		return -ENOMEM;
	counts->ids[counts->nr_ids++] = (struct event_id){ id, event };
	return 0;
}

/* Returns NULL without memory. */
static struct thread_counts *counts_new(const struct report *report)
{
	struct thread_counts *counts = calloc(1, sizeof(*counts));
	int err = counts ? 0 : -ENOMEM;

	if (counts)
		counts->seed = xp_hash_seed();
	for (int i = 0; i < report->rec.nr_events; i++) {
		const struct xp_data_event *event = xp_data_event_at(report->rec.data, i);

		for (size_t k = 0; k < event->nr_ids && !err; k++)
			err = add_id(counts, event->ids[k], i);
	}
	if (!err)
		return counts;
	threads_free(counts);
	return NULL;
}

/* The values of a reading, each to its event. @event: of what has no id */
static void add_values(const struct thread_counts *counts, struct thread_count *count, int event,
		       const struct xp_reading *reading)
{
	struct xp_read_value value;

	for (size_t i = 0; !xp_reading_value(reading, i, &value); i++) {
		if (reading->read_format & XP_FORMAT_ID)
			event = event_of_id(counts, value.id);
		if (event >= 0)
			count->values[event] += value.value;
	}
}

int threads_note(struct report *report, const struct xp_record *record)
{
	int event = recording_event_of(&report->rec, record);
	const struct xp_data_event *known =
		xp_data_event_at(report->rec.data, event < 0 ? 0 : event);
	struct xp_reading reading;
	int32_t pid, tid;

	if (!known || xp_read_decode(record, &known->attr, &pid, &tid, &reading))
		return 0;
	if (!report->thread_counts)
		report->thread_counts = counts_new(report);
	struct thread_count *count =
		report->thread_counts ? find(report->thread_counts, pid, tid, report->rec.nr_events)
				      : NULL;
	if (!count)
		return -ENOMEM;
	add_values(report->thread_counts, count, event, &reading);
	return 0;
}

static int digits(int64_t number)
{
	return snprintf(NULL, 0, "%" PRId64, number);
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int widest(const struct thread_counts *counts, int event, int width)
{
	for (size_t i = 0; i < counts->nr; i++)
		width = larger(width, digits((int64_t)counts->threads[i].values[event]));
	return width;
}

/* Columns of the events, a row per thread. @ids: the widths of both numbers of a thread */
static void print_table(FILE *file, const struct report *report, const int ids[2])
{
	const struct thread_counts *counts = report->thread_counts;
	int *widths = calloc((size_t)report->rec.nr_events + 1, sizeof(*widths));

	for (int e = 0; widths && e < report->rec.nr_events; e++) {
		const char *name = escaped(xp_data_event_at(report->rec.data, e)->name);

		widths[e] = widest(counts, e, (int)strlen(name));
		fprintf(file, "  %*s", widths[e], name);
	}
	fputc('\n', file);
	for (size_t i = 0; widths && i < counts->nr; i++) {
		const struct thread_count *count = &counts->threads[i];

		fprintf(file, "  %*d  %*d", ids[0], count->pid, ids[1], count->tid);
		for (int e = 0; e < report->rec.nr_events; e++)
			fprintf(file, "  %*" PRIu64, widths[e], count->values[e]);
		fputc('\n', file);
	}
	free(widths);
}

/* A row per thread and event. Source of the layout: perf 6.1, which ends no line. */
static void print_raw(FILE *file, const struct report *report, const int ids[2])
{
	const struct thread_counts *counts = report->thread_counts;
	int name_width = (int)strlen("Name"), width = (int)strlen("Count");

	for (int e = 0; e < report->rec.nr_events; e++) {
		name_width =
			larger(name_width,
			       (int)strlen(escaped(xp_data_event_at(report->rec.data, e)->name)));
		width = widest(counts, e, width);
	}
	fprintf(file, "  %*s  Raw  %*s\n", name_width, "Name", width, "Count");
	for (size_t i = 0; i < counts->nr; i++)
		for (int e = 0; e < report->rec.nr_events; e++)
			fprintf(file, "  %*d  %*d  %*s  %3x  %*" PRIu64 "\n", ids[0],
				counts->threads[i].pid, ids[1], counts->threads[i].tid, name_width,
				escaped(xp_data_event_at(report->rec.data, e)->name), e, width,
				counts->threads[i].values[e]);
}

void threads_print(FILE *file, const struct report *report, bool is_raw)
{
	const struct thread_counts *counts = report->thread_counts;
	int ids[] = { 3, 3 };

	if (!counts) {
		fputs("# No counts of threads were recorded; record with -s\n", file);
		return;
	}
	for (size_t i = 0; i < counts->nr; i++) {
		ids[0] = larger(ids[0], digits(counts->threads[i].pid));
		ids[1] = larger(ids[1], digits(counts->threads[i].tid));
	}
	fprintf(file, "# %*s  %*s", ids[0], "PID", ids[1], "TID");
	(is_raw ? print_raw : print_table)(file, report, ids);
}

void threads_free(struct thread_counts *counts)
{
	for (size_t i = 0; counts && i < counts->nr; i++)
		free(counts->threads[i].values);
	if (counts) {
		free(counts->threads);
		free(counts->ids);
		index_fini(&counts->by_thread);
		index_fini(&counts->by_id);
	}
	free(counts);
}
