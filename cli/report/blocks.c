/* SPDX-License-Identifier: MIT */
/*
 * --total-cycles: the cycles of basic blocks. A block is what runs from the target of one branch to
 * the source of the next, in one function; the next branch says how many cycles passed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>

#include "hash.h"
#include "index.h"
#include "report.h"
#include "vec.h"

/* Source: linux/perf_event.h, struct perf_branch_entry and PERF_SAMPLE_BRANCH_ANY. */
enum { CYCLES_SHIFT = 4, CYCLES = 0xffff };

enum { NR_COLUMNS_SHOWN = 6, NUMBER_BYTES = 32, PLACE_BYTES = 1024 };

/* Source: perf 6.1. */
static const struct {
	const char *heading;
	int width;
} columns[NR_COLUMNS_SHOWN] = {
	{ "Sampled Cycles%", 15 }, { "Sampled Cycles", 14 },        { "Avg Cycles%", 11 },
	{ "Avg Cycles", 10 },      { "[Program Block Range]", 70 }, { "Shared Object", 20 },
};

struct block {
	int event;
	struct xp_frame first, last;
	uint64_t cycles, times;
};

/* Cycles of an event: of all branches, of those that pass the filters, of those that end a block.
 */
struct branch_cycles {
	uint64_t all, kept, in_blocks;
};

struct blocks {
	struct report *report;
	const struct plan *plan;
	struct branch_cycles *events;
	struct block *blocks;
	uint32_t nr;
	struct index index;
};

int blocks_new(struct report *report, const struct plan *plan, struct blocks **ret_blocks)
{
	struct blocks *blocks = calloc(1, sizeof(*blocks));

	if (blocks)
		blocks->events = calloc((size_t)report->rec.nr_events + 1, sizeof(*blocks->events));
	if (!blocks || !blocks->events) {
		free(blocks);
		return -ENOMEM;
	}
	blocks->report = report;
	blocks->plan = plan;
	*ret_blocks = blocks;
	return 0;
}

void blocks_free(struct blocks *blocks)
{
	if (!blocks)
		return;
	free(blocks->events);
	free(blocks->blocks);
	index_fini(&blocks->index);
	free(blocks);
}

static bool is_same(const struct block *a, const struct block *b)
{
	return a->event == b->event && a->first.symtab == b->first.symtab &&
	       a->first.address == b->first.address && a->last.address == b->last.address;
}

static int count(struct blocks *blocks, const struct block *block)
{
	uint64_t places = block->first.address * 31 + block->last.address;
	uint64_t hash = xp_hash_word((uintptr_t)block->first.symtab + (uint64_t)block->event,
				     xp_hash_word(xp_hash_seed(), places));
	size_t at;

	for (struct index_walk walk = index_walk(&blocks->index, hash); index_next(&walk, &at);) {
		struct block *known = &blocks->blocks[at];

		if (!is_same(known, block))
			continue;
		known->cycles += block->cycles;
		known->times++;
		return 0;
	}
	if (vec_add(&blocks->blocks, blocks->nr, sizeof(*block)) ||
	    index_add(&blocks->index, hash, blocks->nr))
		return -ENOMEM;
	blocks->blocks[blocks->nr++] = *block;
	return 0;
}

static int find_frame(const struct blocks *blocks, const struct xp_sample_id *id, uint64_t address,
		      struct xp_frame *ret_frame)
{
	ret_frame->size = sizeof(*ret_frame);
	return xp_resolver_frame(blocks->report->rec.resolver, id->pid,
				 address >> 63 ? XP_MISC_KERNEL : XP_MISC_USER, address, false,
				 id->time_ns, ret_frame);
}

static bool keeps_task(const struct blocks *blocks, const struct xp_sample_id *id)
{
	const struct recording *rec = &blocks->report->rec;

	return sample_filter_pass_task(
		&rec->filter, id->pid, id->tid,
		xp_timeline_comm_at(rec->timeline, id->pid, id->tid, id->time_ns));
}

