/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording: what a record maps is looked up by a hash over its name and inode, and
 * only what was not seen before costs memory. A thread looks at the files in the background, while
 * processes are still there.
 *
 * Source: perf 6.1, a dump of a recording with build ids, for names and bits of HEADER_BUILD_ID.
 */
#include "build-ids.h"
#include "build-ids-impl.h"
#include "hash.h"
#include "map-id.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/synth.h>

static const char kernel_name[] = "[kernel.kallsyms]";

/* A map as a record describes it; its name points into the record. */
struct seen {
	enum mapped_kind kind;
	struct mapped_file file;
	size_t name_len;
	uint64_t hash;
	char list[32]; /* the name of MAPPED_MADE */
};

int xp_build_ids_new(struct xp_ctx *ctx, struct xp_build_ids **ret_ids)
{
	enum { FIRST_SLOTS = 256 };
	struct xp_build_ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	ids->ctx = ctx;
	ids->nr_slots = FIRST_SLOTS;
	ids->slots = calloc(ids->nr_slots, sizeof(*ids->slots));
	if (!ids->slots) {
		free(ids);
		return -ENOMEM;
	}
	pthread_mutex_init(&ids->lock, NULL);
	pthread_cond_init(&ids->changed, NULL);
	*ret_ids = ids;
	return 0;
}

void xp_build_ids_free(struct xp_build_ids *ids)
{
	if (!ids)
		return;
	/* A child by fork(2) has no thread, and locks as they were. */
	bool is_left = ids->has_thread && !xp_ctx_is_here(ids->ctx);
	if (ids->has_thread && !is_left) {
		pthread_mutex_lock(&ids->lock);
		ids->quit = true;
		pthread_cond_broadcast(&ids->changed);
		pthread_mutex_unlock(&ids->lock);
		pthread_join(ids->thread, NULL);
	}
	for (struct mapped *mapped = ids->first, *next; mapped; mapped = next) {
		next = mapped->next;
		xp_mapped_free_ways(mapped->ways);
		free(mapped);
	}
	if (!is_left) {
		pthread_cond_destroy(&ids->changed);
		pthread_mutex_destroy(&ids->lock);
	}
	free(ids->slots);
	free(ids);
}

static struct mapped *next_job(struct xp_build_ids *ids)
{
	struct mapped *job = ids->to_read;

	if (job)
		ids->to_read = job->next_to_read;
	ids->is_reading = job;
	return job;
}

static void note(struct mapped *mapped, const struct looked_at *looked)
{
	mapped->device = looked->device;
	mapped->inode = looked->inode;
	mapped->ways = looked->ways;
	if (!mapped->id.len)
		mapped->id = looked->id;
}

static void *read_all(void *data)
{
	struct xp_build_ids *ids = data;
	struct looked_at looked;

	pthread_mutex_lock(&ids->lock);
	while (!ids->quit) {
		struct mapped *job = next_job(ids);

		if (!job) {
			pthread_cond_broadcast(&ids->changed);
			pthread_cond_wait(&ids->changed, &ids->lock);
			continue;
		}
		pthread_mutex_unlock(&ids->lock);
		xp_mapped_look(ids, job, &looked);
		pthread_mutex_lock(&ids->lock);
		note(job, &looked);
	}
	pthread_mutex_unlock(&ids->lock);
	return NULL;
}

/* Signals are for the program's own threads. Returns 0 or -errno. */
static int start_thread(struct xp_build_ids *ids)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = pthread_create(&ids->thread, NULL, read_all, ids);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	ids->has_thread = !err;
	return -err;
}

void xp_build_ids_start_thread(struct xp_build_ids *ids)
{
	if (!ids->has_thread)
		start_thread(ids);
}

/* Where there can be no thread it is read at once. */
static void read_later(struct xp_build_ids *ids, struct mapped *mapped)
{
	if (!ids->has_thread && start_thread(ids)) {
		struct looked_at looked;

		xp_mapped_look(ids, mapped, &looked);
		note(mapped, &looked);
		return;
	}
	pthread_mutex_lock(&ids->lock);
	bool was_empty = !ids->to_read;
	if (was_empty)
		ids->to_read = mapped;
	else
		ids->to_read_last->next_to_read = mapped;
	ids->to_read_last = mapped;
	if (was_empty)
		pthread_cond_broadcast(&ids->changed);
	pthread_mutex_unlock(&ids->lock);
}

