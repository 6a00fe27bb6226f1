/* SPDX-License-Identifier: MIT */
/*
 * Call chains below a row, as perf 6.1 draws them: trees with pipes, one chain per paragraph, or
 * one per line.
 *
 * Branches lighter than the threshold are left out: of all samples, or, where shares are
 * "fractal", of the branch they hang on.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "vec.h"

enum { LEFT_MARGIN = 12, SINGLE_MARGIN = 3 };

struct drawing {
	FILE *file;
	const struct plan *plan;
	const struct xp_profile_row *row;
	double min_hit; /* of any branch; fractal ones have their own */
	int margin;
};

static uint64_t weight(const struct xp_chain *chain)
{
	return chain->hit + chain->below;
}

/* The first of these branches that is heavy enough; they are sorted. */
static const struct xp_chain *shown(const struct drawing *d, const struct xp_chain *chain)
{
	double min = d->min_hit;

	if (chain && d->plan->graph.mode == GRAPH_FRACTAL)
		min = ceil((double)chain->parent->below * d->plan->graph.min_percent / 100);
	return chain && (double)weight(chain) >= floor(min) ? chain : NULL;
}

/* Where lines are not known, addresses are shown as how far they are from the function's begin.
 */
static void put_line(const struct drawing *d, const struct xp_location *location)
{
	const struct xp_frame *frame = &location->frame;

	if (*location->file)
		fprintf(d->file, " %s", escaped(location->line));
	else if (d->plan->graph.by_address)
		fprintf(d->file, " +%" PRIu64, frame->address - frame->function.start);
}

static void put_name(const struct drawing *d, const struct xp_location *location)
{
	const struct graph *graph = &d->plan->graph;

	if (!location->frame.function.name) {
		fprintf(d->file, "%#" PRIx64, location->frame.ip);
		return;
	}
	fputs(escaped(location->frame.function.name), d->file);
	if ((graph->by_address || graph->by_line) && location->line)
		put_line(d, location);
	if (location->is_inlined)
		fputs(" (inlined)", d->file);
}

/* A location of a chain. What none of its samples has shown is marked. */
static void put_frame(const struct drawing *d, const struct xp_chain *chain, int idx)
{
	put_name(d, chain->locations[idx]);
	if (!d->plan->values->count.as_perf && chain->nr_joined[idx] &&
	    chain->nr_joined[idx] == chain->nr_hits + chain->nr_below)
		fputs(" [earlier sample]", d->file);
}

static void put_value(const struct drawing *d, uint64_t period, uint64_t count, uint64_t total)
{
	double percent = total ? 100.0 * (double)period / (double)total : 0.0;

	switch (d->plan->graph.value) {
	case VALUE_PERIOD:
		fprintf(d->file, "%" PRIu64, period);
		break;
	case VALUE_COUNT:
		fprintf(d->file, "%" PRIu64, count);
		break;
	case VALUE_PERCENT:
		fprintf(d->file, "%s%.2f%%%s", share_color(d->plan->values, percent), percent,
			share_color_end(d->plan->values, percent));
		break;
	}
}

static void put_margin(const struct drawing *d)
{
	fprintf(d->file, "%*s", LEFT_MARGIN + d->margin, "");
}

/* Bit N of @pipes: the branches N levels down go on below. */
static void put_pipes(const struct drawing *d, int depth, uint64_t pipes)
{
	put_margin(d);
	for (int i = 0; i < depth; i++)
		fputs(i < 64 && pipes >> i & 1 ? "|          " : "           ", d->file);
	fputc('\n', d->file);
}

/* The @idx-th location of a branch; the first has the branch's share in front. One without
 * locations stands for others. */
