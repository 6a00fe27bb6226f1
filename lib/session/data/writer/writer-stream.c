/* SPDX-License-Identifier: MIT */
/*
 * The container that is a stream: a short header, then records only, those first that say what the
 * file's header says.
 *
 * Source: perf.data-file-format.txt of perf, "Pipe-mode data". Its 6.1 gives up at a feature it
 * does not know, and has no mark for the last one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/record.h>

#include "bytes.h"
#include "writer-impl.h"

/* Features that are not written to a stream as such: perf has records for the first two, and none
 * for the others. */
static const uint8_t not_in_streams[] = {
	XP_FEATURE_TRACING_DATA, XP_FEATURE_BUILD_ID,   XP_FEATURE_BRANCH_STACK,
	XP_FEATURE_GROUP_DESC,   XP_FEATURE_AUXTRACE,   XP_FEATURE_STAT,
	XP_FEATURE_CACHE,        XP_FEATURE_DIR_FORMAT, XP_FEATURE_HYBRID_TOPOLOGY,
};

static bool is_in_streams(int feature)
{
	return !memchr(not_in_streams, feature, sizeof(not_in_streams));
}

static int add_attr(const struct xp_data_event *event, struct xp_str *out, struct xp_diag *diag)
{
	/* perf 6.1 takes this much of the record for the attribute, whatever its size: of a shorter
	 * one, ids would be the last fields, and a call chain be looked for in branches. */
	size_t fewest = XP_ATTR_SIZE_VER7, shortest = xp_attr_bytes(&event->attr);
	size_t attr_size = shortest > fewest ? shortest : fewest;
	size_t ids_size = event->nr_ids * sizeof(uint64_t);
	size_t size = sizeof(struct xp_record) + attr_size + ids_size;

	if (size > XP_RECORD_BYTES_MAX) {
		xp_diag_set(diag, -E2BIG,
			    "A stream cannot hold the %zu CPUs or threads that '%s' is counted on",
			    event->nr_ids, event->name);
		xp_diag_hint(diag, "Record to a file");
		return -E2BIG;
	}
	size_t start = xp_begin_record(out, XP_RECORD_HEADER_ATTR);
	xp_encode_attr(&event->attr, attr_size, out);
	add_bytes(out, event->ids, ids_size);
	xp_end_record(out, start);
	return 0;
}

static void add_tracing_data(const struct xp_writer_feature *feature, struct xp_str *out)
{
	size_t padded = (feature->body_len + 7) / 8 * 8;

	size_t start = xp_begin_record(out, XP_RECORD_HEADER_TRACING_DATA);
	add_u32(out, (uint32_t)padded);
	xp_end_record(out, start);
	add_bytes(out, feature->body, feature->body_len);
	add_zeros(out, padded - feature->body_len);
}

/* Writes each entry of the table as a record, up to one that is damaged. Files of perf have entries
 * of type 0; their names and padding are as in a record. */
static void add_build_ids(const struct xp_writer_feature *feature, struct xp_str *out)
{
	const char *at = feature->body;
	size_t left = feature->body_len;
	struct xp_record entry;

	for (; left > sizeof(struct xp_record_build_id); at += entry.size, left -= entry.size) {
		memcpy(&entry, at, sizeof(entry));
		if (entry.size <= sizeof(struct xp_record_build_id) || entry.size > left)
			break;
		size_t start = out->len;
		add_u32(out, XP_RECORD_HEADER_BUILD_ID);
		add_bytes(out, at + sizeof(entry.type), entry.size - sizeof(entry.type));
		xp_end_record(out, start);
	}
}

static void add_feature(int id, const struct xp_writer_feature *feature, struct xp_str *out)
{
	if (id == XP_FEATURE_TRACING_DATA)
		add_tracing_data(feature, out);
	else if (id == XP_FEATURE_BUILD_ID)
		add_build_ids(feature, out);
	else if (is_in_streams(id))
		xp_encode_feature(id, feature, out);
}

/* Those that have come since the last time; each goes out once. */
static void add_features(struct xp_data_writer *w, struct xp_str *out)
{
	for (int i = 0; i < XP_FEATURE_MAX; i++) {
		struct xp_writer_feature *f = &w->features[i];

		if (!f->has_body)
			continue;
		add_feature(i, f, out);
		free(f->body);
		*f = (struct xp_writer_feature){ 0 };
	}
}

/* Writes what was put together, and frees it. */
static int put(struct xp_data_writer *w, struct xp_str *out)
{
	struct iovec piece = { out->s, out->len };
	uint64_t done = 0;
	int err = out->failed ? -ENOMEM : xp_writer_put(w, &piece, 1, -1, &done);

	w->data_size += done;
	xp_str_fini(out);
	return err;
}

static int stream_start(struct xp_data_writer *w, struct xp_diag *diag)
{
	struct xp_str out = { 0 };
	int err = 0;

	add_bytes(&out, "PERFILE2", 8);
	add_u64(&out, 16);
	for (int i = 0; i < w->nr_events && !err; i++)
		err = add_attr(&w->events[i], &out, diag);
	if (err) {
		xp_str_fini(&out);
		return err;
	}
	add_features(w, &out);
	for (int i = 0; i < w->nr_events; i++)
		xp_encode_event_updates(&w->events[i], &out);
	add_bytes(&out, w->first.s, w->first.len);
	out.failed |= w->first.failed;
	return put(w, &out);
}

static int stream_emit(struct xp_data_writer *w, struct iovec *pieces, int nr)
{
	struct iovec all[XP_WRITER_PIECES];
	struct xp_str features = { 0 };
	uint64_t done;

	memcpy(all, pieces, (size_t)nr * sizeof(*pieces));
	w->err = xp_writer_put(w, all, nr, -1, &done);
	w->data_size += done;
	if (w->err) {
		/* What is not whole is of no use to who reads it. */
		xp_writer_keep(w, pieces, nr, done);
	} else {
		add_features(w, &features);
		w->err = put(w, &features);
	}
	return w->err;
}

/* What has been cut off stays so. */
static void stream_finalize(struct xp_data_writer *w)
{
	(void)w;
}

const struct xp_writer_shape xp_writer_stream = {
	.start = stream_start,
	.emit = stream_emit,
	.finalize = stream_finalize,
};
