/* SPDX-License-Identifier: MIT */
/* The samples of a recording, in the order of time, for formats that have each of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/export.h>

#include "escape.h"
#include "export.h"
#include "marks.h"

/* @event: of the recording, that is written; -1: all */
struct streaming {
	const struct write_opts *what;
	struct recording rec;
	struct xp_tree *tree;
	struct writing writing;
	struct xp_exporter *exporter;
	int event;
	struct marks marks;
	int err; /* of the writing, not of reading */
};

static int add(struct recorded *recorded, void *data)
{
	struct streaming *streaming = data;
	const struct recording *rec = &streaming->rec;
	const struct xp_export_sample sample = {
		.size = sizeof(sample),
		.sample = &recorded->sample,
		.time_ns = recorded->time_ns == XP_NO_TIME ? 0 : recorded->time_ns,
		.comm = recording_comm(rec, recorded),
		.cgroup = recorded->attr->sample_type & XP_SAMPLE_CGROUP
				  ? cgroups_path(&streaming->rec.cgroups, recorded->sample.cgroup)
				  : NULL,
		.event = recorded->event,
	};

	if (streaming->event >= 0 && recorded->event != streaming->event)
		return 0;
	streaming->err = xp_exporter_add(streaming->exporter, &sample);
	return streaming->err;
}

static int add_record(const struct xp_record *record, uint64_t time_ns, uint64_t position,
		      void *data)
{
	struct streaming *streaming = data;
	struct recorded recorded;

	if (record->type != XP_RECORD_SAMPLE)
		return streaming->err = marks_add(&streaming->marks, record, time_ns, position);
	int got = recording_decode(&streaming->rec, record, time_ns, position, &recorded);

	if (got <= 0 || recorded.is_cut)
		return got < 0 ? got : 0;
	return recording_split(&streaming->rec, &recorded, add, data);
}

/* What a filter leaves out of the samples would be all that is left of the others. */
static int is_wanted(const struct xp_record *record, void *data)
{
	const struct streaming *streaming = data;
	bool has_marks =
		streaming->what->format->has & XP_EXPORT_MARKS && !streaming->rec.filter.leaves_out;

	return record->type == XP_RECORD_SAMPLE || (has_marks && marks_want(record));
}

static int find_event(struct streaming *streaming)
{
	struct recording *rec = &streaming->rec;
	const char *name = streaming->what->event;

	streaming->event = -1;
	for (int i = 0; name && i < rec->nr_events; i++)
		if (event_is_named(xp_data_event_at(rec->data, i)->name, name)) {
			streaming->event = i;
			return 0;
		}
	return name ? xp_diag_set(&rec->diag, -ENOENT, "--event: the recording has no event '%s'",
				  escaped(name))
		    : 0;
}

static int write_samples(struct streaming *streaming)
{
	const struct xp_order_opts order = { .size = sizeof(order),
					     .keep = is_wanted,
					     .data = streaming };
	struct recording *rec = &streaming->rec;
	struct writing *writing = &streaming->writing;

	streaming->err =
		xp_exporter_new(streaming->tree, rec->data, rec->resolver, streaming->what->format,
				&writing->opts, &writing->diag, &streaming->exporter);
	if (streaming->err)
		return streaming->err;
	streaming->marks = (struct marks){ .rec = rec, .exporter = streaming->exporter };
	int err = recording_each_ordered(rec, &order, false, add_record, streaming);
	if (!err)
		err = streaming->err = xp_exporter_end(streaming->exporter);
	marks_fini(&streaming->marks);
	xp_exporter_free(streaming->exporter);
	return err;
}

/* A failure of reading is reported with the recording, one of writing with the writing. */
static int write_all(struct streaming *streaming, const struct collect_opts *from)
{
	struct recording *rec = &streaming->rec;
	int err = recording_check(rec)
			  ?: recording_load(rec, NULL, NULL)
			  ?: xp_tree_add_processes(streaming->tree, rec->timeline)
			  ?: stacks_open(rec, from->max_stack)
			  ?: find_event(streaming)
			  ?: collect_describe(rec, streaming->tree);

	if (err)
		return err;
	err = streaming->err = writing_open(&streaming->writing, streaming->what,
					    from->read.input ? from->read.input : rec->path);
	if (err)
		return err;
	err = write_samples(streaming);
	streaming->writing.is_reported = err && !streaming->err;
	int closed = writing_close(&streaming->writing, err);
	if (!err)
		err = streaming->err = closed;
	return err;
}

int stream_write(const struct cli *cli, const struct collect_opts *from,
		 const struct write_opts *what, struct xp_tree *tree, bool *ret_failed)
{
	struct recording_opts read = from->read;
	struct streaming streaming = { .what = what, .tree = tree };

	read.filter_rows = false;
	int err = recording_open(&streaming.rec, cli, &read) ?: write_all(&streaming, from);
	*ret_failed = err;
	int status = recording_close(&streaming.rec, streaming.err ? 0 : err, from->verbose);
	return err && !status ? EXIT_FAILED : status;
}
