/* SPDX-License-Identifier: MIT */
/*
 * The maps of all processes, kept up with the side band. A space is shared by the processes that
 * have the same maps, and copied when one of them changes its own.
 *
 * Source: perf_event_open(2), PERF_RECORD_MMAP, _MMAP2, _FORK, _EXIT, and
 * PERF_RECORD_MISC_COMM_EXEC. There is no record of munmap(2): what replaces a map ends it.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "live-dumps.h"
#include "live-space.h"
#include "record.h"
#include "vec.h"

struct tenure {
	struct xp_live_space *space;
	uint64_t since_ns;
};

struct xp_live_process {
	uint32_t pid;
	int nr_threads; /* besides the first, as far as it is known */
	bool has_ended, had_ended_before;
	int nr_tenures;
	struct tenure tenures[XP_LIVE_TENURES]; /* the present one first */
};

/* --- processes --- */

static uint64_t pid_hash(uint32_t pid)
{
	return xp_hash_word(xp_hash_seed(), pid);
}

static struct xp_live_process *find_process(const struct xp_live_maps *maps, uint32_t pid)
{
	size_t at;

	for (struct index_walk walk = index_walk(&maps->by_pid, pid_hash(pid));
	     index_next(&walk, &at);)
		if (maps->processes[at]->pid == pid)
			return maps->processes[at];
	return NULL;
}

static void process_free(struct xp_live_maps *maps, struct xp_live_process *process)
{
	for (int i = 0; i < process->nr_tenures; i++)
		xp_space_unref(maps, process->tenures[i].space);
	free(process);
}

/* The process goes on in another address space, which becomes its own. */
static void begin_tenure(struct xp_live_maps *maps, struct xp_live_process *process,
			 struct xp_live_space *space, uint64_t time_ns)
{
	if (process->nr_tenures == XP_LIVE_TENURES)
		xp_space_unref(maps, process->tenures[--process->nr_tenures].space);
	memmove(process->tenures + 1, process->tenures,
		(size_t)process->nr_tenures * sizeof(process->tenures[0]));
	process->tenures[0] = (struct tenure){ space, time_ns };
	process->nr_tenures++;
	process->has_ended = process->had_ended_before = false;
}

/* One that has no maps yet. */
static struct xp_live_process *add_process(struct xp_live_maps *maps, uint32_t pid)
{
	struct xp_live_space *space = xp_space_new(maps, 0);
	struct xp_live_process *process = calloc(1, sizeof(*process));

	if (!space || !process ||
	    vec_reserve(&maps->processes, maps->nr_processes, &maps->processes_room,
			sizeof(struct xp_live_process *)) ||
	    index_add(&maps->by_pid, pid_hash(pid), maps->nr_processes)) {
		free(space);
		free(process);
		return NULL;
	}
	process->pid = pid;
	begin_tenure(maps, process, space, 0);
	maps->processes[maps->nr_processes++] = process;
	return process;
}

static struct xp_live_process *know_process(struct xp_live_maps *maps, uint32_t pid)
{
	struct xp_live_process *process = find_process(maps, pid);

	return process ? process : add_process(maps, pid);
}

/* The present space, of this process alone. NULL on out of memory. */
static struct xp_live_space *own_space(struct xp_live_maps *maps, struct xp_live_process *process)
{
	struct xp_live_space *space = process->tenures[0].space;

	if (space->refs == 1)
		return space;
	struct xp_live_space *own = xp_space_clone(maps, space);
	if (!own)
		return NULL;
	xp_space_unref(maps, space);
	process->tenures[0].space = own;
	return own;
}

/* --- files --- */

static uint64_t file_hash(const struct xp_live_file *file)
{
	uint64_t hash = xp_hash_bytes(xp_hash_seed(), file->identity, sizeof(file->identity));

	return xp_hash_bytes(hash, file->name, strlen(file->name));
}

