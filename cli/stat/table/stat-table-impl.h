/* SPDX-License-Identifier: MIT */
/* The inside of a table, for the files that fill it. */
#ifndef CLI_STAT_STAT_TABLE_IMPL_H
#define CLI_STAT_STAT_TABLE_IMPL_H

#include "stat-table.h"

struct stat_cell {
	struct xp_stats counts; /* of the runs in which the event was counted; raw unit */
	uint64_t raw;           /* this and the others: summed over all runs */
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* Events and aggregates of the table. */
struct stat_cell *table_cell(const struct stat_table *table, int aggregate, int event);

/* Metrics of one aggregate's row, from table->totals (table-metrics.c). */
void table_fill_metrics(struct stat_table *table, int aggregate, int event, struct stat_row *row);
/* Values of the metrics by name in one aggregate. */
void table_fill_named(struct stat_table *table, int aggregate);
/* With --metric-only: the line of one aggregate, from its rows. */
void table_fill_line(struct stat_table *table, int aggregate);

/* The lines of root ports. */
void table_fill_ports(struct stat_table *table);

void table_free_metrics(struct stat_table *table);

#endif
