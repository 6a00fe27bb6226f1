/* SPDX-License-Identifier: MIT */
/* The instructions in a text that is scrolled through: colours of addresses, arrows of jumps. */
#include "code-lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROW = 1 /* of the screen, below the title */ };

/* Pieces of an arrow; ASCII where the terminal cannot show lines. */
struct glyphs {
	const char *from_above, *from_below, *to_above, *to_below, *between;
};
static const struct glyphs drawn = { "┌──", "└──", "┌─>", "└─>", "│" };
static const struct glyphs ascii = { "+--", "+--", "+->", "+->", "|" };

/* --- where they are --- */

static const char *line_of(const char *text, size_t line)
{
	for (; line && text; line--) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

/* Shares end with a colon, addresses, too. */
static void find_columns(struct code_lines *code, const char *text)
{
	const char *line = code->nr ? line_of(text, code->at[0].line) : NULL;
	const char *first = line ? strchr(line, ':') : NULL;
	const char *second = first ? strchr(first + 1, ':') : NULL;

	if (!second || second - first - 1 < ARROW_COLUMNS)
		return;
	code->column = (int)(first + 1 - line);
	code->width = (int)(second - first - 1) - ARROW_COLUMNS;
}

void code_lines_complete(struct code_lines *code, const char *text, const size_t *targets)
{
	find_columns(code, text);
	for (size_t i = 0; i < code->nr; i++) {
		struct code_line_at *to = targets[i] < code->nr ? &code->at[targets[i]] : NULL;

		code->at[i].target = to ? to->line : NO_LINE;
		if (to)
			to->nr_jumps++;
	}
}

void code_lines_fini(struct code_lines *code)
{
	free(code->at);
	*code = (struct code_lines){ 0 };
}

/* The first instruction at or after a line; @code->nr: there is none. */
static size_t first_from(const struct code_lines *code, size_t line)
{
	size_t low = 0, high = code->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->at[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t code_lines_target(const struct code_lines *code, size_t line)
{
	size_t at = first_from(code, line);

	return at < code->nr && code->at[at].line == line ? code->at[at].target : NO_LINE;
}

/* --- drawing --- */

struct drawing {
	struct screen *screen;
	const struct code_lines *code;
	const struct scroll *scroll;
	int column; /* on the screen, of the blanks before addresses */
};

static bool is_shown(const struct scroll *scroll, size_t line)
{
	return line >= scroll->top && line - scroll->top < scroll->height && line < scroll->nr;
}

/* The line that the cursor is on looks like one, wherever something is drawn over it. */
static void put(const struct drawing *drawing, size_t line, int column, const char *text,
		int columns, enum style style)
{
	const struct scroll *scroll = drawing->scroll;

	if (is_shown(scroll, line))
		screen_put(drawing->screen, (int)(line - scroll->top) + FIRST_ROW, column, text,
			   columns, line == scroll->at ? STYLE_SELECTED : style);
}

static void put_address(const struct drawing *drawing, size_t line, const char *text)
{
	size_t start = (size_t)drawing->code->column + ARROW_COLUMNS;

	if (strlen(text) > start)
		put(drawing, line, drawing->column + ARROW_COLUMNS, text + start,
		    drawing->code->width, STYLE_ADDRESS);
}

/* There is room for two digits. */
static void put_count(const struct drawing *drawing, const struct code_line_at *at)
{
	char text[16];

	snprintf(text, sizeof(text), at->nr_jumps < 100 ? "%2u" : "++", (unsigned)at->nr_jumps);
	if (at->nr_jumps)
		put(drawing, at->line, drawing->column, text, ARROW_COLUMNS, STYLE_ARROW);
}

static void put_arrow(const struct drawing *drawing, size_t from, size_t to)
{
	const struct glyphs *glyphs =
		screen_can_show(drawing->screen, drawn.between) ? &drawn : &ascii;
	const struct scroll *scroll = drawing->scroll;
	size_t first = from < to ? from : to, last = from < to ? to : from;

	if (from == to)
		return;
	put(drawing, from, drawing->column, from < to ? glyphs->from_above : glyphs->from_below,
	    ARROW_COLUMNS, STYLE_ARROW);
	put(drawing, to, drawing->column, from < to ? glyphs->to_below : glyphs->to_above,
	    ARROW_COLUMNS, STYLE_ARROW);
	if (first < scroll->top)
		first = scroll->top - 1;
	for (size_t line = first + 1; line < last && is_shown(scroll, line); line++)
		put(drawing, line, drawing->column, glyphs->between, 1, STYLE_ARROW);
}

void code_lines_draw(struct screen *screen, const struct code_lines *code, char *const *lines,
		     const struct scroll *scroll, const struct code_lines_view *view)
{
	const struct drawing drawing = { screen, code, scroll, code->column - view->left };
	size_t target = code_lines_target(code, scroll->at);

	if (!code->column || drawing.column < 0)
		return;
	for (size_t i = first_from(code, scroll->top);
	     i < code->nr && is_shown(scroll, code->at[i].line); i++) {
		put_address(&drawing, code->at[i].line, lines[code->at[i].line]);
		if (view->has_counts)
			put_count(&drawing, &code->at[i]);
	}
	if (view->has_arrow && target != NO_LINE)
		put_arrow(&drawing, scroll->at, target);
}
