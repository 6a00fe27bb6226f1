/* SPDX-License-Identifier: MIT */
/*
 * How long tasks waited. A sample that the kernel takes when a task leaves its CPU has the call
 * chain of the wait. It is kept until the task is back, and written then, with the time away as
 * its period, as of the end of the wait. Who was preempted did not wait.
 *
 * Where the kernel's part may not be sampled there is no such sample, and the last one of the
 * task, of any event, gives the user's part of the call chain.
 *
 * A task goes from CPU to CPU, and rings are read one after the other. So switches wait until all
 * rings have been read once more, and are then looked at in the order of time.
 *
 * Source: linux/perf_event.h, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT_PREEMPT; of the rule
 * of rounds: Documentation/perf.data-file-format.txt of perf, PERF_RECORD_FINISHED_ROUND.
 */
#include "off-cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/evsel.h>
#include <xperf/record.h>
#include <xperf/sample.h>
#include <xperf/sys.h>

#include "vec.h"

enum kind { KIND_SAMPLE, KIND_OUT, KIND_PREEMPTED, KIND_IN, KIND_EXIT };

/* Something that happened to a task. @at, @len: its sample in the pool */
struct item {
	uint64_t time_ns, nr; /* @nr: in the order in which they came */
	size_t at, len;
	int32_t pid, tid;
	int event; /* of the sample */
	enum kind kind;
};

/* @sample: of the present wait, or the last one: see above */
struct task {
	uint64_t out_ns; /* 0: it runs, or that is not known */
	char *sample;
	size_t len, room;
	int event; /* -1: there is no sample */
	int32_t pid, tid;
	bool has_ended;
};

struct xp_off_cpu {
	const struct xp_attr *tracking; /* of the records of switches */
	struct xp_attr *attrs;          /* of the events, as their samples are here */
	int event;
	uint64_t id, min_ns;
	bool uses_last; /* samples of other events */
	struct item *items;
	size_t nr_items, room;
	struct xp_str pool;
	uint64_t nr;
	uint64_t newest_ns, complete_ns; /* of all records; what is older has been read */
	uint64_t newest_now_ns;          /* when the newest was looked at, by the context's clock */
	struct xp_id_map tids;
	struct task *tasks;
	int nr_tasks;
	struct xp_str out;
	_Alignas(8) char buf[XP_RECORD_ROOM];
};

/* --- new and free --- */

int xp_off_cpu_new(const struct xp_recorder *r, struct xp_off_cpu **ret_off)
{
	const uint64_t needed = XP_SAMPLE_TIME | XP_SAMPLE_TID | XP_SAMPLE_PERIOD;
	const struct xp_attr *attr = xp_evsel_attr_const(r->opts.off_cpu);
	struct xp_off_cpu *off = calloc(1, sizeof(*off));

	if (off)
		off->attrs = calloc((size_t)r->shed.nr_events, sizeof(*off->attrs));
	if (!off || !off->attrs) {
		xp_off_cpu_free(off);
		return -ENOMEM;
	}
	off->min_ns = r->opts.off_cpu_min_ns;
	off->uses_last = attr->exclude_kernel;
	off->event = -1;
	for (int i = 0; i < r->shed.nr_events; i++) {
		const struct xp_shed_event *event = &r->shed.events[i];

		off->attrs[i] = *event->attr;
		if (r->opts.unwind)
			xp_unwound_attr(&off->attrs[i], r->opts.kept_regs);
		if (event->attr == attr) {
			off->event = i;
			off->id = event->id;
		}
		if (event->attr->context_switch)
			off->tracking = event->attr;
	}
	if (off->event < 0 || !off->tracking || (attr->sample_type & needed) != needed ||
	    !off->tracking->sample_id_all) {
		xp_off_cpu_free(off);
		return -EINVAL;
	}
	*ret_off = off;
	return 0;
}

