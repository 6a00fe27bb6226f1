/* SPDX-License-Identifier: MIT */
/* Lines about what may have disturbed a comparison. Nothing is printed of what looks well. */
#include "render.h"

#include <math.h>
#include <string.h>

#include "plural.h"
#include "wording.h"

/* A drift or a dip is shown if chance has it in 1 % of series only, and if it matters. */
#define P_SHOWN        0.01
#define SHARE_SHOWN    0.01
#define OUTLIERS_SHOWN 0.1 /* share of the rounds */

static void begin_line(size_t contender, struct sink *out)
{
	char label[WORDING_LEN];

	word_label(contender, label);
	sink_format(out, "Note: %s: ", label);
}

/* A migration makes the caches cold. */
static void put_migrations(const struct findings *f, size_t contender, struct sink *out)
{
	int metric = metrics_find(&f->m->metrics, "cpu-migrations");
	const struct summary *s =
		metric < 0 ? NULL : findings_summary(f, contender, (size_t)metric);

	if (!s || !s->nr_known || s->median < 1)
		return;
	begin_line(contender, out);
	sink_format(out, "most rounds were moved between CPUs, %.3g %s in the median\n", s->median,
		    s->median > 1 ? "times" : "time");
}

static void put_contender(const struct findings *f, size_t contender, struct sink *out)
{
	const struct health *h = &f->health[contender];
	const struct metric *wall = &f->m->metrics.at[METRIC_WALL];
	char low[WORDING_LEN], high[WORDING_LEN];

	size_t nr_runs = measured_runs(f->m, contender);

	if ((double)h->nr_outliers >= OUTLIERS_SHOWN * (double)nr_runs && h->nr_outliers) {
		begin_line(contender, out);
		sink_format(out, "%zu %s far from the other rounds\n", h->nr_outliers,
			    plural(h->nr_outliers, "time is", "times are"));
	}
	if (h->drift.p <= P_SHOWN && fabs(h->drift.share) >= SHARE_SHOWN) {
		begin_line(contender, out);
		sink_format(out, "times %s by %.1f %% from the first round to the last\n",
			    h->drift.share > 0 ? "grow" : "shrink", fabs(h->drift.share) * 100);
	}
	put_migrations(f, contender, out);
	if (h->modes.are_two) {
		begin_line(contender, out);
		word_value(wall, h->modes.low, low);
		word_value(wall, h->modes.high, high);
		sink_format(out, "times have two centres: %s in %.0f %% of rounds, else %s\n", low,
			    h->modes.low_share * 100, high);
	}
}

/* Of the time of all rounds. */
#define STEAL_SHOWN 0.01

static void put_machine(const struct findings *f, struct sink *out)
{
	const struct xp_disturbance *after = &f->m->after;
	double seconds = (double)(f->m->ended_ns - f->m->began_ns) / 1e9;

	if (f->disturbed.steal_s > STEAL_SHOWN * seconds)
		sink_format(out, "Note: the hypervisor ran something else for %.2f s of %.2f s\n",
			    f->disturbed.steal_s, seconds);
	if (f->disturbed.nr_throttled > 0)
		sink_format(out, "Note: cores were slowed down %.0f %s because of heat\n",
			    f->disturbed.nr_throttled,
			    f->disturbed.nr_throttled > 1 ? "times" : "time");
	if ((after->governor[0] && strcmp(after->governor, "performance") != 0) || after->turbo > 0)
		sink_format(out, "Note: the clock of the processor varies: governor %s, turbo %s\n",
			    after->governor[0] ? after->governor : "not known",
			    after->turbo < 0 ? "not known"
			    : after->turbo   ? "on"
					     : "off");
}

static void put_noise(const struct findings *f, struct sink *out)
{
	char label[WORDING_LEN];

	if (isnan(f->noise))
		return;
	word_label(f->m->contenders.nr_stored, label);
	sink_format(out,
		    "Noise: wall times of %s in odd and even rounds differ by less than %.2f %%\n",
		    label, f->noise * 100);
}

/* What stored runs cannot show. */
static void put_import(const struct findings *f, struct sink *out)
{
	const char *host = f->m->contenders.stored.host;

	if (!f->m->contenders.nr_stored)
		return;
	sink_text(out, "Note: the stored runs were not interleaved with the others: what changed "
		       "on the machine since then is part of the differences\n");
	if (!host || !strcmp(host, f->m->uts.nodename))
		return;
	sink_text(out, "Note: the stored runs are of another machine, ");
	sink_escaped(out, host);
	sink_char(out, '\n');
}

void render_health(const struct findings *f, struct sink *out)
{
	put_noise(f, out);
	put_import(f, out);
	for (size_t i = 0; i < f->m->contenders.nr; i++)
		put_contender(f, i, out);
	if (f->m->metrics.nr_multiplexed)
		sink_text(out,
			  "Note: events took turns on the counters: their counts are estimates\n");
	put_machine(f, out);
	if (f->m->nr_failed)
		sink_format(out, "Note: %zu %s failed\n", f->m->nr_failed,
			    plural(f->m->nr_failed, "run has", "runs have"));
}
