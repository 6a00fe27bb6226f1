/* SPDX-License-Identifier: MIT */
/* Samples whose copy of the stack becomes a call chain, as bytes. */
#ifndef SESSION_UNWOUND_H
#define SESSION_UNWOUND_H

#include <xperf/chain-ends.h>
#include <xperf/sample.h>

struct xp_attr;
struct xp_record;

/* Where registers and stack are in a sample: what is between @begin and @end goes. */
struct xp_stack_place {
	char *begin, *end;
};

/* The user part of a call chain. */
struct xp_user_chain {
	const uint64_t *pcs;
	const uint8_t *marks; /* enum xp_unwind_mark */
	size_t nr;
	size_t nr_joined; /* the last of them, see struct xp_chain_walk */
	enum xp_chain_end end;
};

/* Whether samples of an event have a stack, and a call chain that it can become a part of. */
bool xp_has_stacks(const struct xp_attr *attr);
/*
 * Finds them in a sample of such an event.
 * Returns 0 with *@ret_sample decoded, or -EBADMSG.
 */
int xp_stack_find(const struct xp_record *record, const struct xp_attr *attr,
		  struct xp_sample *ret_sample, struct xp_stack_place *ret_place);
/* Frames that a call chain can have in their place, if registers of @kept_regs stay. */
size_t xp_stack_room(const struct xp_stack_place *place, const struct xp_attr *attr,
		     uint64_t kept_regs);
/* Leaves out frames that do not fit. @room: of xp_stack_room() */
void xp_unwound_fit(struct xp_user_chain *chain, size_t room);
/* The address that stands for a frame in a call chain. */
uint64_t xp_unwound_place(const struct xp_user_chain *chain, size_t frame);
/*
 * Writes the sample without stack, its call chain longer by @chain, which fits, and by how it ends
 * (chain-mark.h).
 * @sample, @place: as xp_stack_find() gave them; overwritten if @to is near
 * @to: not behind the record
 * Returns its bytes, no more than the record has.
 */
size_t xp_unwound_write(const struct xp_sample *sample, const struct xp_stack_place *place,
			const struct xp_attr *attr, uint64_t kept_regs,
			const struct xp_user_chain *chain, char *to);

#endif
