/* SPDX-License-Identifier: MIT */
/* Samples made of sums: with their call chains, and those of wakers in front. */
#include "stack-records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>

#include "event.h"
#include "record.h"

int xp_stack_records_begin(struct stack_records *r, struct xp_stack_sums *sums,
			   const struct program *program)
{
	struct xp_evsel *waking = sums->wakers.evsel;

	r->sums = sums;
	r->evsel = program->evsel;
	r->nr_ids = xp_evsel_ids(program->evsel, &r->ids);
	if (r->nr_ids < 0)
		return r->nr_ids;
	r->nr_waking_ids = waking ? xp_evsel_ids(waking, &r->waking_ids) : 0;
	return r->nr_waking_ids < 0 ? r->nr_waking_ids : 0;
}

void xp_stack_records_end(struct stack_records *r)
{
	free(r->ids);
	free(r->waking_ids);
	r->ids = r->waking_ids = NULL;
}

/*
 * Appends a part of the call chain. Returns how many words there are then. Where the kernel has
 * made the whole chain before, its part begins with the marker (measured, Linux 6.18).
 */
static size_t add_part(struct stack_records *r, uint64_t key, uint64_t marker, size_t nr)
{
	const uint64_t *ips;
	size_t nr_ips = key ? xp_stack_chains_find(&r->sums->read, key, &ips) : 0;

	if (!nr_ips)
		return nr;
	r->chain[nr++] = marker;
	for (size_t i = 0; i < nr_ips; i++)
		if (ips[i] < XP_CONTEXT_MAX)
			r->chain[nr++] = ips[i];
	return nr;
}

/* The event has one id for each place; one of the CPU is as good as any of the others there. */
static uint64_t id_on(const struct xp_event_id *ids, int nr_ids, uint32_t cpu)
{
	for (int i = 0; i < nr_ids; i++)
		if (ids[i].cpu == (int)cpu)
			return ids[i].id;
	return nr_ids ? ids[0].id : 0;
}

static void note_time(struct xp_stack_sums *sums, uint64_t time_ns)
{
	if (!sums->first_ns || time_ns < sums->first_ns)
		sums->first_ns = time_ns;
	if (time_ns > sums->last_ns)
		sums->last_ns = time_ns;
}

/* Makes a record of @sample, with the call chain of @nr words that was appended before. */
static int write_sample(struct stack_records *r, struct xp_sample *sample, size_t nr,
			const struct xp_attr *attr)
{
	bool in_kernel = nr && r->chain[0] == XP_CONTEXT_KERNEL;
	const struct xp_record head = { .type = XP_RECORD_SAMPLE,
					.misc = in_kernel ? XP_MISC_KERNEL : XP_MISC_USER };

	sample->size = sizeof(*sample);
	sample->record = &head;
	sample->ip = nr > 1 ? r->chain[1] : 0;
	sample->callchain = r->chain;
	sample->nr_callchain = nr;
	int len = xp_sample_encode(sample, attr, r->record, sizeof(r->record));
	if (len < 0)
		return len;
	r->sums->written++;
	return r->fn((const void *)r->record, r->data);
}

/* Without the functions that lead from the waking to the program that has seen it. */
static size_t add_waking_part(struct stack_records *r, uint64_t key)
{
	size_t nr = add_part(r, key, XP_CONTEXT_KERNEL, 0);
	size_t tracing = nr ? xp_stack_wakers_tracing(&r->sums->wakers, r->chain + 1, nr - 1) : 0;

	if (tracing)
		memmove(r->chain + 1, r->chain + 1 + tracing,
			(nr - 1 - tracing) * sizeof(*r->chain));
	return nr - tracing;
}

/* A task may be one that is not recorded, so that nothing else says its name. */
static int write_name(struct stack_records *r, const struct stack_waker *waker, uint64_t waker_ns)
{
	const struct xp_attr *attr = &r->sums->wakers.evsel->attr;
	const struct xp_sample_id id = { .id = r->nr_waking_ids ? r->waking_ids[0].id : 0,
					 .time_ns = waker_ns,
					 .pid = (int32_t)waker->pid,
					 .tid = (int32_t)waker->tid };
	struct xp_record_comm *comm = (struct xp_record_comm *)r->record;
	size_t len = sizeof(*comm) + sizeof(waker->comm);

	if (!xp_stack_wakers_is_new(&r->sums->wakers, waker))
		return 0;
	*comm = (struct xp_record_comm){
		.header = { .type = XP_RECORD_COMM,
			    .size = (uint16_t)(len + xp_sample_id_bytes(attr)) },
		.pid = waker->pid,
		.tid = waker->tid,
	};
	memcpy(comm + 1, waker->comm, sizeof(waker->comm));
	xp_sample_id_encode(&id, attr, r->record + len);
	return r->fn(&comm->header, r->data);
}

/* Who ended the waits of a sum, as often as there are waits; the last of them at its time. */
static int write_waker(struct stack_records *r, const struct stack_key *key,
		       const struct stack_sum *sum)
{
	const struct stack_wakers *wakers = &r->sums->wakers;
	const struct stack_waker *waker = &key->waker;
	struct xp_sample sample = {
		.id = { .id = id_on(r->waking_ids, r->nr_waking_ids, sum->waker_cpu),
			.time_ns = sum->waker_ns,
			.pid = (int32_t)waker->pid,
			.tid = (int32_t)waker->tid,
			.cpu = sum->waker_cpu },
		.period = sum->samples,
		.raw = r->waking,
		.raw_len = xp_stack_wakers_record(wakers, key, r->waking),
	};
	int err = waker->is_interrupt ? 0 : write_name(r, waker, sum->waker_ns);
	size_t nr = add_part(r, waker->user, XP_CONTEXT_USER, add_waking_part(r, waker->kernel));

	return err ?: write_sample(r, &sample, nr, &wakers->evsel->attr);
}

int xp_stack_records_write(struct stack_records *r, const struct stack_key *key,
			   const struct stack_sum *sum)
{
	struct xp_sample sample = {
		.id = { .id = id_on(r->ids, r->nr_ids, sum->cpu),
			.time_ns = sum->last_ns,
			.pid = (int32_t)key->pid,
			.tid = (int32_t)key->tid,
			.cpu = sum->cpu },
		.period = sum->period,
		.cgroup = key->cgroup,
	};
	int err = key->waker.is_known ? write_waker(r, key, sum) : 0;
	size_t nr = add_part(r, key->user, XP_CONTEXT_USER,
			     add_part(r, key->kernel, XP_CONTEXT_KERNEL, 0));

	note_time(r->sums, sum->last_ns);
	return err ?: write_sample(r, &sample, nr, &r->evsel->attr);
}

int xp_stack_records_lose(struct stack_records *r, uint64_t lost)
{
	const struct xp_sample_id id = { .id = r->nr_ids ? r->ids[0].id : 0,
					 .time_ns = r->sums->last_ns };

	xp_lost_samples_encode(&r->evsel->attr, &id, lost, r->record);
	return r->fn((const void *)r->record, r->data);
}
