/* SPDX-License-Identifier: MIT */
/*
 * The reader: rings to blocks. It copies whole records, gives the kernel back what it has taken as
 * soon as it has it, and marks after each pass over all rings that a round is finished, by which
 * readers of the file know what they can sort.
 *
 * Source: perf_event_open(2), poll: POLLIN at the watermark, POLLHUP when the task has ended;
 * FINISHED_ROUND: Documentation/perf.data-file-format.txt of perf.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/record.h>
#include <xperf/sampling.h>
#include <xperf/sys.h>

#include "record.h"
#include "recorder-impl.h"
#include "ring-pieces.h"
#include "sampling.h"

static struct xp_ring *ring_at(const struct xp_recorder *r, int idx)
{
	return xp_evlist_ring(r->opts.evlist, idx)->ring;
}

/* --- which rings --- */

int xp_reader_reserve_rings(struct xp_recorder *r, int nr)
{
	struct pollfd *polled = calloc((size_t)nr + 1, sizeof(*polled));
	bool *gone = calloc((size_t)nr, sizeof(*gone));

	if (!polled || !gone) {
		free(polled);
		free(gone);
		return -ENOMEM;
	}
	free(r->polled);
	free(r->gone);
	r->polled = polled;
	r->gone = gone;
	return 0;
}

void xp_reader_plan_rings(struct xp_recorder *r)
{
	r->nr_rings = xp_evlist_nr_rings(r->opts.evlist);
	for (int i = 0; i < r->nr_rings; i++) {
		const struct xp_ring_place *place = xp_evlist_ring(r->opts.evlist, i);

		r->has_overwritten |= place->overwrite;
		if (!i || xp_ring_bytes(place->ring) < r->least_ring_bytes)
			r->least_ring_bytes = xp_ring_bytes(place->ring);
		r->polled[i] = (struct pollfd){ .fd = place->fd, .events = POLLIN };
	}
	r->polled[r->nr_rings] = (struct pollfd){ .fd = r->notify_fd, .events = POLLIN };
}

/* --- blocks --- */

static void hand_over(struct xp_recorder *r, bool flush)
{
	if (!r->block)
		return;
	r->block->flush = flush;
	xp_blocks_push(&r->queue, r->block);
	r->block = NULL;
}

/* The block being filled, with room for @bytes. NULL on out of memory. */
static struct xp_block *block_for(struct xp_recorder *r, size_t bytes)
{
	if (r->block && r->block->room - r->block->len < bytes)
		hand_over(r, false);
	if (!r->block)
		r->block = xp_blocks_get(&r->queue, XP_BLOCK_RING, bytes);
	return r->block;
}

void xp_reader_add_record(struct xp_recorder *r, const void *record, size_t len)
{
	struct xp_block *block = block_for(r, len);

	if (!block)
		return;
	memcpy(block->bytes + block->len, record, len);
	block->len += len;
}

/* --- records --- */

static size_t copy_pieces(char *to, size_t room, const struct xp_piece *pieces, int nr)
{
	size_t len = 0;

	for (int i = 0; i < nr && len < room; i++) {
		size_t part = pieces[i].len < room - len ? pieces[i].len : room - len;

		memcpy(to + len, pieces[i].at, part);
		len += part;
	}
	return len;
}

static size_t backlog(const struct xp_recorder *r)
{
	return atomic_load_explicit(&r->queue.backlog, memory_order_relaxed);
}

