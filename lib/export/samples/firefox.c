/* SPDX-License-Identifier: MIT */
/*
 * Firefox Profiler, in its processed format: the call tree as tables of columns, and a track per
 * thread and event with the times of its samples. Of each sample a few bytes are kept until the
 * end.
 *
 * Version 62 of the format is written, in which threads share tables; later readers upgrade it.
 *
 * Source: src/types/profile.ts and docs-developer/CHANGELOG-formats.md of
 * github.com/firefox-devtools/profiler; for this version, what fxprof-processed-profile writes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "firefox.h"
#include "gzip.h"
#include "vec.h"

enum { VERSION = 62, GECKO_VERSION = 24 };

static int begin(const struct export *export, void *state)
{
	struct firefox *to = state;
	int err = xp_gzip_new(export->opts.write, export->opts.data, &to->gzip);

	if (err && err != -ENOSYS)
		return err;
	if (to->gzip) {
		export->out->write = xp_gzip_write;
		export->out->data = to->gzip;
	}
	to->keys = xp_table(sizeof(struct track_key), sizeof(struct track_key));
	to->texts = xp_table(sizeof(struct text), sizeof(struct text));
	to->functions = xp_table(sizeof(struct function), sizeof(struct function));
	to->first_ns = UINT64_MAX;
	return 0;
}

static struct track *find_track(struct firefox *to, uint32_t event, uint32_t task)
{
	const struct track_key key = { event, task };
	uint32_t nr;
	int is_new = xp_table_intern_sized(&to->keys, &key, sizeof(key), &nr);

	if (is_new < 0 || xp_array_grow(&to->tracks, &to->cap_tracks, nr, sizeof(*to->tracks)) ||
	    xp_array_grow(&to->track_of, &to->cap_track_of, task, sizeof(*to->track_of)))
		return NULL;
	if (is_new) {
		to->tracks[nr] = (struct track){ .event = event, .task = task };
		to->nr_tracks = nr + 1;
	}
	if (!to->track_of[task])
		to->track_of[task] = nr + 1;
	return &to->tracks[nr];
}

struct track *xp_firefox_track_of(struct firefox *to, uint32_t task)
{
	if (task < to->cap_track_of && to->track_of[task])
		return &to->tracks[to->track_of[task] - 1];
	return find_track(to, 0, task);
}

void xp_firefox_note_time(struct firefox *to, uint64_t time_ns)
{
	if (time_ns < to->first_ns)
		to->first_ns = time_ns;
	if (time_ns > to->last_ns)
		to->last_ns = time_ns;
}

static int add_sample(const struct export *export, void *state, const struct stream_sample *sample)
{
	struct firefox *to = state;
	struct track *track = find_track(to, sample->event, sample->task);

	if (!track)
		return -ENOMEM;
	if (vec_reserve(&track->marks, track->nr, &track->room, sizeof(*track->marks)))
		return -ENOMEM;
	track->marks[track->nr++] = (struct mark){ .time_ns = sample->time_ns,
						   .period = sample->period,
						   .call = sample->call };
	xp_firefox_note_time(to, sample->time_ns);
	return xp_firefox_add_hit(to, track, &export->tree->events[sample->event], sample->time_ns);
}

static int add_mark(const struct export *export, void *state, const struct stream_mark *mark)
{
	(void)export;
	return xp_firefox_add_mark(state, mark);
}

static int add_count(const struct export *export, void *state, const struct stream_count *count)
{
	(void)export;
	return xp_firefox_add_count(state, count);
}

/* --- what was recorded --- */

/* The first 16 bytes of a build id, in the order of a GUID, and an age of 0. Source: Breakpad,
 * docs/symbol_files.md, "MODULE records". */
static void put_breakpad(struct json *json, const struct tree_file *file)
{
	static const uint8_t order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char text[2 * sizeof(order) + 2] = "";

	for (size_t i = 0; i < sizeof(order); i++)
		snprintf(text + 2 * i, 3, "%02X", file->build_id[order[i]]);
	strcat(text, "0");
	json_string(json, "breakpadId", text);
}

static void put_libs(struct json *json, const struct xp_tree *tree)
{
	json_array(json, "libs", &json_compact);
	for (uint32_t i = 0; i < tree->nr_files; i++) {
		const struct tree_file *file = &tree->files[i];
		char build_id[2 * sizeof(file->build_id) + 1];

		json_object(json, NULL, &json_compact);
		json_null(json, "arch");
		json_string(json, "name", file->name);
		json_string(json, "path", file->path);
		json_string(json, "debugName", file->name);
		json_string(json, "debugPath", file->path);
		put_breakpad(json, file);
		xp_file_build_id(file, build_id);
		if (*build_id)
			json_string(json, "codeId", build_id);
		else
			json_null(json, "codeId");
		json_end(json);
	}
	json_end(json);
}

static void put_units(struct json *json)
{
	json_object(json, "sampleUnits", &json_compact);
	json_string(json, "time", "ms");
	json_string(json, "eventDelay", "ms");
	json_string(json, "threadCPUDelta", "\xc2\xb5s");
	json_end(json);
	json_object(json, "extensions", &json_compact);
	json_uint(json, "length", 0);
	firefox_same(json, "baseURL", 0, NULL);
	firefox_same(json, "id", 0, NULL);
	firefox_same(json, "name", 0, NULL);
	json_end(json);
}

