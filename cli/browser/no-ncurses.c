/* SPDX-License-Identifier: MIT */
/* In place of ncurses.c where the build has no ncursesw: nothing is drawn, so nothing but
 * backend_open() is called. */
#include <errno.h>
#include <xperf/diag.h>

#include "backend.h"

int backend_open(const struct style_colors *colors, struct backend **ret_backend,
		 struct xp_diag *diag)
{
	(void)colors, (void)ret_backend;
	xp_diag_set(diag, -ENOSYS,
		    "Terminals are drawn on with ncursesw, and this xperf was built without it");
	xp_diag_hint(diag, "Install the ncurses development package and build again");
	return -ENOSYS;
}

void backend_close(struct backend *backend)
{
	(void)backend;
}

int backend_rows(const struct backend *backend)
{
	(void)backend;
	return 0;
}

int backend_columns(const struct backend *backend)
{
	(void)backend;
	return 0;
}

void backend_resize(struct backend *backend, int rows, int columns)
{
	(void)backend, (void)rows, (void)columns;
}

void backend_redraw(struct backend *backend)
{
	(void)backend;
}

void backend_clear(struct backend *backend)
{
	(void)backend;
}

void backend_put(struct backend *backend, int row, int column, const char *text, int columns,
		 enum style style)
{
	(void)backend, (void)row, (void)column, (void)text, (void)columns, (void)style;
}

void backend_show(struct backend *backend)
{
	(void)backend;
}

bool backend_can_show(const struct backend *backend, const char *text)
{
	(void)backend, (void)text;
	return false;
}

int backend_key(struct backend *backend)
{
	(void)backend;
	return 0;
}

const char *backend_sequence(const struct backend *backend, bool is_begin)
{
	(void)backend, (void)is_begin;
	return "";
}
