/* SPDX-License-Identifier: MIT */
/*
 * Call chains at each sample, made in the kernel. Events have a program from the beginning, which
 * does nothing; what walks is loaded when there have been so many samples that it is worth it, and
 * rules of a file are made when copies of the stack have cost as much for it as they would.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xperf/bpf-samples.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>
#include <xperf/sys.h>

#include "add-walked.h"
#include "bpf.h"
#include "event.h"
#include "kernel-walk.h"
#include "stack-walk.h"
#include "uapi.h"

static const _Alignas(8) unsigned char begin_bytes[] = {
#include "stack-begin.bpf.hex"
};
static const _Alignas(8) unsigned char each_bytes[] = {
#include "stack-each.bpf.hex"
};

/* What a sample written by BPF can have. */
#define WALKED                                                                                     \
	(XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_ID |      \
	 XP_SAMPLE_CPU | XP_SAMPLE_PERIOD | XP_SAMPLE_IDENTIFIER)
#define COPIED (XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER)
#define NEEDED                                                                                     \
	(COPIED | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_IDENTIFIER)

struct xp_stack_walks {
	const struct xp_sys *sys;
	struct xp_evlist *evlist;
	struct xp_unwind *unwind;
	struct xp_bpf *begin; /* at events */
	struct xp_bpf *each;  /* NULL: nothing is walked yet */
	struct xp_attr attr;  /* of what samples are written by */
	_Atomic(struct stack_walk *) walk;
	int *fds; /* of these, one a ring; -1: none */
	uint64_t *ids;
	int nr_rings;
	size_t nr_ids;
};

/* --- events --- */

static bool is_walked(const struct xp_evsel *evsel)
{
	const struct xp_attr *attr = &evsel->attr;

	return attr->type != XP_TYPE_TRACEPOINT && !evsel->probe && !evsel->sample_filter &&
	       (attr->sample_type & NEEDED) == NEEDED &&
	       !(attr->sample_type & ~(uint64_t)(WALKED | COPIED)) && !attr->write_backward;
}

/* What samples are written by: as the event, with the kernel's part of the call chain alone, and
 * raw data. */
static struct xp_attr output_of(const struct xp_attr *attr)
{
	return (struct xp_attr){
		.type = XP_TYPE_SOFTWARE,
		.config = XP_SW_BPF_OUTPUT,
		.size = sizeof(struct xp_attr),
		.sample_period = 1,
		.sample_type = (attr->sample_type & WALKED) | XP_SAMPLE_RAW,
		.sample_max_stack = attr->sample_max_stack,
		.exclude_callchain_user = 1,
		.exclude_callchain_kernel = attr->exclude_callchain_kernel,
		.sample_id_all = attr->sample_id_all,
		.use_clockid = attr->use_clockid,
		.clockid = attr->clockid,
	};
}

/* All events have samples of one layout, or only those of the first one. */
static bool is_like(const struct xp_stack_walks *walks, const struct xp_attr *attr)
{
	struct xp_attr like = output_of(attr);

	return walks->attr.sample_type == like.sample_type &&
	       walks->attr.exclude_callchain_kernel == like.exclude_callchain_kernel &&
	       walks->attr.sample_max_stack == like.sample_max_stack;
}

static bool has_clock(const struct xp_evsel *evsel)
{
	return evsel->attr.use_clockid && evsel->attr.clockid == CLOCK_MONOTONIC;
}

static int give_programs(struct xp_stack_walks *walks)
{
	int fd = xp_bpf_program_fd(walks->begin, "begin"), nr = 0;

	for (int i = 0; i < xp_evlist_nr(walks->evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(walks->evlist, i);

		if (!is_walked(evsel) || !has_clock(evsel))
			continue;
		if (!nr)
			walks->attr = output_of(&evsel->attr);
		if (!is_like(walks, &evsel->attr))
			continue;
		evsel->program_fd = fd;
		evsel->has_program = true;
		nr++;
	}
	return nr;
}

int xp_stack_walks_load(struct xp_evlist *evlist, struct xp_unwind *unwind,
			struct xp_stack_walks **ret_walks, struct xp_diag *diag)
{
	static const struct xp_bpf_code code = { "beginning of walks", begin_bytes,
						 sizeof(begin_bytes) };
	struct xp_stack_walks *walks = calloc(1, sizeof(*walks));
	int err;

	if (!walks)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	walks->sys = xp_evlist_nr(evlist) ? xp_ctx_sys(xp_evlist_at(evlist, 0)->ctx) : NULL;
	walks->evlist = evlist;
	walks->unwind = unwind;
	err = xp_stack_walk_check(diag);
	if (err)
		goto fail;
	err = xp_bpf_open(&code, &walks->begin, diag);
	if (err)
		goto fail;
	err = xp_bpf_load(walks->begin, diag);
	if (err)
		goto fail;
	if (!give_programs(walks)) {
		err = xp_diag_set(diag, -EOPNOTSUPP,
				  "The kernel's walk by rules makes chains of clocks and hardware "
				  "events, whose samples have nothing beside time, task, CPU, "
				  "period and call chain");
		goto fail;
	}
	*ret_walks = walks;
	return 0;
fail:
	xp_stack_walks_free(walks);
	return err;
}

/* --- outputs --- */

/* Samples go into the ring of their CPU, in order with all else there. A thread's ring has none. */
static int open_output(struct xp_stack_walks *walks, int ring)
{
	const struct xp_sys *sys = walks->sys;
	const struct xp_ring_place *place = xp_evlist_ring(walks->evlist, ring);
	uint32_t cpu = (uint32_t)place->cpu;
	int fd, err;

	if (place->cpu < 0 || place->overwrite)
		return 0;
	fd = sys->perf_event_open(sys, &walks->attr, -1, place->cpu, -1, 0);
	if (fd < 0)
		return fd;
	walks->fds[ring] = fd;
	err = sys->ioctl(sys, fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)place->fd);
	if (err)
		return err;
	err = sys->ioctl(sys, fd, PERF_EVENT_IOC_ID, (unsigned long)&walks->ids[walks->nr_ids]);
	if (err)
		return err;
	walks->nr_ids++;
	return xp_bpf_update(walks->each, xp_bpf_map_fd(walks->each, "outputs"), &cpu, &fd);
}

