/* SPDX-License-Identifier: MIT */
/*
 * From raw data to a call chain. The kernel walked by maps that were known a moment before: frames
 * in what was mapped since are not believed.
 */
#include "walked.h"

#include <stddef.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/sample.h>

#include "chain-mark.h"
#include "kernel-walk.h"
#include "sample-bits.h"
#include "sample-owner.h"

enum { HEAD = offsetof(struct walked, ips) };

/* Reads what comes before the frames. Returns false: the frames do not fit into the raw data. */
static bool read_head(const struct xp_sample *sample, struct walked *ret_walked)
{
	if (sample->raw_len < HEAD)
		return false;
	memcpy(ret_walked, sample->raw, HEAD);
	return ret_walked->nr && ret_walked->nr <= WALKED_FRAMES_MAX &&
	       ret_walked->nr * sizeof(uint64_t) <= sample->raw_len - HEAD;
}

/* Frames that can be believed. */
static uint32_t nr_known(const struct xp_walker *walker, const struct walked *walked)
{
	uint32_t nr = 0;

	while (nr < walked->nr && !xp_walker_is_newer(walker, walked->ips[nr], walked->known_ns))
		nr++;
	return nr;
}

static void set_period(struct xp_record *record, uint64_t sample_type, uint64_t period)
{
	const uint64_t before = XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP | XP_SAMPLE_TID |
				XP_SAMPLE_TIME | XP_SAMPLE_ID | XP_SAMPLE_CPU;
	size_t word = (size_t)__builtin_popcountll(sample_type & before);

	if (sample_type & XP_SAMPLE_PERIOD)
		memcpy((uint8_t *)(record + 1) + word * WORD, &period, sizeof(period));
}

size_t xp_walked_write(const struct xp_record *record, const struct xp_attr *attr,
		       const struct xp_shed *events, struct xp_walker *walker, char *to,
		       enum xp_chain_end *ret_end)
{
	const uint64_t marker = XP_CONTEXT_USER;
	struct xp_sample sample = { .size = sizeof(sample) };
	uint64_t mark[XP_CHAIN_MARK_MAX];
	struct walked walked;

	if (xp_sample_decode(record, attr, &sample) || !sample.callchain ||
	    !read_head(&sample, &walked))
		return 0;
	memcpy(walked.ips, (const char *)sample.raw + HEAD, walked.nr * sizeof(uint64_t));
	const struct xp_shed_event *event = xp_shed_event_by_id(events, walked.id);
	if (!event)
		return 0;
	xp_walker_enter(walker, &sample);
	uint32_t nr = nr_known(walker, &walked);
	*ret_end = nr < walked.nr  ? XP_CHAIN_TOO_NEW
		   : walked.is_cut ? XP_CHAIN_MAX
				   : XP_CHAIN_COMPLETE;
	/* The innermost one is where the processor was. */
	nr = nr ? nr : 1;
	size_t head = (size_t)((const char *)(sample.callchain + sample.nr_callchain) -
			       (const char *)record);
	size_t nr_at = (size_t)((const char *)(sample.callchain - 1) - (const char *)record);
	size_t mark_len = xp_chain_mark(*ret_end, mark);
	uint64_t nr_chain = sample.nr_callchain + 1 + nr + mark_len;
	uint16_t size = (uint16_t)(head + (1 + nr + mark_len) * WORD);

	memmove(to, record, head);
	struct xp_record *made = (void *)to;
	made->size = size;
	xp_sample_set_id(made, attr, walked.id);
	set_period(made, attr->sample_type, walked.period);
	memcpy(to + nr_at, &nr_chain, sizeof(nr_chain));
	memcpy(to + head, &marker, sizeof(marker));
	memcpy(to + head + WORD, walked.ips, nr * sizeof(uint64_t));
	memcpy(to + head + (1 + nr) * WORD, mark, mark_len * WORD);
	return size;
}
