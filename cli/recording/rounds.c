/* SPDX-License-Identifier: MIT */
/*
 * Source of the rule of rounds: Documentation/perf.data-file-format.txt of perf,
 * PERF_RECORD_FINISHED_ROUND.
 */
#include "rounds.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/data.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>

#include "plural.h"

/* `xperf record` writes both times as 0 first. perf leaves them so in some complete recordings. */
bool rounds_recorder_was_killed(const struct xp_data *data)
{
	static const char zeros[2 * sizeof(uint64_t)], name[] = "xperf ";
	size_t at = sizeof(uint32_t), name_len = sizeof(name) - 1, len, version_len;
	const char *times = xp_data_feature(data, XP_FEATURE_SAMPLE_TIME, &len);
	const char *version = xp_data_feature(data, XP_FEATURE_VERSION, &version_len);

	return times && len >= sizeof(zeros) && !memcmp(times, zeros, sizeof(zeros)) && version &&
	       version_len >= at + name_len && !memcmp(version + at, name, name_len);
}

/* perf writes the size of the records at its end. */
static bool is_cut_off(const struct xp_data *data, const char *path)
{
	struct xp_data_layout layout = xp_data_get_layout(data);
	struct stat st;

	if (!layout.data_size)
		return true;
	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       layout.feature_offset > (uint64_t)st.st_size;
}

void rounds_init(struct rounds *rounds, const struct xp_data *data, const char *path)
{
	*rounds = (struct rounds){ .is_first_ring = true, .ring = -1 };
	/* A stream shows at its end whether it has one. */
	rounds->is_watched = xp_data_is_stream(data) || rounds_recorder_was_killed(data) ||
			     is_cut_off(data, path);
}

static void finish_round(struct rounds *rounds)
{
	rounds->complete_ns = rounds->next_complete_ns;
	rounds->nr_doubtful = rounds->nr_next_doubtful;
	rounds->next_complete_ns = rounds->newest_ns;
	rounds->nr_next_doubtful = 0;
	rounds->is_first_ring = true;
	rounds->ring = -1;
}

/*
 * The other rings are read after the first one, so they hold all that is as old as its last record.
 * Which ring it is can be seen where records have their CPU.
 */
static void note_first_ring(struct rounds *rounds, const struct xp_sample_id *id)
{
	if (rounds->ring < 0)
		rounds->ring = id->cpu;
	if (rounds->ring < 0 || rounds->ring != id->cpu)
		rounds->is_first_ring = false;
	else if (id->time_ns > rounds->next_complete_ns)
		rounds->next_complete_ns = id->time_ns;
}

static bool find_id(const struct xp_data *data, const struct xp_record *record,
		    struct xp_sample_id *ret_id)
{
	const struct xp_data_event *event = xp_data_event_at(data, xp_data_event_of(data, record));
	struct xp_sample sample = { .size = sizeof(sample) };

	if (!event)
		return false;
	if (record->type != XP_RECORD_SAMPLE)
		return event->attr.sample_id_all &&
		       !xp_sample_id_decode(record, &event->attr, ret_id);
	if (xp_sample_decode(record, &event->attr, &sample) < 0)
		return false;
	*ret_id = sample.id;
	return true;
}

void rounds_note(struct rounds *rounds, const struct xp_data *data, const struct xp_record *record)
{
	struct xp_sample_id id;

	if (!rounds->is_watched)
		return;
	if (record->type == XP_RECORD_FINISHED_ROUND)
		finish_round(rounds);
	if (record->type >= XP_RECORD_HEADER_ATTR || !find_id(data, record, &id))
		return;
	/* What was there before the recording has no time, or 0. */
	bool has_time = id.time_ns && id.time_ns != XP_NO_TIME;
	if (has_time && rounds->is_first_ring)
		note_first_ring(rounds, &id);
	if (has_time && id.time_ns > rounds->newest_ns)
		rounds->newest_ns = id.time_ns;
	if (record->type != XP_RECORD_SAMPLE)
		return;
	rounds->nr_doubtful += !has_time || id.time_ns > rounds->complete_ns;
	rounds->nr_next_doubtful += has_time && id.time_ns > rounds->next_complete_ns;
}

struct cut_off rounds_end(const struct rounds *rounds, const struct xp_data *data)
{
	bool is_cut =
		xp_data_is_stream(data) ? rounds_recorder_was_killed(data) : rounds->is_watched;

	return (struct cut_off){ is_cut, is_cut ? rounds->nr_doubtful : 0 };
}

void rounds_print(FILE *file, const char *prefix, const struct xp_data *data,
		  const struct cut_off *cut)
{
	/* Damage is said elsewhere, and that the recorder has not ended is a part of it. */
	if (!cut->is_cut || (!cut->nr_doubtful && xp_data_nr_damages(data)))
		return;
	fprintf(file, "%sthe recorder was killed, or the file is cut off: ", prefix);
	if (cut->nr_doubtful)
		fprintf(file,
			"%" PRIu64 " %s at the end may have a wrong command or function, and later "
			"ones are missing\n",
			cut->nr_doubtful, plural(cut->nr_doubtful, "sample", "samples"));
	else
		fputs("later samples are missing\n", file);
}
