/* SPDX-License-Identifier: MIT */
/* A line on the terminal: rounds, seconds, and the medians of the first two commands so far. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"
#include "wording.h"

/* More often, nobody could read it. */
#define SHOW_NS 100000000ULL

static const char clear_line[] = "\r\033[K";

void live_begin(struct live *live, const struct compare_config *config)
{
	live->columns = terminal_columns(STDERR_FILENO);
	live->is_shown = live->columns > 0 && !config->stat.quiet && !config->stat.verbose &&
			 !config->show_output;
}

static void put_median(const struct measurement *m, size_t contender, char text[WORDING_LEN])
{
	size_t n = measured_runs(m, contender);
	double *values = calloc(n + 1, sizeof(*values));

	strcpy(text, "?");
	if (!values)
		return;
	measured_values(m, contender, METRIC_WALL, values);
	values_sort(values, n);
	word_value(&m->metrics.at[METRIC_WALL], values_median(values, n), text);
	free(values);
}

void live_show(struct live *live, const struct measurement *m)
{
	char line[4 * WORDING_LEN], text[WORDING_LEN], label[WORDING_LEN];
	int len;

	if (!live->is_shown || (live->shown_ns && m->ended_ns - live->shown_ns < SHOW_NS))
		return;
	live->shown_ns = m->ended_ns;
	len = snprintf(line, sizeof(line), "%zu rounds, %.0f s", m->nr_rounds,
		       (double)(m->ended_ns - m->began_ns) / 1e9);
	for (size_t i = 0; i < m->contenders.nr && i < 2; i++) {
		word_label(i, label);
		put_median(m, i, text);
		len += snprintf(line + len, sizeof(line) - (size_t)len, ", %s %s", label, text);
	}
	fprintf(stderr, "%s%.*s", clear_line, live->columns - 1, line);
}

void live_end(struct live *live)
{
	if (live->is_shown && live->shown_ns)
		fputs(clear_line, stderr);
}
