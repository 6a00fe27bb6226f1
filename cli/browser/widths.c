/* SPDX-License-Identifier: MIT */
/* How wide columns of text are where not all of them fit. */
#include "widths.h"

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* What columns need together if none is wider than @most. */
static int sum_up_to(const int *wanted, size_t nr, int most)
{
	int sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += least(wanted[i], most);
	return sum;
}

void widths_fit(const int *wanted, size_t nr, int available, int *ret_widths)
{
	if (!nr)
		return;
	if (available < 0)
		available = 0;
	int kept = least(wanted[nr - 1], nr > 1 ? available * 3 / 5 : available);
	int most = available;
	while (most && sum_up_to(wanted, nr - 1, most) > available - kept)
		most--;
	for (size_t i = 0; i + 1 < nr; i++)
		ret_widths[i] = least(wanted[i], most);
	ret_widths[nr - 1] = least(wanted[nr - 1], available - sum_up_to(wanted, nr - 1, most));
}

int widths_of_bar(int screen_columns)
{
	enum { NARROW = 100, WIDE = 180, LEAST = 10, MOST = 30 };

	if (screen_columns < NARROW)
		return 0;
	return screen_columns >= WIDE
		       ? MOST
		       : LEAST + (screen_columns - NARROW) * (MOST - LEAST) / (WIDE - NARROW);
}
