/* SPDX-License-Identifier: MIT */
/*
 * Sentences below a text table: why events were not counted, or not as they were asked for, one
 * sentence per distinct reason; and what the mark of unreliable counts means.
 */
#include "render.h"

#include <string.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/metric.h>

#include "cli.h"
#include "event-notes.h"
#include "utf8.h"

enum { LINE_WIDTH = 79 };

/* A paragraph wrapped at spaces; lines after the first are indented. */
struct paragraph {
	struct sink *out;
	const char *lead;
	int column;
};

static void begin(struct paragraph *p)
{
	sink_text(p->out, p->lead);
	p->column = (int)strlen(p->lead);
}

static void word(struct paragraph *p, const char *text, size_t len)
{
	int columns = utf8_columns_of(text, len);
	int lead = (int)strlen(p->lead);

	if (p->column > lead && p->column + 1 + columns > LINE_WIDTH) {
		sink_format(p->out, "\n%s  ", p->lead);
		p->column = lead + 2;
	} else if (p->column > lead) {
		sink_char(p->out, ' ');
		p->column++;
	}
	sink_bytes(p->out, text, len);
	p->column += columns;
}

static void words(struct paragraph *p, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (len)
			word(p, text, len);
		text += len + strspn(text + len, " ");
	}
}

/* To the last word; 0 for nothing. */
static void append(struct paragraph *p, char mark)
{
	if (mark)
		sink_char(p->out, mark);
	p->column += !!mark;
}

/* A name is one word, whatever is in it. */
static void name(struct paragraph *p, const char *text, char after)
{
	word(p, text, strlen(text));
	append(p, after);
}

/* What the reasons of an event's state are reasons for. */
static const char *const leads[] = {
	[ROW_COUNTED] = "Counted differently:",
	[ROW_NOT_COUNTED] = "Not counted:",
	[ROW_NOT_SUPPORTED] = "Not supported here:",
};

struct noted {
	const struct stat_table *table;
	struct event_notes notes;
};

static const char *reason_of(const struct stat_table *table, int event)
{
	return xp_evsel_reason(xp_evlist_at(table->evlist, event));
}

/* "a, b:" or "a, b" */
static void names(struct paragraph *p, const struct noted *noted, int event, char last)
{
	for (int next; event >= 0; event = next) {
		next = noted->notes.at[event].next;
		name(p, stat_table_name(noted->table, event), next < 0 ? last : ',');
	}
}

/*
 * Names are repeated only where rows do not show which events are meant, for others in this state
 * have another reason or none: scripts search the output for them.
 */
static void reason(struct paragraph *p, const struct noted *noted, int event)
{
	const struct event_note *note = &noted->notes.at[event];
	bool is_named = note->nr < noted->notes.nr_in_state[note->state] ||
			(note->state == ROW_NOT_SUPPORTED && noted->table->supported_only);
	struct wording buf;
	const char *why = cli_words(reason_of(noted->table, event), &buf);

	begin(p);
	if (note->state == ROW_COUNTED && !strncmp(why, "in ", strlen("in "))) {
		words(p, "Counted");
		words(p, why);
		if (is_named) {
			append(p, ':');
			names(p, noted, event, 0);
		}
	} else {
		words(p, leads[note->state]);
		if (is_named)
			names(p, noted, event, ':');
		words(p, why);
	}
	sink_char(p->out, '\n');
}

/* @elsewhere: because the tasks were where the event does not count, not for want of a counter. The
 * next event for which that is so; -1: none. */
static int next_unreliable(const struct noted *noted, int event, bool elsewhere)
{
	while (++event < noted->notes.nr)
		if (noted->notes.at[event].is_unreliable &&
		    xp_evlist_misses_cpus(noted->table->evlist, event) == elsewhere)
			return event;
	return -1;
}

static void unreliable(struct paragraph *p)
{
	begin(p);
	words(p, "Unreliable: counted less than 10% of the time, the rest is extrapolated; count "
		 "fewer events at once.");
	sink_char(p->out, '\n');
}

static void unreliable_elsewhere(struct paragraph *p, const struct noted *noted, int first)
{
	begin(p);
	words(p, "Unreliable:");
	for (int i = first; i >= 0;) {
		int next = next_unreliable(noted, i, true);

		name(p, stat_table_name(noted->table, i), next < 0 ? ':' : ',');
		i = next;
	}
	words(p, "less than 10% of the time was on CPUs that count this, the rest is "
		 "extrapolated; keep the tasks there (taskset -c), or count CPUs (-a).");
	sink_char(p->out, '\n');
}

/* Metrics by name that have no value, and why. */
static void no_values(struct paragraph *p, const struct stat_table *table)
{
	for (int i = 0; i < stat_table_nr_named(table); i++) {
		const char *reason = stat_table_named_reason(table, i);

		if (!reason)
			continue;
		begin(p);
		words(p, "No value:");
		name(p, stat_table_named(table, i)->name, ':');
		words(p, reason);
		sink_char(p->out, '\n');
	}
}

static void thresholds(struct paragraph *p, const struct stat_table *table)
{
	for (int i = 0; i < stat_table_nr_named(table); i++) {
		if (!stat_table_named_is_bad(table, i))
			continue;
		begin(p);
		words(p, "Beyond its threshold:");
		words(p, stat_table_named(table, i)->threshold_text);
		sink_char(p->out, '\n');
	}
}

static void of_events(struct paragraph *p, const struct noted *noted)
{
	for (int event = 0; event < noted->notes.nr; event++)
		if (noted->notes.at[event].is_shown && noted->notes.at[event].first == event &&
		    *reason_of(noted->table, event))
			reason(p, noted, event);
	if (next_unreliable(noted, -1, false) >= 0)
		unreliable(p);
	int first = next_unreliable(noted, -1, true);
	if (first >= 0)
		unreliable_elsewhere(p, noted, first);
}

void notes_render(struct rendering *r, const char *lead)
{
	struct noted noted = { .table = r->table };
	struct paragraph p = { .out = &r->out, .lead = lead };

	if (!r->table->evlist)
		return;
	int err = event_notes_init(&noted.notes, r->table);
	if (err)
		r->out.err = err;
	of_events(&p, &noted);
	event_notes_fini(&noted.notes);
	no_values(&p, r->table);
	thresholds(&p, r->table);
}
