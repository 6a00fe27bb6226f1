/* SPDX-License-Identifier: MIT */
/*
 * The container with a header: ids, attributes and the bodies of features, then the records, then
 * the table of features, which readers look for where the records end.
 *
 * Each write of records brings the table along: it overwrites the one before, which the header has
 * been made to forget, and then the header learns of both. Whenever the process ends, the header
 * describes complete records; of all that was emitted, but for the time between the first and the
 * last of these writes.
 *
 * After a failure the records end with how many samples are missing. That has a place: room for one
 * record follows the table until the file is complete.
 *
 * Source: perf.data-file-format.txt of perf; its readers take bodies of features from anywhere.
 */
#include "writer-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/sample.h>
#include <xperf/sys.h>

#include "bytes.h"
#include "record.h"

enum {
	HEADER_BYTES = 104,
	/* When the disk fills up, so much of what is there is kept for features to come. */
	RESERVE_BYTES = 4096,
};

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs, data, event_types;
	uint64_t features[XP_FEATURE_MAX / 64];
};

_Static_assert(sizeof(struct file_header) == HEADER_BYTES, "no padding");

static uint64_t data_end(const struct xp_data_writer *w)
{
	return w->data_offset + w->data_size;
}

static struct file_header header_of(const struct xp_data_writer *w, bool with_features)
{
	struct file_header header = {
		.magic = "PERFILE2",
		.size = HEADER_BYTES,
		.attr_size = w->attr_size + sizeof(struct section),
		.attrs = { with_features && w->has_late_ids ? w->late_attrs_offset
							    : w->attrs_offset,
			   (uint64_t)w->nr_events * (w->attr_size + sizeof(struct section)) },
		.data = { w->data_offset, w->data_size },
	};

	for (int i = 0; with_features && i < XP_FEATURE_MAX; i++)
		if (xp_writer_has(w, i))
			header.features[i / 64] |= UINT64_C(1) << i % 64;
	return header;
}

static int put_header(const struct xp_data_writer *w, bool with_features)
{
	struct file_header header = header_of(w, with_features);
	struct iovec piece = { &header, sizeof(header) };
	uint64_t done;

	return xp_writer_put(w, &piece, 1, 0, &done);
}

static bool is_late(const struct xp_writer_feature *feature)
{
	return feature->has_body && !feature->no_room;
}

/* Adds the ids and the attributes of all events for position @at of the file. */
static uint64_t add_events(const struct xp_data_writer *w, uint64_t at, struct xp_str *out)
{
	uint64_t ids_offset = at, attrs_offset;
	size_t start = out->len;

	for (int i = 0; i < w->nr_events; i++)
		add_bytes(out, w->events[i].ids, w->events[i].nr_ids * sizeof(uint64_t));
	attrs_offset = at + (out->len - start);
	for (int i = 0; i < w->nr_events; i++) {
		const struct xp_data_event *event = &w->events[i];
		uint64_t ids_bytes = event->nr_ids * sizeof(uint64_t);

		xp_encode_attr(&event->attr, w->attr_size, out);
		add_u64(out, ids_offset);
		add_u64(out, ids_bytes);
		ids_offset += ids_bytes;
	}
	return attrs_offset;
}

/* Adds the table for position @at of the file, and after it the bodies, and events that have more
 * ids than at the start. */
static void add_table(struct xp_data_writer *w, uint64_t at, struct xp_str *out)
{
	uint64_t next = at;
	size_t start = out->len;

	for (int i = 0; i < XP_FEATURE_MAX; i++)
		next += xp_writer_has(w, i) ? sizeof(struct section) : 0;
	for (int i = 0; i < XP_FEATURE_MAX; i++) {
		const struct xp_writer_feature *f = &w->features[i];

		if (!xp_writer_has(w, i))
			continue;
		add_u64(out, is_late(f) ? next : f->offset);
		add_u64(out, is_late(f) ? f->body_len : f->len);
		next += is_late(f) ? (f->body_len + 7) / 8 * 8 : 0;
	}
	for (int i = 0; i < XP_FEATURE_MAX; i++) {
		const struct xp_writer_feature *f = &w->features[i];

		if (!is_late(f))
			continue;
		add_bytes(out, f->body, f->body_len);
		add_padding(out, start);
	}
	if (w->has_late_ids)
		w->late_attrs_offset = add_events(w, at + (out->len - start), out);
	if (!w->err && !w->finishes)
		add_zeros(out, XP_LOST_RECORD_BYTES);
}

/* --- the start --- */

static void add_features(struct xp_data_writer *w, struct xp_str *out)
{
	for (int i = 0; i < XP_FEATURE_MAX; i++) {
		struct xp_writer_feature *f = &w->features[i];

		if (!f->has_body)
			continue;
		f->offset = out->len;
		f->len = f->body_len;
		add_bytes(out, f->body, f->body_len);
		add_padding(out, 0);
		free(f->body);
		f->body = NULL;
		f->has_body = false;
		f->is_early = true;
	}
}

/* The header is written last, and at once, as it is in one page: whoever is killed before has left
 * no recording, but never half of one. */