void xp_off_cpu_free(struct xp_off_cpu *off)
{
	if (!off)
		return;
	for (int i = 0; i < off->nr_tasks; i++)
		free(off->tasks[i].sample);
	free(off->tasks);
	free(off->items);
	free(off->attrs);
	xp_id_map_fini(&off->tids);
	xp_str_fini(&off->pool);
	xp_str_fini(&off->out);
	free(off);
}

/* --- what happens to one task, in the order of time --- */

/* NULL on out of memory. */
static struct task *task_of(struct xp_off_cpu *off, int32_t tid)
{
	int idx = xp_id_map_find(&off->tids, (uint32_t)tid);

	if (idx >= 0)
		return &off->tasks[idx];
	if (vec_add(&off->tasks, (size_t)off->nr_tasks, sizeof(*off->tasks)) ||
	    xp_id_map_add(&off->tids, (uint32_t)tid, off->nr_tasks))
		return NULL;
	off->tasks[off->nr_tasks] = (struct task){ .event = -1, .tid = tid };
	return &off->tasks[off->nr_tasks++];
}

static int keep_sample(struct task *task, const struct item *item, const char *bytes)
{
	if (item->len > task->room) {
		char *larger = realloc(task->sample, item->len);

		if (!larger)
			return -ENOMEM;
		task->sample = larger;
		task->room = item->len;
	}
	memcpy(task->sample, bytes, item->len);
	task->len = item->len;
	task->event = item->event;
	return 0;
}

static void forget_sample(struct task *task)
{
	free(task->sample);
	task->sample = NULL;
	task->len = task->room = 0;
	task->event = -1;
}

/* What is known of a wait, in the fields of a sample: those of the kept one, or who waited where
 * there is none. Returns 0, -ENODATA. */
static int describe(const struct xp_recorder *r, const struct task *task,
		    struct xp_sample *ret_sample)
{
	static const struct xp_record in_user = { .type = XP_RECORD_SAMPLE, .misc = XP_MISC_USER };
	const struct xp_off_cpu *off = r->off_cpu;

	if (task->event >= 0 &&
	    xp_sample_decode((const void *)task->sample, &off->attrs[task->event], ret_sample))
		return -ENODATA;
	if (task->event < 0 && !off->uses_last)
		return -ENODATA;
	if (task->event < 0) {
		ret_sample->record = &in_user;
		ret_sample->id.pid = task->pid;
		ret_sample->id.tid = task->tid;
	}
	if (task->event != off->event)
		ret_sample->id.id = off->id;
	return 0;
}

/* Makes the sample of a wait. What cannot be made is not there: nothing else depends on it. */
static int emit(struct xp_recorder *r, struct task *task, uint64_t end_ns)
{
	struct xp_off_cpu *off = r->off_cpu;
	struct xp_sample sample = { .size = sizeof(sample) };
	uint64_t wait_ns = end_ns - task->out_ns;

	if (end_ns <= task->out_ns || wait_ns < off->min_ns || describe(r, task, &sample))
		return 0;
	sample.id.time_ns = end_ns;
	sample.period = wait_ns;
	int len = xp_sample_encode(&sample, &off->attrs[off->event], off->buf, sizeof(off->buf));
	if (len <= 0)
		return 0;
	xp_scan_add(&r->scan, XP_NR_MADE, 1);
	return xp_str_add(&off->out, off->buf, (size_t)len);
}

/* The sample of a switch is that of one wait. */
static void end_wait(const struct xp_off_cpu *off, struct task *task)
{
	task->out_ns = 0;
	if (!off->uses_last)
		task->event = -1;
}

static int leave(struct task *task, const struct item *item)
{
	task->pid = item->pid;
	task->out_ns = task->has_ended ? 0 : item->time_ns;
	return 0;
}

static int come_back(struct xp_recorder *r, struct task *task, uint64_t time_ns)
{
	int err = task->out_ns ? emit(r, task, time_ns) : 0;

	task->has_ended = false;
	end_wait(r->off_cpu, task);
	return err;
}

