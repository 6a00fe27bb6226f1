/* SPDX-License-Identifier: MIT */
/*
 * The timeline's intake: records of the side band become events, by a table.
 *
 * Source: linux/perf_event.h (Linux 7.2); perf 6.1, recordings of it: the kernel's map bears the
 * name of its reference symbol, "[kernel.kallsyms]_text", and has its address as offset; tasks that
 * were there before have time 0, and their FORK the bit of an exec.
 */
#include "timeline-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

#include "map-id.h"
#include "record.h"

enum { KSYMBOL_WENT = 1 };

void *xp_vector_add(struct vector *vector, size_t size)
{
	if (vector->nr == vector->cap) {
		size_t cap = vector->cap ? vector->cap * 2 : 16;
		void *at = cap > UINT32_MAX ? NULL : reallocarray(vector->at, cap, size);

		if (!at)
			return NULL;
		vector->at = at;
		vector->cap = cap;
	}
	return memset((char *)vector->at + vector->nr++ * size, 0, size);
}

int xp_timeline_new(struct xp_timeline **ret_timeline)
{
	struct xp_timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return -ENOMEM;
	pthread_mutex_init(&timeline->lock, NULL);
	*ret_timeline = timeline;
	return 0;
}

void xp_timeline_free(struct xp_timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->processes.nr; i++)
		free(((struct process *)timeline->processes.at)[i].versions);
	for (size_t i = 0; i < timeline->threads.nr; i++)
		free(((struct thread *)timeline->threads.at)[i].names);
	free(timeline->kernel.versions);
	free(timeline->processes.at);
	free(timeline->threads.at);
	free(timeline->tasks.at);
	free(timeline->events.at);
	free(timeline->maps.at);
	free(timeline->names.at);
	free(timeline->dsos.at);
	free(timeline->dso_next.at);
	free(timeline->known.at);
	xp_timeline_free_chains(timeline);
	xp_timeline_free_moments(timeline);
	xp_id_map_fini(&timeline->dso_of);
	xp_id_map_fini(&timeline->processes_of);
	xp_id_map_fini(&timeline->threads_of);
	xp_ranges_fini(&timeline->ranges);
	xp_intern_fini(&timeline->texts);
	xp_intern_fini(&timeline->unnamed);
	pthread_mutex_destroy(&timeline->lock);
	free(timeline);
}

/* Those that have no time were true before all that have one. */
static struct event *add_event(struct xp_timeline *timeline, enum event_kind kind, uint32_t pid,
			       uint32_t tid, uint64_t time_ns)
{
	struct event *event = xp_vector_add(&timeline->events, sizeof(*event));

	if (event)
		*event = (struct event){
			.time_ns = time_ns == XP_NO_TIME ? 0 : time_ns,
			.position = timeline->position,
			.seq = (uint32_t)timeline->events.nr,
			.kind = (uint8_t)kind,
			.pid = (int32_t)pid,
			.tid = (int32_t)tid,
		};
	return event;
}

/* Returns 0 or -ENOMEM. @mapping is empty: nothing is added. */
static int add_map(struct xp_timeline *timeline, enum event_kind kind, const struct event *who,
		   const struct mapping *mapping)
{
	if (mapping->start >= mapping->end)
		return 0;
	struct mapping *map = xp_vector_add(&timeline->maps, sizeof(*map));
	if (!map)
		return -ENOMEM;
	*map = *mapping;
	struct event *event =
		add_event(timeline, kind, (uint32_t)who->pid, (uint32_t)who->tid, who->time_ns);
	if (!event)
		return -ENOMEM;
	map->time_ns = event->time_ns;
	map->pid = event->pid;
	event->arg = (uint32_t)timeline->maps.nr - 1;
	event->is_kernel = who->is_kernel;
	return 0;
}

static uint64_t end_of(uint64_t start, uint64_t len)
{
	return len > UINT64_MAX - start ? UINT64_MAX : start + len;
}

/* What both kinds of MMAP say. */
struct mmap_facts {
	struct xp_record_mmap mmap;
	const char *name;
	const uint8_t *build_id; /* NULL: not known */
	size_t build_id_len;
	uint32_t prot, flags;
	uint64_t inode, inode_generation;
};

