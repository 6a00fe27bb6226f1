/* SPDX-License-Identifier: MIT */
/* The one library that draws: what ncurses.c does with it, and no-ncurses.c without. */
#ifndef BROWSER_BACKEND_H
#define BROWSER_BACKEND_H

#include <xperf/api.h>

#include "screen.h"

struct backend;
struct xp_diag;

/* Begins to draw on the terminal. @colors: NULL: without any. Returns 0, -ENOSYS (no library) or
 * -ENOTTY (the terminal cannot be drawn on) with a sentence in @diag, or -ENOMEM. */
int backend_open(const struct style_colors *colors, struct backend **ret_backend,
		 struct xp_diag *diag);
/* Gives the terminal back. */
void backend_close(struct backend *backend);

int backend_rows(const struct backend *backend);
int backend_columns(const struct backend *backend);
void backend_resize(struct backend *backend, int rows, int columns);
/* What is on the terminal is not what was drawn: everything is drawn again. */
void backend_redraw(struct backend *backend);

/* As their namesakes of screen.h. */
void backend_clear(struct backend *backend);
void backend_put(struct backend *backend, int row, int column, const char *text, int columns,
		 enum style style);
void backend_show(struct backend *backend);
bool backend_can_show(const struct backend *backend, const char *text);

/* A key that was pressed; 0: none. */
int backend_key(struct backend *backend);

/* What the terminal is sent, for signals: @is_begin: before drawing, else when it is given back. */
const char *backend_sequence(const struct backend *backend, bool is_begin);

#endif
