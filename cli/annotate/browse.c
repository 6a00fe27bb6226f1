/* SPDX-License-Identifier: MIT */
/* `xperf annotate` on a terminal: the hottest function at its hottest instruction; behind it, a
 * menu of all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/resolve.h>
#include <xperf/timeline.h>

#include "annotate.h"
#include "escape.h"
#include "feature.h"
#include "function.h"
#include "views.h"

enum { ITEM_BYTES = 512 };

struct listed {
	const struct event_set *set;
	const struct hot_function *function;
	char *item;
};

struct list {
	const struct values *values;
	struct annotation like; /* of each function */
	struct listed *at;
	size_t nr;
	struct screen *screen;
};

bool annotate_is_browsed(const struct values *values)
{
	return !values->stdio && !values->color && !values->not_available && !screen_obstacle() &&
	       feature_is_on("libslang");
}

/* --- which functions --- */

/* @event_name: NULL: there is one set of events only */
static int add(struct list *list, const struct event_set *set, const struct hot_function *function,
	       const char *event_name)
{
	const struct heat *heat = list->like.heat;
	int event = set->events[0];
	uint64_t all = heat->totals[event].period;
	double percent = all ? 100.0 * (double)function->sums[event].period / (double)all : 0;
	const struct xp_dso *dso = function->frame->map.dso;
	char text[ITEM_BYTES];

	if (percent < list->values->percent_limit)
		return 0;
	int len = snprintf(text, sizeof(text), "%6.2f%%  %s", percent,
			   escaped(function->frame->function.name));
	if (dso && len < ITEM_BYTES)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "  %s",
				escaped(dso->short_name));
	if (event_name && len < ITEM_BYTES)
		snprintf(text + len, sizeof(text) - (size_t)len, "  %s", escaped(event_name));
	char *item = strdup(text);
	list->at[list->nr++] = (struct listed){ set, function, item };
	return item ? 0 : -ENOMEM;
}

static int fill(struct list *list, const struct event_set *sets, size_t nr_sets)
{
	size_t most = list->like.heat->nr_functions;
	const struct hot_function **functions = calloc(most + 1, sizeof(*functions));
	int err = 0;

	list->at = calloc(most * nr_sets + 1, sizeof(*list->at));
	if (!functions || !list->at)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < nr_sets; i++) {
		size_t nr = event_set_functions(&sets[i], list->like.heat, functions);

		const struct xp_data_event *event =
			xp_data_event_at(list->like.rec->data, sets[i].events[0]);

		for (size_t f = 0; !err && f < nr; f++)
			err = add(list, &sets[i], functions[f], nr_sets > 1 ? event->name : NULL);
	}
	free(functions);
	return err;
}

/* --- on the screen --- */

/* Returns what view_text() does; or -ENODATA with a sentence in @diag. */
static int show_function(struct list *list, const struct listed *listed, struct xp_diag *diag)
{
	struct annotation annotation = list->like;
	struct code_lines lines = { 0 };
	struct sink out = SINK_KEPT;
	char title[ITEM_BYTES];

	annotation.set = listed->set;
	annotation.function = listed->function;
	annotation.out = &out;
	snprintf(title, sizeof(title), "%s", listed->item);
	int got = annotation_print_lines(&annotation, &lines, diag);
	if (!got)
		got = view_text(list->screen, title + strspn(title, " "), out.buf,
				view_hottest_line(out.buf), &lines);
	else if (*diag->what)
		got = -ENODATA;
	code_lines_fini(&lines);
	sink_fini(&out);
	return got;
}

/* Goes on until the user is done; functions without known code are skipped first. Returns 0,
 * -ENODATA with the reason in @diag, or -ENOMEM. */
static int browse(struct list *list, struct xp_diag *diag)
{
	const char **items = calloc(list->nr + 1, sizeof(*items));
	int got = items ? -ENODATA : -ENOMEM;

	for (size_t i = 0; items && i < list->nr; i++)
		items[i] = list->at[i].item;
	for (size_t i = 0; got == -ENODATA && i < list->nr; i++) {
		struct xp_diag why = { 0 };

		got = show_function(list, &list->at[i], &why);
		if (!*diag->what)
			*diag = why;
	}
	while (got == VIEW_BACK && list->nr > 1) {
		int at = view_menu(list->screen, "Functions", items, list->nr);
		struct xp_diag why = { 0 };

		if (at < 0)
			break;
		got = show_function(list, &list->at[at], &why);
		if (got == -ENODATA)
			got = view_text(list->screen, items[at], escaped(why.what), 0, NULL);
	}
	free(items);
	return got == -ENODATA || got == -ENOMEM ? got : 0;
}

int annotate_browse(const struct annotation *like, struct xp_diag *diag)
{
	const struct style_colors colors[NR_STYLES] = { 0 };
	struct list list = { .values = like->values, .like = *like };
	struct event_set *sets = NULL;
	size_t nr_sets = 0;
	int err = event_sets_make(like->rec, like->values, &sets, &nr_sets)
			  ?: fill(&list, sets, nr_sets);

	if (!err && !list.nr)
		err = -ENODATA;
	if (!err)
		err = screen_open(colors, &list.screen, diag);
	if (!err) {
		err = browse(&list, diag);
		screen_close(list.screen);
	}
	for (size_t i = 0; i < list.nr; i++)
		free(list.at[i].item);
	free(list.at);
	event_sets_free(sets, nr_sets);
	return err;
}
