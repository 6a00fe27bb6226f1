/* SPDX-License-Identifier: MIT */
/*
 * "--hierarchy": each key is a level of its own; what rows have in common stands once, with its
 * sum, and the rest below it. Source of the layout: perf 6.1, measured.
 */
#include <stdlib.h>
#include <string.h>

#include "columns.h"

enum { INDENT = 3 };

/* A row of the profile, and its number. */
struct line {
	const struct xp_profile_row *row;
	size_t idx;
};

/* Lines that are equal up to a level. @row: like the first of them, with the sums of all */
struct node {
	struct line *lines;
	size_t nr;
	struct xp_profile_row row;
	struct xp_profile_sum *members;
};

struct hierarchy {
	struct sheet *sheet;
	int levels[MAX_COLUMNS]; /* places among the columns */
	int nr_levels;
};

static int compare_key(const struct sheet *sheet, int column, const struct xp_profile_row *a,
		       const struct xp_profile_row *b)
{
	if (column >= XP_NR_KEYS)
		return extras_compare_column(sheet->report->extras, a->tag, b->tag, column);
	return xp_profile_compare((enum xp_key)column, a, b);
}

static int column_at(const struct hierarchy *h, int level)
{
	return h->sheet->plan->columns[h->levels[level]];
}

static int compare_lines(const void *a, const void *b, void *data)
{
	const struct line *left = a, *right = b;
	const struct hierarchy *h = data;
	int order = 0;

	for (int i = 0; !order && i < h->nr_levels; i++)
		order = compare_key(h->sheet, column_at(h, i), left->row, right->row);
	return order ? order : (left->idx > right->idx) - (left->idx < right->idx);
}

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The heaviest first, in a group by the first event that distinguishes them. */
static int compare_nodes(const void *a, const void *b, void *data)
{
	const struct node *left = a, *right = b;
	const struct sheet *sheet = data;
	int order = more_first(left->row.sum.period, right->row.sum.period);

	for (int i = 1; !order && left->members && i < sheet->nr_members; i++)
		order = more_first(left->members[i].period, right->members[i].period);
	/* They lie in the order of their keys. */
	return order ? order : (left->lines > right->lines) - (left->lines < right->lines);
}

static int gather(const struct sheet *sheet, struct node *node)
{
	const struct xp_profile_row *row;
	size_t nr = xp_profile_nr_rows(sheet->report->profile, sheet->event);

	node->lines = calloc(nr + 1, sizeof(*node->lines));
	if (!node->lines)
		return -1;
	while ((row = xp_profile_row_at(sheet->report->profile, sheet->event, node->nr)) != NULL) {
		node->lines[node->nr] = (struct line){ row, node->nr };
		node->nr++;
	}
	return 0;
}

static void add_sum(struct xp_profile_sum *sum, const struct xp_profile_sum *other)
{
	sum->period += other->period;
	sum->samples += other->samples;
	sum->latency += other->latency;
	for (int i = 0; i < XP_NR_PARTS; i++)
		sum->parts[i] += other->parts[i];
}

static void add_line(const struct sheet *sheet, struct node *node, const struct line *line)
{
	node->nr++;
	add_sum(&node->row.sum, &line->row->sum);
	for (int i = 0; node->members && i < sheet->nr_members; i++)
		add_sum(&node->members[i], &line->row->members[i]);
}

/* Divides the lines of a node by the key of a level. Returns how many nodes that makes. */
static size_t divide(const struct hierarchy *h, const struct node *node, int level,
		     struct node *nodes, struct xp_profile_sum *members)
{
	const struct sheet *sheet = h->sheet;
	size_t nr = 0;

	for (size_t i = 0; i < node->nr; i++) {
		struct line *line = &node->lines[i];

		if (!i || compare_key(sheet, column_at(h, level), line[-1].row, line->row)) {
			nodes[nr] = (struct node){ .lines = line, .row = *line->row };
			nodes[nr].row.sum = (struct xp_profile_sum){ 0 };
			if (line->row->members)
				nodes[nr].members = members + nr * (size_t)sheet->nr_members;
			nodes[nr].row.members = nodes[nr].members;
			nr++;
		}
		add_line(sheet, &nodes[nr - 1], line);
	}
	qsort_r(nodes, nr, sizeof(*nodes), compare_nodes, h->sheet);
	return nr;
}

