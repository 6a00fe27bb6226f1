/* SPDX-License-Identifier: MIT */
/* What keys do with the rows: the table of all keys, and what folds, filters and scrolls. */
#include <string.h>

#include "browse.h"
#include "views.h"

enum { MOST_OPEN = 1000 };

/* --- actions: folding --- */

int browse_after(int got)
{
	return got == VIEW_GONE ? BROWSE_QUIT : got == VIEW_BACK || got >= 0 ? 0 : got;
}

static int open_menu(void *data);

static int toggle(void *data)
{
	struct browser *browser = data;

	return tree_toggle(&browser->rows.tree);
}

static int enter(void *data)
{
	struct browser *browser = data;
	const struct node *node = tree_at(&browser->rows.tree);

	return node && node->can_open ? toggle(browser) : open_menu(browser);
}

static int toggle_row(void *data)
{
	struct browser *browser = data;

	return tree_toggle_all_of_row(&browser->rows.tree);
}

static int fold_row(void *data)
{
	struct browser *browser = data;

	return tree_fold_row(&browser->rows.tree);
}

static int open_all(void *data)
{
	struct browser *browser = data;
	long nr = tree_open_all(&browser->rows.tree, MOST_OPEN);

	if (nr == MOST_OPEN)
		browse_say(browser, "The call chains of the first %ld rows are unfolded", nr);
	return nr < 0 ? (int)nr : 0;
}

static int fold_all(void *data)
{
	struct browser *browser = data;

	return tree_fold_all(&browser->rows.tree);
}

/* --- actions: which rows --- */

/* The row that the cursor is on or below; NULL: there is none. */
static const struct xp_profile_row *current_row(const struct browser *browser)
{
	const struct node *node = tree_at(&browser->rows.tree);

	return node ? rows_at(&browser->rows, node->row) : NULL;
}

static int filter_dso(void *data)
{
	struct browser *browser = data;
	struct row_filter *filter = &browser->rows.filter;
	const struct xp_profile_row *row = current_row(browser);

	if (row && !rows_dso(&browser->rows, row))
		browse_say(browser, "Rows are not distinguished by file: o sorts by dso, too");
	else
		filter->dso = filter->dso ? NULL : row;
	return tree_update(&browser->rows.tree);
}

static int filter_task(void *data)
{
	struct browser *browser = data;
	struct row_filter *filter = &browser->rows.filter;
	const struct xp_profile_row *row = current_row(browser);
	char task[WORDS_BYTES];

	if (row && !rows_task(&browser->rows, row, task, sizeof(task)))
		browse_say(browser,
			   "Rows are not distinguished by thread: o sorts by pid or comm, too");
	else
		filter->task = filter->task ? NULL : row;
	return tree_update(&browser->rows.tree);
}

static int filter_words(void *data)
{
	struct browser *browser = data;
	struct row_filter *filter = &browser->rows.filter;
	int got = view_prompt(browser->screen, "Only names with: ", filter->words,
			      sizeof(filter->words));

	if (got == VIEW_BACK)
		*filter->words = '\0';
	return tree_update(&browser->rows.tree) ?: browse_after(got);
}

/* Hides rows, or shows them again. */
static int toggle_level(struct browser *browser, bool *is_hidden)
{
	if (rows_have_levels(&browser->rows))
		*is_hidden = !*is_hidden;
	else
		browse_say(browser, "Rows are not distinguished by file or function: o sorts by "
				    "dso or sym, too");
	return tree_update(&browser->rows.tree);
}

static int toggle_kernel(void *data)
{
	struct browser *browser = data;

	return toggle_level(browser, &browser->rows.filter.no_kernel);
}

static int toggle_user(void *data)
{
	struct browser *browser = data;

	return toggle_level(browser, &browser->rows.filter.no_user);
}

/* The way back: without filters, out of the browser. */
static int go_back(void *data)
{
	struct browser *browser = data;
	struct row_filter *filter = &browser->rows.filter;

	if (!filter->dso && !filter->task && !*filter->words && !filter->no_kernel &&
	    !filter->no_user)
		return BROWSE_QUIT;
	*filter = (struct row_filter){ 0 };
	return tree_update(&browser->rows.tree);
}

static int go_to_event(struct browser *browser, int step)
{
	int event = loaded_next_event(browser->now, browser->event, step);

	if (event >= 0)
		return browse_event(browser, event);
	browse_say(browser, "There is no event %s with samples",
		   step > 0 ? "after this one" : "before this one");
	return 0;
}

static int to_next_event(void *data)
{
	return go_to_event(data, 1);
}

static int to_last_event(void *data)
{
	return go_to_event(data, -1);
}

/* --- actions: view --- */

static int toggle_names(void *data)
{
	struct browser *browser = data;

	browser->rows.full_names = !browser->rows.full_names;
	browser->rows.left = 0;
	return 0;
}

