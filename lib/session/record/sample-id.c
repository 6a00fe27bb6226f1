/* SPDX-License-Identifier: MIT */
/*
 * Who, when, where: the trailer of records that are no samples, and the id a record names its
 * event by.
 *
 * Source: linux/perf_event.h, "struct sample_id", and the order of PERF_RECORD_SAMPLE.
 */
#include <xperf/sample.h>

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>

#include "record.h"
#include "sample-bits.h"

size_t xp_sample_id_bytes(const struct xp_attr *attr)
{
	if (!attr->sample_id_all)
		return 0;
	return WORD * (size_t)__builtin_popcountll(attr->sample_type & XP_SAMPLE_TRAILER);
}

int xp_sample_id_decode(const struct xp_record *record, const struct xp_attr *attr,
			struct xp_sample_id *ret_id)
{
	size_t bytes = record->type < FIRST_TOOL_RECORD ? xp_sample_id_bytes(attr) : 0;
	uint64_t type = bytes ? attr->sample_type : 0;
	struct xp_sample_id id = { .pid = -1, .tid = -1, .cpu = -1, .time_ns = XP_NO_TIME };
	const uint8_t *at = (const uint8_t *)record + record->size - bytes;

	if (record->size < sizeof(*record) + bytes)
		return -EBADMSG;
	if (type & XP_SAMPLE_TID) {
		memcpy(&id.pid, at, sizeof(id.pid));
		memcpy(&id.tid, at + sizeof(id.pid), sizeof(id.tid));
		at += WORD;
	}
	if (type & XP_SAMPLE_TIME) {
		memcpy(&id.time_ns, at, WORD);
		at += WORD;
	}
	if (type & XP_SAMPLE_ID) {
		memcpy(&id.id, at, WORD);
		at += WORD;
	}
	if (type & XP_SAMPLE_STREAM_ID) {
		memcpy(&id.stream_id, at, WORD);
		at += WORD;
	}
	if (type & XP_SAMPLE_CPU) {
		memcpy(&id.cpu, at, sizeof(id.cpu));
		at += WORD;
	}
	if (type & XP_SAMPLE_IDENTIFIER)
		memcpy(&id.id, at, WORD);
	*ret_id = id;
	return 0;
}

void xp_sample_id_encode(const struct xp_sample_id *id, const struct xp_attr *attr, void *buf)
{
	uint64_t type = attr->sample_id_all ? attr->sample_type & XP_SAMPLE_TRAILER : 0;
	uint32_t pair[2] = { (uint32_t)id->pid, (uint32_t)id->tid };
	uint32_t cpu[2] = { (uint32_t)id->cpu };
	const struct {
		uint64_t bit;
		const void *word;
	} parts[] = {
		{ XP_SAMPLE_TID, pair },   { XP_SAMPLE_TIME, &id->time_ns },
		{ XP_SAMPLE_ID, &id->id }, { XP_SAMPLE_STREAM_ID, &id->stream_id },
		{ XP_SAMPLE_CPU, cpu },    { XP_SAMPLE_IDENTIFIER, &id->id },
	};
	uint8_t *at = buf;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (type & parts[i].bit) {
			memcpy(at, parts[i].word, WORD);
			at += WORD;
		}
}

size_t xp_lost_samples_encode(const struct xp_attr *attr, const struct xp_sample_id *id,
			      uint64_t lost, void *buf)
{
	const struct xp_record_lost_samples record = {
		.header = { .type = XP_RECORD_LOST_SAMPLES,
			    .size = (uint16_t)(sizeof(record) + xp_sample_id_bytes(attr)) },
		.lost = lost,
	};

	memcpy(buf, &record, sizeof(record));
	xp_sample_id_encode(id, attr, (char *)buf + sizeof(record));
	return record.header.size;
}

/* Words of a sample before its id, -1: it has none. */
static int words_before_id(uint64_t type)
{
	if (type & XP_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & XP_SAMPLE_ID))
		return -1;
	return __builtin_popcountll(
		type & (XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_ADDR));
}

/* Words of a trailer from its id to its end, 0: it has none. */
static int words_from_id(const struct xp_attr *attr)
{
	uint64_t type = attr->sample_id_all ? attr->sample_type : 0;

	if (type & XP_SAMPLE_IDENTIFIER)
		return 1;
	if (!(type & XP_SAMPLE_ID))
		return 0;
	return 1 + __builtin_popcountll(type & (XP_SAMPLE_CPU | XP_SAMPLE_STREAM_ID));
}

uint64_t xp_sample_id_of(const struct xp_record *record, const struct xp_attr *attr)
{
	size_t offset;
	uint64_t id;

	if (record->type == XP_RECORD_SAMPLE) {
		int before = words_before_id(attr->sample_type);

		if (before < 0)
			return 0;
		offset = sizeof(*record) + WORD * (size_t)before;
	} else {
		size_t back = WORD * (size_t)words_from_id(attr);

		if (record->type >= FIRST_TOOL_RECORD || !back ||
		    record->size < sizeof(*record) + back)
			return 0;
		offset = record->size - back;
	}
	if (offset + sizeof(id) > record->size)
		return 0;
	memcpy(&id, (const uint8_t *)record + offset, sizeof(id));
	return id;
}

uint64_t xp_sample_time_of(const struct xp_record *record, const struct xp_attr *attr)
{
	uint64_t before = attr->sample_type & (XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP | XP_SAMPLE_TID);
	size_t at = sizeof(*record) + WORD * (size_t)__builtin_popcountll(before);
	struct xp_sample_id id = { .time_ns = XP_NO_TIME };

	if (record->type != XP_RECORD_SAMPLE)
		xp_sample_id_decode(record, attr, &id);
	else if (attr->sample_type & XP_SAMPLE_TIME && at + WORD <= record->size)
		memcpy(&id.time_ns, (const uint8_t *)record + at, WORD);
	return id.time_ns;
}
