/* SPDX-License-Identifier: MIT */
/* From the reader into the writer: what the writer says by itself is left out. */
#include "copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/ring.h>

#include "mapped-ids.h"

struct copying {
	struct recording *rec;
	const struct copy_opts *opts;
	struct xp_data_writer *writer;
	struct mapped_ids ids;
	FILE *stored; /* records of build ids, which streams have among others */
	char *stored_at;
	size_t stored_len;
	bool has_feature[XP_FEATURE_MAX]; /* it is written */
	int nr_events;                    /* that are written */
};

/* What describes the rest; the writer has its own. */
static const bool own_features[XP_FEATURE_MAX] = {
	[XP_FEATURE_EVENT_DESC] = true, [XP_FEATURE_GROUP_DESC] = true,
	[XP_FEATURE_AUXTRACE] = true,   [XP_FEATURE_COMPRESSED] = true,
	[XP_FEATURE_DIR_FORMAT] = true,
};
static const uint32_t own_records[] = {
	XP_RECORD_HEADER_ATTR,    XP_RECORD_HEADER_TRACING_DATA, XP_RECORD_HEADER_BUILD_ID,
	XP_RECORD_HEADER_FEATURE, XP_RECORD_EVENT_UPDATE,        XP_RECORD_FINISHED_INIT,
};

static bool is_own_record(uint32_t type)
{
	for (size_t i = 0; i < sizeof(own_records) / sizeof(own_records[0]); i++)
		if (own_records[i] == type)
			return true;
	return false;
}

/* --- the header --- */

static int add_events(struct copying *copying)
{
	const struct xp_data *data = copying->rec->data;
	int err = 0;

	copying->nr_events = xp_data_nr_events(data);
	for (int i = 0; i < copying->nr_events && !err; i++)
		err = xp_data_writer_add_event(copying->writer, xp_data_event_at(data, i));
	return err;
}

/* A stream can describe an event behind records of others; nothing could be read of its samples. */
static int check_events(const struct copying *copying)
{
	struct recording *rec = copying->rec;

	if (xp_data_nr_events(rec->data) == copying->nr_events)
		return 0;
	return xp_diag_set(&rec->diag, -ENOTSUP,
			   "'%s' describes events after its first records, and cannot be written "
			   "again",
			   rec->path);
}

/* Those that are known by now. */
static int add_features(struct copying *copying)
{
	size_t len;
	int err = 0;

	for (int i = 1; i < XP_FEATURE_MAX && !err; i++) {
		const void *body = xp_data_feature(copying->rec->data, (enum xp_feature)i, &len);

		if (!body || copying->has_feature[i] || own_features[i])
			continue;
		err = xp_data_writer_add_feature(copying->writer, (enum xp_feature)i, body, len);
		copying->has_feature[i] = !err;
	}
	return err;
}

/* --- build ids --- */

static int add_known(const struct xp_record_build_id *record, void *known)
{
	return mapped_ids_add(known, (const char *)(record + 1));
}

/* Writes what the recording has, in its header or among its records, and then what is new. */
static int write_ids(const struct copying *copying, FILE *out)
{
	const struct xp_data *data = copying->rec->data;
	struct mapped_ids known = { 0 };
	size_t len = 0;
	const void *old = xp_data_feature(data, XP_FEATURE_BUILD_ID, &len);
	int err = xp_data_build_ids(data, add_known, &known);

	if (!err && old && fwrite(old, 1, len, out) != len)
		err = -ENOMEM;
	if (!err && copying->stored_len &&
	    fwrite(copying->stored_at, 1, copying->stored_len, out) != copying->stored_len)
		err = -ENOMEM;
	err = err ?: mapped_ids_write(&copying->ids, &known, out);
	mapped_ids_fini(&known);
	return err;
}

static int add_build_ids(const struct copying *copying)
{
	char *body = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&body, &len);

	if (!out)
		return -ENOMEM;
	int err = write_ids(copying, out);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (!err && len)
		err = xp_data_writer_add_feature(copying->writer, XP_FEATURE_BUILD_ID, body, len);
	free(body);
	return err;
}

/* --- records --- */

static int copy_record(struct copying *copying, const struct xp_record *record,
		       const struct xp_piece *payload)
{
	if (record->type == XP_RECORD_HEADER_BUILD_ID)
		return fwrite(record, record->size, 1, copying->stored) == 1 ? 0 : -ENOMEM;
	if (is_own_record(record->type))
		return 0;
	int err = copying->opts->build_ids ? mapped_ids_note(&copying->ids, record) : 0;
	err = err ?: xp_data_writer_write(copying->writer, record, record->size, false);
	return err || !payload->len
		       ? err
		       : xp_data_writer_write(copying->writer, payload->at, payload->len, false);
}

static int copy_records(struct copying *copying)
{
	struct recording *rec = copying->rec;
	const struct xp_record *record;
	struct xp_piece payload = { 0 };
	int err = xp_data_rewind(rec->data), got = 1;

	while (!err && (got = xp_data_next(rec->data, &record, &payload)) > 0)
		err = copy_record(copying, record, &payload);
	return err ? err : got;
}

/* --- all --- */

static int open_writer(struct copying *copying)
{
	bool is_stream = !strcmp(copying->opts->output, "-");
	const struct xp_data_writer_opts opts = { .size = sizeof(opts),
						  .path = is_stream ? NULL : copying->opts->output,
						  .fd = STDOUT_FILENO,
						  .shape =
							  is_stream ? XP_DATA_PIPE : XP_DATA_FILE };

	return xp_data_writer_open(copying->rec->ctx, &opts, &copying->writer, &copying->rec->diag);
}

static int copy_all(struct copying *copying)
{
	struct xp_diag *diag = &copying->rec->diag;
	int err = add_events(copying) ?: add_features(copying);

	err = err ?: xp_data_writer_start(copying->writer, diag);
	err = err ?: copy_records(copying) ?: check_events(copying);
	err = err ?: add_features(copying);
	if (!err && fflush(copying->stored))
		err = -ENOMEM;
	if (!err && (copying->opts->build_ids || copying->stored_len))
		err = add_build_ids(copying);
	if (err && !diag->err)
		xp_diag_set(diag, err, "The recording cannot be written: %s", strerror(-err));
	return err ? err : xp_data_writer_finish(copying->writer, diag);
}

int copy_recording(struct recording *rec, const struct copy_opts *opts)
{
	struct copying copying = { .rec = rec, .opts = opts };

	if (xp_data_is_swapped(rec->data))
		return xp_diag_set(&rec->diag, -ENOTSUP,
				   "'%s' was recorded in the other byte order, and cannot be "
				   "written again",
				   rec->path);
	copying.stored = open_memstream(&copying.stored_at, &copying.stored_len);
	if (!copying.stored)
		return xp_diag_set(&rec->diag, -ENOMEM, "Out of memory");
	int err = open_writer(&copying);
	if (!err)
		err = copy_all(&copying);
	fclose(copying.stored);
	free(copying.stored_at);
	xp_data_writer_free(copying.writer);
	mapped_ids_fini(&copying.ids);
	return err;
}