/* Copies some of what a ring holds; returns false if there is nothing more to be had. */
static bool read_chunk(struct xp_recorder *r, struct xp_ring *ring)
{
	struct xp_block *block;
	struct xp_piece pieces[2];
	int nr = xp_ring_pieces(ring, pieces);

	if (!nr || !(block = block_for(r, XP_RECORD_ROOM)))
		return false;
	char *to = block->bytes + block->len;
	size_t room = block->room - block->len;
	size_t len = copy_pieces(to, room < XP_CHUNK_BYTES ? room : XP_CHUNK_BYTES, pieces, nr);

	xp_shed_own_samples(&r->shed, to, len);
	struct xp_scanned scanned = xp_scan_records(&r->scan, to, len);
	xp_rate_mend(&r->shed, atomic_load(&r->rate.parts), to, scanned.bytes);
	if (scanned.has_maps)
		xp_shed_clear_build_ids(&r->shed, to, scanned.bytes);
	xp_band_collect(&r->band, &r->shed, to, scanned.bytes);
	xp_ring_skip(ring, scanned.bytes);
	xp_ring_consume(ring);
	uint32_t stack_bytes = xp_shed_stack_bytes(backlog(r), r->opts.backlog_bytes);
	/* Stacks that are only unwound wait without what the kernel has filled them up with. */
	block->len += stack_bytes == XP_SHED_NOTHING && !r->unwinding
			      ? scanned.bytes
			      : xp_shed_records(&r->shed, &r->scan, stack_bytes, to, scanned.bytes);
	block->has_maps |= scanned.has_maps;
	if (!scanned.bytes || scanned.damaged) {
		xp_ring_reset(ring);
		return false;
	}
	return true;
}

/* Also when nothing can be written any more: it is counted then. */
static void read_ring(struct xp_recorder *r, struct xp_ring *ring)
{
	while (read_chunk(r, ring))
		;
}

static bool sheds_samples(const struct xp_recorder *r)
{
	return xp_shed_stack_bytes(backlog(r), r->opts.backlog_bytes) == XP_SHED_SAMPLES;
}

static void report_shed(struct xp_recorder *r)
{
	struct xp_shed *shed = &r->shed;

	if (!shed->pending)
		return;
	for (int i = 0; i < shed->nr_events; i++) {
		struct xp_block *block = block_for(r, XP_LOST_RECORD_BYTES);

		if (!block)
			return;
		block->len += xp_shed_report(&shed->events[i], block->bytes + block->len,
					     block->room - block->len);
	}
	shed->pending = false;
}

/* --- the AUX area --- */

/*
 * What is new there, as AUXTRACE with the bytes behind it. While too much waits for the disk it is
 * left where it is: the kernel then says in its own records that it is cut.
 */
static void read_aux(struct xp_recorder *r, int idx)
{
	const struct xp_ring_place *place = xp_evlist_ring(r->opts.evlist, idx);
	struct xp_record_auxtrace record = {
		.header = { .type = XP_RECORD_AUXTRACE, .size = sizeof(record) },
		.reference = r->sys->now(r->sys),
		.idx = (uint32_t)idx,
		.tid = (uint32_t)place->tid,
		.cpu = (uint32_t)place->cpu,
	};
	struct xp_piece pieces[2];
	int nr = xp_ring_aux_pieces(place->ring, pieces, &record.offset);
	size_t len = 0;

	for (int i = 0; i < nr; i++)
		len += pieces[i].len;
	if (!len || backlog(r) > r->opts.backlog_bytes)
		return;
	record.size = (len + 7) / 8 * 8;
	struct xp_block *block =
		xp_blocks_get(&r->queue, XP_BLOCK_OUTSIDE, sizeof(record) + record.size);
	if (!block)
		return;
	memcpy(block->bytes, &record, sizeof(record));
	copy_pieces(block->bytes + sizeof(record), len, pieces, nr);
	memset(block->bytes + sizeof(record) + len, 0, record.size - len);
	block->len = sizeof(record) + record.size;
	xp_ring_aux_consume(place->ring, len);
	hand_over(r, false);
	xp_blocks_push(&r->queue, block);
}

/* --- passes --- */

/* Records of the caller's own. The lock is only tried: he holds it for a moment. */
static void read_inbox(struct xp_recorder *r)
{
	if (pthread_mutex_trylock(&r->inbox_lock))
		return;
	struct xp_block *block = r->inbox;
	r->inbox = r->inbox_last = NULL;
	pthread_mutex_unlock(&r->inbox_lock);
	if (block)
		hand_over(r, false);
	while (block) {
		struct xp_block *next = block->next;

		xp_scan_add(&r->scan, XP_NR_BYTES, block->len);
		xp_blocks_push(&r->queue, block);
		block = next;
	}
}

