/* SPDX-License-Identifier: MIT */
/*
 * Rings are written one after the other, and each is in order: so a file consists of runs that
 * are in order. They are merged with a heap. Two rounds of the recorder are held at a time, or what
 * is within a limit: a few bytes of compressed data can hold a round of gigabytes.
 *
 * Records are added until a round ends, or the limit is reached. Then some of them are due, and
 * have to be read before more are added.
 *
 * Source of the rule of rounds: Documentation/perf.data-file-format.txt of perf,
 * PERF_RECORD_FINISHED_ROUND.
 */
#include "order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/record.h>

enum { BLOCK = 1 << 20 };

/* A record that waits. */
struct item {
	uint64_t time_ns, position;
	const struct xp_record *record;
};

/* Items that are in order, [at, end) of their round. */
struct run {
	size_t at, end;
};

/* Memory for records. */
struct block {
	struct block *next;
	size_t used, room;
	uint64_t bytes[];
};

struct round {
	struct item *items;
	size_t nr, room;
	struct run *runs;
	size_t nr_runs, runs_room;
	struct block *blocks;
	uint64_t newest_ns;
	size_t bytes; /* of records and items */
};

/* The next item of a run. Of equal times, that which came first is first. */
struct head {
	uint64_t time_ns;
	size_t order; /* of the run in the file */
	struct round *round;
	struct run *run;
};

/* Why records are due, and so what is done when they are out. */
enum due {
	DUE_NONE,
	DUE_ROUND, /* a round has ended */
	DUE_HALF,  /* the limit was reached */
	DUE_LIMIT, /* all of them for the limit */
	DUE_END,   /* nothing comes any more */
};

struct xp_order {
	xp_ahead_fn ahead; /* may be NULL */
	void *ahead_data;
	enum due due;
	uint64_t until_ns; /* those that are not newer are due */
	struct round rounds[2];
	struct round *now, *before;
	struct head *heap;
	size_t nr_heap, heap_room;
	size_t limit;         /* of bytes */
	uint64_t released_ns; /* what was due for the limit is out up to here */
	uint64_t nr_late;
};

struct xp_order *xp_order_new(size_t limit, xp_ahead_fn ahead, void *ahead_data)
{
	struct xp_order *order = calloc(1, sizeof(*order));

	if (!order)
		return NULL;
	order->ahead = ahead;
	order->ahead_data = ahead_data;
	order->limit = limit;
	order->now = &order->rounds[0];
	order->before = &order->rounds[1];
	return order;
}

/* --- a round --- */

static void free_blocks(struct block *block)
{
	while (block) {
		struct block *next = block->next;

		free(block);
		block = next;
	}
}

/* One block of the usual size is kept. */
static void empty(struct round *round)
{
	struct block *kept = NULL;

	if (round->blocks) {
		free_blocks(round->blocks->next);
		kept = round->blocks;
		kept->next = NULL;
		kept->used = 0;
	}
	round->nr = round->nr_runs = 0;
	round->bytes = 0;
	round->blocks = kept;
}

static void fini_round(struct round *round)
{
	free(round->items);
	free(round->runs);
	free_blocks(round->blocks);
}

void xp_order_free(struct xp_order *order)
{
	if (!order)
		return;
	fini_round(&order->rounds[0]);
	fini_round(&order->rounds[1]);
	free(order->heap);
	free(order);
}

/* Room for one more in an array. Returns it, perhaps moved; NULL without memory. */
static void *with_room(void *array, size_t nr, size_t *room, size_t each)
{
	size_t wanted = *room ? *room * 2 : 64;

	if (nr < *room)
		return array;
	array = reallocarray(array, wanted, each);
	if (array)
		*room = wanted;
	return array;
}

