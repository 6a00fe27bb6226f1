/* SPDX-License-Identifier: MIT */
/* What was mapped at a sample's time, the files of it, and the walk. */
#include "walker.h"

#include <string.h>

#include "live-dumps.h"
#include "shortage.h"

enum { OPEN_TRIES = 8 }; /* of a file, by as many samples */

/* --- files --- */

/* The file is opened as one of its processes sees it. A process may have ended: then the next one
 * that has it mapped is asked. */
static struct xp_unwind_file *open_file(const struct xp_walker *walker, struct xp_live_file *file,
					const struct xp_live_map *map)
{
	const struct xp_unwind_mapped mapped = xp_live_mapped(file, map, walker->pid);
	struct xp_unwind_file *opened = file->data;

	if (file->tries++ < OPEN_TRIES)
		xp_unwind_open_mapped(walker->files->unwind, &mapped, &opened);
	file->data = opened;
	if (opened && !*xp_unwind_file_reason(opened))
		file->tries = OPEN_TRIES;
	return opened;
}

static struct xp_unwind_file *file_of(const struct xp_walker *walker, const struct xp_live_map *map)
{
	struct xp_live_file *file = xp_live_file(&walker->files->maps, map->file);

	if (!file)
		return NULL;
	pthread_mutex_lock(&walker->files->lock);
	struct xp_unwind_file *opened =
		file->tries < OPEN_TRIES ? open_file(walker, file, map) : file->data;
	pthread_mutex_unlock(&walker->files->lock);
	return opened;
}

static bool find_map(const struct xp_walker *walker, uint64_t address, struct xp_live_map *ret_map)
{
	return walker->space && xp_live_find(walker->space, walker->time_ns, address, ret_map);
}

static int map_at(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	const struct xp_walker *walker = data;
	struct xp_live_map map;
	bool is_mapped = find_map(walker, address, &map);

	if (xp_live_find_made(&walker->files->maps, walker->space, is_mapped ? &map : NULL, address,
			      walker->time_ns, ret_map))
		return 1;
	if (!is_mapped)
		return 0;
	*ret_map = (struct xp_unwind_map){ .start = map.start,
					   .end = map.end,
					   .offset = map.offset,
					   .file = file_of(walker, &map),
					   .is_executable = map.is_executable };
	return 1;
}

bool xp_walker_is_mapped(void *walker, uint64_t address, uint64_t since_ns)
{
	struct xp_live_map map;

	return find_map(walker, address, &map) && map.since_ns <= since_ns;
}

bool xp_walker_is_newer(const struct xp_walker *walker, uint64_t address, uint64_t since_ns)
{
	struct xp_live_map map;

	return find_map(walker, address, &map) && map.since_ns > since_ns;
}

const char *xp_walker_file(const struct xp_walker *walker, uint64_t address)
{
	struct xp_live_map map;
	const struct xp_live_file *file = find_map(walker, address, &map)
						  ? xp_live_file(&walker->files->maps, map.file)
						  : NULL;

	return file ? file->name : NULL;
}

/* --- new and free --- */

int xp_walker_init(struct xp_walker *walker, struct xp_walk_files *files)
{
	const struct xp_unwind_calls calls = { .size = sizeof(calls),
					       .map = map_at,
					       .data = walker };

	walker->files = files;
	return xp_unwinder_new(files->unwind, NULL, &calls, &walker->unwinder);
}

void xp_walker_fini(struct xp_walker *walker)
{
	xp_unwinder_free(walker->unwinder);
}

/* --- samples --- */

void xp_walker_enter(struct xp_walker *walker, const struct xp_sample *sample)
{
	walker->pid = sample->id.pid;
	walker->tid = sample->id.tid;
	walker->time_ns = sample->id.time_ns;
	walker->space = xp_live_space(&walker->files->maps, (uint32_t)walker->pid, walker->time_ns,
				      &walker->space_state);
}

/* Where the sample itself was, if registers cannot be walked from. */
static size_t begin_chain(const struct xp_sample *sample, uint64_t *pcs)
{
	if ((sample->record->misc & XP_MISC_CPUMODE_MASK) != XP_MISC_USER)
		return 0;
	pcs[0] = sample->ip;
	return 1;
}

bool xp_walker_walk(struct xp_walker *walker, const struct xp_sample *sample, size_t room,
		    struct xp_unwind_chain *ret_chain)
{
	const struct xp_unwind_start start = { .size = sizeof(start),
					       .regs = sample->user_regs,
					       .stack = sample->stack,
					       .stack_len = sample->stack_valid,
					       .space = walker->space_state };

	*ret_chain =
		(struct xp_unwind_chain){ .size = sizeof(*ret_chain),
					  .pcs = walker->pcs,
					  .sps = walker->sps,
					  .marks = walker->marks,
					  .max = room < XP_WALK_FRAMES_MAX ? room
									   : XP_WALK_FRAMES_MAX,
					  .end = XP_UNWIND_NO_INFO };
	int err = xp_unwinder_walk(walker->unwinder, &start, ret_chain);
	if (!err || (xp_is_shortage(err) && ret_chain->nr))
		return true;
	ret_chain->nr = begin_chain(sample, walker->pcs);
	return false;
}
