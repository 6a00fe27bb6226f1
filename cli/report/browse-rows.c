/* SPDX-License-Identifier: MIT */
/* Rows of a report on a screen: the cells of the text, in the columns that there are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "browse.h"
#include "shorten.h"
#include "sink.h"
#include "utf8.h"
#include "views.h"
#include "widths.h"

/* In front of a row is its sign; columns are this far from each other. */
enum { SIGN_COLUMNS = 2, GAP_COLUMNS = 2, INDENT_COLUMNS = 2 };

const struct xp_profile_row *rows_at(const struct rows *rows, size_t row)
{
	return xp_profile_row_at(rows->of->report.profile, rows->sheet->event, row);
}

static uint64_t period_of(const struct rows *rows, const struct xp_profile_row *row)
{
	return rows->of->plan.children ? row->sum.children_period : row->sum.period;
}

static double percent_of(const struct rows *rows, uint64_t period)
{
	return rows->sheet->totals[0] ? 100.0 * (double)period / (double)rows->sheet->totals[0] : 0;
}

/* --- which rows there are --- */

const char *rows_dso(const struct rows *rows, const struct xp_profile_row *row)
{
	const struct xp_location *location = xp_profile_row_location(row);

	if (!keys_have(&rows->of->plan, XP_KEY_DSO))
		return NULL;
	return location && location->frame.map.dso ? location->frame.map.dso->short_name
						   : "[unknown]";
}

const char *rows_task(const struct rows *rows, const struct xp_profile_row *row, char *buf,
		      size_t room)
{
	const struct plan *plan = &rows->of->plan;
	const char *comm = row->comm ? row->comm : "";

	if (keys_have(plan, XP_KEY_PID))
		snprintf(buf, room, "thread %d", row->tid);
	else if (keys_have(plan, XP_KEY_TGID))
		snprintf(buf, room, "process %d", row->pid);
	else if (keys_have(plan, XP_KEY_COMM))
		snprintf(buf, room, "command %s", comm);
	else
		return NULL;
	return buf;
}

static bool is_same_task(const struct rows *rows, const struct xp_profile_row *a,
			 const struct xp_profile_row *b)
{
	char texts[2][WORDS_BYTES];

	return !strcmp(rows_task(rows, a, texts[0], WORDS_BYTES),
		       rows_task(rows, b, texts[1], WORDS_BYTES));
}

/* What is searched: the function; where rows are no functions, file and command. */
static bool has_words(const struct rows *rows, const struct xp_profile_row *row)
{
	const struct xp_location *location = xp_profile_row_location(row);
	const char *name = location ? location->frame.function.name : NULL;
	const char *dso = rows_dso(rows, row);

	if (plan_has_functions(&rows->of->plan))
		return name && strstr(name, rows->filter.words);
	return (dso && strstr(dso, rows->filter.words)) ||
	       (row->comm && strstr(row->comm, rows->filter.words));
}

bool rows_have_levels(const struct rows *rows)
{
	const struct plan *plan = &rows->of->plan;

	return plan_has_functions(plan) || keys_have(plan, XP_KEY_DSO);
}

/* Those of guests, too; a hypervisor's are hidden with the kernel's. */
static bool is_hidden(const struct row_filter *filter, char level)
{
	return level == '.' || level == 'u' ? filter->no_user : filter->no_kernel;
}

static bool is_shown(size_t at, void *data)
{
	const struct rows *rows = data;
	const struct row_filter *filter = &rows->filter;
	const struct xp_profile_row *row = rows_at(rows, at);

	return percent_of(rows, period_of(rows, row)) >= rows->of->values.show.percent_limit &&
	       !is_hidden(filter, row->level) &&
	       (!filter->dso || !strcmp(rows_dso(rows, filter->dso), rows_dso(rows, row))) &&
	       (!filter->task || is_same_task(rows, filter->task, row)) &&
	       (!*filter->words || has_words(rows, row));
}

static bool can_open(size_t row, void *data)
{
	const struct rows *rows = data;

	return graph_can_show(&rows->of->plan, rows->sheet->totals[0],
			      period_of(rows, rows_at(rows, row)));
}

/* What is said above the rows of a text, in one line. Returns 0 or -ENOMEM. */
static int make_title(struct rows *rows, uint64_t period)
{
	struct sheet *sheet = rows->sheet;
	char *text = NULL, *rest;
	size_t len, nr = 0;

	sheet->file = open_memstream(&text, &len);
	if (!sheet->file)
		return -ENOMEM;
	sheet_put_samples(sheet, plan_samples(sheet->plan, sheet->report, sheet->event), period);
	int err = fclose(sheet->file) ? -ENOMEM : 0;
	sheet->file = NULL;
	for (char *line = err ? NULL : strtok_r(text, "\n", &rest); line && nr < TITLE_BYTES;
	     line = strtok_r(NULL, "\n", &rest))
		if (strlen(line) > 2)
			nr += (size_t)snprintf(rows->title + nr, TITLE_BYTES - nr, "%s%s",
					       nr ? ", " : "", line + 2);
	free(text);
	return err;
}

