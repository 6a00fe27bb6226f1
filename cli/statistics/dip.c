/* SPDX-License-Identifier: MIT */
/*
 * The dip: the largest distance between the distribution of the values and the nearest one with a
 * single mode, which is convex before the mode and concave after it. Source: J. A. Hartigan,
 * P. M. Hartigan, "The dip test of unimodality", Annals of Statistics 13 (1985), section 3.
 *
 * Heights are numbers of values here, from 0 on; distances are one more than those of the corners,
 * for the distribution has steps.
 */
#include "statistics.h"

#include <math.h>

/* The values of an interval, from low to high, and what encloses their distribution there. */
struct enclosed {
	const double *x;
	size_t low, high;
	double *below; /* the largest convex function that is not above, at each value */
	double *above; /* the smallest concave one that is not below */
	double *corners;
};

/* The slope from @a to @b is at least that from @b to @c; steeper than any: equal values. */
static bool bends_down(const double *x, size_t a, size_t b, size_t c)
{
	return (double)(b - a) * (x[c] - x[b]) >= (double)(c - b) * (x[b] - x[a]);
}

static void put_line(const double *x, size_t from, size_t to, double *hull)
{
	double width = x[to] - x[from], height = (double)(to - from);

	for (size_t i = from + 1; i < to; i++)
		hull[i] = width > 0 ? (double)from + height * (x[i] - x[from]) / width : (double)i;
	hull[from] = (double)from;
	hull[to] = (double)to;
}

/* One side, from corner to corner: A. M. Andrew's monotone chain. */
static void enclose(const struct enclosed *e, bool is_below, double *hull)
{
	size_t nr = 0;

	for (size_t i = e->low; i <= e->high; i++) {
		while (nr > 1) {
			size_t a = (size_t)e->corners[nr - 2], b = (size_t)e->corners[nr - 1];

			if (is_below ? !bends_down(e->x, a, b, i) : bends_down(e->x, a, b, i))
				break;
			nr--;
		}
		e->corners[nr++] = (double)i;
	}
	for (size_t i = 1; i < nr; i++)
		put_line(e->x, (size_t)e->corners[i - 1], (size_t)e->corners[i], hull);
}

/* Where both sides are farthest apart, at a corner of either. */
static size_t widest(const struct enclosed *e)
{
	size_t at = e->low;

	for (size_t i = e->low; i <= e->high; i++)
		if ((e->below[i] == (double)i || e->above[i] == (double)i) &&
		    e->above[i] - e->below[i] > e->above[at] - e->below[at])
			at = i;
	return at;
}

/* The interval around @at, between corners of the lower side before and the upper side after it;
 * returns how far the values outside are from the sides. */
static double narrow(struct enclosed *e, size_t at)
{
	size_t low = at, high = at;
	double far = 0;

	while (e->below[low] != (double)low)
		low--;
	while (e->above[high] != (double)high)
		high++;
	for (size_t i = e->low; i <= low; i++)
		far = fmax(far, (double)i - e->below[i]);
	for (size_t i = high; i <= e->high; i++)
		far = fmax(far, e->above[i] - (double)i);
	e->low = low;
	e->high = high;
	return far + 1;
}

double dip_of(const double *sorted, size_t n, double *scratch)
{
	struct enclosed e = { sorted, 0, n - 1, scratch, scratch + n, scratch + 2 * n };
	double dip = 1;

	while (e.high > e.low && sorted[e.high] > sorted[e.low]) {
		size_t low = e.low, high = e.high;

		enclose(&e, true, e.below);
		enclose(&e, false, e.above);
		size_t at = widest(&e);
		if (e.above[at] - e.below[at] + 1 < dip)
			break;
		dip = fmax(dip, narrow(&e, at));
		if (e.low == low && e.high == high)
			break;
	}
	return dip / (2 * (double)n);
}

/*
 * The dip that is exceeded in 1 % of all cases, times the square root of n: of values that are
 * equally probable in an interval, as Hartigan and Hartigan have it. From 200,000 series for each
 * n, 20,000 above 500; unit/statistics counts again.
 */
static const struct {
	size_t n;
	double scaled;
} limits[] = {
	{ 4, 0.463 },    { 5, 0.439 },    { 6, 0.470 },   { 7, 0.487 },   { 8, 0.491 },
	{ 9, 0.493 },    { 10, 0.503 },   { 12, 0.514 },  { 15, 0.527 },  { 20, 0.538 },
	{ 30, 0.556 },   { 50, 0.572 },   { 100, 0.590 }, { 200, 0.602 }, { 500, 0.613 },
	{ 1000, 0.615 }, { 5000, 0.632 },
};

double dip_limit(size_t n)
{
	enum { NR = sizeof(limits) / sizeof(limits[0]) };
	double root = sqrt((double)n);
	size_t i = 0;

	while (i < NR - 1 && limits[i + 1].n <= n)
		i++;
	if (i == NR - 1 || n <= limits[i].n)
		return limits[i].scaled / root;
	double share = (double)(n - limits[i].n) / (double)(limits[i + 1].n - limits[i].n);
	return (limits[i].scaled + share * (limits[i + 1].scaled - limits[i].scaled)) / root;
}
