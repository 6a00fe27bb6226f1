/* SPDX-License-Identifier: MIT */
/*
 * What `stat record` has counted: a table, with a row per event, CPU and thread at the end of each
 * round. Source of the layout: perf script, 6.1, measured; of the records:
 * Documentation/perf.data-file-format.txt of perf, PERF_RECORD_STAT and others.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/data.h>

#include "maps.h"
#include "script.h"
#include "search.h"
#include "vec.h"

/* A counter, with what it had when it was printed last. */
struct count {
	uint32_t event;
	int32_t cpu;     /* -1: any */
	uint32_t thread; /* its place in the map */
	uint64_t value, enabled, running;
};

struct counts {
	struct count *at; /* in their order */
	size_t nr;
	struct maps maps;
	bool has_title;
};

void counts_free(struct counts *counts)
{
	if (!counts)
		return;
	free(counts->at);
	maps_fini(&counts->maps);
	free(counts);
}

/* --- counts --- */

static int32_t number_at(const int32_t *list, size_t nr, uint32_t at)
{
	return at < nr ? list[at] : -1;
}

static int compare(const void *left, const void *right)
{
	const struct count *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->thread == b->thread ? 0 : a->thread < b->thread ? -1 : 1;
}

static int put_count(struct counts *counts, const struct count *count)
{
	size_t at = search_before(count, counts->at, counts->nr, sizeof(*count), compare);

	if (at < counts->nr && !compare(&counts->at[at], count)) {
		counts->at[at] = *count;
		return 0;
	}
	if (vec_add(&counts->at, counts->nr, sizeof(*counts->at)))
		return -ENOMEM;
	memmove(counts->at + at + 1, counts->at + at, (counts->nr - at) * sizeof(*counts->at));
	counts->at[at] = *count;
	counts->nr++;
	return 0;
}

/* The CPU that a record counts: its number, in recordings before perf 5.18 its place in the map. */
static int32_t cpu_of(const struct maps *maps, uint32_t recorded)
{
	for (size_t i = 0; i < maps->nr_cpus; i++)
		if (maps->cpus[i] == (int32_t)recorded)
			return (int32_t)recorded;
	return number_at(maps->cpus, maps->nr_cpus, recorded);
}

static int add_count(struct script *script, const struct stat_record *stat)
{
	int event = maps_event_of(script->rec->data, stat->id);
	struct count count = { .event = (uint32_t)event,
			       .cpu = cpu_of(&script->counts->maps, stat->cpu),
			       .thread = stat->thread,
			       .value = stat->value,
			       .enabled = stat->enabled,
			       .running = stat->running };

	return event < 0 ? 0 : put_count(script->counts, &count);
}

static bool was_counted(const struct counts *counts, uint32_t event)
{
	for (size_t i = 0; i < counts->nr; i++)
		if (counts->at[i].event == event)
			return true;
	return false;
}

static int add_zeros(struct counts *counts, uint32_t event)
{
	struct count count = { .event = event };
	int err = 0;

	for (size_t i = 0; !err && i < counts->maps.nr_cpus; i++) {
		count.cpu = counts->maps.cpus[i];
		for (count.thread = 0; !err && count.thread < counts->maps.nr_threads;
		     count.thread++)
			err = put_count(counts, &count);
	}
	return err;
}

/* Events that could not be counted have no records: they count 0 everywhere. Those with CPUs of
 * their own are left out. Returns 0 or -ENOMEM. */
static int add_uncounted(struct script *script)
{
	int err = 0;

	for (int i = 0; !err && i < xp_data_nr_events(script->rec->data); i++)
		if (!xp_data_event_at(script->rec->data, i)->own_cpus &&
		    !was_counted(script->counts, (uint32_t)i))
			err = add_zeros(script->counts, (uint32_t)i);
	return err;
}

static void show_count(struct script *script, const struct count *count, uint64_t time_ns)
{
	enum { CPU_WIDTH = 3, THREAD_WIDTH = 8, VALUE_WIDTH = 15 };
	const struct counts *counts = script->counts;
	int32_t thread = number_at(counts->maps.threads, counts->maps.nr_threads, count->thread);
	const char *event = xp_data_event_at(script->rec->data, (int)count->event)->name;
	const uint64_t values[] = { count->value, count->enabled, count->running, time_ns };
	struct sink *out = &script->out;

	if (script->config->values->json) {
		json_count(script, event, count->cpu, thread, values);
		return;
	}
	sink_int(out, count->cpu, CPU_WIDTH);
	sink_char(out, ' ');
	sink_int(out, thread, THREAD_WIDTH);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		sink_char(out, ' ');
		sink_dec(out, values[i], VALUE_WIDTH, ' ');
	}
	sink_char(out, ' ');
	sink_escaped(out, event);
	sink_char(out, '\n');
}

static int show_round(struct script *script, const struct round_record *round)
{
	struct counts *counts = script->counts;
	int err = counts->has_title ? 0 : add_uncounted(script);

	if (err)
		return err;
	if (!counts->has_title && !script->config->values->json)
		sink_text(&script->out,
			  "CPU   THREAD             VAL             ENA             RUN"
			  "            TIME EVENT\n");
	counts->has_title = true;
	for (size_t i = 0; i < counts->nr; i++)
		show_count(script, &counts->at[i], round->time_ns);
	return 0;
}

int counts_add(struct script *script, const struct xp_record *record)
{
	static const uint32_t types[] = { XP_RECORD_THREAD_MAP, XP_RECORD_CPU_MAP, XP_RECORD_STAT,
					  XP_RECORD_STAT_ROUND };
	bool is_ours = false;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		is_ours |= types[i] == record->type;
	if (!is_ours)
		return 0;
	if (!script->counts && !(script->counts = calloc(1, sizeof(*script->counts))))
		return -ENOMEM;
	if (record->type == XP_RECORD_THREAD_MAP || record->type == XP_RECORD_CPU_MAP)
		return maps_load(&script->counts->maps, record);
	if (record->type == XP_RECORD_STAT)
		return add_count(script, (const void *)record);
	return show_round(script, (const void *)record);
}
