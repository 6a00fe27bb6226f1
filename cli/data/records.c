/* SPDX-License-Identifier: MIT */
/*
 * Records as JSON. Source of the layout of samples: perf data convert --to-json, 6.1, measured.
 * Those of other records are ours.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "convert.h"
#include "json.h"

static void write_time(const struct conversion *conversion, FILE *out, uint64_t time_ns)
{
	if (time_ns == XP_NO_TIME)
		fputs("\t\t\t\"timestamp\": -1", out);
	else
		fprintf(out, "\t\t\t\"timestamp\": %" PRIu64,
			time_ns + (uint64_t)conversion->to_wall_ns);
}

/* --- samples --- */

static int write_frame(struct conversion *conversion, const struct recorded *recorded,
		       uint16_t mode, uint64_t ip, bool is_first)
{
	FILE *out = conversion->out;
	struct xp_frame frame = { .size = sizeof(frame) };
	int err = recording_frame(&conversion->rec, recorded, mode, ip, &frame);

	if (err)
		return err;
	fprintf(out, "%s\n\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x%" PRIx64 "\"", is_first ? "" : ",", ip);
	if (frame.function.name) {
		fputs(",\n\t\t\t\t\t\"symbol\": ", out);
		json_string(out, frame.function.name);
		fputs(",\n\t\t\t\t\t\"dso\": ", out);
		json_string(out, frame.map.dso->short_name);
	}
	fputs("\n\t\t\t\t}", out);
	return 0;
}

static int write_chain(struct conversion *conversion, const struct recorded *recorded)
{
	struct xp_chain_walk at = recorded_chain(recorded);
	int err = 0;

	if (!recorded->sample.callchain)
		return write_frame(conversion, recorded, at.cpumode, recorded->sample.ip, true);
	for (bool is_first = true; !err && xp_chain_next(&at); is_first = false)
		err = write_frame(conversion, recorded, at.cpumode, at.ip, is_first);
	return err;
}

int sample_write(struct conversion *conversion, const struct xp_record *record, uint64_t time_ns,
		 uint64_t position)
{
	struct recording *rec = &conversion->rec;
	FILE *out = conversion->out;
	struct recorded recorded;
	int got = recording_decode(rec, record, time_ns, position, &recorded);

	if (got <= 0 || recorded.is_cut)
		return got < 0 ? got : 0;
	got = recording_passes(rec, &recorded);
	if (got <= 0)
		return got;
	const struct xp_sample_id *id = &recorded.sample.id;
	fprintf(out, "%s\n\t\t{\n", conversion->nr_samples++ ? "," : "");
	write_time(conversion, out, rec->without_times ? XP_NO_TIME : recorded.time_ns);
	fprintf(out, ",\n\t\t\t\"pid\": %" PRId32 ",\n\t\t\t\"tid\": %" PRId32, id->pid, id->tid);
	if (recorded.attr->sample_type & XP_SAMPLE_CPU)
		fprintf(out, ",\n\t\t\t\"cpu\": %" PRId32, id->cpu);
	fputs(",\n\t\t\t\"comm\": ", out);
	json_string(out, recording_comm(rec, &recorded));
	fputs(",\n\t\t\t\"callchain\": [", out);
	int err = write_chain(conversion, &recorded);
	fputs("\n\t\t\t]\n\t\t}", out);
	return err ? err : ferror(out) ? -EIO : 0;
}

/* --- other records --- */

static void write_ids(FILE *out, uint32_t pid, uint32_t tid)
{
	fprintf(out, ",\n\t\t\t\"pid\": %" PRId32 ",\n\t\t\t\"tid\": %" PRId32, (int32_t)pid,
		(int32_t)tid);
}

static void write_comm(FILE *out, const struct xp_record *record)
{
	const struct xp_record_comm *comm = (const void *)record;

	write_ids(out, comm->pid, comm->tid);
	fputs(",\n\t\t\t\"comm\": ", out);
	json_string(out, (const char *)(comm + 1));
	fprintf(out, ",\n\t\t\t\"exec\": %s", record->misc & XP_MISC_COMM_EXEC ? "true" : "false");
}

static void write_task(FILE *out, const struct xp_record *record)
{
	const struct xp_record_task *task = (const void *)record;

	write_ids(out, task->pid, task->tid);
	fprintf(out, ",\n\t\t\t\"ppid\": %" PRId32 ",\n\t\t\t\"ptid\": %" PRId32,
		(int32_t)task->parent_pid, (int32_t)task->parent_tid);
}

/* The fields that MMAP and MMAP2 share come first in both. */
static void write_map(FILE *out, const struct xp_record *record)
{
	const struct xp_record_mmap *map = (const void *)record;
	size_t name = record->type == XP_RECORD_MMAP ? sizeof(struct xp_record_mmap)
						     : sizeof(struct xp_record_mmap2);

	write_ids(out, map->pid, map->tid);
	fprintf(out,
		",\n\t\t\t\"start\": \"0x%" PRIx64 "\",\n\t\t\t\"len\": \"0x%" PRIx64
		"\",\n\t\t\t\"pgoff\": \"0x%" PRIx64 "\",\n\t\t\t\"filename\": ",
		map->address, map->len, map->offset);
	json_string(out, (const char *)record + name);
}

static const struct other {
	uint32_t type;
	void (*write)(FILE *out, const struct xp_record *record);
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
	FILE *out = conversion->others;

	if (!other ||
	    (time_ns != XP_NO_TIME && !times_have(&conversion->rec.filter.times, time_ns)))
		return;
	fprintf(out, "%s\n\t\t{\n", conversion->nr_others++ ? "," : "");
	write_time(conversion, out, time_ns);
	fprintf(out, ",\n\t\t\t\"type\": \"%s\"", xp_record_name(record->type));
	other->write(out, record);
	fputs("\n\t\t}", out);
}
