/* SPDX-License-Identifier: MIT */
/*
 * The types of records: names, layouts, and the checks of what a record says about itself.
 *
 * Source: linux/perf_event.h (Linux 7.2), enum perf_event_type; from 64 upwards:
 * Documentation/perf.data-file-format.txt of perf, and files of perf 3.2 to 7.2.
 */
#include "record.h"

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/record.h>

#include "cleanup.h"
#include "str.h"
#include "swap.h"

/* Integers at offsets that are known to be in the record. */
static uint64_t u16_at(const struct xp_record *record, size_t offset)
{
	return load_u16((const uint8_t *)record + offset, false);
}

static uint64_t u32_at(const struct xp_record *record, size_t offset)
{
	return load_u32((const uint8_t *)record + offset, false);
}

static uint64_t u64_at(const struct xp_record *record, size_t offset)
{
	return load_u64((const uint8_t *)record + offset, false);
}

static bool has_text(const struct xp_record *record, size_t offset)
{
	return offset < record->size &&
	       memchr((const uint8_t *)record + offset, '\0', record->size - offset);
}

static const char *check_text_poke(const struct xp_record *record)
{
	return 20 + u16_at(record, 16) + u16_at(record, 18) > record->size
		       ? "its code is larger than the record"
		       : NULL;
}

static const char *check_attr(const struct xp_record *record)
{
	uint64_t len = u32_at(record, 12);

	if (len && len < XP_ATTR_SIZE_VER0)
		return "its attribute is too short";
	return sizeof(*record) + len > record->size ? "its attribute is larger than the record"
						    : NULL;
}

/* A set of CPUs at an offset: its kind, then numbers, a mask, or a range. */
static const char *check_cpus(const struct xp_record *record, size_t at)
{
	enum { NUMBERS, MASK, RANGE };
	uint64_t nr, each = 2, first = at + 4;

	if (at + 4 > record->size)
		return "its CPUs are missing";
	nr = u16_at(record, at + 2);
	switch (u16_at(record, at)) {
	case NUMBERS:
		break;
	case MASK:
		if (at + 6 > record->size)
			return "its CPUs are missing";
		each = u16_at(record, at + 4);
		first = at + (each == 8 ? 10 : 6);
		break;
	case RANGE:
		nr = 1;
		each = 4;
		break;
	default:
		return NULL;
	}
	return first + nr * each > record->size ? "its CPUs are larger than the record" : NULL;
}

static const char *check_cpu_map(const struct xp_record *record)
{
	return check_cpus(record, sizeof(*record));
}

static const char *check_update(const struct xp_record *record)
{
	enum { UNIT, SCALE, NAME, CPUS };

	switch (u64_at(record, 8)) {
	case UNIT:
	case NAME:
		return has_text(record, 24) ? NULL : "its text is not terminated";
	case SCALE:
		return record->size < 32 ? "its scale is missing" : NULL;
	case CPUS:
		return check_cpus(record, 24);
	default:
		return NULL;
	}
}

static const char *check_compressed(const struct xp_record *record)
{
	return u64_at(record, 8) > record->size - 16U ? "its data are larger than the record"
						      : NULL;
}

#define BYTES_64 "________"

