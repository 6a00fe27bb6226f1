/* SPDX-License-Identifier: MIT */
/*
 * The writer: collects records into large writes, keeps events and features, and leaves to the
 * container (writer-file.c, writer-stream.c) how they lie in it.
 */
#include "writer-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/record.h>

#include "bytes.h"
#include "ctx.h"
#include "features.h"
#include "opts.h"
#include "vec.h"
#include "writer.h"
#include "zstd.h"

/* --- open and free --- */

static struct xp_data_writer *new_writer(struct xp_ctx *ctx)
{
	struct xp_data_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->ctx = ctx;
	w->sys = xp_ctx_sys(ctx);
	w->output.fd = -1;
	w->buffer = malloc(XP_WRITER_BUFFER);
	if (w->buffer)
		return w;
	free(w);
	return NULL;
}

int xp_data_writer_open(struct xp_ctx *ctx, const struct xp_data_writer_opts *given,
			struct xp_data_writer **ret_writer, struct xp_diag *diag)
{
	enum { MOST_COMPRESSION = 22 };
	struct xp_data_writer_opts opts = { 0 };
	int err = XP_OPTS_COPY(&opts, given, struct xp_data_writer_opts, directory, diag);

	if (err)
		return err;
	if (!opts.path && (!given || opts.fd < 0))
		return xp_diag_set(diag, -EINVAL, "No file is given to write");
	if ((unsigned int)opts.shape > XP_DATA_PIPE)
		return xp_diag_set(diag, -EINVAL, "%d is not a kind of recording", (int)opts.shape);
	if (opts.compress_level < 0 || opts.compress_level > MOST_COMPRESSION)
		return xp_diag_set(diag, -EINVAL,
				   "%d is not a compression level: levels are 1 to %d",
				   opts.compress_level, MOST_COMPRESSION);

	struct xp_data_writer *w = new_writer(ctx);
	if (!w)
		return xp_diag_set(diag, -ENOMEM, "Not enough memory to write a recording");
	w->zstd_level = opts.compress_level;
	if (opts.compress_level > 0)
		err = xp_zstd_compressor(opts.compress_level, &w->zstd, diag);
	if (!err)
		err = xp_writer_create(w->sys, &opts, &w->output, diag);
	if (err) {
		xp_data_writer_free(w);
		return err;
	}
	bool is_stream = opts.path ? w->output.is_fifo : opts.shape == XP_DATA_PIPE;
	w->shape = is_stream ? &xp_writer_stream : &xp_writer_file;
	*ret_writer = w;
	return 0;
}

static void fini_event(struct xp_data_event *event)
{
	free((char *)event->name);
	free((char *)event->unit);
	free((char *)event->own_cpus);
	free((char *)event->group_name);
	free((uint64_t *)event->ids);
}

void xp_data_writer_free(struct xp_data_writer *writer)
{
	if (!writer)
		return;
	if (!writer->started && xp_ctx_is_here(writer->ctx))
		xp_writer_uncreate(writer->sys, &writer->output);
	xp_writer_output_fini(writer->sys, &writer->output);
	for (int i = 0; i < writer->nr_events; i++)
		fini_event(&writer->events[i]);
	free(writer->events);
	for (int i = 0; i < XP_FEATURE_MAX; i++)
		free(writer->features[i].body);
	xp_str_fini(&writer->first);
	xp_str_fini(&writer->aux_index);
	xp_str_fini(&writer->chunks);
	xp_zstd_free(writer->zstd);
	free(writer->buffer);
	free(writer);
}

/* --- what is described --- */

/* A copy, NULL for NULL; *failed on out of memory. */
static char *copy_text(const char *text, bool *failed)
{
	char *copy = text ? strdup(text) : NULL;

	*failed |= text && !copy;
	return copy;
}

static int copy_event(const struct xp_data_event *event, struct xp_data_event *ret_copy)
{
	struct xp_data_event copy = *event;
	size_t ids_bytes = event->nr_ids * sizeof(uint64_t);
	uint64_t *ids = malloc(ids_bytes ? ids_bytes : 1);
	bool failed = !ids;

	if (ids && ids_bytes)
		memcpy(ids, event->ids, ids_bytes);
	copy.ids = ids;
	copy.name = copy_text(event->name ? event->name : "", &failed);
	copy.unit = copy_text(event->unit, &failed);
	copy.own_cpus = copy_text(event->own_cpus, &failed);
	copy.group_name = copy_text(event->group_name, &failed);
	if (failed) {
		fini_event(&copy);
		return -ENOMEM;
	}
	*ret_copy = copy;
	return 0;
}

