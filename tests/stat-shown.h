/* SPDX-License-Identifier: MIT */
/* From constructed counts to what stat prints, compared byte by byte. */
#ifndef TESTS_STAT_SHOWN_H
#define TESTS_STAT_SHOWN_H

#include "stat-fixture.h"

#include "number.h"
#include "render.h"

/* A table on its way from counts to text. */
struct shown {
	struct fixture f;
	struct xp_aggr *aggr;
	struct xp_counts *counts;
	struct stat_table table;
	struct stat_style style;
};

/* Numbers as in the C locale, whatever the environment says. */
static const struct number_format c_format;

/* After the events were added to @s->f. */
static inline void begin(struct shown *s, enum xp_aggr_mode mode)
{
	assert_int_equal(xp_aggr_new(s->f.ctx, mode, s->f.cpus, s->f.threads, &s->aggr), 0);
	assert_int_equal(stat_table_init(&s->table, s->f.evlist, s->aggr), 0);
	s->counts = new_counts(&s->f);
	s->table.title = "'true'";
	s->style =
		(struct stat_style){ .separator = ",", .numbers = &c_format, .csv_summary = true };
}

static inline void count(struct shown *s, int event, int cpu_idx, uint64_t value,
			 uint64_t enabled_ns, uint64_t running_ns)
{
	*xp_counts_at(s->counts, event, cpu_idx, 0) =
		(struct xp_count){ value, enabled_ns, running_ns, 0 };
}

static inline void add_run(struct shown *s, uint64_t wall_ns)
{
	stat_table_add(&s->table, s->counts, wall_ns, true);
	stat_table_finish(&s->table);
}

static inline void expect(struct shown *s, int format, const char *expected)
{
	char *text = NULL;
	size_t len = 0;

	s->style.format = format;
	s->style.out = open_memstream(&text, &len);
	assert_non_null(s->style.out);
	stat_render(&s->style, &s->table);
	fclose(s->style.out);
	assert_string_equal(text, expected);
	free(text);
}

static inline void end(struct shown *s)
{
	xp_counts_free(s->counts);
	stat_table_fini(&s->table);
	xp_aggr_free(s->aggr);
	fixture_fini(&s->f);
}

#endif
