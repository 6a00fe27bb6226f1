/* SPDX-License-Identifier: MIT */
/*
 * Aggregation: which CPUs or threads make one row, and the sum of an event over a row.
 *
 * Rows are groups of positions in the set of CPUs (by place or CPU) or of threads. They are sorted
 * once; summing only walks a row's members.
 */
#include <xperf/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>
#include <xperf/evlist.h>

#include "place.h"
#include "where.h"

/* A row's members are members[first .. first + nr - 1] of the plan. */
struct row {
	struct xp_aggr_id id;
	int first;
	int nr;
};

struct xp_aggr {
	enum xp_aggr_mode mode;
	int cache_level; /* 0: the last one */
	struct xp_cpus *cpus;
	struct xp_threads *threads;
	int nr;
	struct row *rows;
	int *members; /* positions of CPUs; of threads in mode XP_AGGR_THREAD */
};

static const struct xp_aggr_id no_id = {
	.place = { .socket = -1,
		   .die = -1,
		   .core = -1,
		   .node = -1,
		   .cluster = -1,
		   .cache_level = -1,
		   .cache = -1 },
	.cpu = { -1 },
	.thread_idx = -1,
};

/* Fields of a place that distinguish rows. */
static const struct {
	bool socket, die, core, node, cluster, cache;
} keys[XP_AGGR_NR_MODES] = {
	[XP_AGGR_SOCKET] = { .socket = true },
	[XP_AGGR_DIE] = { .socket = true, .die = true },
	[XP_AGGR_CORE] = { .socket = true, .die = true, .core = true },
	[XP_AGGR_NODE] = { .node = true },
	[XP_AGGR_CLUSTER] = { .socket = true, .die = true, .cluster = true },
	[XP_AGGR_CACHE] = { .socket = true, .die = true, .cache = true },
};

/* Fills the row's identity and its only member so far, position @idx. */
static int describe(struct xp_ctx *ctx, const struct xp_aggr *aggr, int idx, struct row *row)
{
	struct xp_place place;

	row->id = no_id;
	row->first = idx;
	row->nr = 1;
	if (aggr->mode == XP_AGGR_GLOBAL)
		return 0;
	if (aggr->mode == XP_AGGR_THREAD) {
		row->id.thread_idx = idx;
		return 0;
	}
	struct xp_cpu cpu = xp_cpus_at(aggr->cpus, idx);
	if (aggr->mode == XP_AGGR_CPU) {
		row->id.cpu = cpu;
		return cpu.nr < 0 ? -EINVAL : 0;
	}
	int err = xp_place_by_cache(ctx, cpu, aggr->cache_level, &place);
	if (err)
		return err;
	if (keys[aggr->mode].socket)
		row->id.place.socket = place.socket;
	if (keys[aggr->mode].die)
		row->id.place.die = place.die;
	if (keys[aggr->mode].core)
		row->id.place.core = place.core;
	if (keys[aggr->mode].node)
		row->id.place.node = place.node;
	if (keys[aggr->mode].cluster)
		row->id.place.cluster = place.cluster;
	if (keys[aggr->mode].cache) {
		row->id.place.cache_level = place.cache_level;
		row->id.place.cache = place.cache;
	}
	return 0;
}

/* Places can be any numbers, as a recording has them. */
static int compare_ids(const struct xp_aggr_id *a, const struct xp_aggr_id *b)
{
	const int numbers[][2] = {
		{ a->place.node, b->place.node },
		{ a->place.socket, b->place.socket },
		{ a->place.die, b->place.die },
		{ a->place.cluster, b->place.cluster },
		{ a->place.cache_level, b->place.cache_level },
		{ a->place.cache, b->place.cache },
		{ a->place.core, b->place.core },
		{ a->cpu.nr, b->cpu.nr },
		{ a->thread_idx, b->thread_idx },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i][0] != numbers[i][1])
			return numbers[i][0] < numbers[i][1] ? -1 : 1;
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *left = a, *right = b;
	int difference = compare_ids(&left->id, &right->id);

	return difference ? difference : left->first - right->first;
}

/* Joins sorted rows of one member each where their identities are equal. */
static void join_rows(struct xp_aggr *aggr, int nr_positions)
{
	for (int i = 0; i < nr_positions; i++) {
		struct row *last = aggr->nr ? &aggr->rows[aggr->nr - 1] : NULL;

		aggr->members[i] = aggr->rows[i].first;
		if (last && !compare_ids(&last->id, &aggr->rows[i].id)) {
			last->nr++;
			continue;
		}
		aggr->rows[aggr->nr] = aggr->rows[i];
		aggr->rows[aggr->nr++].first = i;
	}
}

static int nr_at_least_one(int nr)
{
	return nr > 0 ? nr : 1;
}

/* Some CPU has a cache of the level: they are not known everywhere. */
static bool has_cache(const struct xp_aggr *aggr)
{
	for (int row = 0; row < aggr->nr; row++)
		if (aggr->rows[row].id.place.cache >= 0)
			return true;
	return false;
}

static int plan(struct xp_ctx *ctx, struct xp_aggr *aggr)
{
	int nr_cpus = nr_at_least_one(xp_cpus_nr(aggr->cpus));
	int nr = aggr->mode == XP_AGGR_THREAD ? nr_at_least_one(xp_threads_nr(aggr->threads))
					      : nr_cpus;

	aggr->rows = calloc((size_t)nr, sizeof(*aggr->rows));
	aggr->members = calloc((size_t)nr, sizeof(*aggr->members));
	if (!aggr->rows || !aggr->members)
		return -ENOMEM;
	for (int idx = 0; idx < nr; idx++) {
		int err = describe(ctx, aggr, idx, &aggr->rows[idx]);

		if (err)
			return err;
	}
	qsort(aggr->rows, (size_t)nr, sizeof(*aggr->rows), compare_rows);
	join_rows(aggr, nr);
	for (int row = 0; row < aggr->nr; row++)
		aggr->rows[row].id.nr_cpus =
			aggr->mode == XP_AGGR_THREAD ? nr_cpus : aggr->rows[row].nr;
	return aggr->cache_level && !has_cache(aggr) ? -ENODATA : 0;
}