/* Is there anything in this ring, this time? Finds out when a ring is damaged. */
static size_t look(struct xp_recorder *r, int idx, bool overwritten)
{
	const struct xp_ring_place *place = xp_evlist_ring(r->opts.evlist, idx);
	const struct xp_record *record;

	if (place->overwrite != overwritten)
		return 0;
	size_t bytes = xp_ring_begin(place->ring);
	if (!bytes && xp_ring_next(place->ring, &record) < 0)
		xp_ring_reset(place->ring);
	unsigned int fill = (unsigned int)(bytes * 16 / xp_ring_bytes(place->ring));
	if (fill > r->rate.fill)
		r->rate.fill = fill;
	return bytes;
}

/* How long maps are left in rings: a process that ends meanwhile takes what only it had along. */
enum { MAPS_SOON_NS = 10000000, MAPS_LATE_NS = 100000000 };

static void finish_round(struct xp_recorder *r)
{
	static const struct xp_record round = { .type = XP_RECORD_FINISHED_ROUND,
						.size = sizeof(round) };

	/* What was overwritten comes out of any order: nothing is finished then. */
	if (!r->has_overwritten && !r->opts.own_rounds)
		xp_reader_add_record(r, &round, sizeof(round));
}

/* Files are looked at while they are there: soon after one was mapped others are, and the writer
 * gets what names them at once. */
static void note_maps_pass(struct xp_recorder *r)
{
	bool has_maps = r->block && r->block->has_maps;
	uint64_t longer = r->maps_wait_ns * 2;

	r->maps_wait_ns = has_maps || !longer     ? MAPS_SOON_NS
			  : longer < MAPS_LATE_NS ? longer
						  : MAPS_LATE_NS;
	if (has_maps && r->opts.build_ids)
		hand_over(r, false);
}

void xp_reader_pass(struct xp_recorder *r, bool due)
{
	uint64_t watched = xp_scan_get(&r->scan, XP_NR_WATCHED), began_ns = r->sys->now(r->sys);
	bool any = false, all = true;

	read_inbox(r);
	for (int i = 0; i < r->nr_rings; i++) {
		size_t bytes = look(r, i, false);

		if (bytes && bytes < r->opts.min_bytes && !due) {
			all = false;
			continue;
		}
		if (bytes)
			read_ring(r, ring_at(r, i));
		if (xp_evlist_ring_has_aux(r->opts.evlist, i, false))
			read_aux(r, i);
		any |= bytes;
	}
	if (all)
		xp_band_end_pass(&r->band, began_ns);
	if (!sheds_samples(r))
		report_shed(r);
	/* One more after the last: unwinding.c waits for it. */
	if ((any && all) || (due && r->unwinding && r->was_any))
		finish_round(r);
	r->was_any = due ? any : r->was_any || any;
	note_maps_pass(r);
	if (due)
		hand_over(r, true);
	if (xp_scan_get(&r->scan, XP_NR_WATCHED) != watched)
		xp_recorder_notify(r, r->news_fd);
}

static int read_snapshot(struct xp_recorder *r)
{
	int err = xp_evlist_pause_overwritten(r->opts.evlist, true);

	if (err)
		return err;
	for (int i = 0; i < r->nr_rings; i++) {
		size_t bytes = look(r, i, true);

		if (bytes)
			read_ring(r, ring_at(r, i));
		if (xp_evlist_ring_has_aux(r->opts.evlist, i, true))
			read_aux(r, i);
	}
	return xp_evlist_pause_overwritten(r->opts.evlist, false);
}

void xp_reader_see_hangups(struct xp_recorder *r)
{
	uint64_t nr_gone = xp_scan_get(&r->scan, XP_NR_RINGS_GONE);

	for (int i = 0; i < r->nr_rings; i++) {
		if (r->gone[i] || !(r->polled[i].revents & (POLLHUP | POLLERR | POLLNVAL)))
			continue;
		if (xp_evlist_next_ring_fd(r->opts.evlist, i)) {
			r->polled[i].fd = xp_evlist_ring(r->opts.evlist, i)->fd;
			continue;
		}
		r->polled[i].fd = -1;
		r->gone[i] = true;
		xp_scan_add(&r->scan, XP_NR_RINGS_GONE, 1);
	}
	if (xp_scan_get(&r->scan, XP_NR_RINGS_GONE) == nr_gone ||
	    xp_scan_get(&r->scan, XP_NR_RINGS_GONE) != (uint64_t)r->nr_rings)
		return;
	atomic_store(&r->all_ended, true);
	xp_recorder_notify(r, r->news_fd);
}

