/* SPDX-License-Identifier: MIT */
/* Blocks of records between reader and writer: two stacks without locks. */
#include <stdlib.h>

#include "recorder-impl.h"

int xp_blocks_init(struct xp_block_queue *q)
{
	return sem_init(&q->filled, 0, 0);
}

static void free_list(struct xp_block *block)
{
	while (block) {
		struct xp_block *next = block->next;

		free(block);
		block = next;
	}
}

void xp_blocks_fini(struct xp_block_queue *q)
{
	free_list(atomic_exchange(&q->full, NULL));
	free_list(atomic_exchange(&q->idle, NULL));
	free_list(q->spare);
	q->spare = NULL;
	sem_destroy(&q->filled);
}

struct xp_block *xp_block_new(enum xp_block_kind kind, size_t bytes)
{
	struct xp_block *block = malloc(sizeof(*block) + bytes);

	if (block)
		*block = (struct xp_block){ .kind = kind, .room = bytes };
	return block;
}

struct xp_block *xp_blocks_get(struct xp_block_queue *q, enum xp_block_kind kind, size_t bytes)
{
	if (bytes > XP_BLOCK_BYTES)
		return xp_block_new(kind, bytes);
	if (!q->spare)
		q->spare = atomic_exchange_explicit(&q->idle, NULL, memory_order_acquire);
	struct xp_block *block = q->spare;
	if (!block)
		return xp_block_new(kind, XP_BLOCK_BYTES);
	q->spare = block->next;
	*block = (struct xp_block){ .kind = kind, .room = block->room };
	return block;
}

static void stack_push(_Atomic(struct xp_block *) *top, struct xp_block *block)
{
	block->next = atomic_load_explicit(top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(top, &block->next, block,
						      memory_order_release, memory_order_relaxed))
		;
}

void xp_blocks_push(struct xp_block_queue *q, struct xp_block *block)
{
	/* The writer may make less of it. */
	block->waiting = block->len;
	atomic_fetch_add_explicit(&q->backlog, block->waiting, memory_order_relaxed);
	stack_push(&q->full, block);
	sem_post(&q->filled);
}

struct xp_block *xp_blocks_pop_all(struct xp_block_queue *q)
{
	struct xp_block *block = atomic_exchange_explicit(&q->full, NULL, memory_order_acquire);
	struct xp_block *ordered = NULL;

	while (block) {
		struct xp_block *next = block->next;

		block->next = ordered;
		ordered = block;
		block = next;
	}
	return ordered;
}

void xp_blocks_recycle(struct xp_block_queue *q, struct xp_block *block)
{
	atomic_fetch_sub_explicit(&q->backlog, block->waiting, memory_order_relaxed);
	if (block->room == XP_BLOCK_BYTES)
		stack_push(&q->idle, block);
	else
		free(block);
}
