/* SPDX-License-Identifier: MIT */
/*
 * On which of the CPUs asked for an event can be opened: those its PMU names (an uncore PMU one per
 * package, a hybrid machine's its own), those cpu= names, and one per package if it counts for a
 * package. Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-uncore and -hybrid.
 */
#include "where.h"

#include <errno.h>
#include <stdlib.h>

#include "place.h"

static bool has_cpus(const struct xp_open_args *args)
{
	return xp_cpus_at(args->cpus, 0).nr >= 0;
}

static bool follows_tasks(const struct xp_open_args *args)
{
	return !has_cpus(args) || xp_threads_tid(args->threads, 0) >= 0;
}

/* Leaves out the positions that are not in a set. */
static void keep(bool *elsewhere, const struct xp_open_args *args, const struct xp_cpus *set)
{
	for (int i = 0; set && i < xp_cpus_nr(args->cpus); i++)
		if (xp_cpus_find(set, xp_cpus_at(args->cpus, i)) < 0)
			elsewhere[i] = true;
}

static bool same_package(struct xp_ctx *ctx, struct xp_cpu a, struct xp_cpu b)
{
	struct xp_place x, y;

	return !xp_place_of(ctx, a, &x) && !xp_place_of(ctx, b, &y) && x.socket == y.socket &&
	       x.die == y.die;
}

/* Of each package, only the first position is kept. */
static void keep_one_per_package(struct xp_evsel *evsel, const struct xp_open_args *args)
{
	for (int i = 0; i < xp_cpus_nr(args->cpus); i++)
		for (int j = 0; j < i && !evsel->elsewhere[i]; j++)
			evsel->elsewhere[i] = !evsel->elsewhere[j] &&
					      same_package(evsel->ctx, xp_cpus_at(args->cpus, i),
							   xp_cpus_at(args->cpus, j));
}

static bool is_anywhere(const struct xp_evsel *evsel, const struct xp_open_args *args)
{
	for (int i = 0; i < xp_cpus_nr(args->cpus); i++)
		if (!evsel->elsewhere[i])
			return true;
	return false;
}

static bool is_on_some_only(const struct xp_evsel *evsel)
{
	return evsel->own_cpus || evsel->terms.cpus || evsel->per_pkg || evsel->recorded_on;
}

static void keep_named(const struct xp_evsel *evsel, bool *elsewhere,
		       const struct xp_open_args *args)
{
	keep(elsewhere, args, evsel->own_cpus);
	keep(elsewhere, args, evsel->terms.cpus);
	keep(elsewhere, args, evsel->recorded_on);
}

int xp_evsel_find_where(struct xp_evsel *evsel, const struct xp_open_args *args)
{
	if (evsel->is_uncore && follows_tasks(args)) {
		xp_evsel_set_reason(
			evsel,
			"its PMU counts whole CPUs, not commands or threads: open it on CPUs");
		return 1;
	}
	if (evsel->terms.cpus && !has_cpus(args)) {
		xp_evsel_set_reason(evsel,
				    "cpu= names CPUs, but the target is a task: open it on CPUs");
		return 1;
	}
	if (!has_cpus(args) || !is_on_some_only(evsel))
		return 0;
	evsel->nr_elsewhere = xp_cpus_nr(args->cpus);
	evsel->elsewhere = calloc((size_t)evsel->nr_elsewhere, sizeof(*evsel->elsewhere));
	if (!evsel->elsewhere)
		return -ENOMEM;
	keep_named(evsel, evsel->elsewhere, args);
	if (evsel->per_pkg)
		keep_one_per_package(evsel, args);
	if (is_anywhere(evsel, args))
		return 0;
	xp_evsel_set_reason(evsel, evsel->terms.cpus ? "none of its CPUs (cpu=) is counted"
						     : "its PMU is not on these CPUs");
	return 1;
}

/* True if another position than @idx counts for its package. */
static bool package_is_counted(const struct xp_evsel *evsel, const struct xp_open_args *args,
			       const bool *elsewhere, int idx)
{
	for (int i = 0; i < xp_cpus_nr(args->cpus); i++)
		if (i != idx && !elsewhere[i] &&
		    same_package(evsel->ctx, xp_cpus_at(args->cpus, i),
				 xp_cpus_at(args->cpus, idx)))
			return true;
	return false;
}

int xp_evsel_widen_where(const struct xp_evsel *evsel, const struct xp_open_args *args,
			 const struct xp_cpus *before, bool **ret_elsewhere)
{
	int nr = xp_cpus_nr(args->cpus);
	bool *elsewhere;

	*ret_elsewhere = NULL;
	if (!is_on_some_only(evsel))
		return 0;
	elsewhere = calloc((size_t)nr, sizeof(*elsewhere));
	if (!elsewhere)
		return -ENOMEM;
	keep_named(evsel, elsewhere, args);
	for (int i = 0; i < xp_cpus_nr(before); i++)
		elsewhere[xp_cpus_find(args->cpus, xp_cpus_at(before, i))] =
			evsel->elsewhere && evsel->elsewhere[i];
	for (int i = 0; evsel->per_pkg && i < nr; i++)
		if (xp_cpus_find(before, xp_cpus_at(args->cpus, i)) < 0)
			elsewhere[i] |= package_is_counted(evsel, args, elsewhere, i);
	*ret_elsewhere = elsewhere;
	return 0;
}