static int add_kernel_mmap(struct xp_timeline *timeline, const struct mmap_facts *facts,
			   uint64_t time_ns)
{
	const struct event who = { .time_ns = time_ns, .pid = -1, .tid = -1, .is_kernel = true };
	size_t known = strlen(KERNEL_NAME), len = strlen(facts->name);
	bool is_text = !strncmp(facts->name, KERNEL_NAME, known);
	int dso = xp_timeline_dso_for(timeline, facts->name, is_text ? known : len, facts->build_id,
				      facts->build_id_len, true, -1);
	struct mapping map = {
		.start = facts->mmap.address,
		.end = end_of(facts->mmap.address, facts->mmap.len),
		.offset = is_text ? facts->mmap.address : facts->mmap.offset,
		.dso = (uint32_t)dso,
		.prot = facts->prot,
		.flags = facts->flags,
	};

	if (dso < 0)
		return dso;
	if (!is_text)
		return add_map(timeline, EVENT_MAP, &who, &map);
	if (timeline->has_kernel)
		return 0;
	if (!facts->mmap.len)
		map.end = UINT64_MAX; /* some versions of perf did not know */
	timeline->kernel_text = map;
	timeline->has_kernel = true;
	if (!facts->name[known] || !facts->mmap.offset)
		return 0;
	timeline->reference = xp_intern_add(&timeline->texts, facts->name + known, len - known);
	timeline->reference_address = facts->mmap.offset;
	return timeline->reference ? 0 : -ENOMEM;
}

static int add_mmap_facts(struct xp_timeline *timeline, const struct mmap_facts *facts,
			  uint64_t time_ns)
{
	const struct xp_record_mmap *mmap = &facts->mmap;
	const struct event who = { .time_ns = time_ns,
				   .pid = (int32_t)mmap->pid,
				   .tid = (int32_t)mmap->tid };

	switch (mmap->header.misc & XP_MISC_CPUMODE_MASK) {
	case XP_MISC_KERNEL:
		return add_kernel_mmap(timeline, facts, time_ns);
	case 0:
	case XP_MISC_USER:
		break;
	default:
		return 0;
	}
	const struct xp_symbol_file file = { .path = facts->name,
					     .build_id = facts->build_id,
					     .build_id_len = facts->build_id_len,
					     .inode = facts->inode,
					     .inode_generation = facts->inode_generation };
	int dso = xp_timeline_user_dso(timeline, &file, who.pid, facts->prot & PROT_EXEC);
	if (dso < 0)
		return dso;
	/* Old kernels recorded the vdso where it is instead. */
	bool is_own_address = mmap->offset == mmap->address && !strcmp(facts->name, "[vdso]");
	/* What code made at run time is called is listed by address, wherever its memory is from:
	 * shared memory has offsets from 0, and private memory that was moved those of before. */
	bool is_listed = xp_timeline_is_listed((struct xp_dso *)timeline->dsos.at + dso);
	return add_map(timeline, EVENT_MAP, &who,
		       &(struct mapping){
			       .start = mmap->address,
			       .end = end_of(mmap->address, mmap->len),
			       .offset = is_listed        ? mmap->address
					 : is_own_address ? 0
							  : mmap->offset,
			       .dso = (uint32_t)dso,
			       .prot = facts->prot,
			       .flags = facts->flags,
			       .inode = facts->inode,
		       });
}

/* It does not say what may be done there but by one bit. */
static int add_mmap(struct xp_timeline *timeline, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_mmap *mmap = (const void *)record;
	struct mmap_facts facts = { .mmap = *mmap, .name = (const char *)(mmap + 1) };

	facts.prot = PROT_READ | (record->misc & XP_MISC_MMAP_DATA ? 0 : PROT_EXEC);
	return add_mmap_facts(timeline, &facts, time_ns);
}

static int add_mmap2(struct xp_timeline *timeline, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_mmap2 *mmap = (const void *)record;
	struct mmap_facts facts = { .name = (const char *)(mmap + 1),
				    .prot = mmap->prot,
				    .flags = mmap->flags };

	memcpy(&facts.mmap, mmap, sizeof(facts.mmap));
	if (has_map_id(mmap)) {
		facts.build_id = mmap->build_id;
		facts.build_id_len = mmap->build_id_size;
	} else {
		facts.inode = mmap->inode;
		facts.inode_generation = mmap->inode_generation;
	}
	return add_mmap_facts(timeline, &facts, time_ns);
}

