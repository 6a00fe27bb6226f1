/* SPDX-License-Identifier: MIT */
/*
 * Numbers in samples of tracepoints, read without making a text of them. Source of the flags:
 * linux/trace_events.h, struct trace_entry, enum trace_flag_type.
 */
#include "trace-number.h"

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/tracepoint.h>
#include <xperf/traces.h>

static const bool host_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

bool trace_is_event(const struct xp_data_event *event, const char *name)
{
	size_t len = strlen(name);

	/* With its modifiers: "sched:sched_switch:u". */
	return event->attr.type == XP_TYPE_TRACEPOINT && event->name &&
	       !strncmp(event->name, name, len) && (!event->name[len] || event->name[len] == ':');
}

int trace_number_find(const struct recording *rec, uint64_t id, const char *name,
		      struct trace_number *ret_number)
{
	struct xp_tracepoint_field field = { 0 };
	int err = xp_traces_field(rec->traces, id, name, &field);

	if (err)
		return err;
	if (field.is_array || field.is_dynamic || field.is_string)
		return -ENOENT;
	if (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8)
		return -ENOENT;
	*ret_number = (struct trace_number){
		.offset = field.offset,
		.size = field.size,
		.is_signed = field.is_signed,
		.is_big_endian = xp_data_is_swapped(rec->data) != host_is_big_endian,
	};
	return 0;
}

static uint64_t read_unsigned(const struct trace_number *number, const uint8_t *at)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < number->size; i++)
		value = value << 8 | at[number->is_big_endian ? i : number->size - 1 - i];
	return value;
}

bool trace_number_read(const struct trace_number *number, const struct xp_sample *sample,
		       int64_t *ret_value)
{
	if (!number->size || number->offset > sample->raw_len ||
	    number->size > sample->raw_len - number->offset)
		return false;
	uint64_t value = read_unsigned(number, (const uint8_t *)sample->raw + number->offset);
	unsigned int unused = 64 - 8 * number->size;

	*ret_value = number->is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
	return true;
}

bool trace_in_interrupt(const struct xp_sample *sample)
{
	enum { FLAGS_AT = 2, IN_HARD_IRQ = 0x08, IN_SOFT_IRQ = 0x10, IN_NMI = 0x40 };

	return sample->raw_len > FLAGS_AT &&
	       ((const uint8_t *)sample->raw)[FLAGS_AT] & (IN_HARD_IRQ | IN_SOFT_IRQ | IN_NMI);
}
