/* SPDX-License-Identifier: MIT */
/* The rows of all files: those with the same cells are one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "hash.h"
#include "vec.h"

enum { CELL_BYTES = 1024, FIRST_SLOTS = 256 };

int event_find(struct diff *diff, const char *name, struct diff_event **ret_event)
{
	for (int i = 0; i < diff->nr_events; i++)
		if (!strcmp(diff->events[i].name, name)) {
			*ret_event = &diff->events[i];
			return 0;
		}
	if (vec_add(&diff->events, (size_t)diff->nr_events, sizeof(*diff->events)))
		return -ENOMEM;
	struct diff_event *more = &diff->events[diff->nr_events++];
	*more = (struct diff_event){
		.name = strdup(name),
		.seed = xp_hash_seed(),
		.nr_slots = FIRST_SLOTS,
		.slots = calloc(FIRST_SLOTS, sizeof(struct diff_row *)),
		.totals = calloc((size_t)diff->nr_sources, sizeof(uint64_t)),
		.is_there = calloc((size_t)diff->nr_sources, sizeof(bool)),
	};
	*ret_event = more;
	return more->name && more->slots && more->totals && more->is_there ? 0 : -ENOMEM;
}

/* --- the cells that name a row --- */

/* Addresses in no function are one row: those of two builds have nothing to do with each other. */
static void symbol_cell(const struct diff *diff, const struct xp_profile_row *row, char *cell)
{
	const char *name = row->location->frame.function.name;

	snprintf(cell, CELL_BYTES, "[%c] %s", row->location->level, name ? name : "[unknown]");
	if (diff->normalize)
		normalize_function(cell);
}

static void dso_cell(const struct diff *diff, const struct xp_profile_row *row, char *cell)
{
	const struct xp_dso *dso = row->location->frame.map.dso;

	snprintf(cell, CELL_BYTES, "%s", dso ? dso->short_name : "[unknown]");
	if (diff->normalize)
		normalize_file(cell);
}

static void make_cell(const struct diff *diff, enum xp_key key, const struct xp_profile_row *row,
		      char *cell)
{
	switch (key) {
	case XP_KEY_SYMBOL:
		symbol_cell(diff, row, cell);
		break;
	case XP_KEY_DSO:
		dso_cell(diff, row, cell);
		break;
	case XP_KEY_COMM:
		snprintf(cell, CELL_BYTES, "%s", row->comm ? row->comm : "");
		break;
	case XP_KEY_PID:
		snprintf(cell, CELL_BYTES, "%7" PRId32 ":%s", row->tid, row->comm ? row->comm : "");
		break;
	default:
		snprintf(cell, CELL_BYTES, "%3.3" PRId32, row->cpu);
		break;
	}
}

/* --- the table --- */

/* All slots are of rows whose text has the same hash; twice as many make half as long chains. */
static int grow(struct diff_event *event)
{
	size_t nr_slots = event->nr_slots * 2;
	struct diff_row **slots = calloc(nr_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < event->nr; i++) {
		struct diff_row *row = event->rows[i];
		size_t slot = xp_hash_bytes(event->seed, row->text, row->len) & (nr_slots - 1);

		row->next = slots[slot];
		slots[slot] = row;
	}
	free(event->slots);
	event->slots = slots;
	event->nr_slots = nr_slots;
	return 0;
}

static void row_free(struct diff_row *row)
{
	if (!row)
		return;
	free(row->text);
	free(row->periods);
	free(row->shares);
	free(row->changes);
	free(row);
}

static struct diff_row *row_new(const struct diff *diff, const char *text, size_t len)
{
	struct diff_row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->text = malloc(len);
	row->len = len;
	row->periods = calloc((size_t)diff->nr_sources, sizeof(*row->periods));
	row->shares = calloc((size_t)diff->nr_sides, sizeof(*row->shares));
	row->changes = calloc((size_t)diff->nr_sides, sizeof(*row->changes));
	if (!row->text || !row->periods || !row->shares || !row->changes) {
		row_free(row);
		return NULL;
	}
	memcpy(row->text, text, len);
	char *cell = row->text;
	for (int i = 0; i < diff->nr_keys; i++, cell += strlen(cell) + 1)
		row->cells[i] = cell;
	return row;
}

static struct diff_row *find_or_add(const struct diff *diff, struct diff_event *event,
				    const char *text, size_t len)
{
	if (event->nr >= event->nr_slots && grow(event))
		return NULL;
	struct diff_row **slot =
		&event->slots[xp_hash_bytes(event->seed, text, len) & (event->nr_slots - 1)];

	for (struct diff_row *row = *slot; row; row = row->next)
		if (row->len == len && !memcmp(row->text, text, len))
			return row;
	if (vec_add(&event->rows, event->nr, sizeof(struct diff_row *)))
		return NULL;
	struct diff_row *row = row_new(diff, text, len);
	if (!row)
		return NULL;
	row->next = *slot;
	return *slot = event->rows[event->nr++] = row;
}

int row_add(struct diff *diff, struct diff_event *event, int file, const struct xp_profile_row *row)
{
	char text[MAX_KEYS * CELL_BYTES];
	size_t len = 0;

	for (int i = 0; i < diff->nr_keys; i++) {
		make_cell(diff, diff->keys[i], row, text + len);
		len += strlen(text + len) + 1;
	}
	struct diff_row *sum = find_or_add(diff, event, text, len);
	if (!sum)
		return -ENOMEM;
	sum->periods[file] += row->sum.period;
	return 0;
}

void diff_fini(struct diff *diff)
{
	for (int i = 0; i < diff->nr_events; i++) {
		struct diff_event *event = &diff->events[i];

		for (size_t r = 0; r < event->nr; r++)
			row_free(event->rows[r]);
		free(event->rows);
		free(event->slots);
		free(event->totals);
		free(event->is_there);
		free(event->name);
	}
	free(diff->events);
	for (int i = 0; i < diff->nr_sources; i++)
		free(diff->sources[i].path);
	free(diff->sources);
}
