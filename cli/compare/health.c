/* SPDX-License-Identifier: MIT */
/* Lines about what may have disturbed a comparison. Nothing is printed of what looks well. */
#include "render.h"

#include <math.h>

#include "plural.h"
#include "wording.h"

/* A drift or a dip is shown if chance has it in 1 % of series only, and if it matters. */
#define P_SHOWN        0.01
#define SHARE_SHOWN    0.01
#define OUTLIERS_SHOWN 0.1 /* share of the rounds */

static void begin_line(const struct findings *f, size_t contender, struct sink *out)
{
	char label[WORDING_LEN];

	word_label(contender, label);
	(void)f;
	sink_format(out, "Note: %s: ", label);
}

static void put_contender(const struct findings *f, size_t contender, struct sink *out)
{
	const struct health *h = &f->health[contender];
	const struct metric *wall = &f->m->metrics.at[METRIC_WALL];
	char low[WORDING_LEN], high[WORDING_LEN];

	if ((double)h->nr_outliers >= OUTLIERS_SHOWN * (double)f->nr_rounds && h->nr_outliers) {
		begin_line(f, contender, out);
		sink_format(out, "%zu %s far from the other rounds\n", h->nr_outliers,
			    plural(h->nr_outliers, "time is", "times are"));
	}
	if (h->drift.p <= P_SHOWN && fabs(h->drift.share) >= SHARE_SHOWN) {
		begin_line(f, contender, out);
		sink_format(out, "times %s by %.1f %% from the first round to the last\n",
			    h->drift.share > 0 ? "grow" : "shrink", fabs(h->drift.share) * 100);
	}
	if (h->modes.are_two) {
		begin_line(f, contender, out);
		word_value(wall, h->modes.low, low);
		word_value(wall, h->modes.high, high);
		sink_format(out, "times have two centres: %s in %.0f %% of rounds, else %s\n", low,
			    h->modes.low_share * 100, high);
	}
}

void render_health(const struct findings *f, struct sink *out)
{
	if (!isnan(f->noise))
		sink_format(
			out,
			"Noise: wall times of A in odd and even rounds differ by less than %.2f %%\n",
			f->noise * 100);
	for (size_t i = 0; i < f->m->contenders.nr; i++)
		put_contender(f, i, out);
	if (f->m->metrics.nr_multiplexed)
		sink_text(out,
			  "Note: events took turns on the counters: their counts are estimates\n");
	if (f->m->nr_failed)
		sink_format(out, "Note: %zu %s failed\n", f->m->nr_failed,
			    plural(f->m->nr_failed, "run has", "runs have"));
}
