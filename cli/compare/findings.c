/* SPDX-License-Identifier: MIT */
/*
 * From the values of all rounds to statements about each metric of each command. They are one
 * family: that any of them is wrong has the rate of errors (holm.c). Where no pair of values
 * differs there is nothing to be stated; that depends on the sizes of the differences only, not on
 * their signs, so it may decide which statements belong to the family.
 */
#include "findings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More values than these are thinned out where each is compared with each. */
enum { DRIFT_MAX = 1000 };

/* Room for everything that is computed on the way. */
struct workspace {
	double *a, *b;
	double *scratch;
	double *differences; /* by command and metric, @stride each: of change_limit() */
	size_t stride;
	double *p, *levels;
	size_t *order, *members; /* of the family */
	size_t nr_members;
};

/* The most runs that a command has. */
static size_t most_runs(const struct measurement *m)
{
	size_t most = m->nr_rounds;

	for (size_t i = 0; i < m->contenders.nr_stored; i++)
		if (measured_runs(m, i) > most)
			most = measured_runs(m, i);
	return most;
}

/* For @nr metrics of all commands together. */
static int workspace_init(struct workspace *w, const struct measurement *m, size_t nr)
{
	size_t n = most_runs(m);
	size_t scratch = 3 * n + DRIFT_MAX * DRIFT_MAX / 2 + 2 * DRIFT_MAX;

	*w = (struct workspace){
		.a = calloc(n + 1, sizeof(*w->a)),
		.b = calloc(n + 1, sizeof(*w->b)),
		.scratch = calloc(scratch, sizeof(*w->scratch)),
		.differences = calloc(2 * n * nr + 1, sizeof(*w->differences)),
		.stride = 2 * n,
		.p = calloc(nr, sizeof(*w->p)),
		.levels = calloc(nr, sizeof(*w->levels)),
		.order = calloc(nr, sizeof(*w->order)),
		.members = calloc(nr, sizeof(*w->members)),
	};
	return w->a && w->b && w->scratch && w->differences && w->p && w->levels && w->order &&
			       w->members
		       ? 0
		       : -ENOMEM;
}

static void workspace_fini(struct workspace *w)
{
	free(w->a);
	free(w->b);
	free(w->scratch);
	free(w->differences);
	free(w->p);
	free(w->levels);
	free(w->order);
	free(w->members);
}

static void summarize(const double *values, size_t n, struct summary *s)
{
	struct xp_stats stats = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		s->sorted[s->nr_known++] = values[i];
		xp_stats_add(&stats, values[i]);
	}
	if (!s->nr_known)
		return;
	values_sort(s->sorted, s->nr_known);
	s->median = values_median(s->sorted, s->nr_known);
	s->mean = stats.mean;
	s->min = stats.min;
	s->max = stats.max;
	s->deviation = xp_stats_stderr(&stats) * sqrt((double)s->nr_known);
}

static int summarize_all(struct findings *f, struct workspace *w)
{
	size_t nr_metrics = f->m->metrics.nr;

	for (size_t i = 0; i < f->m->contenders.nr * nr_metrics; i++) {
		struct summary *s = &f->summaries[i];
		size_t n = measured_runs(f->m, i / nr_metrics);

		s->sorted = calloc(n + 1, sizeof(*s->sorted));
		if (!s->sorted)
			return -ENOMEM;
		measured_values(f->m, i / nr_metrics, i % nr_metrics, w->a);
		summarize(w->a, n, s);
	}
	return 0;
}

/* What of A is compared with what of B. */
static void compare(struct findings *f, struct workspace *w, size_t at)
{
	size_t nr = f->m->metrics.nr, m = measured_runs(f->m, 0), n = measured_runs(f->m, at / nr);
	struct finding *finding = &f->findings[at];
	double *differences = w->differences + at * w->stride;

	finding->is_known =
		m && n && f->summaries[at].nr_known == n && f->summaries[at % nr].nr_known == m;
	if (!finding->is_known)
		return;
	measured_values(f->m, 0, at % nr, w->a);
	measured_values(f->m, at / nr, at % nr, w->b);
	if (measured_in_turns(f->m, 0, at / nr))
		change_of_pairs(w->a, w->b, n, differences, &finding->change);
	else
		change_of_groups(w->a, m, w->b, n, differences, &finding->change);
	if (finding->change.has_spread) {
		w->members[w->nr_members] = at;
		w->p[w->nr_members++] = finding->change.p;
	}
}

bool findings_is_counted(const struct findings *f, size_t metric)
{
	for (size_t i = 0; i < f->m->contenders.nr; i++)
		if (findings_summary(f, i, metric)->nr_known)
			return true;
	return false;
}

