/* SPDX-License-Identifier: MIT */
/* Rows of a report to walk through on a terminal. */
#ifndef REPORT_BROWSE_H
#define REPORT_BROWSE_H

#include "columns.h"
#include "keys.h"
#include "node-tree.h"
#include "screen.h"

enum { WORDS_BYTES = 128, MESSAGE_BYTES = 512, TITLE_BYTES = 1024 };

/* Whether a report with these options is browsed: on a terminal, and nothing asks for text. Prints
 * why --tui cannot be done. */
bool browse_is_wanted(const struct values *values);
/* Browses. Returns the exit status. */
int browse(const struct cli *cli, const struct values *values);

/*
 * Recordings that replace each other while they are browsed.
 * @watch: reports when there is a new one
 * @next:  its name, or NULL: there is none, and *ret_why, if that is set, says so in a sentence.
 * What was returned before stays readable until the next call
 */
struct screen_watch;
struct browse_source {
	const struct screen_watch *watch;
	const char *(*next)(void *data, const char **ret_why);
	void *data;
};

/* The first is that of @values. Returns likewise. */
int browse_live(const struct cli *cli, const struct values *values,
		const struct browse_source *source);

/* From here on for the files of the browser. */

/* A recording that was read and counted. */
struct loaded {
	struct values values;
	struct plan plan;
	struct report report;
	char *sort, *input; /* where they are not those of the options; NULL */
	struct progress progress;
};

/* Which rows are shown. @dso, @task: a row whose file, or task, all others must have; NULL: any */
struct row_filter {
	const struct xp_profile_row *dso, *task;
	char words[WORDS_BYTES]; /* part of the name; "": any */
	bool no_kernel, no_user; /* what is hidden */
};

/* The rows of one event, as they are on the screen. */
struct rows {
	struct loaded *of;
	struct sheet *sheet;
	struct tree tree;
	struct row_filter filter;
	char title[TITLE_BYTES];
	bool full_names;
	int left; /* columns of rows that are scrolled away */
};

struct browser {
	const struct cli *cli;
	struct screen *screen;
	struct loaded *now;
	struct rows rows;
	int event;
	struct annotator *annotator;        /* NULL: not asked for yet */
	char *quality;                      /* one line; NULL without memory */
	char message[MESSAGE_BYTES];        /* until the next key */
	const struct browse_source *source; /* NULL: the recording is complete */
};

/* --- browse-colors.c --- */

/* The colours of styles in files of settings; what is wrong there is ignored, and reported with
 * @verbose. @ret_colors: zeroed */
void browse_colors(bool verbose, struct style_colors ret_colors[NR_STYLES]);

/* --- browse-load.c --- */

/* What is to be read; @sort, @input: NULL: as in @values. Returns NULL without memory. */
struct loaded *loaded_new(const struct values *values, const char *sort, const char *input);
/* Reads and counts it. Returns 0 or a negative errno, with a sentence in its recording unless one
 * was printed. */
int loaded_read(struct loaded *loaded, const struct cli *cli);
/* Reports damage, and what failed. Returns the exit status. @loaded: NULL is allowed */
int loaded_free(struct loaded *loaded, int err);
/* The first event with samples after @event, or with @step -1 before it; -1: there is none. */
int loaded_next_event(const struct loaded *loaded, int event, int step);

/* --- browse-opening.c --- */

/* Reads and counts it in a thread, while the screen shows how far that is and keys are waited for;
 * does not return if the user leaves. Returns as loaded_read(). */
int browse_read(struct browser *browser, struct loaded *loaded);

/* --- browse.c --- */

/* Shows the rows of an event. Returns 0 or -ENOMEM. */
int browse_event(struct browser *browser, int event);
/* Finds the first line of what is said of the quality; i shows the others. */
void browse_quality(struct browser *browser);
/* Shows a sentence until the next key is pressed; or at once, before what takes long. */
void browse_say(struct browser *browser, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void browse_announce(struct browser *browser, const char *what);

/* --- browse-live.c --- */

/* Shows the next recording in place of this one. Returns 0 or a negative errno. */
int browse_next(struct browser *browser);

/* --- browse-actions.c --- */

/* What an action returns, beside 0 and a negative errno. */
enum { BROWSE_QUIT = 1 };

extern const struct action browse_actions[];
/* What an action returns after a view has returned @got. */
int browse_after(int got);

/* --- browse-other.c, browse-text.c: actions --- */

int browse_sort(void *browser);
int browse_open_other(void *browser);
int browse_annotate(void *browser);
int browse_show_header(void *browser);
int browse_show_help(void *browser);
int browse_print_file(void *browser);

/* --- browse-rows.c --- */

/* Makes the rows of an event; rows_fini() follows in any case. Returns 0 or -ENOMEM. */
int rows_init(struct rows *rows, struct loaded *of, int event);
void rows_fini(struct rows *rows);
const struct xp_profile_row *rows_at(const struct rows *rows, size_t row);
/* The function that the cursor is on; NULL: it is on none. */
const struct xp_frame *rows_function(const struct rows *rows);
/* What is known of the row that the cursor is on: file, and task in @buf. NULL: rows are not
 * distinguished by it. */
const char *rows_dso(const struct rows *rows, const struct xp_profile_row *row);
/* Whether a row is of the kernel or of user space, not of both. */
bool rows_have_levels(const struct rows *rows);
const char *rows_task(const struct rows *rows, const struct xp_profile_row *row, char *buf,
		      size_t room);
/* Draws headings and rows on lines [from, to) of the screen. */
void rows_draw(struct rows *rows, struct screen *screen, int from, int to);

/* --- browse-chains.c --- */

/* Copies the call chains of a row below its node: tree_calls.load, for struct rows. */
int chains_load(struct node *row, void *data);

#endif