static int add_comm(struct xp_timeline *timeline, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_comm *comm = (const void *)record;
	const char *text = (const char *)(comm + 1);
	const char *kept = xp_intern_add(&timeline->texts, text, strlen(text));
	const char **name = kept ? xp_vector_add(&timeline->names, sizeof(*name)) : NULL;
	bool is_exec = record->misc & XP_MISC_COMM_EXEC;

	if (!name)
		return -ENOMEM;
	*name = kept;
	struct event *event = add_event(timeline, is_exec ? EVENT_EXEC : EVENT_COMM, comm->pid,
					comm->tid, time_ns);
	if (!event)
		return -ENOMEM;
	event->arg = (uint32_t)timeline->names.nr - 1;
	return 0;
}

static int add_fork(struct xp_timeline *timeline, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_task *task = (const void *)record;
	bool is_made = time_ns && !(record->misc & XP_MISC_FORK_EXEC);
	struct event *event = add_event(timeline, is_made ? EVENT_FORK : EVENT_FOUND, task->pid,
					task->tid, time_ns);

	if (!event)
		return -ENOMEM;
	event->arg = task->parent_pid;
	event->parent_tid = (int32_t)task->parent_tid;
	return 0;
}

static int add_exit(struct xp_timeline *timeline, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_task *task = (const void *)record;

	return add_event(timeline, EVENT_EXIT, task->pid, task->tid, time_ns) ? 0 : -ENOMEM;
}

/* Code the kernel made, of a BPF program for one. */
static int add_ksymbol(struct xp_timeline *timeline, const struct xp_record *record,
		       uint64_t time_ns)
{
	const struct xp_record_ksymbol *symbol = (const void *)record;
	const char *name = (const char *)(symbol + 1);
	const struct event who = { .time_ns = time_ns, .pid = -1, .tid = -1, .is_kernel = true };
	int dso = xp_timeline_dso_for(timeline, name, strlen(name), NULL, 0, true, -1);

	if (dso < 0)
		return dso;
	((struct xp_dso *)timeline->dsos.at + dso)->is_symbol = true;
	return add_map(timeline, symbol->flags & KSYMBOL_WENT ? EVENT_UNMAP : EVENT_MAP, &who,
		       &(struct mapping){
			       .start = symbol->address,
			       .end = end_of(symbol->address, symbol->len),
			       .dso = (uint32_t)dso,
			       .prot = PROT_READ | PROT_EXEC,
		       });
}

static int add_build_id(struct xp_timeline *timeline, const struct xp_record *record,
			uint64_t time_ns)
{
	(void)time_ns;
	return xp_timeline_set_build_id(timeline, (const void *)record);
}

int xp_timeline_add(struct xp_timeline *timeline, const struct xp_record *record,
		    const struct xp_sample_id *id)
{
	static int (*const adders[])(struct xp_timeline * timeline, const struct xp_record *record,
				     uint64_t time_ns) = {
		[XP_RECORD_MMAP] = add_mmap,
		[XP_RECORD_MMAP2] = add_mmap2,
		[XP_RECORD_COMM] = add_comm,
		[XP_RECORD_FORK] = add_fork,
		[XP_RECORD_EXIT] = add_exit,
		[XP_RECORD_KSYMBOL] = add_ksymbol,
		[XP_RECORD_HEADER_BUILD_ID] = add_build_id,
	};

	if (timeline->is_sealed)
		return -EBUSY;
	if (record->type == XP_RECORD_CALLCHAIN_DEFERRED)
		return xp_timeline_add_chain(timeline, record, id);
	if (record->type >= sizeof(adders) / sizeof(adders[0]) || !adders[record->type] ||
	    xp_record_check(record, xp_record_kind(record->type), NULL))
		return 0;
	return adders[record->type](timeline, record, id->time_ns);
}

int xp_timeline_add_at(struct xp_timeline *timeline, const struct xp_record *record,
		       const struct xp_sample_id *id, uint64_t position)
{
	timeline->has_positions = true;
	timeline->position = position;
	return xp_timeline_add(timeline, record, id);
}
