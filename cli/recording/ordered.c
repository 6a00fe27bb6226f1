/* SPDX-License-Identifier: MIT */
/*
 * Records in the order of time. Where stacks are unwound, records are collected; threads unwind the
 * stacks of some while those before are shown and the next ones are read. What they have found is
 * kept beside the records, and completed from earlier samples in order, when it is shown: so that
 * does not depend on the number of threads.
 */
#include "ordered.h"
#include "plural.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>
#include <xperf/stacks.h>
#include <xperf/timeline.h>
#include <xperf/unwind.h>

enum {
	MAX_THREADS = 64,
	BATCH_BYTES = 4 << 20, /* of records; the last one may go beyond */
	RECORD_MAX = 64 << 10,
	BATCH_RECORDS = 4096,
	CHUNK = 8,         /* that a thread takes at a time */
	MIN_SAMPLES = 256, /* fewer are not worth a thread */
};

/* A record that was copied, and what has become of its stack. @first: where the frames are, among
 * those of the thread that has found them */
struct item {
	size_t offset;
	uint64_t time_ns, position;
	bool is_walked;
	int thread;
	size_t first;
	struct walked walked;
};

/* Frames of call chains, one after the other. */
struct frames {
	uint64_t *pcs, *sps;
	uint8_t *marks;
	size_t nr, room;
};

struct batch {
	uint8_t *bytes;
	size_t len;
	struct item *items;
	size_t nr;
	struct frames *frames; /* per thread */
	atomic_size_t next;
};

/* A thread, and the recording as it sees it. */
struct thread {
	struct recording rec;
	int number;
	struct batch *batch;
	pthread_t thread;
	bool is_started;
	int err;
};

struct pass {
	struct recording *rec;
	recording_record_fn fn;
	void *data;
	struct thread threads[MAX_THREADS];
	int nr_threads;
	struct batch batches[2];
	int end; /* what ended reading: 0 or a negative errno; 1: it goes on */
};

/* --- unwinding --- */

static const struct xp_record *record_of(const struct batch *batch, const struct item *item)
{
	return (const void *)(batch->bytes + item->offset);
}

static int make_room(struct frames *frames, size_t nr)
{
	size_t room = frames->room ? frames->room : 4096;

	while (room < nr)
		room *= 2;
	if (room == frames->room)
		return 0;
	uint64_t *pcs = reallocarray(frames->pcs, room, sizeof(*pcs));
	frames->pcs = pcs ? pcs : frames->pcs;
	uint64_t *sps = reallocarray(frames->sps, room, sizeof(*sps));
	frames->sps = sps ? sps : frames->sps;
	uint8_t *marks = reallocarray(frames->marks, room, sizeof(*marks));
	frames->marks = marks ? marks : frames->marks;
	if (!pcs || !sps || !marks)
		return -ENOMEM;
	frames->room = room;
	return 0;
}

static int keep_frames(struct frames *frames, struct item *item)
{
	const struct xp_unwind_chain *chain = &item->walked.chain;

	if (make_room(frames, frames->nr + chain->nr))
		return -ENOMEM;
	item->first = frames->nr;
	memcpy(frames->pcs + frames->nr, chain->pcs, chain->nr * sizeof(*chain->pcs));
	memcpy(frames->sps + frames->nr, chain->sps, chain->nr * sizeof(*chain->sps));
	memcpy(frames->marks + frames->nr, chain->marks, chain->nr * sizeof(*chain->marks));
	frames->nr += chain->nr;
	return 0;
}

/* What is not unwound here, as samples that are cut, is when it is shown. */
static int unwind(struct thread *thread, struct item *item)
{
	struct batch *batch = thread->batch;
	const struct xp_record *record = record_of(batch, item);
	struct recorded recorded;

	if (record->type != XP_RECORD_SAMPLE)
		return 0;
	int got = recording_decode(&thread->rec, record, item->time_ns, item->position, &recorded);
	if (got <= 0 || recorded.is_cut || !recorded.sample.stack ||
	    !sample_filter_pass(&thread->rec.filter, recorded.event, recorded.sample.id.cpu,
				recorded.time_ns))
		return got < 0 ? got : 0;
	got = xp_stacks_walk(thread->rec.stacks, &recorded.sample, &item->walked.chain,
			     item->walked.span_ns);
	if (got <= 0)
		return got;
	item->is_walked = true;
	item->thread = thread->number;
	return keep_frames(&batch->frames[thread->number], item);
}

