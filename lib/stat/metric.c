/* SPDX-License-Identifier: MIT */
/*
 * Derived metrics: for each event, which rows of the table apply and which events are the partners.
 * That is found once; then each metric is one small computation.
 */
#include "metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/stat.h>

#include "cleanup.h"

/* One formula for one event; partner -1: not there (optional ones only). */
struct bound {
	const struct metric_formula *formula;
	int partner[METRIC_PARTNERS_MAX];
};

struct event_metrics {
	int nr;
	struct bound bound[XP_METRICS_PER_EVENT_MAX];
};

struct xp_metrics {
	int nr_events;
	struct event_metrics of[];
};

static bool same_levels(const struct xp_evsel *a, const struct xp_evsel *b)
{
	const struct xp_attr *x = xp_evsel_attr_const(a), *y = xp_evsel_attr_const(b);

	return x->exclude_user == y->exclude_user && x->exclude_kernel == y->exclude_kernel &&
	       x->exclude_hv == y->exclude_hv && x->exclude_idle == y->exclude_idle &&
	       x->exclude_host == y->exclude_host && x->exclude_guest == y->exclude_guest;
}

/* Both on the same PMU of a hybrid machine, whose number is in the upper half of the config. */
static bool same_pmu(const struct xp_evsel *a, const struct xp_evsel *b)
{
	const struct xp_attr *x = xp_evsel_attr_const(a), *y = xp_evsel_attr_const(b);

	return x->config >> 32 == y->config >> 32;
}

/* A list, and what its events are: looked up once, asked for by every event. */
struct events {
	const struct xp_evlist *evlist;
	int nr;
	enum metric_kind *kinds;
	int *by_cgroup; /* those of one cgroup side by side, in the order of the list */
	int *begin;     /* where those of an event's cgroup begin there */
};

static int compare_cgroups(const void *a, const void *b, void *evlist)
{
	int l = *(const int *)a, r = *(const int *)b;
	uintptr_t left = (uintptr_t)xp_evsel_cgroup(xp_evlist_at(evlist, l));
	uintptr_t right = (uintptr_t)xp_evsel_cgroup(xp_evlist_at(evlist, r));

	return left != right ? (left > right) - (left < right) : l - r;
}

static const char *cgroup_at(const struct events *events, int place)
{
	return xp_evsel_cgroup(xp_evlist_at(events->evlist, events->by_cgroup[place]));
}

static void order_by_cgroup(struct events *events)
{
	for (int event = 0; event < events->nr; event++)
		events->by_cgroup[event] = event;
	qsort_r(events->by_cgroup, (size_t)events->nr, sizeof(*events->by_cgroup), compare_cgroups,
		(void *)(uintptr_t)events->evlist);
	for (int place = 0, begin = 0; place < events->nr; place++) {
		if (cgroup_at(events, place) != cgroup_at(events, begin))
			begin = place;
		events->begin[events->by_cgroup[place]] = begin;
	}
}

/* How well an event of kind @kind serves another as partner; less than 0: not at all. */
static int fitness(const struct xp_evsel *evsel, const struct xp_evsel *partner,
		   enum metric_kind kind)
{
	if (xp_evsel_support(partner) == XP_NOT_SUPPORTED)
		return -1;
	if (kind != KIND_CLOCK && !(same_levels(evsel, partner) && same_pmu(evsel, partner)))
		return -1;
	return (evsel == partner) * 4 + (xp_evsel_leader(evsel) == xp_evsel_leader(partner)) * 2 +
	       same_levels(evsel, partner);
}

/* Of the same cgroup. */
static int find_partner(const struct events *events, int event, enum metric_kind kind)
{
	const struct xp_evsel *evsel = xp_evlist_at(events->evlist, event);
	const char *cgroup = xp_evsel_cgroup(evsel);
	int best = -1, best_fitness = -1;

	for (int place = events->begin[event];
	     place < events->nr && cgroup_at(events, place) == cgroup; place++) {
		int i = events->by_cgroup[place];

		if (events->kinds[i] != kind)
			continue;
		int fits = fitness(evsel, xp_evlist_at(events->evlist, i), kind);

		if (fits > best_fitness) {
			best = i;
			best_fitness = fits;
		}
	}
	return best;
}

static void bind(const struct events *events, int event, const struct metric_formula *formula,
		 struct event_metrics *metrics)
{
	struct bound bound = { .formula = formula };

