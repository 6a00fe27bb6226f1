/* SPDX-License-Identifier: MIT */
/*
 * Samples decoded, in place: what varies in length stays where it is, and is pointed to.
 *
 * Nothing a record says about its own lengths is believed before it is held against the record.
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE.
 */
#include <xperf/sample.h>

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>

#include "cursor.h"
#include "opts.h"
#include "sample-bits.h"

/* How a branch stack is laid out; only the length of the record shows which one it is. */
struct layout {
	bool hw_idx, counters;
};

static uint64_t consume_word(struct cursor *c)
{
	const uint64_t *word = consume(c, WORD);

	return word ? *word : 0;
}

static void consume_pair(struct cursor *c, int32_t *ret_first, int32_t *ret_second)
{
	const int32_t *pair = consume(c, WORD);

	if (!pair)
		return;
	*ret_first = pair[0];
	if (ret_second)
		*ret_second = pair[1];
}

/* @nr elements of @each bytes; their number is written only if they are there. */
static const void *consume_array(struct cursor *c, uint64_t nr, size_t each, size_t *ret_nr)
{
	if (nr > RECORD_BYTES_MAX) {
		c->bad = true;
		return NULL;
	}
	const void *at = consume(c, nr * each);

	if (at)
		*ret_nr = (size_t)nr;
	return at;
}

/* Bytes, and what fills them up to a whole word. */
static const void *consume_bytes(struct cursor *c, uint64_t len)
{
	if (len > UINT16_MAX) {
		c->bad = true;
		return NULL;
	}
	return consume(c, (len + WORD - 1) & ~(uint64_t)(WORD - 1));
}

size_t xp_sample_read_words(uint64_t format, const uint64_t *first, size_t words)
{
	size_t times = !!(format & XP_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & XP_FORMAT_TOTAL_TIME_RUNNING);
	size_t each = 1 + !!(format & XP_FORMAT_ID) + !!(format & XP_FORMAT_LOST);

	if (!(format & XP_FORMAT_GROUP))
		return times + each <= words ? times + each : 0;
	if (words < 1 + times || *first > (words - 1 - times) / each)
		return 0;
	return 1 + times + (size_t)*first * each;
}

static void decode_read(struct cursor *c, uint64_t format, struct xp_sample *s)
{
	const uint64_t *first = (const void *)c->at;
	size_t left = c->bad ? 0 : (size_t)(c->end - c->at) / WORD;
	size_t nr = xp_sample_read_words(format, first, left);

	c->bad |= !nr;
	s->read = consume(c, nr * WORD);
	s->nr_read_words = s->read ? nr : 0;
}

static void decode_raw(struct cursor *c, struct xp_sample *s)
{
	const uint32_t *len = c->bad || c->end - c->at < WORD ? NULL : (const void *)c->at;

	if (!len || !consume_bytes(c, (uint64_t)*len + sizeof(*len))) {
		c->bad = true;
		return;
	}
	s->raw = len + 1;
	s->raw_len = *len;
}

static void decode_branches(struct cursor *c, const struct layout *layout, struct xp_sample *s)
{
	uint64_t nr = consume_word(c);

	s->has_branch_hw_idx = layout->hw_idx;
	if (layout->hw_idx)
		s->branch_hw_idx = consume_word(c);
	s->branches = consume_array(c, nr, sizeof(*s->branches), &s->nr_branches);
	if (layout->counters)
		s->branch_counters = consume_array(c, nr, WORD, &s->nr_branches);
}

static void decode_regs(struct cursor *c, uint64_t mask, struct xp_regs *regs)
{
	size_t nr = 0;

	regs->abi = consume_word(c);
	if (!regs->abi)
		return;
	regs->mask = mask;
	regs->values = consume_array(c, (uint64_t)__builtin_popcountll(mask), WORD, &nr);
	regs->nr = (int)nr;
}

static void decode_stack(struct cursor *c, struct xp_sample *s)
{
	uint64_t len = consume_word(c);

	if (!len)
		return;
	s->stack = consume_bytes(c, len);
	if (!s->stack)
		return;
	s->stack_len = len;
	s->stack_valid = consume_word(c);
	if (s->stack_valid > len)
		c->bad = true;
}

/* From the start up to RAW. */
static void decode_to_raw(struct cursor *c, const struct xp_attr *attr, struct xp_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & XP_SAMPLE_IDENTIFIER)
		s->id.id = consume_word(c);
	if (type & XP_SAMPLE_IP)
		s->ip = consume_word(c);
	if (type & XP_SAMPLE_TID)
		consume_pair(c, &s->id.pid, &s->id.tid);
	if (type & XP_SAMPLE_TIME)
		s->id.time_ns = consume_word(c);
	if (type & XP_SAMPLE_ADDR)
		s->address = consume_word(c);
	if (type & XP_SAMPLE_ID)
		s->id.id = consume_word(c);
	if (type & XP_SAMPLE_STREAM_ID)
		s->id.stream_id = consume_word(c);
	if (type & XP_SAMPLE_CPU)
		consume_pair(c, &s->id.cpu, NULL);
	s->period = type & XP_SAMPLE_PERIOD ? consume_word(c) : attr->sample_period;
	if (type & XP_SAMPLE_READ)
		decode_read(c, attr->read_format, s);
	if (type & XP_SAMPLE_CALLCHAIN)
		s->callchain = consume_array(c, consume_word(c), WORD, &s->nr_callchain);
	if (type & XP_SAMPLE_RAW)
		decode_raw(c, s);
}

