/* SPDX-License-Identifier: MIT */
/*
 * Samples of the scheduler's tracepoints, in the order of time, become what happened to tasks.
 * Where there are none, records of context switches do: they have neither wake-ups nor states.
 *
 * Source: the kernel's include/trace/events/sched.h, whose fields are found by their names in the
 * formats of the recording; perf_event_open(2), PERF_RECORD_SWITCH and PERF_RECORD_SWITCH_CPU_WIDE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/timeline.h>

#include "ordered.h"
#include "sched-impl.h"
#include "trace-number.h"
#include "trace-repeats.h"
#include "vec.h"

/* sched_wakeup is written when the task is on a queue, perhaps by another CPU than its waker's. */
enum { SWITCH, WAKING, WAKEUP, WAKEUP_NEW, NR_KINDS };
enum { MAX_FIELDS = TRACE_HIT_VALUES };

static const struct kind {
	const char *name, *fields[MAX_FIELDS];
} kinds[NR_KINDS] = {
	[SWITCH] = { "sched:sched_switch", { "prev_pid", "next_pid", "prev_state" } },
	[WAKING] = { "sched:sched_waking", { "pid" } },
	[WAKEUP] = { "sched:sched_wakeup", { "pid" } },
	[WAKEUP_NEW] = { "sched:sched_wakeup_new", { "pid" } },
};

/* An event of the recording. */
struct source {
	int kind; /* NR_KINDS: none of these */
	struct trace_number fields[MAX_FIELDS];
};

struct loading {
	struct recording *rec;
	struct sched *sched;
	struct source *sources; /* per event */
	bool has[NR_KINDS + 1];
	struct trace_repeats repeats;
};

/* --- events --- */

static int kind_of(const struct xp_data_event *event)
{
	int kind = 0;

	while (kind < NR_KINDS && !trace_is_event(event, kinds[kind].name))
		kind++;
	return kind;
}

static int find_fields(struct recording *rec, int event, struct source *source)
{
	const struct kind *kind = &kinds[source->kind];
	uint64_t id = xp_data_event_at(rec->data, event)->attr.config;

	for (int i = 0; i < MAX_FIELDS && kind->fields[i]; i++)
		if (trace_number_find(rec, id, kind->fields[i], &source->fields[i]))
			return xp_diag_set(&rec->diag, -EBADMSG,
					   "'%s' does not describe the field %s of %s", rec->path,
					   kind->fields[i], kind->name);
	return 0;
}

static bool has_switch_records(const struct recording *rec)
{
	for (int i = 0; i < rec->nr_events; i++)
		if (xp_data_event_at(rec->data, i)->attr.context_switch)
			return true;
	return false;
}

/* Returns 0, or a negative errno with rec->diag filled: nothing can be said of its tasks. */
static int check(struct recording *rec, bool has_switches)
{
	if (!has_switches && !has_switch_records(rec)) {
		xp_diag_set(&rec->diag, -ENODATA,
			    "'%s' has no event %s, nor records of context switches", rec->path,
			    kinds[SWITCH].name);
		xp_diag_hint(&rec->diag, "Record them with --sched");
		return -ENODATA;
	}
	if (rec->without_times)
		return xp_diag_set(&rec->diag, -ENODATA,
				   "The samples of '%s' have no times: how long tasks ran is not "
				   "known",
				   rec->path);
	return has_switches ? recording_traces(rec, &rec->diag) : 0;
}

static int find_sources(struct loading *loading)
{
	struct recording *rec = loading->rec;
	struct sched *sched = loading->sched;

	loading->sources = calloc((size_t)rec->nr_events + 1, sizeof(*loading->sources));
	if (!loading->sources)
		return -ENOMEM;
	for (int i = 0; i < rec->nr_events; i++) {
		loading->sources[i].kind = kind_of(xp_data_event_at(rec->data, i));
		loading->has[loading->sources[i].kind] = true;
	}
	int err = check(rec, loading->has[SWITCH]);
	for (int i = 0; !err && loading->has[SWITCH] && i < rec->nr_events; i++)
		if (loading->sources[i].kind != NR_KINDS)
			err = find_fields(rec, i, &loading->sources[i]);
	sched->has_states = loading->has[SWITCH];
	sched->has_wakers = loading->has[SWITCH] && loading->has[WAKING];
	sched->has_wakes = sched->has_wakers || (loading->has[SWITCH] && loading->has[WAKEUP]);
	return err;
}

