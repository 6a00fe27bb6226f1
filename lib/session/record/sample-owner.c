/* SPDX-License-Identifier: MIT */
/*
 * Where several events of one kind count on a CPU, or several tracepoint events follow a task, the
 * kernel makes samples of all of them with the same data, and fills in what is there already only
 * once: all get the id of the first one, which can be another recorder's. What is in one's own ring
 * is of one's own events, so that such a sample has an owner if only one event can be it.
 *
 * Source: do_perf_sw_event(), perf_tp_event_target_task() and perf_prepare_sample() of
 * kernel/events/core.c, sample_flags; seen on Linux 6.18.
 */
#include "sample-owner.h"

#include <string.h>
#include <xperf/record.h>
#include <xperf/sample.h>

#include "sample-bits.h"
#include "software-event.h"

bool xp_sample_shares_id(const struct xp_attr *attr)
{
	return attr->type == XP_TYPE_TRACEPOINT || is_shared_software_event(attr);
}

/* The number of the tracepoint, which raw data begin with; 0: of no tracepoint. */
static uint16_t tracepoint_of(const struct xp_sample *sample, bool is_swapped)
{
	uint16_t nr = 0;

	if (sample->raw_len >= sizeof(nr))
		memcpy(&nr, sample->raw, sizeof(nr));
	return is_swapped ? __builtin_bswap16(nr) : nr;
}

static bool can_own(const struct xp_attr *attr, const struct xp_record *record, bool is_swapped)
{
	struct xp_sample sample = { .size = sizeof(sample) };
	uint64_t of = attr->type == XP_TYPE_TRACEPOINT ? attr->config : 0;
	const void *end;

	return xp_sample_shares_id(attr) && !xp_sample_decode_head(record, attr, &sample, &end) &&
	       (!(attr->sample_type & XP_SAMPLE_RAW) || tracepoint_of(&sample, is_swapped) == of);
}

int xp_sample_owner(const struct xp_record *record, const struct xp_owners *owners)
{
	int owner = -1;

	for (int event = 0; event < owners->nr; event++) {
		if (!can_own(owners->attr_at(owners->list, event), record, owners->is_swapped))
			continue;
		if (owner >= 0)
			return -1;
		owner = event;
	}
	return owner;
}

void xp_sample_set_id(struct xp_record *record, const struct xp_attr *attr, uint64_t id)
{
	const uint64_t before = XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP | XP_SAMPLE_TID |
				XP_SAMPLE_TIME | XP_SAMPLE_ADDR;
	size_t word = (size_t)__builtin_popcountll(attr->sample_type & before);
	uint8_t *words = (uint8_t *)(record + 1);
	size_t room = (record->size - sizeof(*record)) / WORD;

	if (attr->sample_type & XP_SAMPLE_IDENTIFIER && room)
		memcpy(words, &id, sizeof(id));
	if (attr->sample_type & XP_SAMPLE_ID && word < room)
		memcpy(words + word * WORD, &id, sizeof(id));
}
