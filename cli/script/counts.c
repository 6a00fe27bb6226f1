/* SPDX-License-Identifier: MIT */
/*
 * What `stat record` has counted: a table, with a row per event, CPU and thread at the end of each
 * round. Source of the layout: perf script, 6.1, measured; of the records:
 * Documentation/perf.data-file-format.txt of perf, PERF_RECORD_STAT and others.
 */
#include <errno.h>
#include <stdlib.h>

#include "script.h"
#include "search.h"
#include "vec.h"

/* The bodies of the records. */
struct stat_record {
	struct xp_record header;
	uint64_t id;
	uint32_t cpu, thread; /* places in the maps */
	uint64_t value, enabled, running;
};

struct round_record {
	struct xp_record header;
	uint64_t type, time_ns;
};

struct thread_map_record {
	struct xp_record header;
	uint64_t nr;
	struct {
		uint64_t pid;
		char comm[16];
	} threads[];
};

/* A counter, with what it had when it was printed last. */
struct count {
	uint32_t event, cpu, thread;
	uint64_t value, enabled, running;
};

struct counts {
	struct count *at; /* in their order */
	size_t nr;
	int32_t *cpus, *threads; /* by their places */
	size_t nr_cpus, nr_threads;
	bool has_title;
};

void counts_free(struct counts *counts)
{
	if (!counts)
		return;
	free(counts->at);
	free(counts->cpus);
	free(counts->threads);
	free(counts);
}

static int push(int32_t **list, size_t *nr, int32_t value)
{
	if (vec_add(list, *nr, sizeof(**list)))
		return -ENOMEM;
	(*list)[(*nr)++] = value;
	return 0;
}

/* --- maps --- */

static int load_threads(struct counts *counts, const struct xp_record *record)
{
	const struct thread_map_record *map = (const void *)record;
	size_t room = (record->size - sizeof(*map)) / sizeof(map->threads[0]);
	int err = 0;

	counts->nr_threads = 0;
	for (size_t i = 0; i < map->nr && i < room && !err; i++)
		err = push(&counts->threads, &counts->nr_threads, (int32_t)map->threads[i].pid);
	return err;
}

static int load_mask(struct counts *counts, const unsigned char *at, size_t len)
{
	uint16_t nr, long_size;
	int err = 0;

	memcpy(&nr, at, sizeof(nr));
	memcpy(&long_size, at + 2, sizeof(long_size));
	/* longs are aligned to their size */
	size_t head = long_size == 8 ? 8 : 4, each = long_size == 8 ? 8 : 4;
	for (size_t i = 0; i < nr && head + (i + 1) * each <= len; i++) {
		uint64_t word = 0;
		uint32_t half;

		memcpy(each == 8 ? (void *)&word : &half, at + head + i * each, each);
		for (word = each == 8 ? word : half; word && !err; word &= word - 1)
			err = push(&counts->cpus, &counts->nr_cpus,
				   (int32_t)(i * each * 8) + __builtin_ctzll(word));
	}
	return err;
}

static int load_list(struct counts *counts, const unsigned char *at, size_t len)
{
	uint16_t nr, cpu;
	int err = 0;

	memcpy(&nr, at, sizeof(nr));
	for (size_t i = 1; i <= nr && (i + 1) * sizeof(cpu) <= len && !err; i++) {
		memcpy(&cpu, at + i * sizeof(cpu), sizeof(cpu));
		err = push(&counts->cpus, &counts->nr_cpus, cpu == UINT16_MAX ? -1 : cpu);
	}
	return err;
}

static int load_range(struct counts *counts, const unsigned char *at)
{
	uint16_t first, last;
	int err = at[0] ? push(&counts->cpus, &counts->nr_cpus, -1) : 0;

	memcpy(&first, at + 2, sizeof(first));
	memcpy(&last, at + 4, sizeof(last));
	for (uint32_t cpu = first; cpu <= last && !err; cpu++)
		err = push(&counts->cpus, &counts->nr_cpus, (int32_t)cpu);
	return err;
}

static int load_cpus(struct counts *counts, const struct xp_record *record)
{
	enum { LIST, MASK, RANGE, RANGE_BYTES = 6 };
	const unsigned char *at = (const void *)(record + 1);
	size_t len = record->size - sizeof(*record);
	uint16_t type;

	if (len < sizeof(type) + RANGE_BYTES)
		return 0;
	memcpy(&type, at, sizeof(type));
	at += sizeof(type);
	len -= sizeof(type);
	counts->nr_cpus = 0;
	if (type == LIST)
		return load_list(counts, at, len);
	if (type == MASK)
		return load_mask(counts, at, len);
	return type == RANGE ? load_range(counts, at) : 0;
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

/* The event of an id. Returns -1 for one that nobody has. */
static int event_of(const struct xp_data *data, uint64_t id)
{
	const struct xp_data_event *event;

	for (int i = 0; (event = xp_data_event_at(data, i)); i++)
		for (size_t k = 0; k < event->nr_ids; k++)
			if (event->ids[k] == id)
				return i;
	return -1;
}

static int add_count(struct script *script, const struct stat_record *stat)
{
	struct counts *counts = script->counts;
	int event = event_of(script->rec->data, stat->id);
	struct count count = { (uint32_t)event, stat->cpu,     stat->thread,
			       stat->value,     stat->enabled, stat->running };

	if (event < 0)
		return 0;
	size_t at = search_before(&count, counts->at, counts->nr, sizeof(count), compare);
	if (at < counts->nr && !compare(&counts->at[at], &count)) {
		counts->at[at] = count;
		return 0;
	}
	if (vec_add(&counts->at, counts->nr, sizeof(*counts->at)))
		return -ENOMEM;
	memmove(counts->at + at + 1, counts->at + at, (counts->nr - at) * sizeof(*counts->at));
	counts->at[at] = count;
	counts->nr++;
	return 0;
}

static void show_count(struct script *script, const struct count *count, uint64_t time_ns)
{
	enum { CPU_WIDTH = 3, THREAD_WIDTH = 8, VALUE_WIDTH = 15 };
	const struct counts *counts = script->counts;
	int32_t cpu = number_at(counts->cpus, counts->nr_cpus, count->cpu);
	int32_t thread = number_at(counts->threads, counts->nr_threads, count->thread);
	const char *event = xp_data_event_at(script->rec->data, (int)count->event)->name;
	const uint64_t values[] = { count->value, count->enabled, count->running, time_ns };
	struct sink *out = &script->out;

	if (script->config->values->json) {
		json_count(script, event, cpu, thread, values);
		return;
	}
	sink_int(out, cpu, CPU_WIDTH);
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

static void show_round(struct script *script, const struct round_record *round)
{
	struct counts *counts = script->counts;

	if (!counts->has_title && !script->config->values->json)
		sink_text(&script->out,
			  "CPU   THREAD             VAL             ENA             RUN"
			  "            TIME EVENT\n");
	counts->has_title = true;
	for (size_t i = 0; i < counts->nr; i++)
		show_count(script, &counts->at[i], round->time_ns);
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
	if (record->type == XP_RECORD_THREAD_MAP)
		return load_threads(script->counts, record);
	if (record->type == XP_RECORD_CPU_MAP)
		return load_cpus(script->counts, record);
	if (record->type == XP_RECORD_STAT)
		return add_count(script, (const void *)record);
	show_round(script, (const void *)record);
	return 0;
}
