/* SPDX-License-Identifier: MIT */
/* Lookups in a sealed timeline. They only read, but for names of threads that no record has. */
#include <errno.h>
#include <stdio.h>
#include <xperf/record.h>
#include <xperf/timeline.h>

#include "opts.h"
#include "search.h"
#include "timeline-impl.h"

/* The last one not later than @time_ns; NULL: all are. */
static const struct version *version_at(const struct process *process, uint64_t time_ns)
{
	size_t nr = SEARCH_UP_TO(time_ns, process->versions, process->nr, time_ns);

	return nr ? &process->versions[nr - 1] : NULL;
}

static void fill_map(const struct xp_timeline *timeline, const struct mapping *mapping,
		     struct xp_map *ret_map)
{
	*ret_map = (struct xp_map){
		.size = sizeof(*ret_map),
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
		.dso = (const struct xp_dso *)timeline->dsos.at + mapping->dso,
		.prot = mapping->prot,
		.flags = mapping->flags,
		.inode = mapping->inode,
		.from_ns = mapping->time_ns,
		.to_ns = UINT64_MAX,
	};
}

/* What is left of a mapping in a range. */
static void fill_part(const struct xp_timeline *timeline, const struct range *range,
		      struct xp_map *ret_map)
{
	const struct mapping *mapping = (const struct mapping *)timeline->maps.at + range->map;

	fill_map(timeline, mapping, ret_map);
	ret_map->start = range->start;
	ret_map->end = range->end;
	ret_map->offset += range->start - mapping->start;
}

static const struct mapping *mapping_of(const struct xp_timeline *timeline,
					const struct range *range)
{
	return (const struct mapping *)timeline->maps.at + range->map;
}

/* Where nothing is in a version, something else is meant: as far, and as long, as that holds. */
static void limit(const struct xp_timeline *timeline, const struct process *process,
		  const struct version *version, uint64_t address, struct xp_map *map)
{
	struct range gap = xp_ranges_gap(&timeline->ranges, version->root, address);
	uint64_t start = map->start;

	if (version->time_ns > map->from_ns)
		map->from_ns = version->time_ns;
	if (version + 1 < process->versions + process->nr)
		map->to_ns = version[1].time_ns - 1;
	if (gap.map != RANGES_NO_MAP) /* what is there comes later */
		map->to_ns = mapping_of(timeline, &gap)->time_ns - 1;
	if (gap.start > map->start)
		map->start = gap.start;
	if (gap.end < map->end)
		map->end = gap.end;
	map->offset += map->start - start;
}

/* While a new program is made ready, call chains are still those of the old one, from execve(2) on.
 * Source: perf 6.1, which forgets what was mapped only where something else is. */
static int find_before(const struct xp_timeline *timeline, const struct process *process,
		       const struct version *version, uint64_t address, uint64_t time_ns,
		       struct xp_map *ret_map)
{
	const struct range *range = xp_ranges_at(&timeline->ranges, version->before, address);

	if (!range || mapping_of(timeline, range)->time_ns > time_ns)
		return 0;
	fill_part(timeline, range, ret_map);
	limit(timeline, process, version, address, ret_map);
	return 1;
}

static int find(const struct xp_timeline *timeline, const struct process *process, uint64_t address,
		uint64_t time_ns, struct xp_map *ret_map)
{
	const struct version *version = version_at(process, time_ns);
	const struct range *range =
		version ? xp_ranges_at(&timeline->ranges, version->root, address) : NULL;
	const struct mapping *mapping = range ? mapping_of(timeline, range) : NULL;

	if (!mapping || mapping->time_ns > time_ns)
		return version ? find_before(timeline, process, version, address, time_ns, ret_map)
			       : 0;
	fill_part(timeline, range, ret_map);
	if (version->time_ns > mapping->time_ns)
		ret_map->from_ns = version->time_ns;
	if (version + 1 < process->versions + process->nr)
		ret_map->to_ns = version[1].time_ns - 1;
	return 1;
}

/* The kernel's text is there where nothing else is: the part of it around @address. */
static void fill_text(const struct xp_timeline *timeline, uint64_t address, uint64_t time_ns,
		      struct xp_map *ret_map)
{
	const struct mapping *text = &timeline->kernel_text;
	const struct version *version = version_at(&timeline->kernel, time_ns);

	fill_map(timeline, text, ret_map);
	if (version)
		limit(timeline, &timeline->kernel, version, address, ret_map);
}

