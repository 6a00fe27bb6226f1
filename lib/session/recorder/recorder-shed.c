/* SPDX-License-Identifier: MIT */
/*
 * When the disk does not follow: first user stacks are cut, which keeps every sample and its
 * nearest callers; then samples are dropped, counted by event, and told of as LOST_SAMPLES. Records
 * that are no samples, names and maps and tasks, always stay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recorder-impl.h"
#include "sample-bits.h"

/* Of a stack that is cut: some ten callers. */
enum { CUT_STACK_BYTES = 1024 };

enum xp_shed_level xp_shed_level(size_t backlog, size_t limit)
{
	if (backlog > limit / 8 * 7)
		return XP_SHED_SAMPLES;
	return backlog > limit / 2 ? XP_SHED_STACKS : XP_SHED_NOTHING;
}

static int add_ids(struct xp_shed *shed, struct xp_evlist *evlist, int idx)
{
	struct xp_event_id *ids;
	int nr = xp_evsel_ids(xp_evlist_at(evlist, idx), &ids), err = 0;

	if (nr < 0)
		return nr;
	for (int i = 0; i < nr && !err; i++)
		err = xp_id_map_add(&shed->ids, ids[i].id, idx);
	shed->events[idx].id = nr ? ids[0].id : 0;
	free(ids);
	return err;
}

int xp_shed_init(struct xp_shed *shed, struct xp_evlist *evlist)
{
	int nr = xp_evlist_nr(evlist), err = 0;

	shed->events = calloc((size_t)nr, sizeof(*shed->events));
	if (!shed->events)
		return -ENOMEM;
	shed->nr_events = nr;
	for (int i = 0; i < nr && !err; i++) {
		shed->events[i].attr = xp_evsel_attr_const(xp_evlist_at(evlist, i));
		err = add_ids(shed, evlist, i);
	}
	return err;
}

void xp_shed_fini(struct xp_shed *shed)
{
	free(shed->events);
	xp_id_map_fini(&shed->ids);
}

static struct xp_shed_event *event_of(struct xp_shed *shed, const struct xp_record *record)
{
	uint64_t id = xp_sample_id_of(record, shed->events[0].attr);
	int idx = shed->nr_events > 1 ? xp_id_map_find(&shed->ids, id) : 0;

	return idx < 0 ? NULL : &shed->events[idx];
}

/* Shortens the stack of a sample, in place. Returns true if there was something to cut. */
static bool cut_stack(struct xp_record *record, const struct xp_attr *attr)
{
	struct xp_sample sample = { .size = sizeof(sample) };

	if (!(attr->sample_type & XP_SAMPLE_STACK_USER) ||
	    xp_sample_decode(record, attr, &sample) || sample.stack_len <= CUT_STACK_BYTES)
		return false;
	char *stack = (char *)sample.stack, *end = (char *)record + record->size;
	size_t gone = sample.stack_len - CUT_STACK_BYTES;
	uint64_t valid = sample.stack_valid, len = CUT_STACK_BYTES;

	memcpy(stack - sizeof(len), &len, sizeof(len));
	memmove(stack + len, stack + sample.stack_len, (size_t)(end - stack) - sample.stack_len);
	if (valid > len)
		valid = len;
	memcpy(stack + len, &valid, sizeof(valid));
	record->size = (uint16_t)(record->size - gone);
	return true;
}

/* Returns what is left of a sample, 0: nothing. */
static size_t shed_sample(struct xp_shed *shed, struct xp_scan *scan, enum xp_shed_level level,
			  struct xp_record *record)
{
	struct xp_shed_event *event = event_of(shed, record);

	if (!event)
		return record->size;
	if (level == XP_SHED_SAMPLES) {
		event->dropped++;
		shed->pending = true;
		xp_scan_add(scan, XP_NR_SHED, 1);
		xp_scan_add(scan, XP_NR_SAMPLES, (uint64_t)-1);
		xp_scan_add(scan, XP_NR_RECORDS, (uint64_t)-1);
		return 0;
	}
	if (cut_stack(record, event->attr))
		xp_scan_add(scan, XP_NR_CUT, 1);
	return record->size;
}

size_t xp_shed_records(struct xp_shed *shed, struct xp_scan *scan, enum xp_shed_level level,
		       char *records, size_t len)
{
	size_t kept = 0;

	for (size_t at = 0, size; at < len; at += size) {
		struct xp_record *record = (void *)(records + at);
		size_t left = size = record->size;

		if (record->type == XP_RECORD_SAMPLE)
			left = shed_sample(shed, scan, level, record);
		memmove(records + kept, record, left);
		kept += left;
	}
	xp_scan_add(scan, XP_NR_BYTES, kept - len);
	return kept;
}

size_t xp_lost_samples_encode(const struct xp_attr *attr, const struct xp_sample_id *id,
			      uint64_t lost, void *buf)
{
	struct xp_record_lost_samples record = { .header = { .type = XP_RECORD_LOST_SAMPLES },
						 .lost = lost };

	record.header.size = (uint16_t)(sizeof(record) + xp_sample_id_bytes(attr));
	memcpy(buf, &record, sizeof(record));
	xp_sample_id_encode(id, attr, (char *)buf + sizeof(record));
	return record.header.size;
}

size_t xp_shed_tell(struct xp_shed_event *event, char *buf, size_t room)
{
	const struct xp_sample_id id = { .id = event->id };

	if (!event->dropped || room < XP_LOST_RECORD_BYTES)
		return 0;
	size_t len = xp_lost_samples_encode(event->attr, &id, event->dropped, buf);
	event->dropped = 0;
	return len;
}