void xp_build_ids_wait(struct xp_build_ids *ids)
{
	if (!ids->has_thread)
		return;
	pthread_mutex_lock(&ids->lock);
	while (ids->to_read || ids->is_reading)
		pthread_cond_wait(&ids->changed, &ids->lock);
	pthread_mutex_unlock(&ids->lock);
}

/* What a name in a record of the kernel, or of a process, stands for. Returns false: no file. */
static bool kernel_kind(struct seen *seen)
{
	size_t len = strlen(kernel_name);

	if (seen->name_len >= len && !memcmp(seen->file.name, kernel_name, len)) {
		seen->kind = MAPPED_KERNEL;
		seen->name_len = len; /* without the reference symbol */
		return true;
	}
	seen->kind = MAPPED_MODULE;
	return seen->file.name[0] == '/' || seen->file.name[0] == '[';
}

static bool user_kind(struct seen *seen)
{
	static const char vdso[] = "[vdso]";
	static const char *const no_files[] = { "//", "/dev/zero", "/SYSV", "/anon_hugepage" };

	if (!strcmp(seen->file.name, vdso)) {
		seen->kind = MAPPED_VDSO;
		return true;
	}
	for (size_t i = 0; i < sizeof(no_files) / sizeof(no_files[0]); i++)
		if (!strncmp(seen->file.name, no_files[i], strlen(no_files[i])))
			return false;
	seen->kind = MAPPED_FILE;
	return seen->file.name[0] == '/';
}

/* Memory that code runs in. What an entry is of stands for all such memory of the process. */
static bool made_kind(struct seen *seen)
{
	static const char *const beginnings[] = { "//anon", "/dev/zero", "/anon_hugepage", "[anon",
						  "[heap]" };
	size_t i = 0, nr = sizeof(beginnings) / sizeof(beginnings[0]);

	while (i < nr && strncmp(seen->file.name, beginnings[i], strlen(beginnings[i])) != 0)
		i++;
	if (i == nr || seen->file.pid <= 0)
		return false;
	seen->name_len = (size_t)snprintf(seen->list, sizeof(seen->list), "/tmp/perf-%d.map",
					  seen->file.pid);
	seen->file = (struct mapped_file){ .name = seen->list, .pid = seen->file.pid };
	seen->kind = MAPPED_MADE;
	return true;
}

/* The name behind the fixed part. Returns false: it has no end. */
static bool parse_name(const struct xp_record *record, size_t fixed, struct seen *seen)
{
	if (record->size <= fixed)
		return false;
	seen->file.name = (const char *)record + fixed;
	seen->name_len = strnlen(seen->file.name, record->size - fixed);
	return seen->name_len < record->size - fixed && seen->name_len < PATH_MAX;
}

static bool parse_mmap2(const struct xp_record *record, struct seen *seen)
{
	const struct xp_record_mmap2 *mmap2 = (const void *)record;

	if (!parse_name(record, sizeof(*mmap2), seen))
		return false;
	if (!has_map_id(mmap2)) {
		seen->file.inode = mmap2->inode;
		seen->file.inode_generation = mmap2->inode_generation;
		seen->file.major = mmap2->major;
		seen->file.minor = mmap2->minor;
		return true;
	}
	seen->file.id.len = mmap2->build_id_size;
	memcpy(seen->file.id.bytes, mmap2->build_id, seen->file.id.len);
	return true;
}

/* Returns false: not of interest. */
static bool look(const struct xp_record *record, struct seen *seen)
{
	const struct xp_record_mmap *mmap = (const void *)record;
	unsigned int mode = record->misc & XP_MISC_CPUMODE_MASK;

	if (record->misc & XP_MISC_MMAP_DATA ||
	    !(record->type == XP_RECORD_MMAP2  ? parse_mmap2(record, seen)
	      : record->type == XP_RECORD_MMAP ? parse_name(record, sizeof(*mmap), seen)
					       : false))
		return false;
	seen->file.pid = (int32_t)mmap->pid;
	seen->file.start = mmap->address;
	seen->file.end = mmap->address + mmap->len;
	return mode == XP_MISC_KERNEL ? kernel_kind(seen)
	       : mode == XP_MISC_USER ? made_kind(seen) || user_kind(seen)
				      : false;
}

static uint64_t hash_of(const struct seen *seen)
{
	uint64_t hash = xp_hash_word(xp_hash_seed(), seen->file.inode);

	hash = xp_hash_bytes(hash, seen->file.id.bytes, seen->file.id.len);
	return xp_hash_bytes(hash, seen->file.name, seen->name_len);
}

