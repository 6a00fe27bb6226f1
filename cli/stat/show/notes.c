/* SPDX-License-Identifier: MIT */
/*
 * Sentences below a text table: why events were not counted, or not as they were asked for, one
 * sentence per distinct reason; and what the mark of unreliable counts means.
 */
#include "render.h"

#include <string.h>
#include <xperf/metric.h>

#include "cli.h"
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

static enum row_state state_of(const struct stat_table *table, int event)
{
	const struct xp_evsel *evsel = xp_evlist_at(table->evlist, event);
	bool not_counted = false;

	if (xp_evsel_support(evsel) == XP_NOT_SUPPORTED)
		return ROW_NOT_SUPPORTED;
	for (int i = 0; i < table->nr_rows; i++) {
		if (table->rows[i].evsel == evsel && table->rows[i].state == ROW_COUNTED)
			return ROW_COUNTED;
		not_counted |= table->rows[i].evsel == evsel;
	}
	return not_counted ? ROW_NOT_COUNTED : ROW_COUNTED;
}

/* Events that have no row need no note. */
static bool is_noted(const struct stat_table *table, int event)
{
	if (!table->rows_of_metrics)
		return stat_table_has_event(table, event);
	for (int i = 0; i < table->nr_rows; i++)
		if (table->rows[i].evsel == xp_evlist_at(table->evlist, event))
			return true;
	return false;
}

static bool same_note(const struct stat_table *table, int a, int b)
{
	return !strcmp(xp_evsel_reason(xp_evlist_at(table->evlist, a)),
		       xp_evsel_reason(xp_evlist_at(table->evlist, b))) &&
	       is_noted(table, a) && is_noted(table, b) && state_of(table, a) == state_of(table, b);
}

static bool was_noted(const struct stat_table *table, int event)
{
	for (int i = 0; i < event; i++)
		if (same_note(table, i, event))
			return true;
	return false;
}

/* One before it with the same note has the same name, as in another cgroup. */
static bool was_named(const struct stat_table *table, int event)
{
	for (int i = 0; i < event; i++)
		if (!strcmp(stat_table_name(table, i), stat_table_name(table, event)) &&
		    same_note(table, i, event))
			return true;
	return false;
}

/* The next event with the same note and a name of its own; -1: none. */
static int next_same(const struct stat_table *table, int event)
{
	for (int i = event + 1; i < xp_evlist_nr(table->evlist); i++)
		if (same_note(table, event, i) && !was_named(table, i))
			return i;
	return -1;
}

/* Is it the same note for all events in this state? Their rows show which they are, then. */
static bool is_of_all(const struct stat_table *table, int event)
{
	for (int i = 0; i < xp_evlist_nr(table->evlist); i++)
		if (is_noted(table, i) && state_of(table, i) == state_of(table, event) &&
		    !same_note(table, i, event))
			return false;
	return true;
}

/* "a, b:" or "a, b" */
static void names(struct paragraph *p, const struct stat_table *table, int event, char last)
{
	for (int i = event; i >= 0;) {
		int next = next_same(table, i);

		name(p, stat_table_name(table, i), next < 0 ? last : ',');
		i = next;
	}
}

/*
 * Names are repeated only where rows do not show which events are meant: scripts search the output
 * for them.
 */
static void reason(struct paragraph *p, const struct stat_table *table, int event)
{
	enum row_state state = state_of(table, event);
	bool is_named = !is_of_all(table, event);
	struct wording buf;
	const char *why = cli_words(xp_evsel_reason(xp_evlist_at(table->evlist, event)), &buf);

	begin(p);
	if (state == ROW_COUNTED && !strncmp(why, "in ", strlen("in "))) {
		words(p, "Counted");
		words(p, why);
		if (is_named) {
			append(p, ':');
			names(p, table, event, 0);
		}
	} else {
		words(p, leads[state]);
		if (is_named)
			names(p, table, event, ':');
		words(p, why);
	}
	sink_char(p->out, '\n');
}

/* @elsewhere: because the tasks were where the event does not count, not for want of a counter. */
static bool is_unreliable(const struct stat_table *table, int event, bool elsewhere)
{
	const struct xp_evsel *evsel = xp_evlist_at(table->evlist, event);

	for (int i = 0; i < table->nr_rows; i++)
		if (table->rows[i].evsel == evsel && row_is_unreliable(&table->rows[i]))
			return xp_evlist_misses_cpus(table->evlist, event) == elsewhere;
	return false;
}

/* The next event for which that is so; -1: none. */
static int next_unreliable(const struct stat_table *table, int event, bool elsewhere)
{
	while (++event < xp_evlist_nr(table->evlist))
		if (is_unreliable(table, event, elsewhere))
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

static void unreliable_elsewhere(struct paragraph *p, const struct stat_table *table, int first)
{
	begin(p);
	words(p, "Unreliable:");
	for (int i = first; i >= 0;) {
		int next = next_unreliable(table, i, true);

		name(p, stat_table_name(table, i), next < 0 ? ':' : ',');
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

void notes_render(struct rendering *r, const char *lead)
{
	const struct xp_evlist *evlist = r->table->evlist;
	struct paragraph p = { .out = &r->out, .lead = lead };

	if (!evlist)
		return;
	for (int event = 0; event < xp_evlist_nr(evlist); event++)
		if (is_noted(r->table, event) && xp_evsel_reason(xp_evlist_at(evlist, event))[0] &&
		    !was_noted(r->table, event))
			reason(&p, r->table, event);
	if (next_unreliable(r->table, -1, false) >= 0)
		unreliable(&p);
	int first = next_unreliable(r->table, -1, true);
	if (first >= 0)
		unreliable_elsewhere(&p, r->table, first);
	no_values(&p, r->table);
	thresholds(&p, r->table);
}
