/* SPDX-License-Identifier: MIT */
/*
 * The side band: what tasks do, recorded for the events that ask for it, those of the CPU it
 * happens on and those of the task that does it. Each event that asks gets a record of its own.
 *
 * Source: perf_event_open(2), "mmap", "comm", "task", "context_switch"; behaviour of
 * perf_iterate_sb() in kernel/events/core.c. Contents: linux/perf_event.h.
 */
#include <string.h>
#include <sys/mman.h>
#include <xperf/record.h>

#include "model.h"

/* One event, and how it is written. */
struct news {
	struct sim *sim;
	struct scene scene;
	bool (*asks)(const struct event *event);
	void (*report)(struct record *r, const struct event *event, const struct news *news);
	const struct task *other; /* the child; who ran before or runs next */
	const char *text;
	uint64_t address, len;
	uint32_t type;
	uint16_t misc;
};

static void write_one(struct event *event, void *arg)
{
	const struct news *news = arg;
	struct record *r = &news->sim->scratch;

	if (event->state < EVENT_INACTIVE || (event->cpu >= 0 && event->cpu != news->scene.cpu) ||
	    !event_sees(event, news->scene.task) || !news->asks(event))
		return;
	news->report(r, event, news);
	record_write(news->sim, r, event, &news->scene);
}

static void spread(struct news *news)
{
	context_each(&news->sim->cpus[news->scene.cpu].ctx, write_one, news);
	context_each(&news->scene.task->ctx, write_one, news);
}

static bool asks_for_tasks(const struct event *event)
{
	return event->attr.task || event->attr.comm || event->attr.mmap || event->attr.mmap2 ||
	       event->attr.mmap_data;
}

static bool asks_for_names(const struct event *event)
{
	return event->attr.comm;
}

static bool asks_for_maps(const struct event *event)
{
	return event->attr.mmap || event->attr.mmap2;
}

static bool asks_for_switches(const struct event *event)
{
	return event->attr.context_switch;
}

/* At the end the parent is who will collect the task, else who made it. */
static void write_task(struct record *r, const struct event *event, const struct news *news)
{
	const struct task *task = news->other, *from = news->scene.task;
	pid_t parent = from->tgid, parent_thread = from->tid;

	if (news->type == XP_RECORD_EXIT) {
		const struct task *heir = task->parent ? task->parent : news->sim->self;

		parent = parent_thread = heir->tgid;
	}
	record_start(r, news->type, 0);
	record_u32(r, (uint32_t)task->tgid);
	record_u32(r, (uint32_t)parent);
	record_u32(r, (uint32_t)task->tid);
	record_u32(r, (uint32_t)parent_thread);
	record_u64(r, record_time(news->sim, event));
}

static bool asks_for_namespaces(const struct event *event)
{
	return event->attr.namespaces;
}

/* All tasks are in the first ones. Numbers: include/linux/proc_ns.h. */
static void write_namespaces(struct record *r, const struct event *event, const struct news *news)
{
	static const struct xp_namespace all[] = {
		{ 4, 0xf0000000 }, { 4, 0xeffffffe }, { 4, 0xefffffff }, { 4, 0xeffffffc },
		{ 4, 0xeffffffd }, { 4, 0xf0000001 }, { 4, 0xeffffffb },
	};

	(void)event;
	record_start(r, XP_RECORD_NAMESPACES, 0);
	record_u32(r, (uint32_t)news->other->tgid);
	record_u32(r, (uint32_t)news->other->tid);
	record_u64(r, ARRAY_LEN(all));
	record_bytes(r, all, sizeof(all));
}

static void spread_task(struct sim *sim, struct task *by, const struct task *task, uint32_t type)
{
	struct news news = { .sim = sim,
			     .scene = { by, by->cpu },
			     .asks = asks_for_tasks,
			     .report = write_task,
			     .other = task,
			     .type = type };

	spread(&news);
	if (type != XP_RECORD_FORK)
		return;
	news.asks = asks_for_namespaces;
	news.report = write_namespaces;
	spread(&news);
}