static void put_entry(const struct drawing *d, const struct xp_chain *chain, int idx, int depth,
		      uint64_t pipes, uint64_t total)
{
	put_margin(d);
	for (int i = 0; i < depth; i++) {
		fputc(i < 64 && pipes >> i & 1 ? '|' : ' ', d->file);
		if (!idx && i == depth - 1) {
			fputs("--", d->file);
			put_value(d, weight(chain), chain->nr_hits + chain->nr_below, total);
			fputs("--", d->file);
		} else {
			fputs("          ", d->file);
		}
	}
	if (chain->nr_locations)
		put_frame(d, chain, idx);
	else
		fputs("[...]", d->file);
	fputc('\n', d->file);
}

/* What the branches that were not shown weigh together, of fractal shares. */
static void put_rest(const struct drawing *d, uint64_t rest, uint64_t rest_count, int depth,
		     uint64_t pipes, uint64_t total)
{
	struct xp_chain others = { .hit = rest, .nr_hits = rest_count };

	if (d->plan->graph.value == VALUE_COUNT && !rest_count)
		return;
	put_entry(d, &others, 0, depth, pipes & ~(UINT64_C(1) << (depth - 1)), total);
}

/* Recursion as deep as stacks branch, at most --max-stack. Returns whether anything was shown. */
static bool put_tree(const struct drawing *d, const struct xp_chain *parent, uint64_t total,
		     int depth, uint64_t pipes)
{
	bool fractal = d->plan->graph.mode == GRAPH_FRACTAL;
	uint64_t rest = total, counted = 0, own = pipes;
	int nr = 0;
	const struct xp_chain *chain = shown(d, parent->child), *next;

	if (!chain || depth > 63)
		return false;
	for (; chain; chain = next) {
		next = shown(d, chain->next);
		rest -= weight(chain);
		counted += chain->nr_hits + chain->nr_below;
		if (!next && (!fractal || !rest))
			own &= ~(UINT64_C(1) << (depth - 1));
		put_pipes(d, depth, pipes);
		for (int i = 0; i < chain->nr_locations; i++)
			put_entry(d, chain, i, depth, own, total);
		put_tree(d, chain, fractal ? chain->below : total, depth + 1,
			 own | UINT64_C(1) << depth);
		if (++nr == d->plan->graph.limit)
			break;
	}
	if (fractal && rest && rest != total)
		put_rest(d, rest, parent->nr_below - counted, depth, own, total);
	return true;
}

/* Where rows are functions, a chain that begins with the row itself says nothing new. */
static bool is_row_itself(const struct drawing *d, const struct xp_location *location)
{
	const struct xp_frame *row = &xp_profile_row_location(d->row)->frame;
	const char *name = location->frame.function.name;

	if (!d->plan->symbol_first)
		return false;
	return name && row->function.name ? !strcmp(name, row->function.name)
					  : location->frame.ip == row->ip;
}

/* A root that has all of the row needs no share. Returns the chain below which trees begin. */
static const struct xp_chain *put_single(struct drawing *d, const struct xp_chain *root,
					 uint64_t row_period)
{
	const struct xp_chain *only = shown(d, root->child);
	int nr = 0, skip = only && is_row_itself(d, only->locations[0]);

	if (!only || shown(d, only->next) || weight(only) != row_period)
		return root;
	for (int i = skip; i < only->nr_locations; i++) {
		if (i == skip) {
			put_margin(d);
			fputs("|\n", d->file);
			put_margin(d);
			fputs("---", d->file);
			d->margin += SINGLE_MARGIN;
		} else {
			put_margin(d);
		}
		put_frame(d, only, i);
		fputc('\n', d->file);
		if (++nr == d->plan->graph.limit)
			break;
	}
	return only;
}

static void draw_tree(struct drawing *d, const struct xp_chain *root, uint64_t total,
		      uint64_t row_period)
{
	const struct xp_chain *from = put_single(d, root, row_period);
	bool drawn = d->margin;

	if (d->plan->graph.mode == GRAPH_FRACTAL)
		total = row_period;
	drawn |= put_tree(d, from, total, 1, 1);
	if (drawn)
		fputc('\n', d->file);
}

/* Chains that end somewhere, the heaviest first. */
struct ends {
	const struct xp_chain **chains;
	size_t nr;
};

