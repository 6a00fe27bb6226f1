/* SPDX-License-Identifier: MIT */
/*
 * Processes that make code map the file that they write it to, before they write, so that there is
 * a record of it. It is opened then, as long as the process is there, and read whenever samples are
 * to be unwound: what was made before they were taken has been written by then, unless the process
 * keeps it back.
 */
#include "live-dumps.h"

#include <errno.h>
#include <string.h>

#include "jit-dump.h"
#include "jit.h"
#include "live-space.h"
#include "vec.h"

int xp_live_note_dump(struct xp_live_maps *maps, struct xp_live_space *space,
		      const struct xp_live_map *map, int32_t pid)
{
	const struct xp_live_file *file = xp_live_file(maps, map->file);

	if (!file || !xp_jit_is_dump(file->name, NULL))
		return 0;
	if (vec_add(&maps->dumps, maps->nr_dumps, sizeof(*maps->dumps)))
		return -ENOMEM;
	maps->dumps[maps->nr_dumps++] = (struct xp_live_dump){ .map = *map, .pid = pid };
	xp_space_set_dump(maps, space, (int)maps->nr_dumps);
	return 0;
}

static void open_dump(const struct xp_live_maps *maps, struct xp_live_dump *dump,
		      struct xp_unwind *unwind, bool is_monotonic)
{
	const struct xp_unwind_mapped mapped =
		xp_live_mapped(xp_live_file(maps, dump->map.file), &dump->map, dump->pid);
	const struct xp_jit_clock clock = { is_monotonic, dump->map.since_ns };

	if (xp_jit_open_mapped(unwind, &mapped, &clock, &dump->file))
		dump->is_over = true;
}

void xp_live_read_dumps(struct xp_live_maps *maps, struct xp_unwind *unwind, bool is_monotonic)
{
	uint64_t latest_ns;

	for (size_t i = 0; i < maps->nr_dumps; i++) {
		struct xp_live_dump *dump = &maps->dumps[i];

		if (dump->is_over)
			continue;
		if (!dump->nr_spaces) {
			dump->is_over = true;
			if (dump->file)
				xp_jit_retire(dump->file);
			continue;
		}
		if (!dump->file)
			open_dump(maps, dump, unwind, is_monotonic);
		if (dump->file && xp_jit_refresh(dump->file, &latest_ns))
			xp_live_changed(maps, (int)i + 1,
					latest_ns == XP_NO_TIME ? maps->latest_ns : latest_ns);
	}
}

/* Memory, or a file that is in no directory. */
static bool can_be_made(const struct xp_live_maps *maps, const struct xp_live_map *map)
{
	const struct xp_live_file *file = map ? xp_live_file(maps, map->file) : NULL;

	return !file || !strncmp(file->name, "/memfd:", strlen("/memfd:"));
}

bool xp_live_find_made(const struct xp_live_maps *maps, const struct xp_live_space *space,
		       const struct xp_live_map *map, uint64_t address, uint64_t time_ns,
		       struct xp_unwind_map *ret_map)
{
	uint64_t span_ns[2];

	if (!space || !space->dump || !can_be_made(maps, map))
		return false;
	const struct xp_live_dump *dump = &maps->dumps[space->dump - 1];
	return !dump->is_over && dump->file &&
	       xp_jit_find(dump->file, address, time_ns, ret_map, span_ns);
}