int xp_data_writer_add_event(struct xp_data_writer *writer, const struct xp_data_event *event)
{
	size_t nr = (size_t)writer->nr_events;
	struct xp_data_event known;

	if (writer->started)
		return -EBUSY;
	/* As long as its attribute was when there were none of its later fields. */
	int err = XP_OPTS_COPY(&known, event, struct xp_data_event, attr.config4, NULL);
	if (err)
		return err;
	if (vec_add(&writer->events, nr, sizeof(*writer->events)))
		return -ENOMEM;
	err = copy_event(&known, &writer->events[nr]);
	writer->nr_events += !err;
	return err;
}

int xp_data_writer_add_feature(struct xp_data_writer *writer, enum xp_feature feature,
			       const void *body, size_t len)
{
	char *copy = NULL;

	if ((int)feature < 1 || feature >= XP_FEATURE_MAX)
		return -EINVAL;
	if (body) {
		copy = malloc(len ? len : 1);
		if (!copy)
			return -ENOMEM;
		if (len)
			memcpy(copy, body, len);
	}
	struct xp_writer_feature *f = &writer->features[feature];
	free(f->body);
	f->body = copy;
	f->body_len = len;
	f->has_body = body;
	f->no_room = false;
	f->is_early = f->is_early && body;
	writer->features_changed = true;
	return 0;
}

bool xp_data_writer_can_add_ids(const struct xp_data_writer *writer)
{
	return writer->shape == &xp_writer_file;
}

static struct xp_data_event *event_of(const struct xp_data_writer *w, uint64_t id)
{
	for (int i = 0; i < w->nr_events; i++)
		for (size_t k = 0; k < w->events[i].nr_ids; k++)
			if (w->events[i].ids[k] == id)
				return &w->events[i];
	return NULL;
}