static int add_file(struct xp_live_maps *maps, const struct xp_live_file *like)
{
	size_t len = strlen(like->name) + 1;
	struct xp_live_file *file = malloc(sizeof(*file) + len);

	if (!file || vec_add(&maps->files, maps->nr_files, sizeof(struct xp_live_file *)) ||
	    index_add(&maps->by_file, file_hash(like), maps->nr_files)) {
		free(file);
		return -ENOMEM;
	}
	*file = *like;
	file->name = memcpy(file + 1, like->name, len);
	maps->bytes += sizeof(*file) + len;
	maps->files[maps->nr_files] = file;
	return (int)maps->nr_files++;
}

/* Returns its number or -ENOMEM. */
static int know_file(struct xp_live_maps *maps, const struct xp_live_file *like)
{
	size_t at;

	for (struct index_walk walk = index_walk(&maps->by_file, file_hash(like));
	     index_next(&walk, &at);)
		if (!strcmp(maps->files[at]->name, like->name) &&
		    maps->files[at]->has_build_id == like->has_build_id &&
		    !memcmp(maps->files[at]->identity, like->identity, sizeof(like->identity)))
			return (int)at;
	return add_file(maps, like);
}

/* Names that stand for no file. Source: proc(5), /proc/PID/maps; perf_event_mmap_event(). */
static bool is_file(const char *name)
{
	static const char *const none[] = { "//anon", "/dev/zero", "/anon_hugepage", "/SYSV" };

	if (!strcmp(name, "[vdso]"))
		return true;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (!strncmp(name, none[i], strlen(none[i])))
			return false;
	return *name == '/';
}

struct xp_live_file *xp_live_file(const struct xp_live_maps *maps, int file)
{
	return file < 0 ? NULL : maps->files[file];
}

struct xp_unwind_mapped xp_live_mapped(const struct xp_live_file *file,
				       const struct xp_live_map *map, int32_t pid)
{
	struct xp_unwind_mapped mapped = { .size = sizeof(mapped),
					   .path = file->name,
					   .pid = pid,
					   .start = map->start,
					   .end = map->end };
	struct xp_record_mmap2 like;

	memcpy(&like.major, file->identity, sizeof(file->identity));
	if (file->has_build_id) {
		mapped.build_id = (const char *)file->identity +
				  offsetof(struct xp_record_mmap2, build_id) -
				  offsetof(struct xp_record_mmap2, build_id_size);
		mapped.build_id_len = like.build_id_size;
		return mapped;
	}
	mapped.major = like.major;
	mapped.minor = like.minor;
	mapped.inode = like.inode;
	mapped.inode_generation = like.inode_generation;
	return mapped;
}

/* --- records --- */

static int add_map(struct xp_live_maps *maps, uint32_t pid, struct xp_live_map map,
		   const struct xp_live_file *file)
{
	bool was_there = !map.since_ns;
	struct xp_live_process *process = know_process(maps, pid);

	if (!process)
		return -ENOMEM;
	map.file =
		is_file(file->name) && map.is_executable ? know_file(maps, file) : XP_LIVE_NO_FILE;
	if (map.file < XP_LIVE_NO_FILE)
		return map.file;
	if (map.end <= map.start || xp_space_has(process->tenures[0].space, &map))
		return 0;
	if (maps->bytes > XP_LIVE_BYTES_MAX) {
		maps->nr_unnoted++;
		return -ENOMEM;
	}
	struct xp_live_space *space = own_space(maps, process);
	int err = space ? xp_space_map(maps, space, map, was_there) : -ENOMEM;

	return err ? err : xp_live_note_dump(maps, space, &map, (int32_t)pid);
}

static int note_mmap(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_mmap *mmap = (const void *)record;

	return add_map(maps, mmap->pid,
		       (struct xp_live_map){ .start = mmap->address,
					     .end = mmap->address + mmap->len,
					     .offset = mmap->offset,
					     .since_ns = time_ns,
					     .is_executable = !(record->misc & XP_MISC_MMAP_DATA) },
		       &(struct xp_live_file){ .name = (const char *)(mmap + 1) });
}