static int file_start(struct xp_data_writer *w, struct xp_diag *diag)
{
	struct xp_str out = { 0 };
	uint64_t done;

	(void)diag;
	add_zeros(&out, HEADER_BYTES);
	w->attrs_offset = add_events(w, HEADER_BYTES, &out);
	add_features(w, &out);
	w->data_offset = out.len;
	for (int i = 0; i < w->nr_events; i++)
		xp_encode_event_updates(&w->events[i], &out);
	add_bytes(&out, w->first.s, w->first.len);
	w->data_size = out.len - w->data_offset;
	add_table(w, out.len, &out);

	struct file_header header = header_of(w, true);
	if (out.failed || w->first.failed) {
		xp_str_fini(&out);
		return -ENOMEM;
	}
	struct iovec first = { &header, sizeof(header) };
	struct iovec rest = { out.s + sizeof(header), out.len - sizeof(header) };
	int err = xp_writer_put(w, &rest, 1, sizeof(header), &done);
	if (!err)
		err = xp_writer_put(w, &first, 1, 0, &done);
	w->end = out.len;
	xp_str_fini(&out);
	return err;
}

/* --- records --- */

/* What is behind @end is of no use any more. A device has no length: that is no failure. */
static void set_end(struct xp_data_writer *w, uint64_t end)
{
	if (end < w->end)
		w->sys->truncate(w->sys, w->output.fd, end);
	w->end = end;
}

static struct xp_writer_feature *largest_late(struct xp_data_writer *w)
{
	struct xp_writer_feature *largest = NULL;

	for (int i = 0; i < XP_FEATURE_MAX; i++)
		if (is_late(&w->features[i]) &&
		    (!largest || w->features[i].body_len > largest->body_len))
			largest = &w->features[i];
	return largest;
}

static int put_table(struct xp_data_writer *w)
{
	struct xp_str table = { 0 };
	uint64_t done = 0;

	add_table(w, data_end(w), &table);
	struct iovec piece = { table.s, table.len };
	int err = table.failed ? -ENOMEM : xp_writer_put(w, &piece, 1, (int64_t)data_end(w), &done);
	if (data_end(w) + done > w->end)
		w->end = data_end(w) + done;
	if (!err)
		set_end(w, data_end(w) + table.len);
	xp_str_fini(&table);
	return err;
}

/* The last record tells how many samples are missing; it takes the place of the one before. */
static int put_lost(struct xp_data_writer *w)
{
	const struct xp_data_event *event = w->events;
	_Alignas(8) char record[XP_LOST_RECORD_BYTES];
	uint64_t done;

	w->data_size -= w->lost_len;
	w->lost_len = 0;
	if (!w->nr_events || !event->nr_ids || !w->dropped_samples)
		return 0;
	const struct xp_sample_id id = { .id = event->ids[0] };
	size_t len = xp_lost_samples_encode(&event->attr, &id, w->dropped_samples, record);
	struct iovec piece = { record, len };
	int err = xp_writer_put(w, &piece, 1, (int64_t)data_end(w), &done);

	if (err)
		return err;
	w->lost_len = len;
	w->data_size += len;
	return 0;
}

/* After a failure: what is missing, the table, with those of the late features that find room, and
 * the header. If not even that can be written, records are there without features. */
static void file_finalize(struct xp_data_writer *w)
{
	struct xp_writer_feature *largest;
	int err = put_header(w, false) ?: put_lost(w);

	for (; !err && put_table(w); largest->no_room = true) {
		largest = largest_late(w);
		if (!largest)
			return;
	}
	put_header(w, true);
}

/* Of what was to be written, @done bytes were; they are cut to whole records that leave room for
 * the table. */
static void fall_back(struct xp_data_writer *w, const struct iovec *pieces, int nr, uint64_t done,
		      int err)
{
	struct xp_str table = { 0 };

	if (data_end(w) + done > w->end)
		w->end = data_end(w) + done;
	add_table(w, 0, &table);
	uint64_t room = w->end - data_end(w);
	room -= room < table.len ? room : table.len;
	room -= room < RESERVE_BYTES ? room : RESERVE_BYTES;
	xp_str_fini(&table);

	w->data_size += xp_writer_keep(w, pieces, nr, done < room ? done : room);
	w->err = err;
	file_finalize(w);
}

static int file_emit(struct xp_data_writer *w, struct iovec *pieces, int nr)
{
	struct iovec all[XP_WRITER_PIECES];
	struct xp_str table = { 0 };
	uint64_t done = 0, total = xp_pieces_len(pieces, nr);

	add_table(w, data_end(w) + total, &table);
	memcpy(all, pieces, (size_t)nr * sizeof(*pieces));
	all[nr] = (struct iovec){ table.s, table.len };
	int err = table.failed ? -ENOMEM : put_header(w, false);
	if (!err)
		err = xp_writer_put(w, all, nr + 1, (int64_t)data_end(w), &done);
	if (!err) {
		w->data_size += total;
		set_end(w, data_end(w) + table.len);
		err = put_header(w, true);
	} else {
		fall_back(w, pieces, nr, done, err);
	}
	xp_str_fini(&table);
	w->err = err;
	return err;
}

const struct xp_writer_shape xp_writer_file = {
	.start = file_start,
	.emit = file_emit,
	.finalize = file_finalize,
};
