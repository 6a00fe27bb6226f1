/* SPDX-License-Identifier: MIT */
/*
 * Samples put together: the inverse of sample-decode.c.
 *
 * Everything is put twice: first nowhere, to learn the size, then into the buffer.
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE.
 */
#include <xperf/sample.h>

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>

#include "opts.h"
#include "sample-bits.h"

/* @buf NULL: only counted. */
struct out {
	uint8_t *buf;
	uint64_t used;
};

static void put(struct out *out, const void *bytes, uint64_t len)
{
	if (out->buf && len)
		memcpy(out->buf + out->used, bytes, len);
	out->used += len;
}

static void put_word(struct out *out, uint64_t word)
{
	put(out, &word, sizeof(word));
}

static void put_pair(struct out *out, int32_t first, int32_t second)
{
	put(out, &first, sizeof(first));
	put(out, &second, sizeof(second));
}

/* Zeros up to the next whole word. */
static void fill(struct out *out)
{
	static const uint8_t zeros[WORD];

	put(out, zeros, -out->used % WORD);
}

static uint64_t filled(uint64_t len)
{
	return (len + WORD - 1) & ~(uint64_t)(WORD - 1);
}

/* What is not given is a reading of nothing: zeros, as many as the format has. */
static void put_read(struct out *out, const struct xp_sample *s, uint64_t format)
{
	static const uint64_t nothing[5];

	if (s->nr_read_words)
		put(out, s->read, s->nr_read_words * WORD);
	else
		put(out, nothing, xp_sample_read_words(format, nothing, 5) * WORD);
}

/* The size is chosen so that size and bytes are whole words: without bytes it is 4. */
static void put_raw(struct out *out, const struct xp_sample *s)
{
	uint32_t len = (uint32_t)(filled(sizeof(len) + (uint64_t)s->raw_len) - sizeof(len));

	put(out, &len, sizeof(len));
	put(out, s->raw, s->raw_len);
	fill(out);
}

static void put_branches(struct out *out, const struct xp_sample *s, uint64_t branch_type)
{
	put_word(out, s->nr_branches);
	if (branch_type & XP_BRANCH_HW_INDEX && (s->nr_branches || s->has_branch_hw_idx))
		put_word(out, s->branch_hw_idx);
	put(out, s->branches, s->nr_branches * sizeof(*s->branches));
	if (branch_type & XP_BRANCH_COUNTERS && s->branch_counters)
		put(out, s->branch_counters, s->nr_branches * WORD);
}

static void put_regs(struct out *out, const struct xp_regs *regs)
{
	put_word(out, regs->abi);
	if (regs->abi)
		put(out, regs->values, (uint64_t)regs->nr * WORD);
}

static void put_stack(struct out *out, const struct xp_sample *s)
{
	put_word(out, filled(s->stack_len));
	if (!s->stack_len)
		return;
	put(out, s->stack, s->stack_len);
	fill(out);
	put_word(out, s->stack_valid);
}

static void put_head(struct out *out, const struct xp_sample *s, const struct xp_attr *attr)
{
	uint64_t type = attr->sample_type;

	if (type & XP_SAMPLE_IDENTIFIER)
		put_word(out, s->id.id);
	if (type & XP_SAMPLE_IP)
		put_word(out, s->ip);
	if (type & XP_SAMPLE_TID)
		put_pair(out, s->id.pid, s->id.tid);
	if (type & XP_SAMPLE_TIME)
		put_word(out, s->id.time_ns);
	if (type & XP_SAMPLE_ADDR)
		put_word(out, s->address);
	if (type & XP_SAMPLE_ID)
		put_word(out, s->id.id);
	if (type & XP_SAMPLE_STREAM_ID)
		put_word(out, s->id.stream_id);
	if (type & XP_SAMPLE_CPU)
		put_pair(out, s->id.cpu, 0);
	if (type & XP_SAMPLE_PERIOD)
		put_word(out, s->period);
	if (type & XP_SAMPLE_READ)
		put_read(out, s, attr->read_format);
	if (type & XP_SAMPLE_CALLCHAIN) {
		put_word(out, s->nr_callchain);
		put(out, s->callchain, s->nr_callchain * WORD);
	}
	if (type & XP_SAMPLE_RAW)
		put_raw(out, s);
}

