/* SPDX-License-Identifier: MIT */
/* The writer: blocks to the file, by way of the stages. Its failures are reported, and end nothing.
 */
#include <xperf/data.h>
#include <xperf/record.h>
#include <xperf/sys.h>

#include "build-ids.h"
#include "off-cpu.h"
#include "recorder-impl.h"
#include "unwinding.h"
#include "writer.h"

/* Files that were mapped are looked up while they are there. */
static void note_maps(struct xp_recorder *r, struct xp_block *block)
{
	size_t size;

	if (!block->has_maps || !r->opts.build_ids)
		return;
	for (size_t at = 0; at < block->len; at += size) {
		const struct xp_record *record = (const void *)(block->bytes + at);

		size = record->size;
		if (record->type == XP_RECORD_MMAP || record->type == XP_RECORD_MMAP2)
			xp_build_ids_add(r->opts.build_ids, record);
	}
}

static void unwind_stacks(struct xp_recorder *r, struct xp_block *block)
{
	if (r->unwinding && block->kind == XP_BLOCK_RING)
		xp_unwinding_block(r->unwinding, &r->scan, block);
}

/*
 * What is done to blocks of records on their way, in this order and in this thread, where time does
 * not press as it does in the reader. A stage may change the records and make them fewer.
 */
static void (*const stages[])(struct xp_recorder *r, struct xp_block *block) = {
	note_maps,
	unwind_stacks,
};

static int write_block(struct xp_recorder *r, struct xp_block *block)
{
	const struct xp_record *record = (const void *)block->bytes;

	if (block->kind == XP_BLOCK_OUTSIDE)
		return xp_data_writer_write_outside(r->writer, record, block->bytes + record->size,
						    block->len - record->size);
	/* After a failure the writer only counts what it does not get. */
	bool failed = atomic_load_explicit(&r->failed, memory_order_relaxed);
	for (size_t i = 0; !failed && i < sizeof(stages) / sizeof(stages[0]); i++)
		stages[i](r, block);
	if (block->kind == XP_BLOCK_RING && r->off_cpu && !failed)
		return xp_off_cpu_write(r, block);
	if (block->kind == XP_BLOCK_RING)
		return xp_files_write(r, block->bytes, block->len);
	return xp_data_writer_write(r->writer, block->bytes, block->len, false);
}

static void flush_if_due(struct xp_recorder *r, bool due, int *err)
{
	uint64_t now = r->sys->now(r->sys);

	if (*err || (!due && now - r->last_flush < r->opts.flush_ns))
		return;
	r->last_flush = now;
	*err = xp_data_writer_flush(r->writer);
}

static void fail(struct xp_recorder *r, int err)
{
	xp_files_note_unwritten(r);
	if (atomic_exchange(&r->failed, err) != err)
		xp_recorder_notify(r, r->news_fd);
}

static void handle(struct xp_recorder *r, struct xp_block *block)
{
	if (block->kind == XP_BLOCK_SWITCH) {
		xp_files_switch(r, block->request);
	} else if (block->kind == XP_BLOCK_ANSWER) {
		xp_files_end_switch(r, block->request);
	} else if (block->kind == XP_BLOCK_IDS) {
		int err = atomic_load(&r->failed) ? 0 : xp_files_add_ids(r, block);

		if (err)
			fail(r, err);
	} else {
		int err = block->len ? write_block(r, block) : 0;

		if (!err && block->kind == XP_BLOCK_END && r->off_cpu && !atomic_load(&r->failed))
			err = xp_off_cpu_end(r);
		flush_if_due(r, block->flush || block->kind == XP_BLOCK_END, &err);
		if (err)
			fail(r, err);
		xp_files_look(r);
	}
}

/* Returns false behind the last. */
static bool handle_all(struct xp_recorder *r, struct xp_block *block)
{
	bool goes_on = true;

	while (block) {
		struct xp_block *next = block->next;

		handle(r, block);
		goes_on = block->kind != XP_BLOCK_END;
		xp_blocks_recycle(&r->queue, block);
		block = next;
	}
	return goes_on;
}

/* The block, and those that have waited for it. */
static bool unwind_and_handle(struct xp_recorder *r, struct xp_block *block)
{
	struct xp_block *blocks = xp_unwinding_hold(r->unwinding, block);

	if (!atomic_load_explicit(&r->failed, memory_order_relaxed))
		xp_unwinding_ahead(r->unwinding, blocks,
				   atomic_load_explicit(&r->queue.backlog, memory_order_relaxed));
	return handle_all(r, blocks);
}

bool xp_writer_drain(struct xp_recorder *r)
{
	struct xp_block *block = xp_blocks_pop_all(&r->queue);
	bool goes_on = true;

	if (!r->unwinding)
		return handle_all(r, block);
	while (block) {
		struct xp_block *next = block->next;

		goes_on = unwind_and_handle(r, block);
		block = next;
	}
	return goes_on;
}

void *xp_writer_thread(void *recorder)
{
	struct xp_recorder *r = recorder;

	do
		while (sem_wait(&r->queue.filled))
			;
	while (xp_writer_drain(r));
	return NULL;
}