static int find_kernel(const struct xp_timeline *timeline, uint64_t address, uint64_t time_ns,
		       struct xp_map *ret_map)
{
	const struct mapping *text = &timeline->kernel_text;

	if (find(timeline, &timeline->kernel, address, time_ns, ret_map))
		return 1;
	if (!timeline->has_kernel || address < text->start || address >= text->end)
		return 0;
	fill_text(timeline, address, time_ns, ret_map);
	return 1;
}

/* Whose maps they are; NULL: nobody's that is known. */
static const struct process *process_of(const struct xp_timeline *timeline, int32_t pid,
					uint16_t cpumode)
{
	if ((cpumode & XP_MISC_CPUMODE_MASK) == XP_MISC_KERNEL)
		return &timeline->kernel;
	if ((cpumode & XP_MISC_CPUMODE_MASK) != XP_MISC_USER)
		return NULL;
	int idx = xp_id_map_find(&timeline->processes_of, (uint32_t)pid);
	return idx < 0 ? NULL : (const struct process *)timeline->processes.at + idx;
}

static int find_map(const struct xp_timeline *timeline, int32_t pid, uint16_t cpumode,
		    uint64_t address, uint64_t time_ns, struct xp_map *ret_map)
{
	const struct process *process = process_of(timeline, pid, cpumode);

	if (!process)
		return 0;
	if (process == &timeline->kernel)
		return find_kernel(timeline, address, time_ns, ret_map);
	return find(timeline, process, address, time_ns, ret_map);
}

/* As long as nothing changes in the address space; where something is mapped there at another time
 * of the same version, nothing is said. */
void xp_timeline_gap_at(const struct xp_timeline *timeline, int32_t pid, uint16_t cpumode,
			uint64_t address, uint64_t time_ns, struct xp_map *ret_map)
{
	const struct process *process = process_of(timeline, pid, cpumode);
	const struct version *version = process ? version_at(process, time_ns) : NULL;
	size_t nr_before = version ? (size_t)(version - process->versions) + 1 : 0;

	*ret_map = (struct xp_map){ .size = sizeof(*ret_map), .to_ns = UINT64_MAX };
	if (version)
		ret_map->from_ns = version->time_ns;
	if (process && nr_before < process->nr)
		ret_map->to_ns = process->versions[nr_before].time_ns - 1;
	if (version && (xp_ranges_at(&timeline->ranges, version->root, address) ||
			xp_ranges_at(&timeline->ranges, version->before, address)))
		ret_map->from_ns = ret_map->to_ns = time_ns;
}

bool xp_timeline_behind_text_at(const struct xp_timeline *timeline, uint64_t address,
				uint64_t time_ns, struct xp_map *ret_map)
{
	enum { BEHIND_BYTES = 64 << 20 };
	const struct mapping *text = &timeline->kernel_text;
	const struct version *version = version_at(&timeline->kernel, time_ns);

	if (!timeline->has_kernel || address < text->end || address - text->end >= BEHIND_BYTES)
		return false;
	fill_map(timeline, text, ret_map);
	ret_map->start = ret_map->offset = text->end;
	ret_map->end = text->end + BEHIND_BYTES;
	if (version)
		limit(timeline, &timeline->kernel, version, address, ret_map);
	return true;
}

bool xp_timeline_moved_at(const struct xp_timeline *timeline, int32_t pid, uint64_t address,
			  uint64_t time_ns, struct xp_map *map)
{
	const struct process *process = process_of(timeline, pid, XP_MISC_USER);
	const struct version *version = process ? version_at(process, time_ns) : NULL;
	const struct range *range =
		version ? xp_ranges_at(&timeline->ranges, version->root, address) : NULL;
	const struct mapping *made = range ? mapping_of(timeline, range) : NULL;

	if (!made || !made->moved_from || made->time_ns > time_ns)
		return false;
	const struct mapping *from =
		(const struct mapping *)timeline->maps.at + made->moved_from - 1;
	map->dso = (const struct xp_dso *)timeline->dsos.at + from->dso;
	map->offset = from->offset + (map->start - from->start);
	map->inode = from->inode;
	return true;
}