static int follow(struct xp_recorder *r, const struct item *item)
{
	struct xp_off_cpu *off = r->off_cpu;
	struct task *task = task_of(off, item->tid);

	if (!task)
		return -ENOMEM;
	switch (item->kind) {
	case KIND_SAMPLE:
		return keep_sample(task, item, off->pool.s + item->at);
	case KIND_OUT:
		return leave(task, item);
	case KIND_IN:
		return come_back(r, task, item->time_ns);
	case KIND_PREEMPTED:
		end_wait(off, task);
		return 0;
	case KIND_EXIT:
		task->has_ended = true;
		task->out_ns = 0;
		forget_sample(task);
		return 0;
	}
	return 0;
}

/* --- order --- */

static int compare(const void *a, const void *b)
{
	const struct item *l = a, *r = b;

	if (l->time_ns != r->time_ns)
		return l->time_ns < r->time_ns ? -1 : 1;
	return l->nr < r->nr ? -1 : l->nr > r->nr;
}

/* Forgets the first items, and their samples. */
static int forget(struct xp_off_cpu *off, size_t nr)
{
	struct xp_str pool = { 0 };

	off->nr_items -= nr;
	memmove(off->items, off->items + nr, off->nr_items * sizeof(*off->items));
	for (size_t i = 0; i < off->nr_items; i++) {
		struct item *item = &off->items[i];
		size_t at = pool.len;

		if (item->len && xp_str_add(&pool, off->pool.s + item->at, item->len)) {
			xp_str_fini(&pool);
			return -ENOMEM;
		}
		item->at = at;
	}
	xp_str_fini(&off->pool);
	off->pool = pool;
	return 0;
}

/* Looks at what happened up to a time. */
static int follow_all(struct xp_recorder *r, uint64_t until_ns)
{
	struct xp_off_cpu *off = r->off_cpu;
	size_t nr = 0;
	int err = 0;

	if (off->nr_items)
		qsort(off->items, off->nr_items, sizeof(*off->items), compare);
	for (; !err && nr < off->nr_items && off->items[nr].time_ns <= until_ns; nr++)
		err = follow(r, &off->items[nr]);
	return err || !nr ? err : forget(off, nr);
}

/* --- records --- */

static int add_item(struct xp_off_cpu *off, struct item item, const struct xp_record *sample)
{
	if (vec_reserve(&off->items, off->nr_items, &off->room, sizeof(*off->items)))
		return -ENOMEM;
	item.nr = off->nr++;
	item.at = off->pool.len;
	item.len = sample ? sample->size : 0;
	if (sample && xp_str_add(&off->pool, (const char *)sample, sample->size))
		return -ENOMEM;
	off->items[off->nr_items++] = item;
	return 0;
}

/* Returns 1 for a sample that is held back, 0, or -ENOMEM. */
static int note_sample(struct xp_recorder *r, const struct xp_record *record)
{
	struct xp_off_cpu *off = r->off_cpu;
	const struct xp_shed_event *its = xp_shed_event_of(&r->shed, record);
	struct xp_sample sample = { .size = sizeof(sample) };

	if (!its)
		return 0;
	int event = (int)(its - r->shed.events);
	const struct xp_attr *attr = &off->attrs[event];
	uint64_t time_ns = xp_sample_time_of(record, attr);
	if (time_ns != XP_NO_TIME && time_ns > off->newest_ns)
		off->newest_ns = time_ns;
	if (event != off->event && !off->uses_last)
		return 0;
	if (xp_sample_decode(record, attr, &sample))
		return 0;
	int err = sample.id.tid > 0 ? add_item(off,
					       (struct item){ .time_ns = time_ns,
							      .tid = sample.id.tid,
							      .event = event,
							      .kind = KIND_SAMPLE },
					       record)
				    : 0;
	return err ? err : event == off->event;
}