static bool keeps_place(const struct plan *plan, const struct xp_frame *frame)
{
	const char *part = plan->values->count.symbol_filter, *name = frame->function.name;

	return sample_filter_pass_frame(&plan->report->rec.filter, frame) &&
	       (!part || (name && strstr(name, part)));
}

static bool is_block(const struct xp_frame *first, const struct xp_frame *last)
{
	return first->function.name && first->symtab == last->symtab &&
	       first->function.start == last->function.start && first->address <= last->address;
}

/* Where a filter left out branches, the code between two of them is no block. */
static bool has_all_branches(const struct blocks *blocks, int event)
{
	return xp_data_event_at(blocks->report->rec.data, event)->attr.branch_sample_type &
	       XP_BRANCH_ANY;
}

/* Branches are stored with the latest first: the next one ended where this block begins. */
int blocks_add(struct blocks *blocks, int event, const struct xp_sample *sample)
{
	bool has_all = has_all_branches(blocks, event);
	struct branch_cycles *sums = &blocks->events[event];
	bool keeps = keeps_task(blocks, &sample->id);
	int err = 0;

	for (size_t i = 0; !err && i < sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i];
		uint64_t cycles = branch->flags >> CYCLES_SHIFT & CYCLES;
		struct block block = { .event = event, .cycles = cycles, .times = 1 };

		sums->all += cycles;
		if (!cycles || !keeps)
			continue;
		err = find_frame(blocks, &sample->id, branch->from, &block.last);
		if (err || !keeps_place(blocks->plan, &block.last))
			continue;
		sums->kept += cycles;
		if (!has_all || i + 1 == sample->nr_branches)
			continue;
		err = find_frame(blocks, &sample->id, branch[1].to, &block.first);
		if (err || !is_block(&block.first, &block.last))
			continue;
		sums->in_blocks += cycles;
		err = count(blocks, &block);
	}
	return err;
}

/* --- as text --- */

static int compare(const void *a, const void *b)
{
	const struct block *l = a, *r = b;

	if (l->event != r->event)
		return l->event < r->event ? -1 : 1;
	if (l->cycles != r->cycles)
		return l->cycles > r->cycles ? -1 : 1;
	int order = strcmp(l->first.map.dso->name, r->first.map.dso->name);
	if (order)
		return order;
	if (l->first.address != r->first.address)
		return l->first.address < r->first.address ? -1 : 1;
	return (l->last.address > r->last.address) - (l->last.address < r->last.address);
}

/* "main.c:12", or "main+16" where the line is not known. */
static void place_text(const struct plan *plan, const struct xp_frame *frame,
		       char text[PLACE_BYTES])
{
	const struct xp_line *line;

	if (xp_frame_lines(frame, false, &line) > 0 && line->file && line->line) {
		const char *slash =
			plan->values->count.full_paths ? NULL : strrchr(line->file, '/');

		snprintf(text, PLACE_BYTES, "%s:%u", escaped(slash ? slash + 1 : line->file),
			 line->line);
	} else {
		snprintf(text, PLACE_BYTES, "%s+%" PRIu64, escaped(frame->function.name),
			 frame->address - frame->function.start);
	}
}

/* "1.4M", as perf has it; with -t, for programs, all digits. */
static void number_text(const struct plan *plan, uint64_t number, char text[NUMBER_BYTES])
{
	static const struct {
		uint64_t of;
		char unit;
	} units[] = { { 1000000000, 'G' }, { 1000000, 'M' }, { 1000, 'K' } };

	snprintf(text, NUMBER_BYTES, "%" PRIu64, number);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !plan->values->show.separator;
	     i++)
		if (number >= units[i].of) {
			snprintf(text, NUMBER_BYTES, "%.1f%c", (double)number / (double)units[i].of,
				 units[i].unit);
			break;
		}
}

