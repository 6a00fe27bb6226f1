/* SPDX-License-Identifier: MIT */
/* The hottest lines of source of a function: -l. Source of the layout: perf annotate, 6.1,
 * measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/resolve.h>

#include "annotate.h"
#include "search.h"

/* @shares: by event of the set */
struct hot_line {
	const struct code_line *at;
	double *shares;
};

static const double least = 0.5; /* percent of a line that is worth a row */

void summary_place(const struct annotation *annotation, const struct code_line *line)
{
	const char *slash = annotation->values->full_paths ? NULL : strrchr(line->file, '/');

	sink_escaped(annotation->out, slash ? slash + 1 : line->file);
	sink_char(annotation->out, ':');
	sink_dec(annotation->out, line->line, 0, ' ');
}

static int compare_lines(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;
	int order = strcmp(x->at->file, y->at->file);

	return order ? order : (x->at->line > y->at->line) - (x->at->line < y->at->line);
}

static int compare_shares(const void *a, const void *b, void *data)
{
	const struct hot_line *x = a, *y = b;
	const struct event_set *set = data;

	for (int i = 0; i < set->nr; i++)
		if (x->shares[i] < y->shares[i] || x->shares[i] > y->shares[i])
			return x->shares[i] > y->shares[i] ? -1 : 1;
	return compare_lines(a, b);
}

static int event_index(const struct event_set *set, int event)
{
	for (int i = 0; i < set->nr; i++)
		if (set->events[i] == event)
			return i;
	return -1;
}

/* The instruction whose bytes an address is one of. Returns NULL: none, or its line is not known.
 */
static const struct code_line *line_at(const struct code *code, uint64_t address)
{
	size_t nr = SEARCH_UP_TO(address, code->at, code->nr, address);

	return nr && code->at[nr - 1].file && code->at[nr - 1].line ? &code->at[nr - 1] : NULL;
}

/* A row per place that has samples of the set. Returns their number. */
static size_t collect(const struct annotation *annotation, struct hot_line *lines, double *shares)
{
	const struct hot_function *function = annotation->function;
	size_t nr = 0;

	for (size_t i = 0; i < function->nr_places; i++) {
		const struct heat_place *place = &function->places[i];
		const struct code_line *at = line_at(annotation->code, place->address);
		int index = event_index(annotation->set, place->event);

		if (!at || index < 0)
			continue;
		lines[nr] = (struct hot_line){ at, shares + nr * (size_t)annotation->set->nr };
		lines[nr++].shares[index] = annotation_share(annotation, place->event, &place->sum);
	}
	return nr;
}

/* Rows of one line become one. Returns the number that is left. */
static size_t merge(const struct annotation *annotation, struct hot_line *lines, size_t nr)
{
	size_t to = 0;

	qsort(lines, nr, sizeof(*lines), compare_lines);
	for (size_t i = 1; i < nr; i++) {
		if (compare_lines(&lines[to], &lines[i])) {
			lines[++to] = lines[i];
			continue;
		}
		for (int e = 0; e < annotation->set->nr; e++)
			lines[to].shares[e] += lines[i].shares[e];
	}
	return nr ? to + 1 : 0;
}

static bool is_shown(const struct annotation *annotation, const struct hot_line *line)
{
	for (int e = 0; e < annotation->set->nr; e++)
		if (line->shares[e] > least)
			return true;
	return false;
}

static void put_lines(const struct annotation *annotation, const struct hot_line *lines, size_t nr)
{
	struct sink *out = annotation->out;
	size_t nr_shown = 0;

	sink_text(out, "\nSorted summary for file ");
	sink_escaped(out, annotation->function->frame->map.dso->name);
	sink_text(out, "\n----------------------------------------------\n\n");
	for (size_t i = 0; i < nr; i++) {
		if (!is_shown(annotation, &lines[i]))
			continue;
		for (int e = 0; e < annotation->set->nr; e++)
			sink_format(out, " %7.2f", lines[i].shares[e]);
		sink_char(out, ' ');
		summary_place(annotation, lines[i].at);
		sink_char(out, '\n');
		nr_shown++;
	}
	if (!nr_shown)
		sink_format(out, " Nothing higher than %1.1f%%\n", least);
}

int summary_print(const struct annotation *annotation)
{
	size_t most = annotation->function->nr_places, columns = (size_t)annotation->set->nr;
	struct hot_line *lines = calloc(most + 1, sizeof(*lines));
	double *shares = calloc(most * columns + 1, sizeof(*shares));
	int err = lines && shares ? 0 : -ENOMEM;

	if (!err) {
		size_t nr = merge(annotation, lines, collect(annotation, lines, shares));

		if (nr)
			qsort_r(lines, nr, sizeof(*lines), compare_shares,
				(void *)(uintptr_t)annotation->set);
		put_lines(annotation, lines, nr);
	}
	free(lines);
	free(shares);
	return err;
}
