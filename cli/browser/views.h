/* SPDX-License-Identifier: MIT */
/* What a browser shows over its rows: text to scroll through, a menu, a line to be written. */
#ifndef BROWSER_VIEWS_H
#define BROWSER_VIEWS_H

#include <stdbool.h>
#include <stddef.h>

#include "code-lines.h"
#include "screen.h"

enum { VIEW_BACK = -1, VIEW_GONE = -2 };

/* What came last, for all views: VIEW_BACK: the user is done with it; VIEW_GONE: no more keys will
 * come, or ^C was pressed. */

/*
 * Shows lines, each ended by a newline; their text is escaped. It is searched with / and n.
 * @at: the first line that the cursor is on
 * @code: instructions of a function, whose lines have the colour of the percentage that they begin
 *        with; NULL: it is other text
 * Returns VIEW_BACK, VIEW_GONE or -ENOMEM.
 */
int view_text(struct screen *screen, const char *title, const char *text, size_t at,
	      const struct code_lines *code);

/* The line with the greatest share, where the cursor begins. */
size_t view_hottest_line(const char *text);

/* Lets the user choose one of @nr texts. Returns its number, VIEW_BACK or VIEW_GONE. */
int view_menu(struct screen *screen, const char *title, const char *const *items, size_t nr);

/* Lets the user write or change a line, below what is on the screen. Returns 0, VIEW_BACK or
 * VIEW_GONE. */
int view_prompt(struct screen *screen, const char *label, char *buf, size_t room);

/* The style of a share, as report has colours for it. */
enum style view_style(double percent);

#endif