/* Cells of one line, at the right edge of their columns. */
static void put_cells(FILE *file, const struct plan *plan, const char *before,
		      const char *const cells[NR_COLUMNS_SHOWN])
{
	const char *separator = plan->values->show.separator;

	fputs(before, file);
	for (int i = 0; i < NR_COLUMNS_SHOWN; i++)
		fprintf(file, "%s%*s",
			i == 0      ? ""
			: separator ? separator
				    : "  ",
			separator ? 0 : columns[i].width, cells[i]);
	fputc('\n', file);
}

static void put_block(FILE *file, const struct plan *plan, const struct block *block, double share,
		      double avg_share)
{
	char shares[2][NUMBER_BYTES], numbers[2][NUMBER_BYTES], places[2][PLACE_BYTES];
	char range[2 * PLACE_BYTES + 8];

	snprintf(shares[0], NUMBER_BYTES, "%.2f%%", share);
	snprintf(shares[1], NUMBER_BYTES, "%.2f%%", avg_share);
	number_text(plan, block->cycles, numbers[0]);
	number_text(plan, block->cycles / block->times, numbers[1]);
	place_text(plan, &block->first, places[0]);
	place_text(plan, &block->last, places[1]);
	snprintf(range, sizeof(range), "[%s -> %s]", places[0], places[1]);
	const char *const cells[] = { shares[0], numbers[0],
				      shares[1], numbers[1],
				      range,     escaped(block->first.map.dso->short_name) };
	put_cells(file, plan, plan->values->show.separator ? "" : "  ", cells);
}

static void put_headings(FILE *file, const struct plan *plan)
{
	static const char dots[] =
		"......................................................................";
	const char *headings[NR_COLUMNS_SHOWN], *lines[NR_COLUMNS_SHOWN];

	for (int i = 0; i < NR_COLUMNS_SHOWN; i++) {
		headings[i] = columns[i].heading;
		lines[i] = dots + sizeof(dots) - 1 - columns[i].width;
	}
	put_cells(file, plan, "# ", headings);
	if (plan->values->show.separator)
		return;
	put_cells(file, plan, "# ", lines);
	fputs("#\n", file);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* How much of the cycles the table is about. */
static void put_covered(FILE *file, const struct blocks *blocks, int event)
{
	const struct branch_cycles *sums = &blocks->events[event];

	fprintf(file, "# Branch cycles: %" PRIu64 ", %.2f%% of them in basic blocks\n", sums->all,
		percent((double)sums->in_blocks, (double)sums->all));
	if (!sums->all)
		fputs("# No branch has cycles: the recorded processor does not count them\n", file);
	else if (!has_all_branches(blocks, event))
		fputs("# Blocks are unknown: a filter (record -j) left out branches between them\n",
		      file);
	fputs("#\n", file);
}

void blocks_print(FILE *file, struct blocks *blocks, int event)
{
	const struct plan *plan = blocks->plan;
	const struct branch_cycles *sums = &blocks->events[event];
	double total = (double)(plan->relative ? sums->kept : sums->all), averages = 0;

	if (!plan->values->show.quiet) {
		put_covered(file, blocks, event);
		put_headings(file, plan);
	}
	if (blocks->nr)
		qsort(blocks->blocks, blocks->nr, sizeof(*blocks->blocks), compare);
	for (uint32_t i = 0; i < blocks->nr; i++)
		if (blocks->blocks[i].event == event)
			averages +=
				(double)blocks->blocks[i].cycles / (double)blocks->blocks[i].times;
	for (uint32_t i = 0; i < blocks->nr; i++) {
		const struct block *block = &blocks->blocks[i];
		double share = percent((double)block->cycles, total);

		if (block->event == event && share >= plan->values->show.percent_limit)
			put_block(file, plan, block, share,
				  percent((double)block->cycles / (double)block->times, averages));
	}
}
