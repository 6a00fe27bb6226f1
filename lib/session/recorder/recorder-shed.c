/* SPDX-License-Identifier: MIT */
/*
 * When the disk, or unwinding, does not follow: first user stacks are cut, which keeps every sample
 * and its nearest callers, by the more the more is waiting; then samples are dropped, counted by
 * event, and reported as LOST_SAMPLES. Records that are no samples, names and maps and tasks,
 * always stay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/record.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>

#include "record.h"
#include "recorder-impl.h"
#include "sample-bits.h"
#include "sample-owner.h"

/* What stacks are cut to while the backlog exceeds so many parts in 32 of its limit. The last has
 * some ten callers. */
static const struct {
	unsigned int parts;
	uint32_t stack_bytes;
} steps[] = {
	{ 28, 0 }, /* samples are dropped */
	{ 21, 1 << 10 }, { 20, 2 << 10 },  { 19, 4 << 10 },
	{ 18, 8 << 10 }, { 17, 16 << 10 }, { 16, 32 << 10 },
};

uint32_t xp_shed_stack_bytes(size_t backlog, size_t limit)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (backlog > limit / 32 * steps[i].parts)
			return steps[i].stack_bytes;
	return XP_SHED_NOTHING;
}

static int add_ids(struct xp_shed *shed, struct xp_evlist *evlist, int idx)
{
	struct xp_shed_ids *all = atomic_load(&shed->ids);
	struct xp_event_id *ids;
	int nr = xp_evsel_ids(xp_evlist_at(evlist, idx), &ids), err = 0;

	if (nr < 0)
		return nr;
	for (int i = 0; i < nr && !err; i++)
		err = xp_id_map_add(&all->map, ids[i].id, idx);
	shed->events[idx].id = nr ? ids[0].id : 0;
	free(ids);
	return err;
}

int xp_shed_init(struct xp_shed *shed, struct xp_evlist *evlist)
{
	int nr = xp_evlist_nr(evlist), err = 0;

	shed->events = calloc((size_t)nr, sizeof(*shed->events));
	atomic_store(&shed->ids, calloc(1, sizeof(struct xp_shed_ids)));
	if (!shed->events || !atomic_load(&shed->ids))
		return -ENOMEM;
	shed->nr_events = nr;
	for (int i = 0; i < nr && !err; i++) {
		shed->events[i].attr = xp_evsel_attr_const(xp_evlist_at(evlist, i));
		shed->share_ids |= nr > 1 && xp_sample_shares_id(shed->events[i].attr);
		err = add_ids(shed, evlist, i);
	}
	return err;
}

void xp_shed_fini(struct xp_shed *shed)
{
	struct xp_shed_ids *ids = atomic_load(&shed->ids);

	while (ids) {
		struct xp_shed_ids *before = ids->before;

		xp_id_map_fini(&ids->map);
		free(ids);
		ids = before;
	}
	struct xp_shed_walked *walked = atomic_load(&shed->walked);

	if (walked)
		xp_id_map_fini(&walked->ids);
	free(walked);
	free(shed->events);
}

int xp_shed_add_ids(struct xp_shed *shed, const struct xp_new_id *ids, size_t nr)
{
	struct xp_shed_ids *old = atomic_load(&shed->ids), *all = calloc(1, sizeof(*all));
	int err = all ? xp_id_map_copy(&old->map, &all->map) : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++)
		err = xp_id_map_add(&all->map, ids[i].id, ids[i].event);
	if (err) {
		if (all)
			xp_id_map_fini(&all->map);
		free(all);
		return err;
	}
	all->before = old;
	atomic_store_explicit(&shed->ids, all, memory_order_release);
	return 0;
}

int xp_shed_add_walked(struct xp_shed *shed, const struct xp_attr *attr, const uint64_t *ids,
		       size_t nr)
{
	struct xp_shed_walked *walked = calloc(1, sizeof(*walked));
	int err = walked ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++)
		err = xp_id_map_add(&walked->ids, ids[i], 0);
	if (err) {
		if (walked)
			xp_id_map_fini(&walked->ids);
		free(walked);
		return err;
	}
	walked->attr = *attr;
	/* What is dropped of them is reported as lost of the first event. */
	walked->event = (struct xp_shed_event){ .attr = &walked->attr, .id = shed->events[0].id };
	atomic_store_explicit(&shed->walked, walked, memory_order_release);
	return 0;
}