static const struct xp_record_kind kinds[] = {
	[XP_RECORD_MMAP] = { "MMAP", "44888~", .min = 40, .text = 40 },
	[XP_RECORD_LOST] = { "LOST", "88", .min = 24 },
	[XP_RECORD_COMM] = { "COMM", "44~", .min = 16, .text = 16 },
	[XP_RECORD_EXIT] = { "EXIT", "44448", .min = 32 },
	[XP_RECORD_THROTTLE] = { "THROTTLE", "888", .min = 32 },
	[XP_RECORD_UNTHROTTLE] = { "UNTHROTTLE", "888", .min = 32 },
	[XP_RECORD_FORK] = { "FORK", "44448", .min = 32 },
	[XP_RECORD_READ] = { "READ", "44*", .min = 24 },
	[XP_RECORD_SAMPLE] = { "SAMPLE", "", .min = 8 },
	[XP_RECORD_MMAP2] = { "MMAP2", "44888", .min = 72, .text = 72 },
	[XP_RECORD_AUX] = { "AUX", "888", .min = 32 },
	[XP_RECORD_ITRACE_START] = { "ITRACE_START", "44", .min = 16 },
	[XP_RECORD_LOST_SAMPLES] = { "LOST_SAMPLES", "8", .min = 16 },
	[XP_RECORD_SWITCH] = { "SWITCH", "", .min = 8 },
	[XP_RECORD_SWITCH_CPU_WIDE] = { "SWITCH_CPU_WIDE", "44", .min = 16 },
	[XP_RECORD_NAMESPACES] = { "NAMESPACES", "448*", .min = 24, .count = 16, .each = 16 },
	[XP_RECORD_KSYMBOL] = { "KSYMBOL", "8422~", .min = 24, .text = 24 },
	[XP_RECORD_BPF_EVENT] = { "BPF_EVENT", "224_", .min = 24 },
	[XP_RECORD_CGROUP] = { "CGROUP", "8~", .min = 16, .text = 16 },
	[XP_RECORD_TEXT_POKE] = { "TEXT_POKE", "822~", .min = 20, .check = check_text_poke },
	[XP_RECORD_AUX_OUTPUT_HW_ID] = { "AUX_OUTPUT_HW_ID", "8", .min = 16 },
	[XP_RECORD_CALLCHAIN_DEFERRED] = { "CALLCHAIN_DEFERRED", "88*", .min = 24, .count = 16,
					   .each = 8 },

	[XP_RECORD_HEADER_ATTR] = { "ATTR", "", .min = 8 + 64, .check = check_attr },
	[XP_RECORD_HEADER_EVENT_TYPE] = { "EVENT_TYPE", "8~", .min = 16 },
	[XP_RECORD_HEADER_TRACING_DATA] = { "TRACING_DATA", "4", .min = 12 },
	[XP_RECORD_HEADER_BUILD_ID] = { "BUILD_ID", "4~", .min = 36, .text = 36 },
	[XP_RECORD_FINISHED_ROUND] = { "FINISHED_ROUND", "", .min = 8 },
	[XP_RECORD_ID_INDEX] = { "ID_INDEX", "8*", .min = 16, .count = 8, .each = 32 },
	[XP_RECORD_AUXTRACE_INFO] = { "AUXTRACE_INFO", "44*", .min = 16 },
	[XP_RECORD_AUXTRACE] = { "AUXTRACE", "8884444", .min = 48 },
	[XP_RECORD_AUXTRACE_ERROR] = { "AUXTRACE_ERROR", "44444488" BYTES_64 "44", .min = 48,
				       .text = 48 },
	[XP_RECORD_THREAD_MAP] = { "THREAD_MAP", "8(8__)", .min = 16, .count = 8, .each = 24 },
	[XP_RECORD_CPU_MAP] = { "CPU_MAP", "", .min = 12, .check = check_cpu_map },
	[XP_RECORD_STAT_CONFIG] = { "STAT_CONFIG", "8*", .min = 16, .count = 8, .each = 16 },
	[XP_RECORD_STAT] = { "STAT", "844888", .min = 48 },
	[XP_RECORD_STAT_ROUND] = { "STAT_ROUND", "88", .min = 24 },
	[XP_RECORD_EVENT_UPDATE] = { "EVENT_UPDATE", "", .min = 24, .check = check_update },
	[XP_RECORD_TIME_CONV] = { "TIME_CONV", "88888_", .min = 32 },
	[XP_RECORD_HEADER_FEATURE] = { "FEATURE", "8~", .min = 16 },
	[XP_RECORD_COMPRESSED] = { "COMPRESSED", "~", .min = 8 },
	[XP_RECORD_FINISHED_INIT] = { "FINISHED_INIT", "", .min = 8 },
	[XP_RECORD_COMPRESSED2] = { "COMPRESSED2", "8~", .min = 16, .check = check_compressed },
	[XP_RECORD_BPF_METADATA] = { "BPF_METADATA",
				     BYTES_64 BYTES_64 BYTES_64 BYTES_64 BYTES_64 BYTES_64 BYTES_64
					     BYTES_64 "8~",
				     .min = 528, .text = 8, .count = 520, .each = 320 },
	[85] = { "SCHEDSTAT_CPU", "", .min = 8 },
	[86] = { "SCHEDSTAT_DOMAIN", "", .min = 8 },
};

const struct xp_record_kind *xp_record_kind(uint32_t type)
{
	return type < XP_ARRAY_LEN(kinds) && kinds[type].name ? &kinds[type] : NULL;
}

const char *xp_record_name(uint32_t type)
{
	const struct xp_record_kind *kind = xp_record_kind(type);

	return kind ? kind->name : NULL;
}

static int complain(struct xp_str *why, const char *reason)
{
	if (why)
		xp_str_addf(why, "%s", reason);
	return -EBADMSG;
}

int xp_record_check(const struct xp_record *record, const struct xp_record_kind *kind,
		    struct xp_str *why)
{
	if (record->size < kind->min) {
		if (why)
			xp_str_addf(why, "it has %u of at least %u bytes", record->size, kind->min);
		return -EBADMSG;
	}
	if (kind->text && !has_text(record, kind->text))
		return complain(why, "its text is not terminated");
	if (kind->count &&
	    u64_at(record, kind->count) > (record->size - kind->count - 8U) / kind->each)
		return complain(why, "it counts more than it contains");
	const char *reason = kind->check ? kind->check(record) : NULL;
	return reason ? complain(why, reason) : 0;
}
