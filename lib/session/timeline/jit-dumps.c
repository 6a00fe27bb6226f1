/* SPDX-License-Identifier: MIT */
/* A JIT compiler maps its dump, so that the recording has its name and the time: the dump has times
 * of its own, which begin then. */
#include "jit-dumps.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

#include "jit-dump.h"
#include "jit.h"
#include "timeline-impl.h"
#include "vec.h"

static int add(struct jit_dumps *dumps, const struct xp_dso *dso, int pid)
{
	int before = xp_id_map_find(&dumps->by_pid, (uint32_t)pid);

	if (vec_add(&dumps->at, dumps->nr, sizeof(*dumps->at)) ||
	    (before < 0 && xp_id_map_add(&dumps->by_pid, (uint32_t)pid, (int)dumps->nr)))
		return -ENOMEM;
	dumps->at[dumps->nr] = (struct jit_dump){ dso, XP_NO_TIME, NULL, -1 };
	if (before >= 0) {
		dumps->at[dumps->nr].next = dumps->at[before].next;
		dumps->at[before].next = (int)dumps->nr;
	}
	dumps->nr++;
	return 0;
}

static int by_dso(const void *key, const void *element)
{
	const uint32_t *index = key;
	const struct jit_dump *dump = element;

	return (*index > (uint32_t)dump->dso->index) - (*index < (uint32_t)dump->dso->index);
}

/* When each was mapped first. They are in the order of DSOs. */
static void find_times(struct jit_dumps *dumps, const struct xp_timeline *timeline)
{
	const struct mapping *maps = timeline->maps.at;

	for (size_t i = 0; i < timeline->maps.nr; i++) {
		struct jit_dump *dump =
			bsearch(&maps[i].dso, dumps->at, dumps->nr, sizeof(*dumps->at), by_dso);

		if (dump && maps[i].time_ns < dump->mapped_ns)
			dump->mapped_ns = maps[i].time_ns;
	}
}

int xp_jit_dumps_find(struct jit_dumps *dumps, const struct xp_timeline *timeline,
		      struct xp_unwind *unwind, bool is_monotonic)
{
	int err = 0, pid;

	for (int i = 0; i < xp_timeline_nr_dsos(timeline) && !err; i++) {
		const struct xp_dso *dso = xp_timeline_dso(timeline, i);

		if (xp_jit_is_dump(dso->name, &pid))
			err = add(dumps, dso, pid);
	}
	if (dumps->nr)
		find_times(dumps, timeline);
	for (size_t i = 0; i < dumps->nr && !err; i++) {
		struct jit_dump *dump = &dumps->at[i];
		const struct xp_symbol_file file = xp_timeline_file_of(dump->dso);
		const struct xp_jit_clock clock = { is_monotonic, dump->mapped_ns == XP_NO_TIME
									  ? 0
									  : dump->mapped_ns };

		err = xp_jit_open(unwind, &file, &clock, &dump->file);
	}
	return err;
}

void xp_jit_dumps_fini(struct jit_dumps *dumps)
{
	free(dumps->at);
	xp_id_map_fini(&dumps->by_pid);
	*dumps = (struct jit_dumps){ 0 };
}

bool xp_jit_dumps_map(const struct jit_dumps *dumps, int32_t pid, uint64_t address,
		      uint64_t time_ns, struct xp_unwind_map *ret_map, uint64_t span[2])
{
	int at = dumps->nr ? xp_id_map_find(&dumps->by_pid, (uint32_t)pid) : -1;
	bool is_found = false;

	for (; at >= 0 && !is_found; at = dumps->at[at].next) {
		uint64_t its[2];

		is_found = xp_jit_find(dumps->at[at].file, address, time_ns, ret_map, its);
		if (its[0] > span[0])
			span[0] = its[0];
		if (its[1] < span[1])
			span[1] = its[1];
	}
	return is_found;
}