/*
 * What a ring got while others were looked at is older than samples that were found in these: the
 * second pass takes it, for the names in it.
 */
static void serve_switch(struct xp_recorder *r, struct xp_request *request)
{
	struct xp_block *blocks[] = { xp_blocks_get(&r->queue, XP_BLOCK_SWITCH, 0),
				      xp_blocks_get(&r->queue, XP_BLOCK_ANSWER, 0) };

	if (!blocks[0] || !blocks[1]) {
		free(blocks[0]);
		free(blocks[1]);
		request->err = -ENOMEM;
		sem_post(&request->answered);
		return;
	}
	for (int i = 0; i < 2; i++) {
		xp_reader_pass(r, true);
		blocks[i]->request = request;
		xp_blocks_push(&r->queue, blocks[i]);
	}
}

void xp_reader_serve(struct xp_recorder *r, struct xp_request *request)
{
	switch (request->kind) {
	case XP_REQUEST_SWITCH:
		serve_switch(r, request);
		return;
	case XP_REQUEST_PREPARE:
		request->names_ns = r->scan.names_ns;
		break;
	case XP_REQUEST_CPUS:
		request->err = xp_reader_reopen_cpus(r);
		if (atomic_load(&r->rate.parts) > 1)
			xp_evlist_slow_clocks(r->opts.evlist, atomic_load(&r->rate.parts));
		break;
	case XP_REQUEST_SNAPSHOT:
		request->err = read_snapshot(r);
		hand_over(r, true);
		break;
	}
	sem_post(&request->answered);
}

void xp_reader_end(struct xp_recorder *r)
{
	enum { PASSES = 3 }; /* what goes on being written has no end */
	uint64_t before;

	for (int i = 0; i < PASSES; i++) {
		before = xp_scan_get(&r->scan, XP_NR_BYTES);
		xp_reader_pass(r, true);
		if (xp_scan_get(&r->scan, XP_NR_BYTES) == before)
			break;
	}
	read_snapshot(r);
	report_shed(r);
	hand_over(r, true);
	r->end->kind = XP_BLOCK_END;
	xp_blocks_push(&r->queue, r->end);
	r->end = NULL;
}

/* --- the thread --- */

/* How soon a listener hears that there was nothing more. */
enum { BAND_NS = 500000 };

static void wait_and_pass(struct xp_recorder *r)
{
	const struct xp_sys *sys = r->sys;
	uint64_t now = sys->now(sys), count;
	bool is_shared = r->band.share.ppm > 0;
	uint64_t pause =
		is_shared ? xp_band_pause(&r->band, now, cpu_share_spent(), r->least_ring_bytes)
			  : 0;
	uint64_t to_flush = now < r->next_flush ? r->next_flush - now : 0;
	uint64_t to_maps = r->opts.build_ids ? r->maps_wait_ns : to_flush;
	uint64_t wait = pause ? pause : r->band.is_due ? BAND_NS : to_maps;
	struct pollfd *notify = &r->polled[r->nr_rings];
	size_t nr_waited = pause ? 0 : (size_t)r->nr_rings;
	int nr = sys->poll(sys, notify - nr_waited, nr_waited + 1,
			   (int64_t)(wait < to_flush ? wait : to_flush));

	if (nr > 0 && notify->revents) {
		sys->read(sys, notify->fd, &count, sizeof(count));
		nr--;
	}
	if (nr > 0) {
		xp_scan_add(&r->scan, XP_NR_WAKEUPS, 1);
		xp_reader_see_hangups(r);
	}
	now = sys->now(sys);
	bool due = now >= r->next_flush;
	xp_reader_pass(r, due);
	xp_reader_look_at_rate(r, now);
	if (due)
		r->next_flush = now + r->opts.flush_ns;
	struct xp_request *request = atomic_exchange(&r->request, NULL);
	if (request)
		xp_reader_serve(r, request);
}

void *xp_reader_thread(void *recorder)
{
	struct xp_recorder *r = recorder;

	r->start_err = r->sys->set_priority(r->sys, r->opts.realtime_priority);
	sem_post(&r->started);
	while (!atomic_load(&r->stopping))
		wait_and_pass(r);
	xp_reader_end(r);
	return NULL;
}
