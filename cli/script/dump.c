/* SPDX-License-Identifier: MIT */
/* -D: the bytes of each record, in the order of the file. Source of the layout: perf script, 6.1,
 * measured. */
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/timeline.h>

#include "script.h"

static void dump_line(struct sink *out, const unsigned char *bytes, uint32_t at, uint32_t len)
{
	sink_text(out, ".  ");
	sink_hex(out, at, 4, '0');
	sink_text(out, ": ");
	sink_dump(out, bytes, at, len);
}

/* " 0x1f8 [0x28]": where it is, and its size. */
static void show_place(struct script *script, const struct xp_record *record, const char *path)
{
	struct sink *out = &script->out;

	sink_text(out, "0x");
	sink_hex(out, xp_data_offset(script->rec->data), 0, ' ');
	if (path) {
		sink_char(out, '@');
		sink_escaped(out, path);
	}
	sink_text(out, " [0x");
	sink_hex(out, record->size, 0, ' ');
	sink_text(out, "]: ");
}

/* CPU and time, where the events have them. */
static void show_when(struct script *script, const struct xp_sample_id *id, bool has_trailer)
{
	const struct xp_data_event *event;
	struct sink *out = &script->out;
	uint64_t types = 0;

	for (int i = 0; (event = xp_data_event_at(script->rec->data, i)); i++)
		types |= event->attr.sample_type;
	if (!has_trailer)
		sink_text(out, "-1 -1 ");
	if (has_trailer && types & XP_SAMPLE_CPU) {
		sink_dec(out, id->cpu < 0 ? 0 : (uint64_t)id->cpu, 0, ' ');
		sink_char(out, ' ');
	}
	if (has_trailer && types & XP_SAMPLE_TIME) {
		sink_dec(out, id->time_ns == XP_NO_TIME ? 0 : id->time_ns, 0, ' ');
		sink_char(out, ' ');
	}
}

static void show_name(struct sink *out, const struct xp_record *record)
{
	const char *name = xp_record_name(record->type);

	sink_text(out, "PERF_RECORD_");
	sink_text(out, name ? name : "?");
}

/* What it says. */
static void show_content(struct script *script, const struct xp_record *record)
{
	int idx = xp_data_event_of(script->rec->data, record);
	const struct xp_data_event *event = xp_data_event_at(script->rec->data, idx < 0 ? 0 : idx);
	bool is_sample = record->type == XP_RECORD_SAMPLE, is_kernels = record->type < 64;
	struct xp_sample sample = { .size = sizeof(sample), .id = { -1, -1, 0, 0, 0, 0 } };

	if (event && is_sample)
		xp_sample_decode(record, &event->attr, &sample);
	else if (event && is_kernels && event->attr.sample_id_all)
		xp_sample_id_decode(record, &event->attr, &sample.id);
	show_when(script, &sample.id, is_sample || (event && event->attr.sample_id_all));
	sample.id.time_ns = script->rec->without_times
				    ? script->now
				    : xp_timeline_moment(script->rec->timeline, sample.id.time_ns,
							 xp_data_position(script->rec->data));
	show_place(script, record, NULL);
	show_name(&script->out, record);
	if (event && is_sample)
		dump_sample(script, &sample, event->attr.sample_type);
	else if (!dump_made(&script->out, record))
		side_body(&script->out, record);
}

void dump_record(struct script *script, const struct xp_record *record)
{
	struct sink *out = &script->out;

	sink_char(out, '\n');
	show_place(script, record, script->rec->path);
	sink_text(out, "event: ");
	sink_dec(out, record->type, 0, ' ');
	sink_text(out, "\n.\n. ... raw event: size ");
	sink_dec(out, record->size, 0, ' ');
	sink_text(out, " bytes\n");
	for (uint32_t at = 0; at < record->size; at += SINK_DUMP_BYTES)
		dump_line(out, (const void *)record, at, record->size);
	sink_char(out, '\n');
	show_content(script, record);
}
