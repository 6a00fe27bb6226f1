/* SPDX-License-Identifier: MIT */
/* What the renderers share. */
#ifndef CLI_STAT_RENDER_H
#define CLI_STAT_RENDER_H

#include <xperf/api.h>

#include "number.h"
#include "sink.h"
#include "stat-table.h"

/* One table being written. */
struct rendering {
	const struct stat_style *style;
	const struct stat_table *table;
	const struct number_format *numbers; /* of text */
	struct sink out;
	char stamp[64]; /* in front of each line of an interval; else "" */
};

/* One format. Every function may be called with any table. */
struct stat_renderer {
	void (*header)(struct rendering *r); /* before the rows; NULL: none */
	void (*row)(struct rendering *r, const struct stat_row *row);
	/* with --metric-only in place of rows: titles of columns (NULL: none), values */
	void (*titles)(struct rendering *r);
	void (*line)(struct rendering *r, const struct metric_line *line);
	void (*footer)(struct rendering *r); /* after the rows; NULL: none */
	const char *stamp;                   /* format of a line's time: seconds, nanoseconds */
	const char *stamp7;                  /* the same, of perf 7 */
};

extern const struct stat_renderer text_renderer;
extern const struct stat_renderer csv_renderer;
extern const struct stat_renderer json_renderer;

/* "<not counted>" or "<not supported>". */
const char *row_state_text(enum row_state state);

/* Text of row_place(). */
enum { ROW_PLACE_LEN = 64 };

/* Writes which socket, die, core, node, cluster or cache a row is of, as "S0-D1-C2". Returns false
 * if it is of none. */
bool row_place(const struct rendering *r, const struct stat_row *row, char text[ROW_PLACE_LEN]);

/* Digits behind the point: counts have none, what is scaled to a unit has two, as in perf. */
int row_precision(const struct stat_row *row);

/* Percent of the time enabled in which the event was counted; 100 if it never was enabled. */
double row_share_pct(const struct stat_row *row);
/* The cgroup a row is of, "" for none. */
const char *row_cgroup(const struct stat_row *row);

bool row_is_unreliable(const struct stat_row *row);

/* Sentences below a text table: reasons, and what marks mean. Each line begins with @lead. */
void notes_render(struct rendering *r, const char *lead);

#endif