static int open_outputs(struct xp_stack_walks *walks)
{
	int nr = xp_evlist_nr_rings(walks->evlist), err = 0;

	walks->fds = calloc((size_t)nr, sizeof(*walks->fds));
	walks->ids = calloc((size_t)nr, sizeof(*walks->ids));
	if (!walks->fds || !walks->ids)
		return -ENOMEM;
	for (; walks->nr_rings < nr; walks->nr_rings++)
		walks->fds[walks->nr_rings] = -1;
	for (int i = 0; i < nr && !err; i++)
		err = open_output(walks, i);
	return err ?: walks->nr_ids ? err : -EOPNOTSUPP;
}

static void close_outputs(struct xp_stack_walks *walks)
{
	const struct xp_sys *sys = walks->sys;

	for (int i = 0; i < walks->nr_rings; i++)
		if (walks->fds[i] >= 0)
			sys->close(sys, walks->fds[i]);
	free(walks->fds);
	free(walks->ids);
	walks->fds = NULL;
	walks->ids = NULL;
	walks->nr_rings = 0;
	walks->nr_ids = 0;
}

/* --- walking --- */

static int load_each(struct xp_stack_walks *walks, const struct stack_walk *walk,
		     struct xp_diag *diag)
{
	static const struct xp_bpf_code code = { "stacks of samples", each_bytes,
						 sizeof(each_bytes) };
	int err = xp_bpf_open(&code, &walks->each, diag);

	if (err)
		return err;
	err = xp_stack_walk_use(walk, walks->each);
	if (err)
		return xp_diag_set(diag, -EBADMSG, "The BPF program '%s' is damaged", code.name);
	return xp_bpf_load(walks->each, diag);
}

static int put_program(const struct xp_stack_walks *walks)
{
	uint32_t zero = 0;
	int fd = xp_bpf_program_fd(walks->each, "each_sample");

	return fd < 0 ? fd
		      : xp_bpf_update(walks->begin, xp_bpf_map_fd(walks->begin, "next"), &zero,
				      &fd);
}

int xp_stack_walks_begin(struct xp_stack_walks *walks, struct xp_recorder *recorder,
			 bool is_thrifty, struct xp_diag *diag)
{
	const struct stack_walk_opts opts = {
		.unwind = walks->unwind,
		.on_demand = true,
		.is_thrifty = is_thrifty,
	};
	struct stack_walk *walk = NULL;
	int err = xp_stack_walk_open(walks->evlist, &opts, &walk, diag);

	if (err)
		return err;
	err = load_each(walks, walk, diag);
	if (err)
		goto fail;
	err = open_outputs(walks)
		      ?: xp_recorder_add_walked(recorder, &walks->attr, walks->ids, walks->nr_ids);
	if (err) {
		xp_diag_set(diag, err, "Events for samples from BPF cannot be opened");
		goto fail;
	}
	atomic_store(&walks->walk, walk);
	err = put_program(walks);
	return err ? xp_diag_set(diag, err, "The BPF program of samples cannot be used") : 0;
fail:
	close_outputs(walks);
	xp_bpf_close(walks->each);
	walks->each = NULL;
	xp_stack_walk_close(walk);
	return err;
}

void xp_stack_walks_look(struct xp_stack_walks *walks)
{
	struct stack_walk *walk = atomic_load(&walks->walk);

	if (walk)
		xp_stack_walk_describe(walk);
}

/* --- the side band --- */

static void note(void *data, const struct xp_record *record, uint64_t time_ns)
{
	struct xp_stack_walks *walks = data;
	struct stack_walk *walk = atomic_load(&walks->walk);

	if (walk)
		xp_stack_walk_note(walk, record, time_ns);
}

static void known(void *data, uint64_t until_ns)
{
	struct xp_stack_walks *walks = data;
	struct stack_walk *walk = atomic_load(&walks->walk);

	if (walk)
		xp_stack_walk_known(walk, until_ns);
}

struct xp_band xp_stack_walks_band(struct xp_stack_walks *walks)
{
	return (struct xp_band){ .note = note, .known = known, .data = walks };
}

void xp_stack_walks_free(struct xp_stack_walks *walks)
{
	if (!walks)
		return;
	for (int i = 0; i < xp_evlist_nr(walks->evlist); i++)
		xp_evlist_at(walks->evlist, i)->has_program = false;
	close_outputs(walks);
	xp_bpf_close(walks->begin);
	xp_bpf_close(walks->each);
	xp_stack_walk_close(atomic_load(&walks->walk));
	free(walks);
}
