/* SPDX-License-Identifier: MIT */
/* The recordings that are compared: which there are, and their rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/data.h>

#include "diff.h"
#include "fill.h"
#include "vec.h"

static int add_source(struct diff *diff, const char *path, size_t len)
{
	if (diff->nr_sources == MAX_FILES) {
		fprintf(stderr, "Error: at most %d recordings can be compared\n", MAX_FILES);
		return -1;
	}
	if (vec_add(&diff->sources, (size_t)diff->nr_sources, sizeof(*diff->sources)))
		return -1;
	struct source *more = &diff->sources[diff->nr_sources];
	*more = (struct source){ .path = strndup(path, len), .side = diff->nr_sides };
	if (!more->path)
		return -1;
	diff->nr_sources++;
	return 0;
}

static int add_side(struct diff *diff, const char *text)
{
	bool is_one = !strchr(text, ',') || !access(text, F_OK);
	const char *at = text;
	int err = 0;

	if (is_one)
		err = add_source(diff, text, strlen(text));
	while (!is_one && !err && *at) {
		size_t len = strcspn(at, ",");

		if (len)
			err = add_source(diff, at, len);
		at += len + (at[len] == ',');
	}
	diff->nr_sides++;
	return err;
}

/* Source of what is missing: perf diff. */
int sources_parse(struct diff *diff, int argc, char **argv)
{
	int err = 0;

	if (argc < 2)
		err = add_side(diff, "perf.data.old");
	if (!argc && !err)
		err = add_side(diff, "perf.data");
	for (int i = 0; i < argc && !err; i++)
		err = add_side(diff, argv[i]);
	diff->normalize = diff->values->normalize || diff->nr_sources > diff->nr_sides;
	return err;
}

/* A file that is read, and its rows. */
struct reading {
	struct recording rec;
	struct xp_profile *profile;
};

static int note(const struct xp_record *record, const struct xp_sample_id *id, void *data)
{
	const struct reading *reading = data;

	return xp_profile_note_at(reading->profile, record, id,
				  xp_data_position(reading->rec.data));
}

/* Without a guest's files there is nothing to show of it. Source: perf 6.1. */
static bool keeps(const struct xp_profile_row *row, void *data)
{
	const struct reading *reading = data;

	return row->location->level != 'g' && row->location->level != 'u' &&
	       recording_keeps_row(&reading->rec, row);
}

static int count(const struct diff *diff, struct reading *reading)
{
	struct recording *rec = &reading->rec;
	const struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = diff->keys,
		.nr_keys = diff->nr_keys,
		.nr_events = rec->nr_events ? rec->nr_events : 1,
	};
	int err = xp_profile_new(rec->timeline, &opts, &reading->profile)
			  ?: recording_load(rec, note, reading)
			  ?: recording_fill(rec, reading->profile, 0, NULL, NULL);

	return err ? err : xp_profile_resolve(reading->profile, rec->resolver, keeps, reading);
}

static int load_event(struct diff *diff, int file, const struct reading *reading, int idx)
{
	const struct xp_profile_row *row;
	struct diff_event *event;
	struct xp_profile_total total = { .size = sizeof(total) };

	xp_profile_total_at(reading->profile, idx, &total);
	int err = event_find(diff, xp_data_event_at(reading->rec.data, idx)->name, &event);

	if (err)
		return err;
	event->is_there[file] = true;
	event->totals[file] += diff->relative ? total.kept_period : total.period;
	for (size_t i = 0; !err && (row = xp_profile_row_at(reading->profile, idx, i)) != NULL; i++)
		err = row_add(diff, event, file, row);
	return err;
}

/* Returns an exit status; *ret_failed: there is nothing to compare. */
static int read_file(const struct cli *cli, struct diff *diff, int file, bool *ret_failed)
{
	struct recording_opts opts = diff->values->read;
	struct reading reading = { 0 };

	opts.input = diff->sources[file].path;
	int err = recording_open(&reading.rec, cli, &opts) ?: count(diff, &reading);
	for (int i = 0; i < reading.rec.nr_events && !err; i++)
		err = load_event(diff, file, &reading, i);
	*ret_failed = err;
	xp_profile_free(reading.profile);
	return recording_close(&reading.rec, err, diff->values->verbose);
}

int sources_read(const struct cli *cli, struct diff *diff, bool *ret_failed)
{
	int status = 0;

	*ret_failed = false;
	for (int i = 0; i < diff->nr_sources && !*ret_failed; i++) {
		int its = read_file(cli, diff, i, ret_failed);

		status = its ? its : status;
	}
	return status;
}