/* Also of the recordings that replace this one. */
static int toggle_headings(void *data)
{
	struct browser *browser = data;
	struct show_opts *show = &browser->now->values.show;

	show->hide_headings = !show->hide_headings;
	return 0;
}

enum { SCROLL_COLUMNS = 8 };

static int scroll_left(void *data)
{
	struct browser *browser = data;

	browser->rows.left -= browser->rows.left ? SCROLL_COLUMNS : 0;
	return 0;
}

static int scroll_right(void *data)
{
	struct browser *browser = data;

	browser->rows.left += SCROLL_COLUMNS;
	return 0;
}

static int quit(void *data)
{
	(void)data;
	return BROWSE_QUIT;
}

const struct action browse_actions[] = {
	{ { 0 }, "Up, Down", "go to the line above, below" },
	{ { 0 }, "PgUp, PgDn, Space", "go a page up, down" },
	{ { 0 }, "Home, End", "go to the first, to the last line" },
	{ { SCREEN_ENTER }, "Enter", "unfold or fold; without call chains: the menu", NULL, enter },
	{ { '+', '-' },
	  "+, -",
	  "unfold or fold one level of the call chains",
	  "Unfold or fold one level",
	  toggle },
	{ { 'e' },
	  "e",
	  "unfold or fold all call chains of this row",
	  "Unfold or fold all call chains of this row",
	  toggle_row },
	{ { 'c' }, "c", "fold the call chains of this row", NULL, fold_row },
	{ { 'E' }, "E", "unfold the call chains of all rows", "Unfold all rows", open_all },
	{ { 'C' }, "C", "fold the call chains of all rows", "Fold all rows", fold_all },
	{ { '/' },
	  "/",
	  "show only rows with a part of a name",
	  "Show only names with ...",
	  filter_words },
	{ { 'd' },
	  "d",
	  "show only rows of this file, or all",
	  "Only this file, or all files",
	  filter_dso },
	{ { 't' },
	  "t",
	  "show only rows of this thread or command, or all",
	  "Only this thread or command, or all",
	  filter_task },
	{ { 'K' },
	  "K",
	  "hide rows of the kernel, or show them",
	  "Without the kernel, or with it",
	  toggle_kernel },
	{ { 'U', 'k' },
	  "U, k",
	  "hide rows of user space, or show them",
	  "Without user space, or with it",
	  toggle_user },
	{ { 'a' },
	  "a",
	  "annotate the function: its instructions and source",
	  "Annotate the function",
	  browse_annotate },
	{ { SCREEN_TAB, SCREEN_RIGHT }, "Tab, Right", "go to the next event", NULL, to_next_event },
	{ { SCREEN_BACK_TAB, SCREEN_LEFT },
	  "Shift-Tab, Left",
	  "go to the event before",
	  NULL,
	  to_last_event },
	{ { 'o' }, "o", "sort by other keys, as with -s", "Sort by other keys", browse_sort },
	{ { 's' },
	  "s",
	  "open another recording of this directory",
	  "Another recording",
	  browse_open_other },
	{ { 'i' },
	  "i",
	  "show quality and header of the recording",
	  "Quality and header",
	  browse_show_header },
	{ { 'V' },
	  "V",
	  "show full names, or shortened ones",
	  "Full or shortened names",
	  toggle_names },
	{ { 'H' },
	  "H",
	  "show the names of columns, or hide them",
	  "Names of columns, or none",
	  toggle_headings },
	{ { '<' }, "<", "scroll to the left", NULL, scroll_left },
	{ { '>' }, ">", "scroll to the right", NULL, scroll_right },
	{ { 'P' },
	  "P",
	  "print the report to a file perf.hist.N",
	  "Print to a file",
	  browse_print_file },
	{ { 'm' }, "m", "show a menu", NULL, open_menu },
	{ { 'h', '?', SCREEN_F1 }, "h, ?, F1", "show this help", NULL, browse_show_help },
	{ { SCREEN_ESCAPE }, "Esc", "show all rows again; if all are shown: quit", NULL, go_back },
	{ { 'q', SCREEN_INTERRUPTED, SCREEN_GONE }, "q, Ctrl-C", "quit", "Quit", quit },
	{ .name = NULL },
};

enum { NR_ACTIONS = sizeof(browse_actions) / sizeof(browse_actions[0]) };

static int open_menu(void *data)
{
	struct browser *browser = data;
	const struct action *shown[NR_ACTIONS];
	const char *items[NR_ACTIONS];
	size_t nr = 0;

	for (const struct action *action = browse_actions; action->name; action++)
		if (action->menu) {
			shown[nr] = action;
			items[nr++] = action->menu;
		}
	int got = view_menu(browser->screen, "Menu", items, nr);
	return got < 0 ? browse_after(got) : shown[got]->run(browser);
}
