/* SPDX-License-Identifier: MIT */
/*
 * From a sample with registers and stack to one with a call chain, in place: what was between them
 * moves towards the front, since the chain is shorter than the stack.
 *
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE: the order of fields.
 */
#include "unwound.h"

#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/recorder.h>
#include <xperf/unwind.h>

#include "chain-mark.h"
#include "sample-bits.h"

#define WITH_STACK (XP_SAMPLE_CALLCHAIN | XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER)

bool xp_has_stacks(const struct xp_attr *attr)
{
	return (attr->sample_type & WITH_STACK) == WITH_STACK;
}

void xp_unwound_attr(struct xp_attr *attr, uint64_t regs_user)
{
	if (!xp_has_stacks(attr))
		return;
	attr->sample_type &= ~(uint64_t)XP_SAMPLE_STACK_USER;
	/* The size stays: chains are no deeper than what was copied. */
	attr->exclude_callchain_user = 0;
	attr->sample_regs_user &= regs_user;
	if (!attr->sample_regs_user)
		attr->sample_type &= ~(uint64_t)XP_SAMPLE_REGS_USER;
}

int xp_stack_find(const struct xp_record *record, const struct xp_attr *attr,
		  struct xp_sample *ret_sample, struct xp_stack_place *ret_place)
{
	const void *begin, *end;
	int err = xp_sample_decode_head(record, attr, ret_sample, &begin);

	if (!err) {
		ret_sample->size = sizeof(*ret_sample);
		err = xp_sample_decode(record, attr, ret_sample);
	}
	if (err)
		return err;
	const struct xp_sample *s = ret_sample;

	if (s->branch_counters)
		begin = s->branch_counters + s->nr_branches;
	else if (attr->sample_type & XP_SAMPLE_BRANCH_STACK)
		begin = s->branches + s->nr_branches;
	end = (const uint64_t *)begin + 1 + s->user_regs.nr;
	/* The length; behind the bytes, how many of them are valid. */
	end = s->stack_len ? (const char *)s->stack + (s->stack_len + WORD - 1) / WORD * WORD + WORD
			   : (const char *)end + WORD;
	*ret_place = (struct xp_stack_place){ (char *)begin, (char *)end };
	return 0;
}

static uint64_t kept_of(const struct xp_attr *attr, uint64_t kept_regs)
{
	return attr->sample_regs_user & kept_regs;
}

size_t xp_stack_room(const struct xp_stack_place *place, const struct xp_attr *attr,
		     uint64_t kept_regs)
{
	enum { MARKER = 1 };
	uint64_t kept = kept_of(attr, kept_regs);
	size_t words = (size_t)(place->end - place->begin) / WORD;
	size_t taken =
		MARKER + XP_CHAIN_MARK_MAX + (kept ? 1 + (size_t)__builtin_popcountll(kept) : 0);

	return words > taken ? words - taken : 0;
}

static char *put_word(char *to, uint64_t word)
{
	memcpy(to, &word, sizeof(word));
	return to + sizeof(word);
}

/* As the mask of the new attribute has them. Returns their words. */
static size_t choose_regs(const struct xp_regs *regs, uint64_t kept, uint64_t *ret_words)
{
	size_t nr = 0;
	int at = 0;

	if (!kept)
		return 0;
	ret_words[nr++] = regs->abi;
	for (uint64_t mask = regs->abi ? regs->mask : 0; mask; mask &= mask - 1, at++)
		if (kept & mask & -mask)
			ret_words[nr++] = regs->values[at];
	return nr;
}

/* Of markers before frames that were joined. */
enum { JOINED_WORDS = 2 };

void xp_unwound_fit(struct xp_user_chain *chain, size_t room)
{
	size_t seen = chain->nr - chain->nr_joined, all = chain->nr;

	if (chain->nr + (chain->nr_joined ? JOINED_WORDS : 0) <= room)
		return;
	if (!chain->nr_joined)
		chain->nr = room;
	else
		chain->nr = seen + JOINED_WORDS < room ? room - JOINED_WORDS
						       : (seen < room ? seen : room);
	chain->nr_joined = chain->nr > seen ? chain->nr - seen : 0;
	if (chain->nr < all)
		chain->end = XP_CHAIN_MAX;
}

/*
 * An address in the call stands for a return address, as when perf unwinds: after a call that does
 * not return there may be another function. Code that a signal interrupted has called nothing, and
 * nothing has called what its handler returns to.
 */
uint64_t xp_unwound_place(const struct xp_user_chain *chain, size_t frame)
{
	size_t next = frame + 1;
	bool is_exact = chain->marks[frame] & (XP_UNWIND_INTERRUPTED | XP_UNWIND_NOT_CALLED);
	bool is_trampoline = next < chain->nr && chain->marks[next] & XP_UNWIND_INTERRUPTED;

	return chain->pcs[frame] - (frame && !is_exact && !is_trampoline);
}

static char *put_frames(char *to, const struct xp_user_chain *chain, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		to = put_word(to, xp_unwound_place(chain, i));
	return to;
}

/* Returns where it ends. */
static char *put_chain(char *to, const struct xp_user_chain *chain)
{
	size_t seen = chain->nr - chain->nr_joined;
	uint64_t mark[XP_CHAIN_MARK_MAX];

	if (!chain->nr)
		return to;
	to = put_word(to, XP_CONTEXT_USER);
	to = put_frames(to, chain, 0, seen);
	if (chain->nr_joined) {
		to = put_word(to, XP_CONTEXT_USER);
		to = put_word(to, XP_CONTEXT_USER);
		to = put_frames(to, chain, seen, chain->nr);
	}
	size_t nr = xp_chain_mark(chain->end, mark);

	return (char *)memcpy(to, mark, nr * WORD) + nr * WORD;
}

static size_t chain_words(const struct xp_user_chain *chain)
{
	enum { MARKER = 1 };
	uint64_t mark[XP_CHAIN_MARK_MAX];

	if (!chain->nr)
		return 0;
	return MARKER + chain->nr + (chain->nr_joined ? JOINED_WORDS : 0) +
	       xp_chain_mark(chain->end, mark);
}

size_t xp_unwound_write(const struct xp_sample *sample, const struct xp_stack_place *place,
			const struct xp_attr *attr, uint64_t kept_regs,
			const struct xp_user_chain *chain, char *to)
{
	const struct xp_record *record = sample->record;
	const char *chain_end = (const char *)(sample->callchain + sample->nr_callchain);
	size_t head = (size_t)(chain_end - (const char *)record);
	size_t middle = (size_t)(place->begin - chain_end);
	size_t tail = (size_t)((const char *)record + record->size - place->end);
	size_t nr_at = (size_t)((const char *)(sample->callchain - 1) - (const char *)record);
	uint64_t words = chain_words(chain), regs[65];
	size_t nr_regs = choose_regs(&sample->user_regs, kept_of(attr, kept_regs), regs);
	uint64_t nr_chain = sample->nr_callchain + words;

	/* Each piece goes to where nothing is that is still needed. */
	memmove(to, record, head);
	memmove(to + head + words * WORD, chain_end, middle);
	put_word(to + nr_at, nr_chain);
	char *at = put_chain(to + head, chain) + middle;

	memcpy(at, regs, nr_regs * WORD);
	at += nr_regs * WORD;
	memmove(at, place->end, tail);
	uint16_t size = (uint16_t)(at + tail - to);

	memcpy(to + offsetof(struct xp_record, size), &size, sizeof(size));
	return size;
}