static void put_meta(struct json *json, const struct firefox *to, const struct xp_tree *tree)
{
	uint64_t span = to->last_ns > to->first_ns ? to->last_ns - to->first_ns : 0;
	const struct xp_tree_info *info = &tree->info;

	json_object(json, "meta", &json_compact);
	json_uint(json, "version", GECKO_VERSION);
	json_uint(json, "preprocessedProfileVersion", VERSION);
	json_uint(json, "interval", 1);
	json_micro(json, "startTime", info->time_ns > span ? info->time_ns - span : 0);
	json_string(json, "product", *info->title ? info->title : "xperf");
	json_string(json, "oscpu", *info->host ? info->host : "Linux");
	json_string(json, "importedFrom", "xperf");
	json_uint(json, "processType", 0);
	json_uint(json, "stackwalk", 1);
	json_bool(json, "debug", false);
	json_bool(json, "symbolicated", true);
	json_bool(json, "usesOnlyOneStackType", true);
	json_bool(json, "sourceCodeIsNotOnSearchfox", true);
	xp_firefox_categories(json);
	xp_firefox_schema(json);
	firefox_same(json, "pausedRanges", 0, NULL);
	put_units(json);
	json_end(json);
}

/* --- tracks --- */

static void put_samples(struct json *json, const struct firefox *to, const struct track *track,
			const struct export *export)
{
	uint64_t last_ns = to->first_ns;

	json_object(json, "samples", &json_compact);
	json_uint(json, "length", track->nr);
	json_array(json, "stack", &json_compact);
	for (size_t i = 0; i < track->nr; i++)
		if (track->marks[i].call == NO_CALL)
			json_null(json, NULL);
		else
			json_uint(json, NULL, track->marks[i].call);
	json_end(json);
	json_array(json, "timeDeltas", &json_compact);
	for (size_t i = 0; i < track->nr; last_ns = track->marks[i++].time_ns)
		json_micro(json, NULL, track->marks[i].time_ns - last_ns);
	json_end(json);
	json_array(json, "weight", &json_compact);
	for (size_t i = 0; i < track->nr; i++)
		json_uint(json, NULL, export->opts.samples ? 1 : track->marks[i].period);
	json_end(json);
	json_string(json, "weightType", "samples");
	json_end(json);
}

static void put_track(struct json *json, const struct firefox *to, const struct export *export,
		      const struct track *track)
{
	const struct xp_tree *tree = export->tree;
	const struct tree_task *task = tree_task(tree, track->task);
	const char *comm = *task->comm ? task->comm : "[no name]";
	const char *process = xp_tree_process(tree, task->pid);
	char name[4300], number[24];

	snprintf(name, sizeof(name), track->nr ? "%s (%s)" : "%s", comm,
		 tree->events[track->event].name);
	json_object(json, NULL, &json_compact);
	json_string(json, "name", name);
	json_string(json, "processName", process && *process ? process : comm);
	json_string(json, "processType", "default");
	json_bool(json, "isMainThread", task->pid == task->tid);
	snprintf(number, sizeof(number), "%d", task->pid);
	json_string(json, "pid", number);
	snprintf(number, sizeof(number), "%d", task->tid);
	json_string(json, "tid", number);
	json_uint(json, "processStartupTime", 0);
	json_null(json, "processShutdownTime");
	json_uint(json, "registerTime", 0);
	json_null(json, "unregisterTime");
	json_bool(json, "showMarkersInTimeline", track->nr_moments);
	firefox_same(json, "pausedRanges", 0, NULL);
	put_samples(json, to, track, export);
	xp_firefox_markers(json, to, track);
	json_end(json);
}

static int end(const struct export *export, void *state)
{
	struct firefox *to = state;
	struct json json;

	json_init(&json, &export->out->sink, ":");
	json_object(&json, NULL, &json_compact);
	put_meta(&json, to, export->tree);
	put_libs(&json, export->tree);
	int err = xp_firefox_shared(&json, to, export->tree);
	json_array(&json, "threads", &json_compact);
	for (uint32_t i = 0; i < to->nr_tracks; i++)
		put_track(&json, to, export, &to->tracks[i]);
	json_end(&json);
	firefox_same(&json, "pages", 0, NULL);
	firefox_same(&json, "profilerOverhead", 0, NULL);
	xp_firefox_counters(&json, to, export->tree);
	json_end(&json);
	xp_out_char(export->out, '\n');
	if (!err && to->failed)
		err = -ENOMEM;
	if (!err)
		err = xp_out_flush(export->out);
	return err || !to->gzip ? err : xp_gzip_end(to->gzip);
}

static void free_state(void *state)
{
	struct firefox *to = state;

	xp_firefox_free_marks(to);
	for (uint32_t i = 0; i < to->nr_tracks; i++)
		free(to->tracks[i].marks);
	free(to->track_of);
	free(to->tracks);
	free(to->frames);
	xp_gzip_free(to->gzip);
	xp_intern_fini(&to->kept);
	xp_table_fini(&to->keys);
	xp_table_fini(&to->texts);
	xp_table_fini(&to->functions);
}

const struct stream_format xp_stream_firefox = {
	.state_bytes = sizeof(struct firefox),
	.begin = begin,
	.sample = add_sample,
	.mark = add_mark,
	.count = add_count,
	.end = end,
	.free = free_state,
};
