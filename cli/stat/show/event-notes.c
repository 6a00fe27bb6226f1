/* SPDX-License-Identifier: MIT */
/* Each event and each row is looked at once: there may be thousands of cgroups. */
#include "event-notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "hash.h"
#include "index.h"
#include "render.h"

struct gathering {
	const struct stat_table *table;
	struct event_notes *notes;
	struct index by_note, by_name; /* of events that are shown */
};

static const char *reason_of(const struct gathering *g, int event)
{
	return xp_evsel_reason(xp_evlist_at(g->table->evlist, event));
}

/* What is counted, and what has no row, is counted differently if there is a reason. */
static void set_states(struct event_notes *notes, const struct stat_table *table)
{
	for (int i = 0; i < table->nr_rows; i++) {
		const struct stat_row *row = &table->rows[i];
		struct event_note *note = &notes->at[xp_evsel_index(row->evsel)];

		if (!note->is_shown || row->state == ROW_COUNTED)
			note->state = row->state;
		note->is_shown = true;
		note->is_unreliable |= row_is_unreliable(row);
	}
	for (int event = 0; event < notes->nr; event++) {
		struct event_note *note = &notes->at[event];

		if (xp_evsel_support(xp_evlist_at(table->evlist, event)) == XP_NOT_SUPPORTED)
			note->state = ROW_NOT_SUPPORTED;
		if (!table->rows_of_metrics)
			note->is_shown = stat_table_has_event(table, event);
		notes->nr_in_state[note->state] += note->is_shown;
	}
}

static int find_note(struct gathering *g, int event, uint64_t *ret_hash)
{
	const struct event_note *notes = g->notes->at;
	const char *reason = reason_of(g, event);
	size_t at;

	*ret_hash = xp_hash_bytes(xp_hash_word(xp_hash_seed(), notes[event].state), reason,
				  strlen(reason));
	for (struct index_walk walk = index_walk(&g->by_note, *ret_hash); index_next(&walk, &at);)
		if (notes[at].state == notes[event].state && !strcmp(reason_of(g, (int)at), reason))
			return (int)at;
	return -1;
}

/* Events of one name, as in several cgroups, are named once. */
static int add_name(struct gathering *g, int event)
{
	struct event_note *notes = g->notes->at, *first = &notes[notes[event].first];
	const char *name = stat_table_name(g->table, event);
	uint64_t hash = xp_hash_bytes(xp_hash_word(xp_hash_seed(), (uint64_t)notes[event].first),
				      name, strlen(name));
	size_t at;

	for (struct index_walk walk = index_walk(&g->by_name, hash); index_next(&walk, &at);)
		if (&notes[notes[at].first] == first &&
		    !strcmp(stat_table_name(g->table, (int)at), name))
			return 0;
	if (first != &notes[event])
		notes[first->last].next = event;
	first->last = event;
	return index_add(&g->by_name, hash, (size_t)event);
}

static int add(struct gathering *g, int event)
{
	struct event_note *notes = g->notes->at;
	uint64_t hash;
	int first = find_note(g, event, &hash);
	int err = first < 0 ? index_add(&g->by_note, hash, (size_t)event) : 0;

	notes[event].first = first < 0 ? event : first;
	notes[event].next = -1;
	notes[notes[event].first].nr++;
	return err ? err : add_name(g, event);
}

int event_notes_init(struct event_notes *notes, const struct stat_table *table)
{
	struct gathering g = { .table = table, .notes = notes };
	int err = 0;

	*notes = (struct event_notes){ .nr = xp_evlist_nr(table->evlist) };
	notes->at = calloc((size_t)notes->nr + 1, sizeof(*notes->at));
	if (!notes->at)
		return -ENOMEM;
	set_states(notes, table);
	for (int event = 0; event < notes->nr && !err; event++)
		if (notes->at[event].is_shown)
			err = add(&g, event);
	index_fini(&g.by_note);
	index_fini(&g.by_name);
	if (err)
		event_notes_fini(notes);
	return err;
}

void event_notes_fini(struct event_notes *notes)
{
	free(notes->at);
	*notes = (struct event_notes){ 0 };
}