static void *unwind_some(void *arg)
{
	struct thread *thread = arg;
	struct batch *batch = thread->batch;
	size_t at;

	while (!thread->err && (at = atomic_fetch_add(&batch->next, CHUNK)) < batch->nr)
		for (size_t i = at; !thread->err && i < batch->nr && i < at + CHUNK; i++)
			thread->err = unwind(thread, &batch->items[i]);
	return NULL;
}

/* All but the first, which is this one. */
static void start(struct pass *pass, struct batch *batch)
{
	atomic_store(&batch->next, 0);
	for (int i = 0; i < pass->nr_threads; i++)
		pass->threads[i].batch = batch;
	for (int i = 1; i < pass->nr_threads && batch->nr; i++) {
		struct thread *thread = &pass->threads[i];

		thread->is_started = !pthread_create(&thread->thread, NULL, unwind_some, thread);
	}
}

static int finish(struct pass *pass)
{
	int err = 0;

	unwind_some(&pass->threads[0]);
	for (int i = 0; i < pass->nr_threads; i++) {
		struct thread *thread = &pass->threads[i];

		if (thread->is_started)
			pthread_join(thread->thread, NULL);
		thread->is_started = false;
		err = err ? err : thread->err;
	}
	return err;
}

/* --- reading and showing --- */

static void add(struct batch *batch, const struct xp_record *record, uint64_t time_ns,
		uint64_t position)
{
	memcpy(batch->bytes + batch->len, record, record->size);
	batch->items[batch->nr++] = (struct item){
		.offset = batch->len,
		.time_ns = time_ns,
		.position = position,
	};
	batch->len += (record->size + 7UL) & ~7UL;
}

static void read_some(struct pass *pass, struct batch *batch)
{
	const struct xp_record *record;
	uint64_t time_ns, position;

	batch->nr = batch->len = 0;
	for (int i = 0; i < pass->nr_threads; i++)
		batch->frames[i].nr = 0;
	while (pass->end > 0 && batch->nr < BATCH_RECORDS && batch->len < BATCH_BYTES) {
		pass->end = xp_data_next_ordered(pass->rec->data, &record, &time_ns, &position);
		if (pass->end > 0)
			add(batch, record, time_ns, position);
	}
}

static int show(struct pass *pass, struct batch *batch)
{
	int err = 0;

	for (size_t i = 0; !err && i < batch->nr; i++) {
		struct item *item = &batch->items[i];
		const struct frames *frames = &batch->frames[item->thread];

		if (item->is_walked) {
			item->walked.chain.pcs = frames->pcs + item->first;
			item->walked.chain.sps = frames->sps + item->first;
			item->walked.chain.marks = frames->marks + item->first;
		}
		pass->rec->walked = item->is_walked ? &item->walked : NULL;
		err = pass->fn(record_of(batch, item), item->time_ns, item->position, pass->data);
	}
	pass->rec->walked = NULL;
	return err;
}

static int walk(struct pass *pass)
{
	int err = 0;

	read_some(pass, &pass->batches[0]);
	for (int i = 0; !err && pass->batches[i].nr; i = !i) {
		start(pass, &pass->batches[i]);
		/* The ones before, which are shown, make room for the next ones. */
		err = show(pass, &pass->batches[!i]);
		if (!err)
			read_some(pass, &pass->batches[!i]);
		int unwound = finish(pass);
		err = err ? err : unwound;
		if (!err && !pass->batches[!i].nr)
			err = show(pass, &pass->batches[i]);
	}
	return err ? err : pass->end;
}

