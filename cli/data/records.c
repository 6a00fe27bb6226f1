/* SPDX-License-Identifier: MIT */
/*
 * Records as JSON. Source of the layout of samples: perf data convert --to-json, 6.1, measured.
 * Those of other records are ours.
 */
#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/resolve.h>

#include "convert.h"

static const struct json_layout record_lines = { "\n\t\t\t", "\n\t\t\t", "\n\t\t" };
static const struct json_layout chain_lines = { "\n\t\t\t\t", "\n\t\t\t\t", "\n\t\t\t" };
static const struct json_layout frame_lines = { "\n\t\t\t\t\t", "\n\t\t\t\t\t", "\n\t\t\t\t" };

static void write_time(const struct conversion *conversion, struct json *json, uint64_t time_ns)
{
	if (time_ns == XP_NO_TIME)
		json_int(json, "timestamp", -1);
	else
		json_uint(json, "timestamp", time_ns + (uint64_t)conversion->to_wall_ns);
}

/* --- samples --- */

static int write_frame(struct conversion *conversion, const struct recorded *recorded,
		       const struct xp_chain_walk *at, uint64_t ip)
{
	struct json *json = conversion->json;
	struct xp_frame frame = { .size = sizeof(frame) };
	int err = recording_frame(&conversion->rec, recorded, at->cpumode, ip, &frame);

	if (err)
		return err;
	json_object(json, NULL, &frame_lines);
	json_hex(json, "ip", ip);
	if (frame.function.name) {
		json_string(json, "symbol", frame.function.name);
		json_string(json, "dso", frame.map.dso->short_name);
	}
	if (at->is_joined)
		json_bool(json, "joined", true);
	json_end(json);
	return 0;
}

static int write_chain(struct conversion *conversion, const struct recorded *recorded)
{
	struct xp_chain_walk at = recorded_chain(recorded);
	int err = 0;

	if (!recorded->sample.callchain)
		return write_frame(conversion, recorded, &at, recorded->sample.ip);
	while (!err && xp_chain_next(&at))
		err = write_frame(conversion, recorded, &at, at.ip);
	return err;
}

int sample_write(struct conversion *conversion, const struct xp_record *record, uint64_t time_ns,
		 uint64_t position)
{
	struct recording *rec = &conversion->rec;
	struct json *json = conversion->json;
	struct recorded recorded;
	int got = recording_decode(rec, record, time_ns, position, &recorded);

	if (got <= 0 || recorded.is_cut)
		return got < 0 ? got : 0;
	got = recording_passes(rec, &recorded);
	if (got <= 0)
		return got;
	if (recording_unwind(rec, &recorded))
		return -ENOMEM;
	const struct xp_sample_id *id = &recorded.sample.id;
	conversion->nr_samples++;
	json_object(json, NULL, &record_lines);
	write_time(conversion, json, rec->without_times ? XP_NO_TIME : recorded.time_ns);
	json_int(json, "pid", id->pid);
	json_int(json, "tid", id->tid);
	if (recorded.attr->sample_type & XP_SAMPLE_CPU)
		json_int(json, "cpu", id->cpu);
	json_string(json, "comm", recording_comm(rec, &recorded));
	json_array(json, "callchain", &chain_lines);
	int err = write_chain(conversion, &recorded);
	json_end(json);
	json_end(json);
	return err ? err : json->out->err;
}

/* --- other records --- */

static void write_ids(struct json *json, uint32_t pid, uint32_t tid)
{
	json_int(json, "pid", (int32_t)pid);
	json_int(json, "tid", (int32_t)tid);
}

static void write_comm(struct json *json, const struct xp_record *record)
{
	const struct xp_record_comm *comm = (const void *)record;

	write_ids(json, comm->pid, comm->tid);
	json_string(json, "comm", (const char *)(comm + 1));
	json_bool(json, "exec", record->misc & XP_MISC_COMM_EXEC);
}

static void write_task(struct json *json, const struct xp_record *record)
{
	const struct xp_record_task *task = (const void *)record;

	write_ids(json, task->pid, task->tid);
	json_int(json, "ppid", (int32_t)task->parent_pid);
	json_int(json, "ptid", (int32_t)task->parent_tid);
}

/* The fields that MMAP and MMAP2 share come first in both. */
static void write_map(struct json *json, const struct xp_record *record)
{
	const struct xp_record_mmap *map = (const void *)record;
	size_t name = record->type == XP_RECORD_MMAP ? sizeof(struct xp_record_mmap)
						     : sizeof(struct xp_record_mmap2);

	write_ids(json, map->pid, map->tid);
	json_hex(json, "start", map->address);
	json_hex(json, "len", map->len);
	json_hex(json, "pgoff", map->offset);
	json_string(json, "filename", (const char *)record + name);
}

static const struct other {
	uint32_t type;
	void (*write)(struct json *json, const struct xp_record *record);
} others[] = {
	{ XP_RECORD_COMM, write_comm }, { XP_RECORD_FORK, write_task },
	{ XP_RECORD_EXIT, write_task }, { XP_RECORD_MMAP, write_map },
	{ XP_RECORD_MMAP2, write_map },
};

static const struct other *other_of(uint32_t type)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].type == type)
			return &others[i];
	return NULL;
}

bool other_is_known(uint32_t type)
{
	return other_of(type);
}

void other_write(struct conversion *conversion, const struct xp_record *record, uint64_t time_ns)
{
	const struct other *other = other_of(record->type);
	struct json *json = conversion->others;

	if (!other ||
	    (time_ns != XP_NO_TIME && !times_have(&conversion->rec.filter.times, time_ns)))
		return;
	json_object(json, NULL, &record_lines);
	write_time(conversion, json, time_ns);
	json_string(json, "type", xp_record_name(record->type));
	other->write(json, record);
	json_end(json);
}
