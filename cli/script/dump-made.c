/* SPDX-License-Identifier: MIT */
/*
 * Records that no kernel writes, for -D: which ids, threads and CPUs there are, and traces of
 * processors. Programs read their fields by these names.
 *
 * Source of the layout and of the spelling: perf script, 6.1, measured. Source of the words of
 * Intel PT: tools/perf/util/intel-pt.h of Linux, the order of its numbers.
 */
#include <string.h>
#include <xperf/record.h>

#include "maps.h"
#include "script.h"

static void show_number(struct sink *out, const char *before, uint64_t value)
{
	sink_text(out, before);
	sink_dec(out, value, 0, ' ');
}

static void show_hex(struct sink *out, const char *before, uint64_t value)
{
	sink_text(out, before);
	sink_text(out, value ? "0x" : "");
	sink_hex(out, value, 0, ' ');
}

static void show_signed(struct sink *out, const char *before, uint64_t value)
{
	sink_text(out, before);
	sink_int(out, (int)value, 0);
}

static void show_ids(struct sink *out, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint64_t nr;
		struct {
			uint64_t id, idx, cpu, tid;
		} at[];
	} *index = (const void *)record;
	uint64_t room = (record->size - sizeof(*index)) / sizeof(index->at[0]);

	show_number(out, " nr: ", index->nr);
	for (uint64_t i = 0; i < index->nr && i < room; i++) {
		show_number(out, "\n ... id: ", index->at[i].id);
		show_number(out, "  idx: ", index->at[i].idx);
		show_signed(out, "  cpu: ", index->at[i].cpu);
		show_signed(out, "  tid: ", index->at[i].tid);
	}
	sink_char(out, '\n');
}

static void show_maps(struct sink *out, const struct xp_record *record)
{
	struct maps maps = { 0 };

	if (maps_load(&maps, record)) {
		sink_char(out, '\n');
		return;
	}
	if (record->type == XP_RECORD_THREAD_MAP)
		show_number(out, " nr: ", maps.nr_threads);
	for (size_t i = 0; i < maps.nr_threads; i++)
		show_signed(out,
			    i                      ? ", "
			    : maps.nr_threads == 1 ? " thread: "
						   : " threads: ",
			    (uint64_t)maps.threads[i]);
	for (size_t i = 0, last; i < maps.nr_cpus; i = last + 1) {
		for (last = i;
		     last + 1 < maps.nr_cpus && maps.cpus[last + 1] == maps.cpus[last] + 1;)
			last++;
		show_signed(out, i ? "," : ": ", (uint64_t)maps.cpus[i]);
		if (last > i)
			show_signed(out, "-", (uint64_t)maps.cpus[last]);
	}
	sink_char(out, '\n');
	maps_fini(&maps);
}

static void show_trace(struct sink *out, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint64_t size, offset, reference;
		uint32_t idx, tid, cpu, unused;
	} *trace = (const void *)record;

	show_hex(out, " size: ", trace->size);
	show_hex(out, "  offset: ", trace->offset);
	show_hex(out, "  ref: ", trace->reference);
	show_number(out, "  idx: ", trace->idx);
	show_signed(out, "  tid: ", trace->tid);
	show_signed(out, "  cpu: ", trace->cpu);
	sink_char(out, '\n');
}

/* Of Intel PT; the words of others are shown by their number. */
static void show_trace_info(struct sink *out, const struct xp_record *record)
{
	enum { INTEL_PT = 1 };
	static const struct {
		const char *name;
		bool is_hex;
	} pt[] = {
		{ "PMU Type            ", false }, { "Time Shift          ", false },
		{ "Time Muliplier      ", false }, { "Time Zero           ", false },
		{ "Cap Time Zero       ", false }, { "TSC bit             ", true },
		{ "NoRETComp bit       ", true },  { "Have sched_switch   ", false },
		{ "Snapshot mode       ", false }, { "Per-cpu maps        ", false },
		{ "MTC bit             ", true },  { "MTC freq bits       ", true },
		{ "TSC:CTC numerator   ", false }, { "TSC:CTC denominator ", false },
		{ "CYC bit             ", true },  { "Max non-turbo ratio ", false },
		{ "Filter string len.  ", false },
	};
	const size_t nr_names = sizeof(pt) / sizeof(pt[0]);
	const struct {
		struct xp_record header;
		uint32_t type, unused;
		uint64_t words[];
	} *info = (const void *)record;
	size_t nr = (record->size - sizeof(*info)) / sizeof(info->words[0]);

	show_number(out, " type: ", info->type);
	for (size_t i = 0; i < nr && (info->type != INTEL_PT || i < nr_names); i++) {
		sink_text(out, "\n  ");
		if (info->type != INTEL_PT)
			sink_format(out, "Word %-15zu ", i);
		(info->type != INTEL_PT || pt[i].is_hex ? show_hex : show_number)(
			out, info->type == INTEL_PT ? pt[i].name : "", info->words[i]);
	}
	if (info->type == INTEL_PT && nr >= nr_names) {
		const char *filter = (const char *)&info->words[nr_names];
		size_t room = record->size - (size_t)(filter - (const char *)record);

		sink_text(out, "\n  Filter string       ");
		if (room && memchr(filter, '\0', room))
			sink_escaped(out, filter);
	}
	sink_char(out, '\n');
}

bool dump_made(struct sink *out, const struct xp_record *record)
{
	static const struct {
		uint32_t type;
		size_t least;
		void (*show)(struct sink *out, const struct xp_record *record);
	} rows[] = {
		{ XP_RECORD_ID_INDEX, 16, show_ids },
		{ XP_RECORD_THREAD_MAP, 16, show_maps },
		{ XP_RECORD_CPU_MAP, 12, show_maps },
		{ XP_RECORD_AUXTRACE, 48, show_trace },
		{ XP_RECORD_AUXTRACE_INFO, 16, show_trace_info },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (record->type == rows[i].type && record->size >= rows[i].least) {
			rows[i].show(out, record);
			return true;
		}
	return false;
}
