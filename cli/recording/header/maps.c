/* SPDX-License-Identifier: MIT */
/*
 * The CPUs and threads that a recording of counts is of. Source of the records' layout:
 * Documentation/perf.data-file-format.txt of perf, PERF_RECORD_CPU_MAP and others.
 */
#include "maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>

#include "vec.h"

struct thread_map_record {
	struct xp_record header;
	uint64_t nr;
	struct {
		uint64_t pid;
		char comm[16];
	} threads[];
};

static int push(int32_t **list, size_t *nr, int32_t value)
{
	if (vec_add(list, *nr, sizeof(**list)))
		return -ENOMEM;
	(*list)[(*nr)++] = value;
	return 0;
}

static int load_threads(struct maps *maps, const struct xp_record *record)
{
	const struct thread_map_record *map = (const void *)record;
	size_t room = (record->size - sizeof(*map)) / sizeof(map->threads[0]);
	int err = 0;

	free(maps->comms);
	maps->nr_threads = 0;
	maps->comms = calloc(room + 1, sizeof(*maps->comms));
	if (!maps->comms)
		return -ENOMEM;
	for (size_t i = 0; i < map->nr && i < room && !err; i++) {
		memcpy(maps->comms[i], map->threads[i].comm, sizeof(map->threads[i].comm));
		err = push(&maps->threads, &maps->nr_threads, (int32_t)map->threads[i].pid);
	}
	return err;
}

static int load_mask(struct maps *maps, const unsigned char *at, size_t len)
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
			err = push(&maps->cpus, &maps->nr_cpus,
				   (int32_t)(i * each * 8) + __builtin_ctzll(word));
	}
	return err;
}

static int load_list(struct maps *maps, const unsigned char *at, size_t len)
{
	uint16_t nr, cpu;
	int err = 0;

	memcpy(&nr, at, sizeof(nr));
	for (size_t i = 1; i <= nr && (i + 1) * sizeof(cpu) <= len && !err; i++) {
		memcpy(&cpu, at + i * sizeof(cpu), sizeof(cpu));
		err = push(&maps->cpus, &maps->nr_cpus, cpu == UINT16_MAX ? -1 : cpu);
	}
	return err;
}

static int load_range(struct maps *maps, const unsigned char *at)
{
	uint16_t first, last;
	int err = at[0] ? push(&maps->cpus, &maps->nr_cpus, -1) : 0;

	memcpy(&first, at + 2, sizeof(first));
	memcpy(&last, at + 4, sizeof(last));
	for (uint32_t cpu = first; cpu <= last && !err; cpu++)
		err = push(&maps->cpus, &maps->nr_cpus, (int32_t)cpu);
	return err;
}

static int load_cpus(struct maps *maps, const struct xp_record *record)
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
	maps->nr_cpus = 0;
	if (type == LIST)
		return load_list(maps, at, len);
	if (type == MASK)
		return load_mask(maps, at, len);
	return type == RANGE ? load_range(maps, at) : 0;
}

int maps_load(struct maps *maps, const struct xp_record *record)
{
	return record->type == XP_RECORD_THREAD_MAP ? load_threads(maps, record)
						    : load_cpus(maps, record);
}

void maps_fini(struct maps *maps)
{
	free(maps->cpus);
	free(maps->threads);
	free(maps->comms);
	*maps = (struct maps){ 0 };
}

int maps_event_of(const struct xp_data *data, uint64_t id)
{
	const struct xp_data_event *event;

	for (int i = 0; (event = xp_data_event_at(data, i)); i++)
		for (size_t k = 0; k < event->nr_ids; k++)
			if (event->ids[k] == id)
				return i;
	return -1;
}
