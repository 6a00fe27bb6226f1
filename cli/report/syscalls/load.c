/* SPDX-License-Identifier: MIT */
/*
 * The samples of raw_syscalls:sys_enter and raw_syscalls:sys_exit, in the order of time, become
 * sums.
 *
 * Source of the fields: the kernel's include/trace/events/syscalls.h; they are found by their names
 * in the formats of the recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/diag.h>

#include "compat.h"
#include "ordered.h"
#include "syscalls-impl.h"
#include "trace-number.h"
#include "trace-repeats.h"

enum { ENTER, EXIT, NR_KINDS };
static const char *const names[NR_KINDS] = { "raw_syscalls:sys_enter", "raw_syscalls:sys_exit" };

/* An event of the recording. */
struct source {
	int kind; /* NR_KINDS: it is neither */
	struct trace_number nr, result;
};

struct loading {
	struct recording *rec;
	struct syscalls *syscalls;
	struct source *sources; /* per event */
	enum syscall_abi abi;
	struct compat compat;
	struct trace_repeats repeats;
};

/* --- events --- */

static int kind_of(const struct xp_data_event *event)
{
	int kind = 0;

	while (kind < NR_KINDS && !trace_is_event(event, names[kind]))
		kind++;
	return kind;
}

static int find_fields(struct loading *loading, int event, struct source *source)
{
	struct recording *rec = loading->rec;
	uint64_t id = xp_data_event_at(rec->data, event)->attr.config;

	if (trace_number_find(rec, id, "id", &source->nr) ||
	    (source->kind == EXIT && trace_number_find(rec, id, "ret", &source->result)))
		return xp_diag_set(&rec->diag, -EBADMSG, "'%s' does not describe the fields of %s",
				   rec->path, names[source->kind]);
	return 0;
}

/* Returns 0, or a negative errno with rec->diag filled: nothing can be said of its calls. */
static int find_sources(struct loading *loading)
{
	struct recording *rec = loading->rec;
	bool has[NR_KINDS + 1] = { false };
	int err = 0;

	loading->sources = calloc((size_t)rec->nr_events + 1, sizeof(*loading->sources));
	if (!loading->sources)
		return -ENOMEM;
	for (int i = 0; i < rec->nr_events; i++) {
		loading->sources[i].kind = kind_of(xp_data_event_at(rec->data, i));
		has[loading->sources[i].kind] = true;
	}
	if (!has[ENTER] || !has[EXIT]) {
		int missing = has[ENTER] ? EXIT : ENTER;

		xp_diag_set(&rec->diag, -ENODATA, "'%s' has no event %s%s", rec->path,
			    names[missing],
			    has[ENTER] || has[EXIT] ? "" : ": no system calls were recorded");
		xp_diag_hint(&rec->diag, "Record them with --syscalls");
		return -ENODATA;
	}
	if (rec->without_times)
		return xp_diag_set(&rec->diag, -ENODATA,
				   "The samples of '%s' have no times: how long calls took is not "
				   "known",
				   rec->path);
	err = recording_traces(rec, &rec->diag);
	for (int i = 0; !err && i < rec->nr_events; i++)
		if (loading->sources[i].kind != NR_KINDS)
			err = find_fields(loading, i, &loading->sources[i]);
	return err;
}

/* --- records --- */

static int add_sample(struct loading *loading, const struct source *source,
		      const struct recorded *recorded, bool counts)
{
	const struct xp_sample *sample = &recorded->sample;
	struct syscall_event event = {
		.pid = sample->id.pid,
		.tid = sample->id.tid,
		.comm = recording_comm(loading->rec, recorded),
		.time_ns = recorded->time_ns,
		.abi = loading->abi,
		.is_compat = loading->abi != SYSCALLS_I386 &&
			     compat_has(&loading->compat, sample->id.pid),
		.counts = counts,
	};

	if (event.is_compat)
		event.abi = syscall_abi_compat(loading->abi);
	if (!trace_number_read(&source->nr, sample, &event.nr) ||
	    (source->kind == EXIT && !trace_number_read(&source->result, sample, &event.result)))
		return 0;
	const struct trace_hit hit = { .event = recorded->event,
				       .kind = source->kind,
				       .tid = event.tid,
				       .values = { event.nr, event.result } };
	int repeats = trace_repeats_add(&loading->repeats, sample->id.cpu, &hit);
	if (repeats)
		return repeats < 0 ? repeats : 0;
	return source->kind == ENTER ? syscall_sums_enter(loading->syscalls->sums, &event)
				     : syscall_sums_return(loading->syscalls->sums, &event);
}

static int add(const struct xp_record *record, uint64_t time_ns, uint64_t position, void *data)
{
	struct loading *loading = data;
	struct recorded recorded;

	if (record->type != XP_RECORD_SAMPLE)
		return compat_note(&loading->compat, record);
	int got = recording_decode(loading->rec, record, time_ns, position, &recorded);
	if (got <= 0 || loading->sources[recorded.event].kind == NR_KINDS)
		return got < 0 ? got : 0;
	int passes = recording_passes(loading->rec, &recorded);
	return passes < 0
		       ? passes
		       : add_sample(loading, &loading->sources[recorded.event], &recorded, passes);
}

static int keep(const struct xp_record *record, void *data)
{
	(void)data;
	return record->type == XP_RECORD_SAMPLE || record->type == XP_RECORD_MMAP ||
	       record->type == XP_RECORD_MMAP2 || record->type == XP_RECORD_FORK;
}

int syscalls_load(struct recording *rec, bool is_total, struct syscalls *ret_syscalls)
{
	struct loading loading = { .rec = rec, .syscalls = ret_syscalls };
	const struct xp_order_opts order = { .size = sizeof(order),
					     .keep = keep,
					     .data = &loading };

	*ret_syscalls =
		(struct syscalls){ .sums = syscall_sums_new(is_total, &ret_syscalls->lost) };
	int err = ret_syscalls->sums ? find_sources(&loading) : -ENOMEM;
	if (!err)
		err = losses_load(rec, &ret_syscalls->lost);
	ret_syscalls->machine = recording_machine(rec);
	loading.abi = syscall_abi_of(ret_syscalls->machine);
	ret_syscalls->has_names = loading.abi != SYSCALLS_UNKNOWN;
	if (!err)
		err = recording_each_ordered(rec, &order, true, add, &loading);
	if (!err)
		err = syscall_sums_finish(ret_syscalls->sums);
	compat_fini(&loading.compat);
	trace_repeats_fini(&loading.repeats);
	free(loading.sources);
	return err;
}

void syscalls_fini(struct syscalls *syscalls)
{
	syscall_sums_free(syscalls->sums);
	losses_fini(&syscalls->lost);
}
