/* SPDX-License-Identifier: MIT */
/* What the parts of the format of Firefox Profiler share. */
#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include "json-out.h"
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
};

struct track_key {
	uint32_t event, task;
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
	xp_json_array(json, name);
	for (uint32_t i = 0; i < nr; i++)
		xp_json_raw(json, NULL, value);
	xp_json_end(json);
}

/* firefox-tables.c: what kinds of code there are, and the tables that threads share. */
void xp_firefox_categories(struct json *json);
/* Returns 0 or -ENOMEM; to->failed is looked at afterwards. */
int xp_firefox_shared(struct json *json, struct firefox *to, const struct xp_tree *tree);

#endif