static void put_node(const struct hierarchy *h, int level, const struct node *node)
{
	struct sheet *sheet = h->sheet;
	const struct plan *plan = sheet->plan;
	const char *separator = plan->values->show.separator, *between = separator ? "" : "  ";
	int at = h->levels[level];

	fprintf(sheet->file, "%*s", level * INDENT, "");
	for (int i = 0; i < plan->nr_columns; i++) {
		if (!column_is_number(plan->columns[i]))
			continue;
		column_cell(sheet, plan->columns[i], sheet->widths[i], &node->row);
		fprintf(sheet->file, "%s%s", between, sheet->cell);
		between = separator ? separator : "  ";
	}
	if (!separator)
		fprintf(sheet->file, "%*s", (h->nr_levels - 1) * INDENT, "");
	int len = column_cell(sheet, plan->columns[at], sheet->widths[at], &node->row);
	while (separator && len && sheet->cell[len - 1] == ' ')
		sheet->cell[--len] = '\0';
	fprintf(sheet->file, "%s%s\n", between, sheet->cell + strspn(sheet->cell, " "));
}

static void put_chains(const struct sheet *sheet, const struct node *leaf)
{
	const struct xp_chain *root;

	if (graph_can_show(sheet->plan, sheet->totals[0], leaf->row.sum.period) &&
	    !xp_profile_chains(sheet->report->profile, sheet->event, leaf->lines->idx, &root))
		graph_print(sheet->file, root, sheet->plan, sheet->totals[0], &leaf->row,
			    leaf->row.sum.period);
}

/* Recursion as deep as there are keys. */
static void put_below(const struct hierarchy *h, const struct node *parent, int level)
{
	struct sheet *sheet = h->sheet;
	double least = (double)sheet->totals[0] * sheet->plan->values->show.percent_limit / 100;
	struct node *nodes = calloc(parent->nr, sizeof(*nodes));
	struct xp_profile_sum *members =
		calloc(parent->nr * (size_t)sheet->nr_members, sizeof(*members));
	size_t nr = nodes && members ? divide(h, parent, level, nodes, members) : 0;

	for (size_t i = 0; i < nr; i++) {
		if ((double)nodes[i].row.sum.period < least)
			continue;
		put_node(h, level, &nodes[i]);
		if (level + 1 < h->nr_levels)
			put_below(h, &nodes[i], level + 1);
		else
			put_chains(sheet, &nodes[i]);
	}
	free(members);
	free(nodes);
}

static struct hierarchy levels_of(struct sheet *sheet)
{
	struct hierarchy h = { .sheet = sheet };

	for (int i = 0; i < sheet->plan->nr_columns; i++)
		if (!column_is_number(sheet->plan->columns[i]) && !sheet->elided[i])
			h.levels[h.nr_levels++] = i;
	return h;
}

void hierarchy_rows(struct sheet *sheet)
{
	struct hierarchy h = levels_of(sheet);
	struct node all = { 0 };

	if (h.nr_levels && !gather(sheet, &all)) {
		qsort_r(all.lines, all.nr, sizeof(*all.lines), compare_lines, &h);
		if (all.nr)
			put_below(&h, &all, 0);
	}
	free(all.lines);
}

static void put_dots(FILE *file, int nr)
{
	while (nr-- > 0)
		fputc('.', file);
}

/* The names of all levels. Returns the width of what stands below them. */
static int put_names(const struct hierarchy *h)
{
	const struct sheet *sheet = h->sheet;
	int width = 0;

	for (int i = 0; i < h->nr_levels; i++) {
		const char *name = column_heading(sheet, column_at(h, i));

		width += fprintf(sheet->file, "%s%s", i ? " / " : "", name + strspn(name, " "));
	}
	for (int i = 0; i < h->nr_levels; i++) {
		int level = i * INDENT + sheet->widths[h->levels[i]];

		width = level > width ? level : width;
	}
	return width;
}

void hierarchy_headings(struct sheet *sheet)
{
	const struct hierarchy h = levels_of(sheet);
	const struct plan *plan = sheet->plan;
	const char *separator = plan->values->show.separator;
	int dots = separator || !h.nr_levels ? 0 : (h.nr_levels - 1) * INDENT;

	fprintf(sheet->file, "# %*s", dots, "");
	for (int i = 0; i < plan->nr_columns; i++) {
		if (!column_is_number(plan->columns[i]))
			continue;
		fprintf(sheet->file, "%*s%s", sheet->widths[i],
			column_heading(sheet, plan->columns[i]), separator ? separator : "  ");
		dots += sheet->widths[i] + 2;
	}
	int width = put_names(&h);
	fputc('\n', sheet->file);
	if (separator)
		return;
	fputs("# ", sheet->file);
	put_dots(sheet->file, dots - 2);
	fputs("  ", sheet->file);
	put_dots(sheet->file, width);
	fputs("\n#\n", sheet->file);
}