static void gather(const struct drawing *d, const struct xp_chain *chain, struct ends *ends)
{
	for (const struct xp_chain *c = chain->child; c; c = c->next)
		gather(d, c, ends);
	if (!chain->hit || (double)chain->hit < floor(d->min_hit))
		return;
	if (vec_add(&ends->chains, ends->nr, sizeof(struct xp_chain *)))
		return;
	ends->chains[ends->nr++] = chain;
}

static int compare_ends(const void *a, const void *b)
{
	const struct xp_chain *l = *(const struct xp_chain *const *)a;
	const struct xp_chain *r = *(const struct xp_chain *const *)b;

	return (l->hit < r->hit) - (l->hit > r->hit);
}

static void put_flat(const struct drawing *d, const struct xp_chain *chain)
{
	if (!chain->parent)
		return;
	put_flat(d, chain->parent);
	for (int i = 0; i < chain->nr_locations; i++) {
		fprintf(d->file, "%*s", 16, "");
		put_frame(d, chain, i);
		fputc('\n', d->file);
	}
}

/* Returns whether something was put. */
static bool put_folded(const struct drawing *d, const struct xp_chain *chain)
{
	const char *separator = d->plan->values->show.separator;

	if (!chain->parent)
		return false;
	bool more = put_folded(d, chain->parent);
	for (int i = 0; i < chain->nr_locations; i++, more = true) {
		if (more)
			fputs(separator ? separator : ";", d->file);
		put_name(d, chain->locations[i]);
	}
	return more;
}

static void draw_ends(const struct drawing *d, const struct xp_chain *root, uint64_t total)
{
	bool flat = d->plan->graph.mode == GRAPH_FLAT;
	struct ends ends = { 0 };

	gather(d, root, &ends);
	if (ends.nr)
		qsort(ends.chains, ends.nr, sizeof(*ends.chains), compare_ends);
	for (size_t i = 0; i < ends.nr; i++) {
		const struct xp_chain *chain = ends.chains[i];

		if (flat) {
			fprintf(d->file, "%*s", 11, "");
			put_value(d, weight(chain), chain->nr_hits + chain->nr_below, total);
			fputc('\n', d->file);
			put_flat(d, chain);
		} else {
			put_value(d, chain->hit, chain->nr_hits, total);
			fputc(' ', d->file);
			put_folded(d, chain);
		}
		fputc('\n', d->file);
		if ((int)i + 1 == d->plan->graph.limit)
			break;
	}
	free(ends.chains);
}

void graph_put_frame(FILE *file, const struct plan *plan, const struct xp_chain *chain, int idx)
{
	const struct drawing d = { .file = file, .plan = plan };

	put_frame(&d, chain, idx);
}

const struct xp_chain *graph_shown(const struct plan *plan, const struct xp_chain *chain,
				   uint64_t total)
{
	const struct drawing d = { .plan = plan,
				   .min_hit = (double)total * plan->graph.min_percent / 100 };

	return shown(&d, chain);
}

/* No branch is heavier than its row; only fractal ones are compared with that. */
bool graph_can_show(const struct plan *plan, uint64_t total, uint64_t row_period)
{
	double min_hit = (double)total * plan->graph.min_percent / 100;

	return plan->with_chains &&
	       (plan->graph.mode == GRAPH_FRACTAL || (double)row_period >= floor(min_hit));
}

void graph_print(FILE *file, const struct xp_chain *root, const struct plan *plan, uint64_t total,
		 const struct xp_profile_row *row, uint64_t row_period)
{
	struct drawing d = { .file = file,
			     .plan = plan,
			     .row = row,
			     .min_hit = (double)total * plan->graph.min_percent / 100 };

	if (plan->graph.mode == GRAPH_FLAT || plan->graph.mode == GRAPH_FOLDED)
		draw_ends(&d, root, total);
	else
		draw_tree(&d, root, total, row_period);
}