/* From the branch stack to the end. */
static void decode_from_branches(struct cursor *c, const struct xp_attr *attr,
				 const struct layout *layout, struct xp_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & XP_SAMPLE_BRANCH_STACK)
		decode_branches(c, layout, s);
	if (type & XP_SAMPLE_REGS_USER)
		decode_regs(c, attr->sample_regs_user, &s->user_regs);
	if (type & XP_SAMPLE_STACK_USER)
		decode_stack(c, s);
	if (type & XP_SAMPLE_WEIGHTS)
		s->weight = consume_word(c);
	if (type & XP_SAMPLE_DATA_SRC)
		s->data_source = consume_word(c);
	if (type & XP_SAMPLE_TRANSACTION)
		s->transaction = consume_word(c);
	if (type & XP_SAMPLE_REGS_INTR)
		decode_regs(c, attr->sample_regs_intr, &s->intr_regs);
	if (type & XP_SAMPLE_PHYS_ADDR)
		s->phys_address = consume_word(c);
	if (type & XP_SAMPLE_CGROUP)
		s->cgroup = consume_word(c);
	if (type & XP_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = consume_word(c);
	if (type & XP_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = consume_word(c);
	if (type & XP_SAMPLE_AUX) {
		uint64_t len = consume_word(c);

		s->aux = consume_bytes(c, len);
		s->aux_len = s->aux ? len : 0;
	}
}

static struct cursor begin(const struct xp_record *record, struct xp_sample *ret_sample)
{
	struct cursor c = {
		.at = (const uint8_t *)(record + 1),
		.end = (const uint8_t *)record + record->size,
		.bad = record->size < sizeof(*record),
	};

	*ret_sample = (struct xp_sample){
		.size = sizeof(*ret_sample),
		.record = record,
		.id = { .pid = -1, .tid = -1, .cpu = -1, .time_ns = XP_NO_TIME },
	};
	return c;
}

int xp_sample_decode_head(const struct xp_record *record, const struct xp_attr *attr,
			  struct xp_sample *ret_sample, const void **ret_end)
{
	struct cursor c = begin(record, ret_sample);

	decode_to_raw(&c, attr, ret_sample);
	*ret_end = c.at;
	return c.bad ? -EBADMSG : 0;
}

/*
 * A PMU that delivers no branch stack makes the kernel write its number, 0, alone: without the
 * hardware index the event asked for; and counters are there only if the PMU has them. So the
 * layout is the one that ends where the record ends; the full one where none does.
 */
static int decode_tail(const struct cursor *start, const struct xp_attr *attr, struct xp_sample *s)
{
	bool stack = attr->sample_type & XP_SAMPLE_BRANCH_STACK;
	bool hw_idx = stack && attr->branch_sample_type & XP_BRANCH_HW_INDEX;
	bool counters = stack && attr->branch_sample_type & XP_BRANCH_COUNTERS;
	const struct layout layouts[] = {
		{ hw_idx, counters }, { false, counters }, { hw_idx, false }, { false, false }
	};

	for (size_t i = 0; i < 4 && (hw_idx || counters); i++) {
		struct xp_sample attempt = *s;
		struct cursor c = *start;

		decode_from_branches(&c, attr, &layouts[i], &attempt);
		if (c.bad || c.at != c.end || (attempt.nr_branches && !layouts[i].hw_idx && hw_idx))
			continue;
		*s = attempt;
		return 0;
	}
	struct cursor c = *start;

	decode_from_branches(&c, attr, &layouts[0], s);
	return c.bad ? -EBADMSG : 0;
}

static int decode(const struct xp_record *record, const struct xp_attr *attr,
		  struct xp_sample *ret_sample)
{
	struct cursor c = begin(record, ret_sample);

	decode_to_raw(&c, attr, ret_sample);
	return c.bad ? -EBADMSG : decode_tail(&c, attr, ret_sample);
}

int xp_sample_decode(const struct xp_record *record, const struct xp_attr *attr,
		     struct xp_sample *ret_sample)
{
	struct xp_sample sample;

	if (ret_sample->size == sizeof(*ret_sample))
		return decode(record, attr, ret_sample);
	int err = decode(record, attr, &sample);
	int copied = XP_OUTPUT_COPY(ret_sample, &sample, struct xp_sample, aux_len);
	return copied ? copied : err;
}