	for (int p = 0; p < METRIC_PARTNERS_MAX; p++) {
		bound.partner[p] = -1;
		if (formula->partners[p] == KIND_OTHER)
			continue;
		bound.partner[p] = find_partner(events, event, formula->partners[p]);
		if (bound.partner[p] < 0 && !formula->partners_optional)
			return;
	}
	if (metrics->nr < XP_METRICS_PER_EVENT_MAX)
		metrics->bound[metrics->nr++] = bound;
}

static bool has_formula(enum metric_kind kind)
{
	for (size_t i = 0; i < xp_metric_nr_formulas; i++)
		if (xp_metric_formulas[i].kind == kind)
			return true;
	return false;
}

static void bind_all(const struct events *events, int event, struct event_metrics *metrics)
{
	enum metric_kind kind = events->kinds[event];

	if (!has_formula(kind))
		kind = KIND_OTHER;
	for (size_t i = 0; i < xp_metric_nr_formulas; i++)
		if (xp_metric_formulas[i].kind == kind)
			bind(events, event, &xp_metric_formulas[i], metrics);
}

int xp_metrics_new(const struct xp_evlist *evlist, struct xp_metrics **ret_metrics)
{
	int nr = xp_evlist_nr(evlist);
	xp_auto_free enum metric_kind *kinds = calloc((size_t)nr + 1, sizeof(*kinds));
	xp_auto_free int *places = calloc(2 * (size_t)nr + 1, sizeof(*places));
	struct xp_metrics *metrics =
		calloc(1, sizeof(*metrics) + (size_t)nr * sizeof(metrics->of[0]));

	if (!metrics || !kinds || !places) {
		free(metrics);
		return -ENOMEM;
	}
	struct events events = { evlist, nr, kinds, places, places + nr };
	metrics->nr_events = nr;
	order_by_cgroup(&events);
	for (int event = 0; event < nr; event++)
		kinds[event] = xp_metric_kind_of(xp_evlist_at(evlist, event));
	for (int event = 0; event < nr; event++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, event);

		/* How the machine is does not happen so often in a second. */
		if (xp_evsel_tool(evsel) == XP_TOOL_NONE || !xp_evsel_is_snapshot(evsel))
			bind_all(&events, event, &metrics->of[event]);
	}
	*ret_metrics = metrics;
	return 0;
}

void xp_metrics_free(struct xp_metrics *metrics)
{
	free(metrics);
}

/* Events per second: the largest prefix that leaves a number, as perf chooses it. */
static const char *scale_rate(double *value)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t i = 0;

	while (*value > 1000 && i + 1 < XP_ARRAY_LEN(units)) {
		*value /= 1000;
		i++;
	}
	return units[i];
}

static enum xp_metric_level level_of(const struct metric_formula *formula, double value)
{
	if (formula->red > 0 && value > formula->red)
		return XP_METRIC_RED;
	if (formula->magenta > 0 && value > formula->magenta)
		return XP_METRIC_MAGENTA;
	if (formula->yellow > 0 && value > formula->yellow)
		return XP_METRIC_YELLOW;
	return XP_METRIC_NORMAL;
}

/* Returns 1 if the metric can be computed, with @ret_metric written; else 0. */
static int compute(const struct bound *bound, const struct xp_total *totals, int event,
		   double wall_ns, struct xp_metric *ret_metric)
{
	const struct metric_formula *formula = bound->formula;
	double partners[METRIC_PARTNERS_MAX] = { 0 };

	for (int p = 0; p < METRIC_PARTNERS_MAX; p++) {
		const struct xp_total *total =
			bound->partner[p] < 0 ? NULL : &totals[bound->partner[p]];

		if (total && total->running_ns)
			partners[p] = total->scaled;
		else if (total && !formula->partners_optional)
			return 0;
	}
	double value = formula->compute(totals[event].scaled, partners, wall_ns);
	if (!isfinite(value) || (formula->hide_zero && value == 0))
		return 0;

	ret_metric->unit = formula->unit ? formula->unit : scale_rate(&value);
	ret_metric->value = value;
	ret_metric->suffix = formula->suffix ? formula->suffix : "";
	ret_metric->width = formula->width;
	ret_metric->precision = formula->precision;
	ret_metric->own_line = formula->own_line;
	ret_metric->level = level_of(formula, value);
	return 1;
}

int xp_metrics_of(const struct xp_metrics *metrics, const struct xp_total *totals, int event,
		  double wall_ns, struct xp_metric *ret_metrics)
{
	if (event < 0 || event >= metrics->nr_events)
		return 0;
	const struct event_metrics *of = &metrics->of[event];
	int nr = 0;
	if (!totals[event].running_ns)
		return 0;
	for (int i = 0; i < of->nr; i++)
		nr += compute(&of->bound[i], totals, event, wall_ns, &ret_metrics[nr]);
	return nr;
}
