/* SPDX-License-Identifier: MIT */
/* Records in the order of their times. */
#ifndef DATA_ORDER_H
#define DATA_ORDER_H

#include <xperf/data.h>

struct xp_order;

/* A record that is due. */
struct xp_ordered {
	const struct xp_record *record;
	uint64_t time_ns;
	uint64_t position;
};

/*
 * @limit: bytes of records that wait; beyond it the oldest are due
 * @ahead: called for what comes soon; may be NULL
 * Returns NULL on out of memory.
 */
struct xp_order *xp_order_new(size_t limit, xp_ahead_fn ahead, void *ahead_data);
void xp_order_free(struct xp_order *order);
/* Adds a copy of a record, when nothing is due. Returns 0 or -ENOMEM. */
int xp_order_add(struct xp_order *order, const struct xp_record *record, uint64_t time_ns,
		 uint64_t position);
/*
 * A round of the recorder's rings has ended: nothing older than the newest of the round before it
 * comes any more. Returns 0 or -ENOMEM.
 */
int xp_order_round(struct xp_order *order);
/* Nothing comes any more: all are due. Returns 0 or -ENOMEM. */
int xp_order_end(struct xp_order *order);
/* Returns 1 with the next one that is due, valid until the next call; 0: none is; -ENOMEM. */
int xp_order_next(struct xp_order *order, struct xp_ordered *ret_ordered);
/* How many came when younger ones were out because of the limit. Returns records. */
uint64_t xp_order_nr_late(const struct xp_order *order);

#endif