/* Only the kernel's own records have it. */
static bool is_other_generation(const struct mapped_file *a, const struct mapped_file *b)
{
	return a->inode_generation && b->inode_generation &&
	       a->inode_generation != b->inode_generation;
}

/* One file may be known twice: by its inode, and by the build id a record bears. */
static bool is_same(const struct mapped *mapped, const struct seen *seen)
{
	const struct mapped_file *a = &mapped->file, *b = &seen->file;

	return mapped->hash == seen->hash && mapped->name_len == seen->name_len &&
	       mapped->kind == seen->kind && a->inode == b->inode && !is_other_generation(a, b) &&
	       a->major == b->major && a->minor == b->minor &&
	       !memcmp(&a->id, &b->id, sizeof(a->id)) &&
	       !memcmp(mapped->name, b->name, seen->name_len);
}

/* The place of what was seen, or the free one for it. */
static struct mapped **find_slot(const struct xp_build_ids *ids, const struct seen *seen)
{
	size_t at = seen->hash & (ids->nr_slots - 1);

	while (ids->slots[at] && !is_same(ids->slots[at], seen))
		at = (at + 1) & (ids->nr_slots - 1);
	return &ids->slots[at];
}

static int grow(struct xp_build_ids *ids)
{
	size_t nr_slots = ids->nr_slots * 2;
	struct mapped **slots = calloc(nr_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (struct mapped *mapped = ids->first; mapped; mapped = mapped->next) {
		size_t at = mapped->hash & (nr_slots - 1);

		while (slots[at])
			at = (at + 1) & (nr_slots - 1);
		slots[at] = mapped;
	}
	free(ids->slots);
	ids->slots = slots;
	ids->nr_slots = nr_slots;
	return 0;
}

static struct mapped *new_mapped(const struct seen *seen)
{
	struct mapped *mapped = calloc(1, sizeof(*mapped) + seen->name_len + 1);

	if (!mapped)
		return NULL;
	mapped->hash = seen->hash;
	mapped->kind = seen->kind;
	mapped->file = seen->file;
	mapped->file.name = mapped->name;
	mapped->id = seen->file.id;
	mapped->name_len = seen->name_len;
	memcpy(mapped->name, seen->file.name, seen->name_len);
	return mapped;
}

int xp_build_ids_add(struct xp_build_ids *ids, const struct xp_record *record)
{
	struct seen seen = { 0 };

	if (!look(record, &seen))
		return 0;
	seen.hash = hash_of(&seen);
	if (*find_slot(ids, &seen))
		return 0;
	struct mapped *mapped = new_mapped(&seen);
	if (!mapped || (ids->nr * 2 >= ids->nr_slots && grow(ids))) {
		free(mapped);
		return -ENOMEM;
	}
	*find_slot(ids, &seen) = mapped;
	ids->nr++;
	if (ids->last)
		ids->last->next = mapped;
	else
		ids->first = mapped;
	ids->last = mapped;
	if (!mapped->id.len || mapped->kind == MAPPED_FILE || mapped->kind == MAPPED_MADE)
		read_later(ids, mapped);
	return 0;
}

static bool is_of_kernel(const struct mapped *mapped)
{
	return mapped->kind == MAPPED_KERNEL || mapped->kind == MAPPED_MODULE;
}

static int emit(const struct mapped *mapped, xp_record_fn fn, void *data)
{
	struct {
		struct xp_record_build_id id;
		char name[PATH_MAX + 8];
	} rec = { 0 };

	rec.id.header.type = XP_RECORD_HEADER_BUILD_ID;
	rec.id.header.misc =
		XP_MISC_BUILD_ID_SIZE | (is_of_kernel(mapped) ? XP_MISC_KERNEL : XP_MISC_USER);
	rec.id.header.size = (uint16_t)((sizeof(rec.id) + mapped->name_len + 8) & ~(size_t)7);
	rec.id.pid = -1;
	rec.id.build_id_size = mapped->id.len;
	memcpy(rec.id.build_id, mapped->id.bytes, mapped->id.len);
	memcpy(rec.name, mapped->name, mapped->name_len);
	return fn(&rec.id.header, data);
}

int xp_build_ids_walk(struct xp_build_ids *ids, xp_record_fn fn, void *data)
{
	int err = 0;

	xp_build_ids_wait(ids);
	for (int of_kernel = 1; of_kernel >= 0; of_kernel--)
		for (const struct mapped *mapped = ids->first; mapped && !err;
		     mapped = mapped->next)
			if (mapped->id.len && is_of_kernel(mapped) == of_kernel)
				err = emit(mapped, fn, data);
	return err;
}