/* --- threads --- */

/* Each decodes into memory of its own; what the recording holds is only read. */
static int fork_recording(const struct recording *rec, struct recording *ret)
{
	*ret = *rec;
	ret->lbr = (struct xp_lbr_chain){ 0 };
	ret->joined = (struct xp_joined){ 0 };
	ret->stacks = NULL;
	return xp_stacks_fork(rec->stacks, &ret->stacks);
}

static void free_fork(struct recording *forked)
{
	xp_stacks_free(forked->stacks);
	free(forked->lbr.at);
	free(forked->joined.at);
}

static int init(struct pass *pass, int nr_threads)
{
	int err = 0;

	for (int i = 0; !err && i < 2; i++) {
		struct batch *batch = &pass->batches[i];

		batch->items = calloc(BATCH_RECORDS, sizeof(*batch->items));
		batch->frames = calloc((size_t)nr_threads, sizeof(*batch->frames));
		batch->bytes = malloc(BATCH_BYTES + RECORD_MAX);
		err = batch->items && batch->frames && batch->bytes ? 0 : -ENOMEM;
	}
	for (int i = 0; !err && i < nr_threads; i++) {
		struct thread *thread = &pass->threads[i];

		thread->number = pass->nr_threads++;
		err = fork_recording(pass->rec, &thread->rec);
	}
	return err;
}

static void fini(struct pass *pass)
{
	for (int i = 0; i < 2; i++) {
		struct batch *batch = &pass->batches[i];

		for (int k = 0; batch->frames && k < pass->nr_threads; k++) {
			free(batch->frames[k].pcs);
			free(batch->frames[k].sps);
			free(batch->frames[k].marks);
		}
		free(batch->frames);
		free(batch->items);
		free(batch->bytes);
	}
	for (int i = 0; i < pass->nr_threads; i++)
		free_fork(&pass->threads[i].rec);
	free(pass);
}

static int walk_with_threads(struct recording *rec, int nr_threads, recording_record_fn fn,
			     void *data)
{
	struct pass *pass = calloc(1, sizeof(*pass));

	if (!pass)
		return -ENOMEM;
	pass->rec = rec;
	pass->fn = fn;
	pass->data = data;
	pass->end = 1;
	int err = init(pass, nr_threads) ?: walk(pass);

	fini(pass);
	return err;
}

static int walk_alone(struct recording *rec, recording_record_fn fn, void *data)
{
	const struct xp_record *record;
	uint64_t time_ns, position;
	int got = 0, err = 0;

	while (!err && (got = xp_data_next_ordered(rec->data, &record, &time_ns, &position)) > 0)
		err = fn(record, time_ns, position, data);
	return err ? err : got;
}

static int rewind_ordered(struct recording *rec, const struct xp_order_opts *opts)
{
	int err = recording_rewind(rec);

	return err ? err : xp_data_set_order(rec->data, opts);
}

static void report_late(const struct recording *rec)
{
	uint64_t nr_late = xp_data_nr_late(rec->data);

	if (nr_late)
		fprintf(stderr,
			"Warning: %" PRIu64
			" %s not in time order: without the end of a round came more "
			"records than are sorted of a file of this size\n",
			nr_late, plural(nr_late, "record is", "records are"));
}

static int threads_for(const struct recording *rec, bool is_alone)
{
	int nr = recording_jobs(rec->opts);

	if (is_alone || !rec->stacks || (!rec->opts->jobs && rec->nr_samples < MIN_SAMPLES))
		return 1;
	return nr > MAX_THREADS ? MAX_THREADS : nr;
}

int recording_each_ordered(struct recording *rec, const struct xp_order_opts *opts, bool is_alone,
			   recording_record_fn fn, void *data)
{
	int nr = threads_for(rec, is_alone);
	int err = rewind_ordered(rec, opts);

	if (!err)
		err = nr > 1 ? walk_with_threads(rec, nr, fn, data) : walk_alone(rec, fn, data);
	report_late(rec);
	return err;
}