int xp_timeline_map_at(const struct xp_timeline *timeline, int32_t pid, uint16_t cpumode,
		       uint64_t address, uint64_t time_ns, struct xp_map *ret_map)
{
	struct xp_map map;

	if (ret_map->size == sizeof(*ret_map))
		return find_map(timeline, pid, cpumode, address, time_ns, ret_map);
	if (ret_map->size < offsetof(struct xp_map, to_ns) + sizeof(map.to_ns))
		return -EINVAL;
	int found = find_map(timeline, pid, cpumode, address, time_ns, &map);
	int err = found ? XP_OUTPUT_COPY(ret_map, &map, struct xp_map, to_ns) : 0;
	return err ? err : found;
}

/* The tree is balanced: as deep as the logarithm of what is mapped. */
static int each_below(const struct xp_timeline *timeline, uint32_t at,
		      int (*fn)(const struct xp_map *map, void *data), void *data)
{
	const struct range *range = &timeline->ranges.nodes[at];
	struct xp_map map;

	if (!at)
		return 0;
	int ret = each_below(timeline, range->left, fn, data);
	if (ret)
		return ret;
	fill_part(timeline, range, &map);
	ret = fn(&map, data);
	return ret ? ret : each_below(timeline, range->right, fn, data);
}

int xp_timeline_maps(const struct xp_timeline *timeline, int32_t pid, uint64_t time_ns,
		     int (*fn)(const struct xp_map *map, void *data), void *data)
{
	int idx = xp_id_map_find(&timeline->processes_of, (uint32_t)pid);
	const struct version *version =
		idx < 0 ? NULL
			: version_at((const struct process *)timeline->processes.at + idx, time_ns);

	return version ? each_below(timeline, version->root, fn, data) : 0;
}

/* ":TID"; it is made once, whoever asks. */
static const char *number_as_name(const struct xp_timeline *timeline, int32_t tid)
{
	struct xp_timeline *shared = (struct xp_timeline *)(uintptr_t)timeline;
	char text[16];
	int len = snprintf(text, sizeof(text), ":%d", tid);

	pthread_mutex_lock(&shared->lock);
	const char *name = xp_intern_add(&shared->unnamed, text, (size_t)len);
	pthread_mutex_unlock(&shared->lock);
	return name ? name : ":-1";
}

/* NULL: it has none then. */
static const struct naming *naming_at(const struct xp_timeline *timeline, int32_t tid,
				      uint64_t time_ns)
{
	int idx = xp_id_map_find(&timeline->threads_of, (uint32_t)tid);
	const struct thread *thread =
		idx < 0 ? NULL : (const struct thread *)timeline->threads.at + idx;
	size_t nr = thread ? SEARCH_UP_TO(time_ns, thread->names, thread->nr, time_ns) : 0;

	return nr ? &thread->names[nr - 1] : NULL;
}

const char *xp_timeline_comm_at(const struct xp_timeline *timeline, int32_t pid, int32_t tid,
				uint64_t time_ns)
{
	const struct naming *naming = naming_at(timeline, tid, time_ns);

	if (naming && naming->comm)
		return naming->comm;
	return tid == 0 && pid <= 0 ? "swapper" : number_as_name(timeline, tid);
}

uint64_t xp_timeline_named_ns(const struct xp_timeline *timeline, int32_t tid, uint64_t time_ns)
{
	const struct naming *naming = naming_at(timeline, tid, time_ns);

	return naming ? naming->time_ns : 0;
}

int xp_timeline_nr_dsos(const struct xp_timeline *timeline)
{
	return (int)timeline->dsos.nr;
}

const struct xp_dso *xp_timeline_dso(const struct xp_timeline *timeline, int idx)
{
	if (idx < 0 || (size_t)idx >= timeline->dsos.nr)
		return NULL;
	return (const struct xp_dso *)timeline->dsos.at + idx;
}

int xp_timeline_kernel_reference(const struct xp_timeline *timeline, const char **ret_name,
				 uint64_t *ret_address)
{
	if (!timeline->reference)
		return -ENODATA;
	*ret_name = timeline->reference;
	*ret_address = timeline->reference_address;
	return 0;
}

int xp_timeline_tasks(const struct xp_timeline *timeline,
		      int (*fn)(int32_t pid, int32_t tid, int32_t parent_pid, const char *comm,
				void *data),
		      void *data)
{
	const struct task *tasks = timeline->tasks.at;
	int ret = 0;

	for (size_t i = 0; i < timeline->tasks.nr && !ret; i++) {
		const struct task *task = &tasks[i];

		ret = fn(task->pid, task->tid, task->parent_pid,
			 xp_timeline_comm_at(timeline, task->pid, task->tid, task->to_ns), data);
	}
	return ret;
}