int rows_init(struct rows *rows, struct loaded *of, int event)
{
	const struct tree_calls calls = { chains_load, can_open, is_shown, rows };

	*rows = (struct rows){ .of = of, .sheet = sheet_new(NULL, &of->report, &of->plan) };
	if (!rows->sheet)
		return -ENOMEM;
	uint64_t period = sheet_begin(rows->sheet, event);
	int err = make_title(rows, period);
	if (err)
		return err;
	sheet_measure(rows->sheet, period);
	return tree_init(&rows->tree, xp_profile_nr_rows(of->report.profile, event), &calls);
}

void rows_fini(struct rows *rows)
{
	tree_fini(&rows->tree);
	sheet_free(rows->sheet);
	rows->sheet = NULL;
}

const struct xp_frame *rows_function(const struct rows *rows)
{
	const struct node *node = tree_at(&rows->tree);
	const struct xp_location *location = node ? node->subject : NULL;

	if (node && !node->text && plan_has_functions(&rows->of->plan))
		location = xp_profile_row_location(rows_at(rows, node->row));
	return location && location->frame.function.name ? &location->frame : NULL;
}

/* --- columns --- */

/* Where columns are on a screen: those of numbers as wide as they are, those of text in the rest.
 */
struct layout {
	int widths[MAX_COLUMNS]; /* 0: not shown */
	int bar;
};

/* Numbers that leave no room for names are not shown, the last ones first. Returns what is left. */
static int hide_numbers(const struct plan *plan, struct layout *layout, int left)
{
	enum { LEAST_COLUMNS_OF_TEXT = 30 };

	for (int i = plan->nr_columns - 1; i > 0 && left < LEAST_COLUMNS_OF_TEXT; i--) {
		if (!layout->widths[i] || !column_is_number(plan->columns[i]))
			continue;
		left += layout->widths[i] + GAP_COLUMNS;
		layout->widths[i] = 0;
	}
	return left;
}

/* The width that the first screen of rows needs: a long name far below must not take the room of
 * all others. */
static int wanted_by_first(const struct rows *rows, int column)
{
	enum { LEAST_ROWS = 20 };
	const struct tree *tree = &rows->tree;
	int key = rows->of->plan.columns[column], width = column_least(rows->sheet, key);

	if (rows->of->plan.widths[column])
		return rows->of->plan.widths[column];
	size_t most = tree->scroll.height > LEAST_ROWS ? tree->scroll.height : LEAST_ROWS;
	for (size_t i = 0, nr = 0; i < tree->nr_lines && nr < most; i++) {
		if (tree->lines[i]->parent || tree->lines[i]->text)
			continue;
		int wanted = column_wants(rows->sheet, key, rows_at(rows, tree->lines[i]->row));

		width = wanted > width ? wanted : width;
		nr++;
	}
	return width;
}

static struct layout lay_out(const struct rows *rows, int columns)
{
	const struct plan *plan = &rows->of->plan;
	struct layout layout = { .bar = widths_of_bar(columns) };
	int wanted[MAX_COLUMNS], texts[MAX_COLUMNS], fitting[MAX_COLUMNS];
	/* There is no gap after the last. */
	int left =
		columns - SIGN_COLUMNS - (layout.bar ? layout.bar + GAP_COLUMNS : 0) + GAP_COLUMNS;
	size_t nr = 0;

	for (int i = 0; i < plan->nr_columns; i++) {
		layout.widths[i] = rows->sheet->elided[i] ? 0 : rows->sheet->widths[i];
		if (!layout.widths[i])
			continue;
		left -= GAP_COLUMNS;
		if (column_is_number(plan->columns[i])) {
			left -= layout.widths[i];
			continue;
		}
		wanted[nr] = rows->full_names ? layout.widths[i] : wanted_by_first(rows, i);
		texts[nr++] = i;
	}
	if (rows->full_names)
		return layout;
	widths_fit(wanted, nr, hide_numbers(plan, &layout, left), fitting);
	for (size_t i = 0; i < nr; i++)
		layout.widths[texts[i]] = fitting[i];
	return layout;
}

/* --- lines --- */

static const char *sign_of(const struct node *node)
{
	return !node->can_open ? "  " : node->is_open ? "- " : "+ ";
}

static void add_text(struct sink *line, const char *text, int width)
{
	char buf[CELL_BYTES];

	text = shorten(text, width, buf, sizeof(buf));
	sink_text(line, text);
	sink_blanks(line, width - utf8_columns(text));
}