void sideband_fork(struct sim *sim, struct task *parent, const struct task *child)
{
	spread_task(sim, parent, child, XP_RECORD_FORK);
}

void sideband_exit(struct sim *sim, struct task *task)
{
	spread_task(sim, task, task, XP_RECORD_EXIT);
}

void sideband_counts(struct sim *sim, struct event *event)
{
	struct task *task = event->ctx->task;
	struct scene scene = { task, task->cpu };
	struct record *r = &sim->scratch;

	if (!event->attr.inherit_stat)
		return;
	record_start(r, XP_RECORD_READ, 0);
	record_u32(r, (uint32_t)task->tgid);
	record_u32(r, (uint32_t)task->tid);
	record_reading(r, event);
	record_write(sim, r, event, &scene);
}

static void write_comm(struct record *r, const struct event *event, const struct news *news)
{
	(void)event;
	record_start(r, XP_RECORD_COMM, news->misc);
	record_u32(r, (uint32_t)news->scene.task->tgid);
	record_u32(r, (uint32_t)news->scene.task->tid);
	record_text(r, news->text);
}

void sideband_comm(struct sim *sim, struct task *task, bool exec)
{
	struct news news = { .sim = sim,
			     .scene = { task, task->cpu },
			     .asks = asks_for_names,
			     .report = write_comm,
			     .text = task->comm,
			     .misc = exec ? XP_MISC_COMM_EXEC : 0 };

	spread(&news);
}

static void write_map(struct record *r, const struct event *event, const struct news *news)
{
	uint16_t build_id = event->attr.mmap2 && event->attr.build_id ? XP_MISC_MMAP_BUILD_ID : 0;

	record_start(r, event->attr.mmap2 ? XP_RECORD_MMAP2 : XP_RECORD_MMAP,
		     XP_MISC_USER | build_id);
	record_u32(r, (uint32_t)news->scene.task->tgid);
	record_u32(r, (uint32_t)news->scene.task->tid);
	record_u64(r, news->address);
	record_u64(r, news->len);
	record_u64(r, 0);
	if (build_id) {
		record_u32(r, 20);
		record_bytes(r, "a build id of the sim", 20);
	} else if (event->attr.mmap2) {
		record_u32(r, SIM_FILE_MAJOR);
		record_u32(r, SIM_FILE_MINOR);
		record_u64(r, SIM_FILE_INODE);
		record_u64(r, 1);
	}
	if (event->attr.mmap2) {
		record_u32(r, PROT_READ | PROT_EXEC);
		record_u32(r, MAP_PRIVATE);
	}
	record_text(r, news->text);
}

void sideband_map(struct sim *sim, struct task *task, uint64_t address, uint64_t len,
		  const char *path)
{
	struct news news = { .sim = sim,
			     .scene = { task, task->cpu },
			     .asks = asks_for_maps,
			     .report = write_map,
			     .text = path,
			     .address = address,
			     .len = len };

	spread(&news);
}

/* Events of a task know whose switch it is; those of a CPU are given the other one too. */
static void write_switch(struct record *r, const struct event *event, const struct news *news)
{
	record_start(r, event->ctx->task ? XP_RECORD_SWITCH : XP_RECORD_SWITCH_CPU_WIDE,
		     news->misc);
	if (event->ctx->task)
		return;
	record_u32(r, (uint32_t)news->other->tgid);
	record_u32(r, (uint32_t)news->other->tid);
}

void sideband_switch(struct sim *sim, int cpu, struct task *task, const struct task *other,
		     enum switch_kind kind)
{
	static const uint16_t misc[] = {
		[SWITCH_IN] = 0,
		[SWITCH_OUT] = XP_MISC_SWITCH_OUT,
		[SWITCH_PREEMPTED] = XP_MISC_SWITCH_OUT | XP_MISC_SWITCH_OUT_PREEMPT,
	};
	struct news news = { .sim = sim,
			     .scene = { task, cpu },
			     .asks = asks_for_switches,
			     .report = write_switch,
			     .other = other,
			     .misc = misc[kind] };

	spread(&news);
}