static void put_tail(struct out *out, const struct xp_sample *s, const struct xp_attr *attr)
{
	uint64_t type = attr->sample_type;

	if (type & XP_SAMPLE_BRANCH_STACK)
		put_branches(out, s, attr->branch_sample_type);
	if (type & XP_SAMPLE_REGS_USER)
		put_regs(out, &s->user_regs);
	if (type & XP_SAMPLE_STACK_USER)
		put_stack(out, s);
	if (type & XP_SAMPLE_WEIGHTS)
		put_word(out, s->weight);
	if (type & XP_SAMPLE_DATA_SRC)
		put_word(out, s->data_source);
	if (type & XP_SAMPLE_TRANSACTION)
		put_word(out, s->transaction);
	if (type & XP_SAMPLE_REGS_INTR)
		put_regs(out, &s->intr_regs);
	if (type & XP_SAMPLE_PHYS_ADDR)
		put_word(out, s->phys_address);
	if (type & XP_SAMPLE_CGROUP)
		put_word(out, s->cgroup);
	if (type & XP_SAMPLE_DATA_PAGE_SIZE)
		put_word(out, s->data_page_size);
	if (type & XP_SAMPLE_CODE_PAGE_SIZE)
		put_word(out, s->code_page_size);
	if (type & XP_SAMPLE_AUX) {
		put_word(out, s->aux_len);
		put(out, s->aux, s->aux_len);
		fill(out);
	}
}

/* What varies in length is what a decoder would find: neither absent where it is counted, nor
 * other than the attribute says. */
static bool is_sound(const struct xp_sample *s, const struct xp_attr *attr)
{
	const struct xp_regs *regs[] = { &s->user_regs, &s->intr_regs };
	const uint64_t masks[] = { attr->sample_regs_user, attr->sample_regs_intr };

	for (size_t i = 0; i < 2; i++)
		if (regs[i]->abi && regs[i]->nr != __builtin_popcountll(masks[i]))
			return false;
	return !s->nr_read_words || xp_sample_read_words(attr->read_format, s->read,
							 s->nr_read_words) == s->nr_read_words;
}

/* No sum of lengths that are smaller than this overflows. */
static bool is_too_long(const struct xp_sample *s)
{
	const uint64_t lens[] = { s->nr_read_words, s->nr_callchain, s->raw_len,
				  s->nr_branches,   s->stack_len,    s->aux_len };

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		if (lens[i] > UINT16_MAX)
			return true;
	return false;
}

int xp_sample_encode(const struct xp_sample *sample, const struct xp_attr *attr, void *buf,
		     size_t len)
{
	struct xp_record header = { .type = XP_RECORD_SAMPLE };
	struct out out = { .used = sizeof(header) };
	struct xp_sample known;
	int err = XP_OPTS_COPY(&known, sample, struct xp_sample, aux_len, NULL);

	if (err)
		return err;
	sample = &known;
	if (is_too_long(sample))
		return -E2BIG;
	if (!is_sound(sample, attr))
		return -EINVAL;
	put_head(&out, sample, attr);
	put_tail(&out, sample, attr);
	if (out.used > RECORD_BYTES_MAX)
		return -E2BIG;
	if (!buf)
		return (int)out.used;
	if (out.used > len)
		return -ENOBUFS;
	header.misc = sample->record ? sample->record->misc : 0;
	header.size = (uint16_t)out.used;
	out = (struct out){ .buf = buf };
	put(&out, &header, sizeof(header));
	put_head(&out, sample, attr);
	put_tail(&out, sample, attr);
	return (int)out.used;
}
