/* SPDX-License-Identifier: MIT */
/* Filling struct xp_diag. */
#include <xperf/diag.h>

#include <stdarg.h>
#include <stdio.h>

int xp_diag_set(struct xp_diag *diag, int err, const char *fmt, ...)
{
	va_list ap;

	if (!diag)
		return err;
	diag->err = err;
	diag->pos = -1;
	diag->len = 0;
	diag->hint[0] = '\0';
	diag->input[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(diag->what, sizeof(diag->what), fmt, ap);
	va_end(ap);
	return err;
}

void xp_diag_hint(struct xp_diag *diag, const char *fmt, ...)
{
	va_list ap;

	if (!diag)
		return;
	va_start(ap, fmt);
	vsnprintf(diag->hint, sizeof(diag->hint), fmt, ap);
	va_end(ap);
}

void xp_diag_at(struct xp_diag *diag, const char *input, int pos, int len)
{
	if (!diag)
		return;
	snprintf(diag->input, sizeof(diag->input), "%s", input);
	diag->pos = pos;
	diag->len = len < 1 ? 1 : len;
}
