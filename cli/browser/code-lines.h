/* SPDX-License-Identifier: MIT */
/* The instructions in a text that is scrolled through: their addresses, and where jumps lead. */
#ifndef BROWSER_CODE_LINES_H
#define BROWSER_CODE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "screen.h"
#include "scroll.h"

#define NO_LINE SIZE_MAX

/* @target: the line that it jumps to; NO_LINE: none of this text. @nr_jumps: those that lead here
 */
struct code_line_at {
	size_t line, target;
	uint32_t nr_jumps;
};

/* By line. Lines have @column columns, ARROW_COLUMNS blanks, and an address of @width columns. */
enum { ARROW_COLUMNS = 3 };
struct code_lines {
	struct code_line_at *at;
	size_t nr;
	int column, width;
};

/*
 * Completes what has @nr, addresses, and in each row the line, from the @text of all: where the
 * addresses are. @targets: of each row the row it jumps to; NO_LINE: none
 */
void code_lines_complete(struct code_lines *code, const char *text, const size_t *targets);
void code_lines_fini(struct code_lines *code);

/* The line that the instruction of a line jumps to, or NO_LINE. */
size_t code_lines_target(const struct code_lines *code, size_t line);

/* What is drawn over the text. */
struct code_lines_view {
	bool has_arrow;  /* that of the cursor's line */
	bool has_counts; /* how many jumps lead to a line */
	int left;        /* columns that are scrolled away */
};

/* @lines: of the text; the first that @scroll shows is on line 1 of the screen. */
void code_lines_draw(struct screen *screen, const struct code_lines *code, char *const *lines,
		     const struct scroll *scroll, const struct code_lines_view *view);

#endif