static enum kind kind_of_switch(const struct xp_record *record)
{
	if (!(record->misc & XP_MISC_SWITCH_OUT))
		return KIND_IN;
	return record->misc & XP_MISC_SWITCH_OUT_PREEMPT ? KIND_PREEMPTED : KIND_OUT;
}

static int note_other(struct xp_off_cpu *off, const struct xp_record *record)
{
	struct xp_sample_id id = { .tid = -1, .time_ns = XP_NO_TIME };
	struct item item = { .event = -1 };

	if (xp_sample_id_decode(record, off->tracking, &id) || id.time_ns == XP_NO_TIME)
		return 0;
	if (id.time_ns > off->newest_ns)
		off->newest_ns = id.time_ns;
	item.time_ns = id.time_ns;
	item.pid = id.pid;
	item.tid = id.tid;
	if (record->type == XP_RECORD_SWITCH || record->type == XP_RECORD_SWITCH_CPU_WIDE)
		item.kind = kind_of_switch(record);
	else if (record->type == XP_RECORD_EXIT)
		item.kind = KIND_EXIT;
	else
		return 0;
	/* Nobody waits while a CPU is idle. */
	return item.tid > 0 ? add_item(off, item, NULL) : 0;
}

/* Returns 1 for a record that is held back, 0, or -ENOMEM. */
static int note(struct xp_recorder *r, const struct xp_record *record)
{
	if (record->type == XP_RECORD_SAMPLE)
		return note_sample(r, record);
	return record->type < XP_RECORD_HEADER_ATTR ? note_other(r->off_cpu, record) : 0;
}

/* --- writing --- */

static int write_made(struct xp_recorder *r)
{
	struct xp_str *out = &r->off_cpu->out;
	int err = out->len ? xp_files_write(r, out->s, out->len) : 0;

	xp_str_fini(out);
	return err;
}

/* Before the mark of a round, by which readers sort, all that is older is there. */
static int finish_round(struct xp_recorder *r)
{
	struct xp_off_cpu *off = r->off_cpu;
	int err = follow_all(r, off->complete_ns);

	off->complete_ns = off->newest_ns;
	return err;
}

int xp_off_cpu_write(struct xp_recorder *r, struct xp_block *block)
{
	uint64_t newest_ns = r->off_cpu->newest_ns;
	size_t written = 0, kept = 0;
	int err = 0;

	for (size_t at = 0, size; !err && at < block->len; at += size) {
		struct xp_record *record = (void *)(block->bytes + at);

		size = record->size;
		if (record->type == XP_RECORD_FINISHED_ROUND)
			err = finish_round(r);
		if (!err && r->off_cpu->out.len) {
			err = xp_files_write(r, block->bytes + written, kept - written);
			written = kept;
		}
		if (!err)
			err = write_made(r);
		int held = err ? err : note(r, record);
		if (held > 0)
			xp_scan_add(&r->scan, XP_NR_HELD, 1);
		if (held) {
			err = held < 0 ? held : err;
			continue;
		}
		memmove(block->bytes + kept, record, size);
		kept += size;
	}
	if (r->off_cpu->newest_ns != newest_ns)
		r->off_cpu->newest_now_ns = r->sys->now(r->sys);
	return err ? err : xp_files_write(r, block->bytes + written, kept - written);
}

/* Events have a clock of their own. A record is looked at after it was written, so what is added to
 * its time is never too much. */
int xp_off_cpu_end(struct xp_recorder *r)
{
	struct xp_off_cpu *off = r->off_cpu;
	uint64_t end_ns = off->newest_ns + (r->sys->now(r->sys) - off->newest_now_ns);
	int err = follow_all(r, UINT64_MAX);

	for (int i = 0; !err && i < off->nr_tasks; i++)
		if (off->tasks[i].out_ns)
			err = emit(r, &off->tasks[i], end_ns);
	return err ? err : write_made(r);
}