static int note_mmap2(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_mmap2 *mmap = (const void *)record;
	struct xp_live_file file = { .name = (const char *)(mmap + 1),
				     .has_build_id = record->misc & XP_MISC_MMAP_BUILD_ID };

	/* Whichever of both it is; the rest of a build id's room is 0. */
	memcpy(file.identity, &mmap->major, sizeof(file.identity));
	return add_map(maps, mmap->pid,
		       (struct xp_live_map){ .start = mmap->address,
					     .end = mmap->address + mmap->len,
					     .offset = mmap->offset,
					     .since_ns = time_ns,
					     .is_executable = mmap->prot & PROT_EXEC },
		       &file);
}

/* What was mapped after a time, in another space, too. */
static int copy_newer(struct xp_live_maps *maps, const struct xp_live_space *from,
		      struct xp_live_space *to, uint64_t time_ns)
{
	int err = 0;

	for (size_t i = 0; i < from->nr && !err; i++)
		if (from->at[i].since_ns > time_ns)
			err = xp_space_map(maps, to, from->at[i], false);
	return err;
}

/* An exec leaves nothing of what was mapped before it. What came after it can be known already,
 * from the ring of another CPU. */
static int note_comm(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_comm *comm = (const void *)record;

	if (!(record->misc & XP_MISC_COMM_EXEC) || !time_ns)
		return 0;
	struct xp_live_process *process = know_process(maps, comm->pid);

	if (process && process->tenures[0].since_ns > time_ns)
		return 0;
	struct xp_live_space *space = process ? xp_space_new(maps, time_ns) : NULL;

	if (!space)
		return -ENOMEM;
	int err = copy_newer(maps, process->tenures[0].space, space, time_ns);
	process->nr_threads = 0;
	begin_tenure(maps, process, space, time_ns);
	return err;
}

/* The child has the maps of its parent, and those of its own that came before this record of it. */
static int begin_child(struct xp_live_maps *maps, struct xp_live_process *child,
		       struct xp_live_space *of_parent, uint64_t time_ns)
{
	const struct xp_live_space *known = child->tenures[0].space;
	struct xp_live_space *space = of_parent;

	if (known->nr)
		space = xp_space_clone(maps, of_parent);
	else
		space->refs++;
	if (!space)
		return -ENOMEM;
	int err = space == of_parent ? 0 : copy_newer(maps, known, space, time_ns);
	begin_tenure(maps, child, space, time_ns);
	return err;
}

static int note_fork(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_task *task = (const void *)record;
	struct xp_live_process *parent = know_process(maps, task->parent_pid);

	if (!parent)
		return -ENOMEM;
	if (task->pid == task->parent_pid) {
		parent->nr_threads++;
		return 0;
	}
	struct xp_live_process *child = know_process(maps, task->pid);
	/* What is known of it already is newer than the fork. */
	if (!child || record->misc & XP_MISC_FORK_EXEC || !time_ns ||
	    (child->tenures[0].since_ns && child->tenures[0].since_ns >= time_ns))
		return child ? 0 : -ENOMEM;
	child->nr_threads = 0;
	return begin_child(maps, child, parent->tenures[0].space, time_ns);
}

static int note_exit(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_task *task = (const void *)record;
	struct xp_live_process *process = find_process(maps, task->pid);

	(void)time_ns;
	if (!process)
		return 0;
	if (task->tid != task->pid && process->nr_threads)
		process->nr_threads--;
	else if (task->tid == task->pid)
		process->has_ended = true;
	return 0;
}

static int (*const notes[])(struct xp_live_maps *maps, const struct xp_record *record,
			    uint64_t time_ns) = {
	[XP_RECORD_MMAP] = note_mmap, [XP_RECORD_MMAP2] = note_mmap2, [XP_RECORD_COMM] = note_comm,
	[XP_RECORD_FORK] = note_fork, [XP_RECORD_EXIT] = note_exit,
};

bool xp_live_wants(uint32_t type)
{
	return type < sizeof(notes) / sizeof(notes[0]) && notes[type];
}

