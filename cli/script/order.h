/* SPDX-License-Identifier: MIT */
/* Records in the order of their times. */
#ifndef SCRIPT_ORDER_H
#define SCRIPT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <xperf/record.h>

/* What is done with each; @position: in the file. Returns 0, or what ends it all. */
typedef int (*order_fn)(const struct xp_record *record, uint64_t time_ns, uint64_t position,
			void *data);

/* What is told of one that comes soon: first of each, and again when it is nearer. May be NULL. */
typedef void (*order_ahead_fn)(const struct xp_record *record, bool is_near, void *data);

struct order;

/* Returns a limit for a file: more than a recording of its size on the disk needs. */
size_t order_limit(const char *path);
/*
 * @ahead: may be NULL
 * @limit: bytes of records that wait; beyond it the oldest are handed out
 * Returns NULL without memory.
 */
struct order *order_new(order_fn fn, order_ahead_fn ahead, size_t limit, void *data);
void order_free(struct order *order);
/* Takes a copy of a record. Returns 0, -ENOMEM, or what @fn returned. */
int order_add(struct order *order, const struct xp_record *record, uint64_t time_ns,
	      uint64_t position);
/*
 * A round of the recorder's rings has ended: nothing older than the newest of the round before it
 * comes any more. Returns as order_add().
 */
int order_round(struct order *order);
/* Nothing comes any more. Returns as order_add(). */
int order_end(struct order *order);
/* Says how many came when younger ones had been handed out for the limit, if any did. */
void order_say_late(const struct order *order, FILE *out);

#endif