/* --- tracepoints --- */

static int add_switch(struct loading *loading, const struct recorded *recorded,
		      const int64_t values[MAX_FIELDS], bool counts)
{
	struct sched_sums *sums = loading->sched->sums;
	const struct xp_sample_id *id = &recorded->sample.id;
	struct sched_event leaves = {
		.tid = (int32_t)values[0],
		.pid = -1,
		.cpu = id->cpu,
		.time_ns = recorded->time_ns,
		.counts = counts,
	};
	struct sched_event runs = leaves;

	runs.tid = (int32_t)values[1];
	/* The sample is of the task that leaves, unless that has been released by now. */
	if (id->tid == leaves.tid) {
		leaves.pid = id->pid;
		leaves.comm = recording_comm(loading->rec, recorded);
	}
	/* 0: the idle task of each CPU */
	int err = leaves.tid ? sched_sums_leave(sums, &leaves, sched_off_of(values[2])) : 0;
	return err ?: runs.tid ? sched_sums_run(sums, &runs) : 0;
}

static int add_wake(struct loading *loading, int kind, const struct recorded *recorded,
		    const int64_t values[MAX_FIELDS], bool counts)
{
	const struct xp_sample *sample = &recorded->sample;
	struct sched_waker waker = { .tid = SCHED_NOBODY };
	const struct sched_event event = {
		.tid = (int32_t)values[0],
		.pid = -1,
		.cpu = sample->id.cpu,
		.time_ns = recorded->time_ns,
		.counts = counts,
		.is_new = kind == WAKEUP_NEW,
	};

	if (kind == WAKEUP && loading->has[WAKING])
		return 0;
	if (kind != WAKEUP && trace_in_interrupt(sample))
		waker.tid = SCHED_INTERRUPT;
	else if (kind != WAKEUP)
		waker = (struct sched_waker){ sample->id.tid,
					      recording_comm(loading->rec, recorded) };
	return sched_sums_wake(loading->sched->sums, &event, waker);
}

/* Whether times that end with it are counted. They are cut to --time; tasks are filtered as rows.
 */
static bool counts(const struct loading *loading, int event, int cpu, uint64_t time_ns)
{
	return sample_filter_pass_at_any_time(&loading->rec->filter, event, cpu, time_ns);
}

static int add_sample(struct loading *loading, const struct recorded *recorded)
{
	const struct source *source = &loading->sources[recorded->event];
	const struct xp_sample_id *id = &recorded->sample.id;
	struct trace_hit hit = { .event = recorded->event, .kind = source->kind, .tid = id->tid };
	int64_t *values = hit.values;

	if (source->kind == NR_KINDS || !loading->has[SWITCH])
		return 0;
	for (int i = 0; i < MAX_FIELDS && kinds[source->kind].fields[i]; i++)
		if (!trace_number_read(&source->fields[i], &recorded->sample, &values[i]))
			return 0;
	int repeats = trace_repeats_add(&loading->repeats, id->cpu, &hit);
	if (repeats)
		return repeats < 0 ? repeats : 0;
	bool passes = counts(loading, recorded->event, id->cpu, recorded->time_ns);
	if (source->kind == SWITCH)
		return add_switch(loading, recorded, values, passes);
	return add_wake(loading, source->kind, recorded, values, passes);
}

/* --- records --- */

static int add_record(struct loading *loading, const struct xp_record *record, uint64_t time_ns,
		      uint64_t position)
{
	struct recording *rec = loading->rec;
	int number = recording_event_of(rec, record);
	struct xp_sample_id id;

	if (loading->has[SWITCH] || number < 0 ||
	    xp_sample_id_decode(record, &xp_data_event_at(rec->data, number)->attr, &id) ||
	    id.tid <= 0)
		return 0;
	const struct sched_event event = {
		.tid = id.tid,
		.pid = id.pid,
		.comm = xp_timeline_comm_at(rec->timeline, id.pid, id.tid,
					    xp_timeline_moment(rec->timeline, time_ns, position)),
		.cpu = id.cpu,
		.time_ns = time_ns,
		.counts = counts(loading, number, id.cpu, time_ns),
	};
	/* What ends is no longer recorded when it leaves its CPU, right after that. */
	if (record->type == XP_RECORD_EXIT)
		return sched_sums_leave(loading->sched->sums, &event, SCHED_ENDED);
	if (!(record->misc & XP_MISC_SWITCH_OUT))
		return sched_sums_run(loading->sched->sums, &event);
	return sched_sums_leave(loading->sched->sums, &event,
				record->misc & XP_MISC_SWITCH_OUT_PREEMPT ? SCHED_RUNNABLE
									  : SCHED_AWAY);
}

