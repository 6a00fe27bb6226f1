/* SPDX-License-Identifier: MIT */
/* The samples of a recording, counted by call chain. */
#include "collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <xperf/export.h>
#include <xperf/profile.h>
#include <xperf/record.h>
#include <xperf/sample.h>

#include "buckets.h"
#include "fill.h"
#include "header.h"
#include "hot-code.h"
#include "notes.h"
#include "title.h"
#include "vec.h"

/* @groups: paths of control groups, by the tag that stands for them. */
struct collecting {
	const struct collect_opts *opts;
	struct recording rec;
	struct xp_profile *profile;
	const char **groups;
	size_t nr_groups;
	struct buckets buckets;
	struct losses losses;
	struct heat heat; /* with opts->code */
};

static int note(const struct xp_record *record, const struct xp_sample_id *id, void *data)
{
	struct collecting *collecting = data;

	losses_note(&collecting->losses, record);
	int err = xp_profile_note_at(collecting->profile, record, id,
				     xp_data_position(collecting->rec.data));
	return err || !collecting->opts->code ? err : heat_note(record, id, &collecting->heat);
}

/* Without a guest's files there is nothing to show of it. Source: perf 6.1. */
static bool keeps(const struct xp_profile_row *row, void *data)
{
	const struct collecting *collecting = data;

	return row->location->level != 'g' && row->location->level != 'u' &&
	       recording_keeps_row(&collecting->rec, row);
}

static bool is_by(const struct collecting *collecting, enum xp_by by)
{
	return collecting->opts->by >> by & 1;
}

static int make_profile(struct collecting *collecting)
{
	static const struct {
		enum xp_by by;
		enum xp_key keys[3];
		int nr;
	} distinguished[] = {
		{ XP_BY_CGROUP, { XP_KEY_TAG }, 1 },
		{ XP_BY_TIME, { XP_KEY_TAG }, 1 },
		{ XP_BY_CPU, { XP_KEY_CPU }, 1 },
		{ XP_BY_COMM, { XP_KEY_COMM }, 1 },
		{ XP_BY_PROCESS, { XP_KEY_TGID }, 1 },
		{ XP_BY_THREAD, { XP_KEY_COMM, XP_KEY_TGID, XP_KEY_PID }, 3 },
	};
	const struct collect_opts *asked = collecting->opts;
	enum xp_key keys[10] = { XP_KEY_OVERHEAD };
	int nr = 1;

	for (size_t i = 0; i < sizeof(distinguished) / sizeof(distinguished[0]); i++)
		for (int k = 0; is_by(collecting, distinguished[i].by) && k < distinguished[i].nr;
		     k++)
			keys[nr++] = distinguished[i].keys[k];
	const struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = keys,
		.nr_keys = nr,
		.nr_events = collecting->rec.nr_events ? collecting->rec.nr_events : 1,
		.with_chains = true,
		.callers_first = true,
		.whole_chains = true,
		.inlines = !asked->no_inlines,
		.by_line = asked->lines || asked->addresses,
		.by_address = asked->addresses,
		.full_paths = true,
		.max_stack = asked->max_stack,
		.nr_threads = recording_jobs(&asked->read),
	};
	return xp_profile_new(collecting->rec.timeline, &opts, &collecting->profile);
}

/* --- samples with their control groups --- */

static int find_group(struct collecting *collecting, const char *path, uint32_t *ret_tag)
{
	size_t at = 0;

	while (at < collecting->nr_groups && strcmp(collecting->groups[at], path) != 0)
		at++;
	if (at == collecting->nr_groups) {
		if (vec_add(&collecting->groups, at, sizeof(*collecting->groups)))
			return -ENOMEM;
		collecting->groups[collecting->nr_groups++] = path;
	}
	*ret_tag = (uint32_t)at;
	return 0;
}

static int add_of_group(struct recorded *recorded, void *data)
{
	struct collecting *collecting = data;
	const char *path = cgroups_path(&collecting->rec.cgroups, recorded->sample.cgroup);
	uint32_t tag;
	int err = find_group(collecting, path ? path : "", &tag);

	return err ? err
		   : xp_profile_add_tagged(collecting->profile, recorded->event, &recorded->sample,
					   tag);
}

static const char *group_of(uint32_t tag, void *data)
{
	const struct collecting *collecting = data;

	return tag < collecting->nr_groups ? collecting->groups[tag] : "";
}

/* --- samples by time --- */