static const struct xp_record *keep(struct round *round, const struct xp_record *record)
{
	struct block *block = round->blocks;
	size_t len = (record->size + 7UL) & ~7UL;

	if (!block || block->room - block->used < len) {
		block = malloc(sizeof(*block) + BLOCK);
		if (!block)
			return NULL;
		*block = (struct block){ .next = round->blocks, .room = BLOCK };
		round->blocks = block;
	}
	void *copy = (char *)block->bytes + block->used;
	memcpy(copy, record, record->size);
	block->used += len;
	return copy;
}

/* The last run goes on, or another begins. */
static int extend_runs(struct round *round, uint64_t time_ns)
{
	struct run *runs;

	if (round->nr_runs && round->items[round->nr - 1].time_ns <= time_ns) {
		round->runs[round->nr_runs - 1].end++;
		return 0;
	}
	runs = with_room(round->runs, round->nr_runs, &round->runs_room, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	round->runs = runs;
	runs[round->nr_runs++] = (struct run){ round->nr, round->nr + 1 };
	return 0;
}

static int add(struct round *round, const struct xp_record *record, uint64_t time_ns,
	       uint64_t position)
{
	struct item *items = with_room(round->items, round->nr, &round->room, sizeof(*items));
	const struct xp_record *copy = items ? keep(round, record) : NULL;

	if (items)
		round->items = items;
	if (!copy || extend_runs(round, time_ns))
		return -ENOMEM;
	items[round->nr++] = (struct item){ time_ns, position, copy };
	round->bytes += record->size + sizeof(*items);
	if (time_ns > round->newest_ns)
		round->newest_ns = time_ns;
	return 0;
}

/* --- merging --- */

static bool is_before(const struct head *a, const struct head *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static void sift_down(struct head *heap, size_t nr, size_t at)
{
	struct head moved = heap[at];

	for (size_t child; (child = 2 * at + 1) < nr; at = child) {
		if (child + 1 < nr && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

static int add_heads(struct xp_order *order, struct round *round)
{
	for (size_t i = 0; i < round->nr_runs; i++) {
		struct run *run = &round->runs[i];
		struct head *heap;

		if (run->at == run->end)
			continue;
		heap = with_room(order->heap, order->nr_heap, &order->heap_room, sizeof(*heap));
		if (!heap)
			return -ENOMEM;
		order->heap = heap;
		heap[order->nr_heap] =
			(struct head){ round->items[run->at].time_ns, order->nr_heap, round, run };
		order->nr_heap++;
	}
	return 0;
}

/* The next ones of the same run will most often be the next ones of all. */
static void look_ahead(const struct xp_order *order, const struct head *head)
{
	enum { NEAR = 4, FAR = 8 };
	const struct item *items = &head->round->items[head->run->at];
	size_t left = head->run->end - head->run->at;

	if (!order->ahead)
		return;
	if (left > FAR)
		order->ahead(items[FAR].record, false, order->ahead_data);
	if (left > NEAR)
		order->ahead(items[NEAR].record, true, order->ahead_data);
}

/* What is not newer than @until_ns is due. */
static int start_merge(struct xp_order *order, enum due due, uint64_t until_ns)
{
	order->due = due;
	order->until_ns = until_ns;
	order->nr_heap = 0;
	int err = add_heads(order, order->before) ?: add_heads(order, order->now);
	for (size_t i = order->nr_heap / 2; !err && i-- > 0;)
		sift_down(order->heap, order->nr_heap, i);
	return err;
}

/* The first of what is due; NULL: all of it is out. */
static const struct item *pop(struct xp_order *order)
{
	struct head *top = order->heap;
	struct run *run;
	const struct item *item;

	if (!order->nr_heap || top->time_ns > order->until_ns)
		return NULL;
	look_ahead(order, top);
	run = top->run;
	item = &top->round->items[run->at];
	if (++run->at < run->end)
		top->time_ns = item[1].time_ns;
	else
		*top = order->heap[--order->nr_heap];
	if (order->nr_heap)
		sift_down(order->heap, order->nr_heap, 0);
	return item;
}

/* --- the limit --- */

/* Half of the time between the oldest and the newest that wait; 0: none does. */
static uint64_t half_of_them(const struct xp_order *order)
{
	uint64_t oldest = UINT64_MAX, newest = 0;

	for (int i = 0; i < 2; i++) {
		const struct round *round = &order->rounds[i];

		for (size_t at = 0; at < round->nr_runs; at++) {
			const struct run *run = &round->runs[at];

			if (run->at == run->end)
				continue;
			uint64_t first = round->items[run->at].time_ns;
			uint64_t last = round->items[run->end - 1].time_ns;

			oldest = first < oldest ? first : oldest;
			newest = last > newest ? last : newest;
		}
	}
	return oldest <= newest ? oldest + (newest - oldest) / 2 : 0;
}

/* Copies what still waits, in the order of the file. */
static int copy_rest(struct round *to, const struct round *from)
{
	int err = 0;

	for (size_t i = 0; i < from->nr_runs; i++)
		for (size_t at = from->runs[i].at; !err && at < from->runs[i].end; at++) {
			const struct item *item = &from->items[at];

			err = add(to, item->record, item->time_ns, item->position);
		}
	return err;
}

/* The older half is out: what still waits goes on as one round. Where that is most of it, all of it
 * is due, so that each is copied a few times. */
static int end_half(struct xp_order *order)
{
	struct round rest = { 0 };
	int err = copy_rest(&rest, order->before) ?: copy_rest(&rest, order->now);

	if (err || rest.bytes > order->limit / 2) {
		fini_round(&rest);
		return err ? err : start_merge(order, DUE_LIMIT, UINT64_MAX);
	}
	rest.newest_ns = order->now->newest_ns;
	empty(order->before);
	fini_round(order->now);
	*order->now = rest;
	if (order->until_ns > order->released_ns)
		order->released_ns = order->until_ns;
	return 0;
}

/* All are out: younger ones may have been, too. */
static void end_limit(struct xp_order *order)
{
	empty(order->before);
	empty(order->now);
	if (order->now->newest_ns > order->released_ns)
		order->released_ns = order->now->newest_ns;
}

/* All of the round before are out, and its place becomes that of the next one. */
static void end_round(struct xp_order *order)
{
	struct round *done = order->before;
	uint64_t newest_ns =
		done->newest_ns > order->now->newest_ns ? done->newest_ns : order->now->newest_ns;

	empty(done);
	order->before = order->now;
	order->now = done;
	order->before->newest_ns = order->now->newest_ns = newest_ns;
}

static int end_due(struct xp_order *order)
{
	enum due due = order->due;

	order->due = DUE_NONE;
	switch (due) {
	case DUE_ROUND:
		end_round(order);
		return 0;
	case DUE_HALF:
		return end_half(order);
	case DUE_LIMIT:
		end_limit(order);
		return 0;
	case DUE_END:
		empty(order->before);
		empty(order->now);
		return 0;
	default:
		return 0;
	}
}

/* --- for the reader --- */

int xp_order_add(struct xp_order *order, const struct xp_record *record, uint64_t time_ns,
		 uint64_t position)
{
	int err = add(order->now, record, time_ns, position);

	order->nr_late += time_ns && time_ns < order->released_ns;
	if (!err && order->now->bytes + order->before->bytes > order->limit)
		err = start_merge(order, DUE_HALF, half_of_them(order));
	return err;
}

int xp_order_round(struct xp_order *order)
{
	return start_merge(order, DUE_ROUND, order->before->newest_ns);
}

int xp_order_end(struct xp_order *order)
{
	return start_merge(order, DUE_END, UINT64_MAX);
}

int xp_order_next(struct xp_order *order, struct xp_ordered *ret_ordered)
{
	while (order->due != DUE_NONE) {
		const struct item *item = pop(order);

		if (item) {
			*ret_ordered =
				(struct xp_ordered){ item->record, item->time_ns, item->position };
			return 1;
		}
		int err = end_due(order);
		if (err)
			return err;
	}
	return 0;
}

uint64_t xp_order_nr_late(const struct xp_order *order)
{
	return order->nr_late;
}