static int add(const struct xp_record *record, uint64_t time_ns, uint64_t position, void *data)
{
	struct loading *loading = data;
	struct recorded recorded;

	if (record->type != XP_RECORD_SAMPLE)
		return add_record(loading, record, time_ns, position);
	int got = recording_decode(loading->rec, record, time_ns, position, &recorded);
	return got > 0 ? add_sample(loading, &recorded) : got;
}

static int keep(const struct xp_record *record, void *data)
{
	(void)data;
	return record->type == XP_RECORD_SAMPLE || record->type == XP_RECORD_EXIT ||
	       record->type == XP_RECORD_SWITCH || record->type == XP_RECORD_SWITCH_CPU_WIDE;
}

/* --- tasks --- */

struct known {
	int32_t pid, tid;
	const char *comm;
};

/* Tasks of the side band, in the order of their ids. */
struct naming {
	const struct recording *rec;
	struct known *known;
	size_t nr;
};

static int note_task(int32_t pid, int32_t tid, int32_t parent_pid, const char *comm, void *data)
{
	struct naming *naming = data;

	(void)parent_pid;
	if (vec_add(&naming->known, naming->nr, sizeof(*naming->known)))
		return -ENOMEM;
	naming->known[naming->nr++] = (struct known){ pid, tid, comm };
	return 0;
}

static int compare_known(const void *a, const void *b)
{
	const struct known *l = a, *r = b;

	return (l->tid > r->tid) - (l->tid < r->tid);
}

static bool has_times(const struct sched_task *task)
{
	return task->nr_runs || task->woken.nr || task->preempted.nr || task->asleep_ns ||
	       task->blocked_ns || task->away_ns || task->open_run_ns;
}

/* What was never seen to leave a CPU has its name from the side band. */
static bool complete(struct sched_task *task, void *data)
{
	struct naming *naming = data;
	const struct sample_filter *filter = &naming->rec->filter;
	const struct known *known =
		naming->nr ? bsearch(&(struct known){ .tid = task->tid }, naming->known, naming->nr,
				     sizeof(*naming->known), compare_known)
			   : NULL;

	if (task->pid < 0 && known)
		task->pid = known->pid;
	if (!task->comm && known)
		task->comm = known->comm;
	return has_times(task) && sample_filter_pass_task(filter, task->pid, task->tid, task->comm);
}

static int finish(struct loading *loading)
{
	struct naming naming = { .rec = loading->rec };
	int err = xp_timeline_tasks(loading->rec->timeline, note_task, &naming);

	if (!err && naming.nr)
		qsort(naming.known, naming.nr, sizeof(*naming.known), compare_known);
	if (!err)
		sched_sums_finish(loading->sched->sums, complete, &naming);
	free(naming.known);
	return err;
}

int sched_times_load(struct recording *rec, struct sched *ret_sched)
{
	struct loading loading = { .rec = rec, .sched = ret_sched };
	const struct xp_order_opts order = { .size = sizeof(order),
					     .keep = keep,
					     .data = &loading };

	*ret_sched = (struct sched){ .sums = sched_sums_new(&rec->filter.times, &ret_sched->lost) };
	int err = ret_sched->sums ? find_sources(&loading) : -ENOMEM;
	if (!err)
		err = losses_load(rec, &ret_sched->lost);
	if (!err)
		err = recording_each_ordered(rec, &order, true, add, &loading);
	if (!err)
		err = finish(&loading);
	trace_repeats_fini(&loading.repeats);
	free(loading.sources);
	return err;
}

void sched_times_fini(struct sched *sched)
{
	sched_sums_free(sched->sums);
	losses_fini(&sched->lost);
}