int xp_live_add(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns)
{
	if (!xp_live_wants(record->type) || (record->misc & XP_MISC_CPUMODE_MASK) == XP_MISC_KERNEL)
		return 0;
	int err = xp_record_check(record, xp_record_kind(record->type), NULL);

	if (err)
		return err;
	if (time_ns > maps->latest_ns)
		maps->latest_ns = time_ns;
	return notes[record->type](maps, record, time_ns);
}

/* --- forgetting --- */

static void prune_process(struct xp_live_maps *maps, struct xp_live_process *process,
			  uint64_t before_ns)
{
	while (process->nr_tenures > 1 &&
	       process->tenures[process->nr_tenures - 2].since_ns < before_ns)
		xp_space_unref(maps, process->tenures[--process->nr_tenures].space);
	xp_space_prune(process->tenures[0].space, before_ns);
}

/* Without memory they stay. */
static void drop_ended(struct xp_live_maps *maps)
{
	struct index by_pid = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < maps->nr_processes; i++) {
		struct xp_live_process *process = maps->processes[i];

		if (!process->had_ended_before &&
		    index_add(&by_pid, pid_hash(process->pid), nr++)) {
			index_fini(&by_pid);
			return;
		}
	}
	nr = 0;
	for (size_t i = 0; i < maps->nr_processes; i++) {
		if (maps->processes[i]->had_ended_before)
			process_free(maps, maps->processes[i]);
		else
			maps->processes[nr++] = maps->processes[i];
	}
	maps->nr_processes = nr;
	index_fini(&maps->by_pid);
	maps->by_pid = by_pid;
}

void xp_live_prune(struct xp_live_maps *maps, uint64_t before_ns)
{
	size_t nr_gone = 0;

	for (size_t i = 0; i < maps->nr_processes; i++) {
		prune_process(maps, maps->processes[i], before_ns);
		nr_gone += maps->processes[i]->had_ended_before;
	}
	/* The table is made anew: worth it when there are many. */
	if (nr_gone > maps->nr_processes / 4)
		drop_ended(maps);
	for (size_t i = 0; i < maps->nr_processes; i++)
		maps->processes[i]->had_ended_before =
			maps->processes[i]->has_ended && !maps->processes[i]->nr_threads;
}

void xp_live_fini(struct xp_live_maps *maps)
{
	for (size_t i = 0; i < maps->nr_processes; i++)
		process_free(maps, maps->processes[i]);
	for (size_t i = 0; i < maps->nr_files; i++)
		free(maps->files[i]);
	free(maps->processes);
	free(maps->files);
	free(maps->dumps);
	index_fini(&maps->by_pid);
	index_fini(&maps->by_file);
	*maps = (struct xp_live_maps){ 0 };
}

void xp_live_changed(struct xp_live_maps *maps, int dump, uint64_t time_ns)
{
	for (size_t i = 0; i < maps->nr_processes; i++)
		for (int at = 0; at < maps->processes[i]->nr_tenures; at++) {
			struct xp_live_space *space = maps->processes[i]->tenures[at].space;

			if (space->dump != dump)
				continue;
			space->state = ++maps->state;
			if (time_ns > space->changed_ns)
				space->changed_ns = time_ns;
		}
}

/* --- looking up --- */

bool xp_live_has_ended(const struct xp_live_maps *maps, uint32_t pid)
{
	const struct xp_live_process *process = find_process(maps, pid);

	return process && process->has_ended && !process->nr_threads;
}

const struct xp_live_space *xp_live_space(const struct xp_live_maps *maps, uint32_t pid,
					  uint64_t time_ns, uint64_t *ret_state)
{
	const struct xp_live_process *process = find_process(maps, pid);
	int at = 0;

	*ret_state = 0;
	if (!process)
		return NULL;
	while (at < process->nr_tenures - 1 && process->tenures[at].since_ns > time_ns)
		at++;
	const struct xp_live_space *space = process->tenures[at].space;

	if (time_ns >= space->changed_ns)
		*ret_state = space->state;
	return space;
}
