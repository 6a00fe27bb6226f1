/* SPDX-License-Identifier: MIT */
/* What the parts of the format of Firefox Profiler share. */
#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include "json.h"
#include "stream.h"

struct mark {
	uint64_t time_ns, period;
	uint32_t call, unused;
};

/* Samples of one event and task. */
struct track {
	uint32_t event, task;
	struct mark *marks;
	size_t nr, room;
	struct moment *moments;
	size_t nr_moments;
};

struct track_key {
	uint32_t event, task;
};

/* What happened to a thread. Texts: numbers of firefox->texts */
struct moment {
	uint64_t from_ns, to_ns;
	uint32_t name, text;
};

/* What was counted of an event; the last value is 0, at the end of the last interval. */
struct counter_value {
	uint64_t time_ns;
	double value;
};

struct counter {
	struct counter_value *values;
	size_t nr;
	uint32_t task, unused;
	uint64_t to_ns;
};

struct text {
	const char *text; /* of the tree, or static */
};

struct function {
	const char *name, *source;
	uint32_t file, unused;
};

struct firefox {
	struct table keys; /* of tracks */
	struct track *tracks;
	uint32_t nr_tracks, cap_tracks;
	uint32_t *track_of; /* per task, the number + 1 of its first track */
	uint32_t cap_track_of;
	struct counter *counters; /* per event of the tree */
	uint32_t nr_counters;
	uint64_t first_ns, last_ns;
	struct gzip *gzip;
	struct xp_intern kept;
	struct table texts, functions;
	uint32_t *frames; /* per frame, its function */
	bool failed;      /* without memory */
};

/* A column of @nr times the same, as JSON; @value: NULL where @nr is 0. */
static inline void firefox_same(struct json *json, const char *name, uint32_t nr, const char *value)
{
	json_array(json, name, &json_compact);
	for (uint32_t i = 0; i < nr; i++)
		json_value(json, NULL, value, strlen(value));
	json_end(json);
}

/* firefox-tables.c: the number of a text; without memory, to->failed. */
uint32_t xp_firefox_text(struct firefox *to, const char *text);
/* Which of the categories what is no code has. */
enum { FIREFOX_OTHER };
/* What kinds of code there are, and the tables that threads share. */
void xp_firefox_categories(struct json *json);
/* Returns 0 or -ENOMEM; to->failed is looked at afterwards. */
int xp_firefox_shared(struct json *json, struct firefox *to, const struct xp_tree *tree);

/* firefox.c: the first track of a task, which is made if there is none; NULL: no memory. */
struct track *xp_firefox_track_of(struct firefox *to, uint32_t task);
/* Makes the time that is shown include this one. */
void xp_firefox_note_time(struct firefox *to, uint64_t time_ns);

/* firefox-marks.c: return 0 or -ENOMEM. */
int xp_firefox_add_mark(struct firefox *to, const struct stream_mark *mark);
/* A sample of a tracepoint, which is something that happened, too. */
int xp_firefox_add_hit(struct firefox *to, struct track *track, const struct tree_event *event,
		       uint64_t time_ns);
int xp_firefox_add_count(struct firefox *to, const struct stream_count *count);
void xp_firefox_schema(struct json *json);
void xp_firefox_markers(struct json *json, const struct firefox *to, const struct track *track);
void xp_firefox_counters(struct json *json, const struct firefox *to, const struct xp_tree *tree);
void xp_firefox_free_marks(struct firefox *to);

#endif