static int add_at_time(struct recorded *recorded, void *data)
{
	struct collecting *collecting = data;
	uint32_t bucket;

	int err = buckets_bound(&collecting->buckets, collecting->profile);
	if (err)
		return err;
	bucket = buckets_find(&collecting->buckets, recorded->time_ns);
	err = xp_profile_add_tagged(collecting->profile, recorded->event, &recorded->sample,
				    bucket);
	return err || !collecting->opts->code ? err : heat_add(&collecting->heat, recorded);
}

static int fill(struct collecting *collecting)
{
	struct recording *rec = &collecting->rec;

	if (is_by(collecting, XP_BY_TIME))
		return buckets_choose(rec, &collecting->buckets)
			       ?: recording_each(rec, add_at_time, collecting);
	return is_by(collecting, XP_BY_CGROUP)
		       ? recording_each(rec, add_of_group, collecting)
		       : recording_fill(rec, collecting->profile, rec->opts->jobs, NULL, NULL);
}

/* --- what was recorded --- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* When the file was written, which is when the recording ended; 0: it is a stream. */
static uint64_t written_at(const struct recording *rec)
{
	struct stat st;

	if (!strcmp(rec->path, "-") || stat(rec->path, &st))
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * 1000000000U + (uint64_t)st.st_mtim.tv_nsec;
}

/* @collecting: with notes, if they are asked for, and buckets of time; NULL: without */
static int describe(const struct recording *rec, struct collecting *collecting,
		    struct xp_tree *tree)
{
	const struct buckets none = { 0 }, *buckets = collecting ? &collecting->buckets : &none;
	struct feature host = feature_of(rec->data, XP_FEATURE_HOSTNAME);
	struct feature times = feature_of(rec->data, XP_FEATURE_SAMPLE_TIME);
	uint64_t from_ns = feature_u64(&times), to_ns = feature_u64(&times);
	const struct collect_opts *opts = collecting ? collecting->opts : NULL;
	char *title = title_make(rec, false);
	const struct xp_tree_info info = {
		.size = sizeof(info),
		.title = title,
		.host = feature_text(&host),
		.time_ns = opts && opts->is_now ? now_ns() : written_at(rec),
		.duration_ns = !times.is_short && to_ns > from_ns ? to_ns - from_ns : 0,
		.bucket_ns = buckets->bucket_ns,
		.nr_buckets = buckets->nr,
	};
	int err = title ? xp_tree_describe(tree, &info) : -ENOMEM;

	if (!err && collecting && collecting->opts->notes)
		err = notes_add(&collecting->rec, collecting->profile, &collecting->losses, &info,
				tree);

	free(title);
	return err;
}

int collect_describe(const struct recording *rec, struct xp_tree *tree)
{
	return describe(rec, NULL, tree);
}

/* Formats with code have times, too: their samples come one by one. */
static int add_code(struct collecting *collecting, struct xp_tree *tree)
{
	const struct collect_opts *opts = collecting->opts;

	return opts->code ? heat_end(&collecting->heat)
				    ?: hot_code_add(&collecting->heat, !opts->no_inlines, tree)
			  : 0;
}

static int add(struct collecting *collecting, struct xp_tree *tree)
{
	struct recording *rec = &collecting->rec;
	const struct xp_tree_opts opts = { .size = sizeof(opts),
					   .by = collecting->opts->by,
					   .addresses = collecting->opts->addresses,
					   .cgroup = group_of,
					   .data = collecting };

	return recording_check(rec)
		       ?: make_profile(collecting)
		       ?: (collecting->opts->code ? heat_begin(rec, &collecting->heat) : 0)
		       ?: recording_load(rec, note, collecting)
		       ?: stacks_open(rec, collecting->opts->max_stack)
		       ?: fill(collecting)
		       ?: xp_profile_resolve(collecting->profile, rec->resolver, keeps, collecting)
		       ?: xp_tree_add_processes(tree, rec->timeline)
		       ?: xp_tree_add_profile(tree, collecting->profile, rec->data, &opts)
		       ?: add_code(collecting, tree)
		       ?: describe(rec, collecting, tree);
}

int collect(const struct cli *cli, const struct collect_opts *opts, struct xp_tree *tree,
	    bool *ret_failed)
{
	struct collecting collecting = { .opts = opts };
	int err = recording_open(&collecting.rec, cli, &opts->read) ?: add(&collecting, tree);

	*ret_failed = err;
	heat_fini(&collecting.heat);
	xp_profile_free(collecting.profile);
	free(collecting.groups);
	return recording_close(&collecting.rec, err, opts->verbose);
}

bool collect_files(struct collect_opts *opts, char *const *files)
{
	if (!*files)
		return true;
	if (opts->read.input)
		return false;
	opts->read.input = files[0];
	opts->more = files[1] ? files + 1 : NULL;
	return true;
}