static void add_headings(struct sink *line, const struct rows *rows, const struct layout *layout)
{
	const struct plan *plan = &rows->of->plan;
	bool had_bar = false;

	sink_blanks(line, SIGN_COLUMNS);
	for (int i = 0; i < plan->nr_columns; i++) {
		bool is_number = column_is_number(plan->columns[i]);
		const char *heading = column_heading(rows->sheet, plan->columns[i]);

		if (!layout->widths[i])
			continue;
		if (!is_number && !had_bar && layout->bar)
			sink_blanks(line, layout->bar + GAP_COLUMNS);
		had_bar |= !is_number;
		if (is_number)
			sink_blanks(line, layout->widths[i] - (int)strlen(heading));
		add_text(line, heading, is_number ? (int)strlen(heading) : layout->widths[i]);
		sink_blanks(line, GAP_COLUMNS);
	}
}

static void add_bar(struct sink *line, const struct layout *layout, double percent)
{
	int len = (int)(percent * layout->bar / 100 + 0.5);

	if (!layout->bar)
		return;
	for (int i = 0; i < layout->bar; i++)
		sink_char(line, i < len ? '#' : ' ');
	sink_blanks(line, GAP_COLUMNS);
}

/* Without the blanks that fill it up. */
static void trim(char *cell)
{
	size_t len = strlen(cell);

	while (len && cell[len - 1] == ' ')
		cell[--len] = '\0';
}

static void add_row(struct sink *line, const struct rows *rows, const struct layout *layout,
		    const struct node *node)
{
	const struct xp_profile_row *row = rows_at(rows, node->row);
	const struct plan *plan = &rows->of->plan;
	struct sheet *sheet = rows->sheet;
	bool had_bar = false;

	sink_text(line, sign_of(node));
	for (int i = 0; i < plan->nr_columns; i++) {
		bool is_number = column_is_number(plan->columns[i]);

		if (!layout->widths[i])
			continue;
		if (!is_number && !had_bar)
			add_bar(line, layout, percent_of(rows, period_of(rows, row)));
		had_bar |= !is_number;
		column_cell(sheet, plan->columns[i], sheet->widths[i], row);
		if (!is_number)
			trim(sheet->cell);
		add_text(line, sheet->cell, layout->widths[i]);
		sink_blanks(line, GAP_COLUMNS);
	}
}

static void add_node(struct sink *line, const struct rows *rows, const struct node *node,
		     int columns)
{
	enum { PERCENT_COLUMNS = 9 };
	int used = node->depth * INDENT_COLUMNS + SIGN_COLUMNS + PERCENT_COLUMNS;

	sink_blanks(line, node->depth * INDENT_COLUMNS);
	sink_text(line, sign_of(node));
	if (node->percent >= 0)
		sink_format(line, "%6.2f%%  ", node->percent);
	else
		sink_blanks(line, PERCENT_COLUMNS);
	if (rows->full_names || columns <= used)
		sink_text(line, node->text);
	else
		add_text(line, node->text, columns - used);
}

static void draw_line(struct screen *screen, const struct rows *rows, int at, struct sink *line,
		      enum style style)
{
	const char *text = line->buf;

	sink_char(line, '\0');
	text = line->err ? "" : line->buf;
	for (int left = rows->left; left > 0 && *text; left--) {
		size_t len = utf8_len((const unsigned char *)text);

		text += len ? len : 1;
	}
	screen_put(screen, at, 0, text, screen_columns(screen), style);
	line->len = 0;
}

static enum style style_of(const struct rows *rows, const struct node *node)
{
	if (node == tree_at(&rows->tree))
		return STYLE_SELECTED;
	if (node->text)
		return node->percent < 0 ? STYLE_PLAIN : view_style(node->percent);
	return view_style(percent_of(rows, period_of(rows, rows_at(rows, node->row))));
}

void rows_draw(struct rows *rows, struct screen *screen, int from, int to)
{
	const struct layout layout = lay_out(rows, screen_columns(screen));
	struct tree *tree = &rows->tree;
	struct sink line = SINK_KEPT;

	if (!rows->of->values.show.hide_headings) {
		add_headings(&line, rows, &layout);
		draw_line(screen, rows, from++, &line, STYLE_TITLE);
	}
	scroll_fit(&tree->scroll, tree->nr_lines, to > from ? (size_t)(to - from) : 1);
	for (size_t i = tree->scroll.top; from < to && i < tree->nr_lines; i++) {
		const struct node *node = tree->lines[i];

		if (node->text)
			add_node(&line, rows, node, screen_columns(screen));
		else
			add_row(&line, rows, &layout, node);
		draw_line(screen, rows, from++, &line, style_of(rows, node));
	}
	sink_fini(&line);
}