static int new_plan(struct xp_ctx *ctx, enum xp_aggr_mode mode, int cache_level,
		    struct xp_cpus *cpus, struct xp_threads *threads, struct xp_aggr **ret_aggr)
{
	struct xp_aggr *aggr = calloc(1, sizeof(*aggr));

	if (!aggr)
		return -ENOMEM;
	aggr->mode = mode;
	aggr->cache_level = cache_level;
	aggr->cpus = xp_cpus_ref(cpus);
	aggr->threads = xp_threads_ref(threads);
	int err = plan(ctx, aggr);
	if (err) {
		xp_aggr_free(aggr);
		return err;
	}
	*ret_aggr = aggr;
	return 0;
}

int xp_aggr_new(struct xp_ctx *ctx, enum xp_aggr_mode mode, struct xp_cpus *cpus,
		struct xp_threads *threads, struct xp_aggr **ret_aggr)
{
	if ((unsigned int)mode >= XP_AGGR_NR_MODES)
		return -EINVAL;
	return new_plan(ctx, mode, 0, cpus, threads, ret_aggr);
}

int xp_aggr_new_by_cache(struct xp_ctx *ctx, int level, struct xp_cpus *cpus,
			 struct xp_threads *threads, struct xp_aggr **ret_aggr)
{
	if (level < 0 || level > XP_CACHE_LEVEL_MAX)
		return -EINVAL;
	return new_plan(ctx, XP_AGGR_CACHE, level, cpus, threads, ret_aggr);
}

void xp_aggr_free(struct xp_aggr *aggr)
{
	if (!aggr)
		return;
	xp_cpus_unref(aggr->cpus);
	xp_threads_unref(aggr->threads);
	free(aggr->rows);
	free(aggr->members);
	free(aggr);
}

enum xp_aggr_mode xp_aggr_get_mode(const struct xp_aggr *aggr)
{
	return aggr->mode;
}

int xp_aggr_nr(const struct xp_aggr *aggr)
{
	return aggr->nr;
}

static bool is_row(const struct xp_aggr *aggr, int row)
{
	return row >= 0 && row < aggr->nr;
}

const struct xp_aggr_id *xp_aggr_id_at(const struct xp_aggr *aggr, int row)
{
	return is_row(aggr, row) ? &aggr->rows[row].id : NULL;
}

int xp_aggr_nr_cpus(const struct xp_aggr *aggr, int row, const struct xp_evsel *evsel)
{
	if (!is_row(aggr, row))
		return 0;
	const struct row *r = &aggr->rows[row];
	int nr = 0;
	if (aggr->mode == XP_AGGR_THREAD)
		return r->id.nr_cpus;
	for (int m = 0; m < r->nr; m++)
		nr += xp_evsel_counts_on(evsel, aggr->members[r->first + m]);
	return nr;
}

int xp_aggr_row_of_cpu(const struct xp_aggr *aggr, struct xp_cpu cpu)
{
	int cpu_idx = xp_cpus_find(aggr->cpus, cpu);

	for (int row = 0; aggr->mode != XP_AGGR_THREAD && row < aggr->nr; row++)
		for (int m = 0; m < aggr->rows[row].nr; m++)
			if (aggr->members[aggr->rows[row].first + m] == cpu_idx)
				return row;
	return -1;
}

struct xp_threads *xp_aggr_threads(const struct xp_aggr *aggr)
{
	return aggr->threads;
}

/* A total on its way: @total->scaled covers only the cells that ran, @ran_ns is their time. */
struct sum {
	struct xp_total *total;
	uint64_t ran_ns;
};

static void add_cell(struct sum *sum, const struct xp_count *cell)
{
	sum->total->enabled_ns += cell->enabled_ns;
	if (cell->enabled_ns && !cell->running_ns)
		return;
	sum->total->raw += cell->value;
	sum->total->running_ns += cell->running_ns;
	sum->total->scaled += cell->running_ns ? xp_count_scale(cell) : (double)cell->value;
	sum->ran_ns += cell->enabled_ns;
}

void xp_aggr_sum(const struct xp_aggr *aggr, const struct xp_counts *counts, int event, int row,
		 struct xp_total *ret_total)
{
	*ret_total = (struct xp_total){ 0 };
	if (!is_row(aggr, row))
		return;
	const struct row *r = &aggr->rows[row];
	bool by_thread = aggr->mode == XP_AGGR_THREAD;
	int nr_across = by_thread ? xp_counts_nr_cpus(counts) : xp_counts_nr_threads(counts);
	struct xp_total total = { 0 };
	struct sum sum = { .total = &total };

	for (int m = 0; m < r->nr; m++) {
		int member = aggr->members[r->first + m];

		for (int i = 0; i < nr_across; i++) {
			const struct xp_count *cell = xp_counts_at(
				counts, event, by_thread ? i : member, by_thread ? member : i);

			if (cell)
				add_cell(&sum, cell);
		}
	}
	/* What never ran is taken to have counted at the rate of what did. */
	if (sum.ran_ns && sum.ran_ns < total.enabled_ns)
		total.scaled *= (double)total.enabled_ns / (double)sum.ran_ns;
	*ret_total = total;
}
