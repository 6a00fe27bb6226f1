/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording: from what it says of build ids, or those that its samples lie in. Which
 * of both is as in perf 6.1.
 */
#include "files.h"
#include "vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>
#include <xperf/timeline.h>

/* What the recorder has written build ids of. */
struct file_ids {
	struct file_id *files;
	size_t nr;
};

static size_t id_bytes(const struct xp_record_build_id *record)
{
	size_t len = record->header.misc & XP_MISC_BUILD_ID_SIZE ? record->build_id_size
								 : sizeof(record->build_id);

	return len < sizeof(record->build_id) ? len : sizeof(record->build_id);
}

/* A file that is there again has got another build id. */
static struct file_id *entry_of(struct file_ids *file_ids, const char *path)
{
	for (size_t i = 0; i < file_ids->nr; i++)
		if (!strcmp(file_ids->files[i].path, path))
			return &file_ids->files[i];
	if (vec_add(&file_ids->files, file_ids->nr, sizeof(*file_ids->files)))
		return NULL;
	file_ids->files[file_ids->nr] = (struct file_id){ .path = strdup(path) };
	return file_ids->files[file_ids->nr].path ? &file_ids->files[file_ids->nr++] : NULL;
}

static int keep(const struct xp_record_build_id *record, void *data)
{
	struct file_id *file = entry_of(data, (const char *)(record + 1));

	if (!file)
		return -ENOMEM;
	file->id_len = id_bytes(record);
	memcpy(file->id, record->build_id, file->id_len);
	return 0;
}

static int each_recorded(const struct recording *rec, file_fn fn, void *data)
{
	struct file_ids file_ids = { 0 };
	int err = xp_data_build_ids(rec->data, keep, &file_ids);

	for (size_t i = 0; i < file_ids.nr && !err; i++)
		err = fn(&file_ids.files[i], data);
	for (size_t i = 0; i < file_ids.nr; i++)
		free((char *)(uintptr_t)file_ids.files[i].path);
	free(file_ids.files);
	return err;
}

/* Which DSOs samples lie in. */
struct hits {
	const struct recording *rec;
	bool with_chains;
	bool *is_hit; /* by their index */
};

/* Marks the file an address is in. */
static void hit(const struct hits *hits, const struct recorded *recorded, uint16_t mode,
		uint64_t ip)
{
	const struct xp_sample_id *id = &recorded->sample.id;
	struct xp_map map = { .size = sizeof(map) };

	if (xp_timeline_map_at(hits->rec->timeline, id->pid, mode, ip, id->time_ns, &map) &&
	    map.dso)
		hits->is_hit[map.dso->index] = true;
}

static int hit_all(struct recorded *recorded, void *data)
{
	const struct hits *hits = data;
	struct xp_chain_walk at = recorded_chain(recorded);

	hit(hits, recorded, recorded_mode(recorded), recorded->sample.ip);
	while (hits->with_chains && xp_chain_next(&at))
		hit(hits, recorded, at.cpumode, at.ip);
	return 0;
}

static int hand_out(const struct xp_dso *dso, file_fn fn, void *data)
{
	struct file_id file = { .path = dso->name, .id_len = dso->build_id_len };

	memcpy(file.id, dso->build_id, dso->build_id_len);
	return fn(&file, data);
}

/* A file with several build ids is shown once for each. */
static int each_hit(struct recording *rec, bool with_chains, file_fn fn, void *data)
{
	int nr = xp_timeline_nr_dsos(rec->timeline);
	struct hits hits = { rec, with_chains, calloc((size_t)nr + 1, sizeof(*hits.is_hit)) };
	int err = hits.is_hit ? recording_each(rec, hit_all, &hits) : -ENOMEM;

	for (int i = 0; i < nr && !err; i++)
		if (hits.is_hit[i])
			err = hand_out(xp_timeline_dso(rec->timeline, i), fn, data);
	free(hits.is_hit);
	return err;
}

int files_each(struct recording *rec, enum which_files which, file_fn fn, void *data)
{
	size_t len;
	bool has_ids = xp_data_feature(rec->data, XP_FEATURE_BUILD_ID, &len);
	bool has_aux = xp_data_feature(rec->data, XP_FEATURE_AUXTRACE, &len);

	if (has_ids && (which == FILES_RECORDED || has_aux))
		return each_recorded(rec, fn, data);
	int err = recording_load(rec, NULL, NULL);
	return err ? err : each_hit(rec, which == FILES_RUN, fn, data);
}

void id_text(const uint8_t *id, size_t len, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*text++ = digits[id[i] >> 4];
		*text++ = digits[id[i] & 15];
	}
	*text = '\0';
}