int xp_data_writer_add_id(struct xp_data_writer *writer, uint64_t known, uint64_t id)
{
	struct xp_data_event *event = event_of(writer, known);
	uint64_t *ids;

	if (!event)
		return -ENOENT;
	ids = reallocarray((void *)event->ids, event->nr_ids + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	ids[event->nr_ids++] = id;
	event->ids = ids;
	writer->has_late_ids = true;
	writer->features_changed = true;
	return 0;
}

/* --- records --- */

static void collect(struct xp_data_writer *w, const struct iovec *pieces, int nr)
{
	for (int i = 0; i < nr; i++) {
		memcpy(w->buffer + w->buffered, pieces[i].iov_base, pieces[i].iov_len);
		w->buffered += pieces[i].iov_len;
	}
}

/* What is collected, then @pieces, which has room for it. */
static int emit(struct xp_data_writer *w, struct iovec *pieces, int nr)
{
	if (w->buffered) {
		memmove(pieces + 1, pieces, (size_t)nr * sizeof(*pieces));
		pieces[0] = (struct iovec){ w->buffer, w->buffered };
		nr++;
	}
	w->buffered = 0;
	w->features_changed = false;
	int err = w->shape->emit(w, pieces, nr);
	w->chunks.len = 0;
	return err;
}

void xp_writer_drop(struct xp_data_writer *w, const void *records, size_t len)
{
	struct iovec piece = { (void *)records, len };

	w->dropped += len;
	w->dropped_samples += xp_pieces_samples(&piece, 1, 0);
}

uint64_t xp_writer_keep(struct xp_data_writer *w, const struct iovec *pieces, int nr,
			uint64_t limit)
{
	const struct xp_writer_chunk *chunks = (const void *)w->chunks.s;
	size_t nr_chunks = w->chunks.len / sizeof(*chunks);
	uint64_t keep = xp_pieces_whole(pieces, nr, limit), packed = 0;

	for (size_t i = 0; i < nr_chunks; i++) {
		if (chunks[i].end <= keep)
			continue;
		if (chunks[i].start < keep)
			keep = chunks[i].start;
		packed += chunks[i].end - chunks[i].start;
		w->dropped += chunks[i].plain_bytes;
		w->dropped_samples += chunks[i].samples;
	}
	w->dropped += xp_pieces_len(pieces, nr) - keep - packed;
	w->dropped_samples += xp_pieces_samples(pieces, nr, keep);
	return keep;
}

int xp_writer_add(struct xp_data_writer *w, struct iovec *pieces, int nr)
{
	size_t len = xp_pieces_len(pieces, nr);

	if (w->err)
		return w->err;
	if (!w->started) {
		for (int i = 0; i < nr; i++)
			add_bytes(&w->first, pieces[i].iov_base, pieces[i].iov_len);
		return w->first.failed ? -ENOMEM : 0;
	}
	if (w->buffered + len > XP_WRITER_BUFFER)
		return emit(w, pieces, nr);
	collect(w, pieces, nr);
	return 0;
}

int xp_data_writer_write(struct xp_data_writer *writer, const void *records, size_t len,
			 bool from_ring)
{
	struct iovec pieces[XP_WRITER_PIECES] = { { (void *)records, len } };

	if (writer->err)
		xp_writer_drop(writer, records, len);
	if (writer->err || !len)
		return writer->err;
	if (from_ring && writer->zstd && writer->started)
		return writer->err = xp_writer_pack(writer, records, len);
	return xp_writer_add(writer, pieces, 1);
}

int xp_data_writer_write_outside(struct xp_data_writer *writer, const struct xp_record *record,
				 const void *bytes, size_t len)
{
	struct iovec pieces[XP_WRITER_PIECES] = { { (void *)record, record->size },
						  { (void *)bytes, len } };

	if (writer->started && record->type == XP_RECORD_AUXTRACE) {
		add_u64(&writer->aux_index, xp_data_writer_bytes(writer));
		add_u64(&writer->aux_index, record->size);
	}
	return xp_writer_add(writer, pieces, 2);
}

/* --- the course of it --- */

/* "'perf.data' cannot be written: No space left on device"; the caller knows its descriptor. */
static int failed(const struct xp_data_writer *w, int err, const char *how, struct xp_diag *diag)
{
	const char *path = w->output.path, *quote = path ? "'" : "";

	return xp_diag_set(diag, err, "%s%s%s %s: %s", quote, path ? path : "The recording", quote,
			   how, strerror(-err));
}

int xp_data_writer_start(struct xp_data_writer *writer, struct xp_diag *diag)
{
	if (writer->started)
		return -EBUSY;
	for (int i = 0; i < writer->nr_events; i++) {
		size_t size = xp_attr_bytes(&writer->events[i].attr);

		writer->attr_size = size > writer->attr_size ? size : writer->attr_size;
	}
	if (diag)
		diag->err = 0;
	int err = xp_features_start(writer) ?: writer->shape->start(writer, diag);
	writer->started = !err;
	writer->features_changed = false;
	xp_str_fini(&writer->first);
	writer->err = err;
	if (err && !(diag && diag->err))
		failed(writer, err, "cannot be written", diag);
	return err;
}

int xp_data_writer_flush(struct xp_data_writer *writer)
{
	struct iovec pieces[XP_WRITER_PIECES];

	if (!writer->started || writer->err || (!writer->buffered && !writer->features_changed))
		return writer->err;
	return emit(writer, pieces, 0);
}

uint64_t xp_data_writer_bytes(const struct xp_data_writer *writer)
{
	return writer->data_offset + writer->data_size + writer->buffered;
}

uint64_t xp_data_writer_dropped(const struct xp_data_writer *writer)
{
	return writer->dropped;
}

uint64_t xp_data_writer_dropped_samples(const struct xp_data_writer *writer)
{
	return writer->dropped_samples;
}

int xp_data_writer_finish(struct xp_data_writer *writer, struct xp_diag *diag)
{
	xp_data_writer_flush(writer);
	if (xp_features_finish(writer) && !writer->err)
		writer->err = -ENOMEM;
	writer->finishes = true;
	if (writer->err && writer->started)
		writer->shape->finalize(writer);
	else
		xp_data_writer_flush(writer);
	if (writer->err)
		failed(writer, writer->err, "is not complete", diag);
	return writer->err;
}