struct xp_shed_event *xp_shed_event_by_id(const struct xp_shed *shed, uint64_t id)
{
	const struct xp_shed_ids *ids = atomic_load_explicit(&shed->ids, memory_order_acquire);
	int idx = shed->nr_events > 1 ? xp_id_map_find(&ids->map, id) : 0;

	return idx < 0 ? NULL : &shed->events[idx];
}

struct xp_shed_event *xp_shed_event_of(const struct xp_shed *shed, const struct xp_record *record)
{
	struct xp_shed_walked *walked = atomic_load_explicit(&shed->walked, memory_order_acquire);
	uint64_t id = xp_sample_id_of(record, shed->events[0].attr);

	if (walked && record->type == XP_RECORD_SAMPLE && xp_id_map_find(&walked->ids, id) >= 0)
		return &walked->event;
	return xp_shed_event_by_id(shed, id);
}

uint64_t xp_shed_time_of(const struct xp_shed *shed, const struct xp_record *record)
{
	const struct xp_record_task *task = (const void *)record;
	const struct xp_shed_event *event = xp_shed_event_of(shed, record);
	uint64_t time_ns = xp_sample_time_of(record, event ? event->attr : shed->events[0].attr);
	bool is_task = record->type == XP_RECORD_FORK || record->type == XP_RECORD_EXIT;

	return is_task && time_ns != XP_NO_TIME && record->size >= sizeof(*task) ? task->time_ns
										 : time_ns;
}

/*
 * Shortens the stack of a sample to @max_bytes, in place, and first by what is not valid: the
 * kernel fills a copy up where a stack is shorter. Returns true if something valid is gone.
 */
static bool cut_stack(struct xp_record *record, const struct xp_attr *attr, uint32_t max_bytes)
{
	struct xp_sample sample = { .size = sizeof(sample) };

	if (!(attr->sample_type & XP_SAMPLE_STACK_USER) ||
	    xp_sample_decode(record, attr, &sample) || !sample.stack_len)
		return false;
	uint64_t valid = sample.stack_valid, len = (valid + WORD - 1) / WORD * WORD;

	if (valid > sample.stack_len)
		return false;
	if (len > max_bytes)
		len = max_bytes;
	if (!len)
		len = WORD;
	if (len >= sample.stack_len)
		return false;
	char *stack = (char *)sample.stack, *end = (char *)record + record->size;
	size_t gone = sample.stack_len - len;
	bool is_cut = valid > len;

	memcpy(stack - sizeof(len), &len, sizeof(len));
	memmove(stack + len, stack + sample.stack_len, (size_t)(end - stack) - sample.stack_len);
	if (is_cut)
		valid = len;
	memcpy(stack + len, &valid, sizeof(valid));
	record->size = (uint16_t)(record->size - gone);
	return is_cut;
}

/* Returns what is left of a sample, 0: nothing. */
static size_t shed_sample(struct xp_shed *shed, struct xp_scan *scan, uint32_t stack_bytes,
			  struct xp_record *record)
{
	struct xp_shed_event *event = xp_shed_event_of(shed, record);

	if (!event)
		return record->size;
	if (stack_bytes == XP_SHED_SAMPLES) {
		event->dropped++;
		shed->pending = true;
		xp_scan_add(scan, XP_NR_SHED, 1);
		xp_scan_add(scan, XP_NR_SAMPLES, (uint64_t)-1);
		xp_scan_add(scan, XP_NR_RECORDS, (uint64_t)-1);
		return 0;
	}
	if (cut_stack(record, event->attr, stack_bytes))
		xp_scan_add(scan, XP_NR_CUT, 1);
	return record->size;
}

size_t xp_shed_records(struct xp_shed *shed, struct xp_scan *scan, uint32_t stack_bytes,
		       char *records, size_t len)
{
	size_t kept = 0;

	for (size_t at = 0, size; at < len; at += size) {
		struct xp_record *record = (void *)(records + at);
		size_t left = size = record->size;

		if (record->type == XP_RECORD_SAMPLE)
			left = shed_sample(shed, scan, stack_bytes, record);
		memmove(records + kept, record, left);
		kept += left;
	}
	xp_scan_add(scan, XP_NR_BYTES, kept - len);
	return kept;
}

size_t xp_shed_report(struct xp_shed_event *event, char *buf, size_t room)
{
	const struct xp_sample_id id = { .id = event->id };

	if (!event->dropped || room < XP_LOST_RECORD_BYTES)
		return 0;
	size_t len = xp_lost_samples_encode(event->attr, &id, event->dropped, buf);
	event->dropped = 0;
	return len;
}
