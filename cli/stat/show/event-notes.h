/* SPDX-License-Identifier: MIT */
/* Which events of a table have the same to be said of them. */
#ifndef CLI_STAT_EVENT_NOTES_H
#define CLI_STAT_EVENT_NOTES_H

#include "stat-table.h"

/* A note is a reason in a state. */
struct event_note {
	enum row_state state;
	bool is_shown;      /* the event has a row, or would have one */
	bool is_unreliable; /* one of its rows is */
	int first;          /* event with this note */
	int next;           /* event with this note and another name than those before; -1: none */
	int nr, last;       /* of the first one: events with this note, the last of @next */
};

struct event_notes {
	struct event_note *at; /* by event */
	int nr;
	int nr_in_state[ROW_NOT_SUPPORTED + 1]; /* of those that are shown */
};

/* Free with event_notes_fini(). Returns 0 or -ENOMEM. */
int event_notes_init(struct event_notes *notes, const struct stat_table *table);
void event_notes_fini(struct event_notes *notes);

#endif
