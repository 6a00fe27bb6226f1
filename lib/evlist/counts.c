/* SPDX-License-Identifier: MIT */
/* Counts by event, CPU and thread: one block of cells, those of an event together. */
#include <xperf/evlist.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/evsel.h>

struct xp_counts {
	int nr_events;
	int nr_cpus;
	int nr_threads;
	struct xp_count cells[];
};

static size_t nr_cells(const struct xp_counts *counts)
{
	return (size_t)counts->nr_events * (size_t)counts->nr_cpus * (size_t)counts->nr_threads;
}

int xp_counts_new(int nr_events, int nr_cpus, int nr_threads, struct xp_counts **ret_counts)
{
	size_t bytes = sizeof(struct xp_count);

	if (nr_events < 1 || nr_cpus < 1 || nr_threads < 1)
		return -EINVAL;
	if (__builtin_mul_overflow(bytes, (size_t)nr_events, &bytes) ||
	    __builtin_mul_overflow(bytes, (size_t)nr_cpus, &bytes) ||
	    __builtin_mul_overflow(bytes, (size_t)nr_threads, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(struct xp_counts), &bytes))
		return -ENOMEM;

	struct xp_counts *counts = calloc(1, bytes);
	if (!counts)
		return -ENOMEM;
	counts->nr_events = nr_events;
	counts->nr_cpus = nr_cpus;
	counts->nr_threads = nr_threads;
	*ret_counts = counts;
	return 0;
}

void xp_counts_free(struct xp_counts *counts)
{
	free(counts);
}

int xp_counts_nr_events(const struct xp_counts *counts)
{
	return counts->nr_events;
}

int xp_counts_nr_cpus(const struct xp_counts *counts)
{
	return counts->nr_cpus;
}

int xp_counts_nr_threads(const struct xp_counts *counts)
{
	return counts->nr_threads;
}

struct xp_count *xp_counts_at(const struct xp_counts *counts, int event, int cpu_idx,
			      int thread_idx)
{
	size_t row = (size_t)event * (size_t)counts->nr_cpus + (size_t)cpu_idx;

	if (event < 0 || event >= counts->nr_events || cpu_idx < 0 || cpu_idx >= counts->nr_cpus ||
	    thread_idx < 0 || thread_idx >= counts->nr_threads)
		return NULL;
	return (struct xp_count *)&counts
		->cells[row * (size_t)counts->nr_threads + (size_t)thread_idx];
}

static bool are_alike(const struct xp_counts *a, const struct xp_counts *b)
{
	return a->nr_events == b->nr_events && a->nr_cpus == b->nr_cpus &&
	       a->nr_threads == b->nr_threads;
}

int xp_counts_copy(struct xp_counts *dst, const struct xp_counts *src)
{
	if (!are_alike(dst, src))
		return -EINVAL;
	memcpy(dst->cells, src->cells, nr_cells(src) * sizeof(src->cells[0]));
	return 0;
}

int xp_counts_subtract(struct xp_counts *counts, const struct xp_counts *before)
{
	if (!are_alike(counts, before))
		return -EINVAL;
	for (size_t i = 0; i < nr_cells(counts); i++) {
		struct xp_count *c = &counts->cells[i];
		const struct xp_count *b = &before->cells[i];

		/* What is not counted any more has no difference. */
		if (c->enabled_ns < b->enabled_ns) {
			*c = (struct xp_count){ 0 };
			continue;
		}
		c->value -= b->value;
		c->enabled_ns -= b->enabled_ns;
		c->running_ns -= b->running_ns;
		c->lost -= b->lost;
	}
	return 0;
}
