/* SPDX-License-Identifier: MIT */
/*
 * When a recording has lost something, for those who draw conclusions from what comes after what.
 *
 * A record LOST says how many are missing in the ring of a CPU between the record before it and
 * itself. Meanwhile tasks could come from that CPU to others, so that the loss concerns all of
 * them.
 */
#ifndef RECORDING_LOSSES_H
#define RECORDING_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

struct loss {
	uint64_t from_ns, to_ns;
};

/* @records, @samples: how many; the same may be in both, as the kernel counts records of a ring,
 * and samples of an event. @at: in the order of time, with time between them */
struct losses {
	uint64_t records, samples;
	struct loss *at;
	size_t nr;
};

/* recording_load(), and, if something was lost, a pass in the order of time. Returns as that does;
 * losses_fini() follows in any case. */
int losses_load(struct recording *rec, struct losses *ret_losses);
void losses_fini(struct losses *losses);

/* Whether something may be missing between two moments; at them, nothing is. */
bool losses_between(const struct losses *losses, uint64_t from_ns, uint64_t to_ns);

/* How many are missing at least. */
static inline uint64_t losses_nr(const struct losses *losses)
{
	return losses->records > losses->samples ? losses->records : losses->samples;
}

#endif
