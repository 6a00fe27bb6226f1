/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording: from what it says of build ids, or those that its samples lie in. Which
 * of both is as in perf 6.1.
 */
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the recorder has told. */
struct told {
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
static struct file_id *entry_of(struct told *told, const char *path)
{
	for (size_t i = 0; i < told->nr; i++)
		if (!strcmp(told->files[i].path, path))
			return &told->files[i];
	struct file_id *more = reallocarray(told->files, told->nr + 1, sizeof(*more));
	if (!more)
		return NULL;
	told->files = more;
	more[told->nr] = (struct file_id){ .path = strdup(path) };
	return more[told->nr].path ? &more[told->nr++] : NULL;
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

static int each_told(const struct recording *rec, file_fn fn, void *data)
{
	struct told told = { 0 };
	int err = xp_data_build_ids(rec->input.data, keep, &told);

	for (size_t i = 0; i < told.nr && !err; i++)
		err = fn(&told.files[i], data);
	for (size_t i = 0; i < told.nr; i++)
		free((char *)(uintptr_t)told.files[i].path);
	free(told.files);
	return err;
}

/* Marks the file an address is in. */
static void hit(const struct recording *rec, bool *hits, const struct xp_sample *sample,
		uint16_t mode, uint64_t ip)
{
	struct xp_map map;

	if (xp_timeline_map_at(rec->timeline, sample->id.pid, mode, ip, sample->id.time_ns, &map) &&
	    map.dso)
		hits[map.dso->index] = true;
}

static void hit_chain(const struct recording *rec, bool *hits, const struct xp_sample *sample,
		      uint16_t mode)
{
	struct xp_chain_walk at = { .ips = sample->callchain,
				    .nr = sample->nr_callchain,
				    .cpumode = mode };

	while (xp_chain_next(&at))
		hit(rec, hits, sample, at.cpumode, at.ip);
}

/* Which DSOs samples lie in. */
static int find_hits(struct recording *rec, bool with_chains, bool *hits)
{
	const struct xp_record *record;
	struct xp_sample sample;
	int got, err = xp_data_rewind(rec->input.data);

	if (err)
		return err;
	while ((got = xp_data_next(rec->input.data, &record, NULL)) > 0) {
		const struct xp_data_event *event = xp_data_event_at(
			rec->input.data, xp_data_event_of(rec->input.data, record));
		uint16_t mode = record->misc & XP_MISC_CPUMODE_MASK;

		if (record->type != XP_RECORD_SAMPLE || !event ||
		    xp_sample_decode(record, &event->attr, &sample))
			continue;
		if (xp_sample_use_lbr(&sample, &event->attr, &rec->lbr))
			return -ENOMEM;
		sample.id.time_ns = xp_timeline_moment(rec->timeline, sample.id.time_ns,
						       xp_data_position(rec->input.data));
		hit(rec, hits, &sample, mode, sample.ip);
		if (with_chains)
			hit_chain(rec, hits, &sample, mode);
	}
	return got;
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
	bool *hits = calloc((size_t)nr + 1, sizeof(*hits));
	int err = hits ? find_hits(rec, with_chains, hits) : -ENOMEM;

	for (int i = 0; i < nr && !err; i++)
		if (hits[i])
			err = hand_out(xp_timeline_dso(rec->timeline, i), fn, data);
	free(hits);
	return err;
}

int files_each(struct recording *rec, enum which_files which, file_fn fn, void *data)
{
	size_t len;
	bool has_ids = xp_data_feature(rec->input.data, XP_FEATURE_BUILD_ID, &len);
	bool has_aux = xp_data_feature(rec->input.data, XP_FEATURE_AUXTRACE, &len);

	if (has_ids && (which == FILES_TOLD || has_aux))
		return each_told(rec, fn, data);
	int err = xp_timeline_new(&rec->timeline);
	if (!err)
		err = xp_timeline_load(rec->timeline, rec->input.data, NULL, NULL);
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
