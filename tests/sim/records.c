/* SPDX-License-Identifier: MIT */
/*
 * Records: put together field by field in the machine's scratch memory, then written to the ring
 * of an event; and the trailer that says of all but samples when and where they were written.
 * Source: linux/perf_event.h, "enum perf_event_type"; the order of the trailer: "struct sample_id".
 */
#include <string.h>
#include <xperf/record.h>

#include "model.h"

/* The number an event is known by, inherited ones by their parent's. */
static uint64_t primary_id(const struct event *event)
{
	return event->parent ? event->parent->id : event->id;
}

uint64_t record_time(const struct sim *sim, const struct event *event)
{
	return event->attr.use_clockid ? run_clock(sim, event->attr.clockid) : sim->now;
}

void record_start(struct record *r, uint32_t type, uint16_t misc)
{
	r->len = 0;
	record_u32(r, type);
	record_u32(r, misc);
}

void record_bytes(struct record *r, const void *bytes, size_t len)
{
	if (len > sizeof(r->bytes) - r->len)
		len = sizeof(r->bytes) - r->len;
	if (bytes)
		memcpy(r->bytes + r->len, bytes, len);
	else
		memset(r->bytes + r->len, 0, len);
	r->len += len;
}

void record_u32(struct record *r, uint32_t value)
{
	record_bytes(r, &value, sizeof(value));
}

void record_u64(struct record *r, uint64_t value)
{
	record_bytes(r, &value, sizeof(value));
}

void record_text(struct record *r, const char *text)
{
	record_bytes(r, text, strlen(text) + 1);
	record_bytes(r, NULL, -r->len % 8);
}

enum {
	TRAILER = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		  PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER
};

void record_identity(const struct sim *sim, struct record *r, const struct event *event,
		     const struct scene *scene, uint64_t bits)
{
	bits &= event->attr.sample_type;
	if (bits & PERF_SAMPLE_TID) {
		record_u32(r, (uint32_t)scene->task->tgid);
		record_u32(r, (uint32_t)scene->task->tid);
	}
	if (bits & PERF_SAMPLE_TIME)
		record_u64(r, record_time(sim, event));
	if (bits & PERF_SAMPLE_ADDR)
		record_u64(r, event->kind == KIND_PAGE_FAULTS ? SIM_DATA_BASE : 0);
	if (bits & PERF_SAMPLE_ID)
		record_u64(r, primary_id(event));
	if (bits & PERF_SAMPLE_STREAM_ID)
		record_u64(r, event->stream_id);
	if (bits & PERF_SAMPLE_CPU)
		record_u64(r, (uint32_t)scene->cpu);
	if (bits & PERF_SAMPLE_IDENTIFIER)
		record_u64(r, primary_id(event));
}

static void finish(const struct sim *sim, struct record *r, const struct event *event,
		   const struct scene *scene)
{
	if (((const struct xp_record *)r->bytes)->type != XP_RECORD_SAMPLE &&
	    event->attr.sample_id_all)
		record_identity(sim, r, event, scene, TRAILER);
	((struct xp_record *)r->bytes)->size = (uint16_t)r->len;
}

bool record_write(struct sim *sim, struct record *r, struct event *event, const struct scene *scene)
{
	finish(sim, r, event, scene);
	return ring_write(sim, event, scene, (const struct xp_record *)r->bytes);
}

const struct record *record_lost(struct sim *sim, const struct event *event,
				 const struct scene *scene, uint64_t nr)
{
	struct record *r = &sim->lost;

	record_start(r, XP_RECORD_LOST, 0);
	record_u64(r, event->id);
	record_u64(r, nr);
	finish(sim, r, event, scene);
	return r;
}

void record_throttle(struct sim *sim, struct event *event, const struct scene *scene, bool on)
{
	struct record *r = &sim->scratch;

	record_start(r, on ? XP_RECORD_THROTTLE : XP_RECORD_UNTHROTTLE, 0);
	record_u64(r, record_time(sim, event));
	record_u64(r, primary_id(event));
	record_u64(r, event->stream_id);
	record_write(sim, r, event, scene);
}