double findings_within(const struct findings *f, const struct change *change, size_t metric)
{
	double within = f->m->config->within;

	return change->is_ratio ? within : within * findings_summary(f, 0, metric)->median;
}

static void judge(struct findings *f, size_t at, double level, const double *differences)
{
	struct finding *finding = &f->findings[at];

	if (!finding->is_known)
		return;
	change_limit(&finding->change, level, differences);
	double within = findings_within(f, &finding->change, at % f->m->metrics.nr);
	finding->verdict = change_verdict(&finding->change, within);
	/* Stored runs do not get more. */
	bool can_grow = !f->m->contenders.at[at / f->m->metrics.nr].stored;
	if (finding->verdict == VERDICT_UNCLEAR && can_grow)
		finding->rounds_needed = change_rounds_needed(&finding->change, within);
}

static void compare_all(struct findings *f, struct workspace *w)
{
	size_t nr = f->m->metrics.nr, end = f->m->contenders.nr * nr;

	for (size_t at = nr; at < end; at++)
		compare(f, w, at);
	for (size_t at = nr; at < end; at++)
		judge(f, at, f->rate, w->differences + at * w->stride);
	holm_levels(w->p, w->nr_members, f->rate, w->order, w->levels);
	for (size_t i = 0; i < w->nr_members; i++)
		judge(f, w->members[i], w->levels[i], w->differences + w->members[i] * w->stride);
}

/* The halves are the rounds with odd and with even numbers. */
static double find_noise(const struct findings *f, struct workspace *w)
{
	size_t n = f->nr_rounds / 2;
	struct change change;

	if (!n)
		return NAN;
	measured_values(f->m, f->m->contenders.nr_stored, METRIC_WALL, w->scratch);
	for (size_t i = 0; i < n; i++) {
		w->a[i] = w->scratch[2 * i];
		w->b[i] = w->scratch[2 * i + 1];
	}
	change_of_pairs(w->a, w->b, n, w->scratch, &change);
	change_limit(&change, ERROR_RATE, w->scratch);
	return change.is_ratio && isfinite(change_bound(&change)) ? change_bound(&change) : NAN;
}

static void find_health(struct findings *f, struct workspace *w, size_t contender)
{
	struct health *health = &f->health[contender];
	const struct summary *time = findings_summary(f, contender, METRIC_WALL);
	size_t n = measured_runs(f->m, contender), step = n / DRIFT_MAX + 1;

	measured_values(f->m, contender, METRIC_WALL, w->a);
	health->nr_outliers = series_nr_outliers(w->a, n, w->scratch);
	series_modes(time->sorted, time->nr_known, w->scratch, &health->modes);
	for (size_t i = 0; i < n / step; i++)
		w->a[i] = w->a[i * step];
	series_drift(w->a, n / step, w->scratch, &health->drift);
}

/* What is counted since boot; UINT64_MAX: not known. */
static double counted(uint64_t before, uint64_t after)
{
	return before == UINT64_MAX || after == UINT64_MAX ? NAN : (double)(after - before);
}

int findings_init(struct findings *f, const struct measurement *m, double rate)
{
	size_t nr = m->contenders.nr * m->metrics.nr;
	struct workspace w;

	*f = (struct findings){
		.m = m,
		.nr_rounds = m->nr_rounds,
		.summaries = calloc(nr + 1, sizeof(*f->summaries)),
		.findings = calloc(nr + 1, sizeof(*f->findings)),
		.health = calloc(m->contenders.nr + 1, sizeof(*f->health)),
		.noise = NAN,
		.rate = rate,
	};
	f->disturbed.steal_s = counted(m->before.steal_ns, m->after.steal_ns) / 1e9;
	f->disturbed.nr_throttled = counted(m->before.nr_throttled, m->after.nr_throttled);
	int err = f->summaries && f->findings && f->health ? 0 : -ENOMEM;
	if (workspace_init(&w, m, nr + 1))
		err = -ENOMEM;
	if (!err)
		err = summarize_all(f, &w);
	if (!err && f->nr_rounds) {
		compare_all(f, &w);
		f->noise = find_noise(f, &w);
		for (size_t i = 0; i < m->contenders.nr; i++)
			find_health(f, &w, i);
	}
	workspace_fini(&w);
	return err;
}

void findings_fini(struct findings *f)
{
	for (size_t i = 0; f->summaries && f->m && i < f->m->contenders.nr * f->m->metrics.nr; i++)
		free(f->summaries[i].sorted);
	free(f->summaries);
	free(f->findings);
	free(f->health);
	*f = (struct findings){ 0 };
}
