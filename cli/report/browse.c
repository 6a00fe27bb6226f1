/* SPDX-License-Identifier: MIT */
/* `xperf report` on a terminal: what is on the screen, and the loop over keys. */
#include "browse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "function.h"
#include "terminal.h"

enum { TITLE_LINES = 2 };

void browse_say(struct browser *browser, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(browser->message, sizeof(browser->message), fmt, args);
	va_end(args);
}

int browse_event(struct browser *browser, int event)
{
	rows_fini(&browser->rows);
	browser->event = event;
	return rows_init(&browser->rows, browser->now, event);
}

void browse_quality(struct browser *browser)
{
	size_t len;
	FILE *file;

	free(browser->quality);
	browser->quality = NULL;
	file = open_memstream(&browser->quality, &len);
	if (!file)
		return;
	quality_print(file, &browser->now->report);
	if (fclose(file) || len < 2)
		return;
	memmove(browser->quality, browser->quality + 2, len - 1);
	browser->quality[strcspn(browser->quality, "\n")] = '\0';
}

static void draw_filters(const struct browser *browser, char *buf, size_t room)
{
	const struct rows *rows = &browser->rows;
	const struct row_filter *filter = &rows->filter;
	char task[WORDS_BYTES];
	size_t nr = 0;

	*buf = '\0';
	if (filter->dso)
		nr += (size_t)snprintf(buf + nr, room - nr, "  file %s",
				       escaped(rows_dso(rows, filter->dso)));
	if (filter->task && nr < room)
		nr += (size_t)snprintf(buf + nr, room - nr, "  %s",
				       escaped(rows_task(rows, filter->task, task, sizeof(task))));
	if (filter->no_kernel && nr < room)
		nr += (size_t)snprintf(buf + nr, room - nr, "  no kernel");
	if (filter->no_user && nr < room)
		nr += (size_t)snprintf(buf + nr, room - nr, "  no user space");
	if (*filter->words && nr < room)
		snprintf(buf + nr, room - nr, "  /%s", filter->words);
}

static void draw(struct browser *browser)
{
	struct screen *screen = browser->screen;
	const struct tree *tree = &browser->rows.tree;
	int last = screen_rows(screen) - 1, columns = screen_columns(screen);
	char text[1024], filters[512];

	screen_clear(screen);
	screen_put(screen, 0, 0, browser->rows.title, columns, STYLE_TITLE);
	screen_put(screen, 1, 0, browser->quality ? browser->quality : "", columns, STYLE_FAINT);
	rows_draw(&browser->rows, screen, TITLE_LINES, last);
	draw_filters(browser, filters, sizeof(filters));
	snprintf(text, sizeof(text), "h help  q quit  %zu/%zu%s",
		 tree->nr_lines ? tree->scroll.at + 1 : 0, tree->nr_lines, filters);
	screen_put(screen, last, 0, *browser->message ? browser->message : text, columns,
		   *browser->message ? STYLE_TITLE : STYLE_FAINT);
	screen_show(screen);
}

void browse_announce(struct browser *browser, const char *what)
{
	browse_say(browser, "%s ...", what);
	draw(browser);
	*browser->message = '\0';
}

static void run(struct browser *browser)
{
	int got = 0;

	while (got != BROWSE_QUIT) {
		if (got < 0)
			browse_say(browser, "%s", strerror(-got));
		draw(browser);
		int key = screen_key(browser->screen);
		const struct action *action = action_of(browse_actions, key);

		got = 0;
		if (key == SCREEN_NEWS)
			got = browse_next(browser);
		/* Nobody has read the message yet. */
		if (key == SCREEN_NEWS || key == SCREEN_RESIZED)
			continue;
		*browser->message = '\0';
		if (action)
			got = action->run(browser);
		else
			scroll_key(&browser->rows.tree.scroll, key);
	}
}

/* Where the terminal cannot be drawn on, it can still be written to. */
static int print_instead(struct browser *browser, const struct xp_diag *diag)
{
	struct loaded *now = browser->now;

	fprintf(stderr, "Warning: %s; --stdio is used\n", diag->what);
	now->values.count.merge_unknown = false;
	now->values.read.progress = NULL;
	int err = loaded_read(now, browser->cli);
	if (err)
		return err;
	pid_t pager = pager_start();
	if (now->report.tally.records[XP_RECORD_SAMPLE])
		stdio_print(stdout, &now->report, &now->plan);
	fflush(stdout);
	pager_end(pager);
	report_nothing_shown(&now->report, &now->plan);
	return 0;
}

static int open_and_run(struct browser *browser)
{
	int err = browse_read(browser, browser->now);
	int event = err ? -1 : loaded_next_event(browser->now, -1, 1);

	if (event >= 0)
		err = browse_event(browser, event);
	if (event >= 0 && !err) {
		screen_set_watch(browser->screen, browser->source ? browser->source->watch : NULL);
		browse_quality(browser);
		run(browser);
	}
	screen_close(browser->screen);
	if (!err && event < 0)
		report_nothing_shown(&browser->now->report, &browser->now->plan);
	rows_fini(&browser->rows);
	annotator_free(browser->annotator);
	free(browser->quality);
	return err;
}

int browse(const struct cli *cli, const struct values *values)
{
	return browse_live(cli, values, NULL);
}

int browse_live(const struct cli *cli, const struct values *values,
		const struct browse_source *source)
{
	struct browser browser = { .cli = cli,
				   .now = loaded_new(values, NULL, NULL),
				   .source = source };
	struct xp_diag diag = { 0 };
	struct style_colors colors[NR_STYLES] = { 0 };

	browse_colors(values->show.verbose, colors);
	/* Thousands of addresses of one file say less than one row that unfolds. */
	if (browser.now)
		browser.now->values.count.merge_unknown = true;
	int err = browser.now ? screen_open(colors, &browser.screen, &diag) : -ENOMEM;

	if (!err)
		err = open_and_run(&browser);
	else if (*diag.what)
		err = print_instead(&browser, &diag);
	return loaded_free(browser.now, err);
}
