/* SPDX-License-Identifier: MIT */
/* How wide columns of text are where not all of them fit. */
#ifndef BROWSER_WIDTHS_H
#define BROWSER_WIDTHS_H

#include <stddef.h>

/*
 * Divides @available among @nr columns, of which none is wider than @wanted. The last, which says
 * most, has three fifths of it if it wants that much; of the others, the widest give away first.
 */
void widths_fit(const int *wanted, size_t nr, int available, int *ret_widths);

/* Columns of a bar that shows a share beside the rows; 0: the screen is too narrow for one. */
int widths_of_bar(int screen_columns);

#endif
