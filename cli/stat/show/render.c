/* SPDX-License-Identifier: MIT */
/* One rendering from table to file: header, rows, footer, one write. */
#include "render.h"

#include <errno.h>
#include <string.h>
#include <xperf/evsel.h>

static const struct stat_renderer *const renderers[] = {
	[STYLE_TEXT] = &text_renderer,
	[STYLE_CSV] = &csv_renderer,
	[STYLE_JSON] = &json_renderer,
};

const char *row_state_text(enum row_state state)
{
	return state == ROW_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

bool row_place(const struct rendering *r, const struct stat_row *row, char text[ROW_PLACE_LEN])
{
	const struct xp_place *at = &row->id->place;

	switch (row->by_core ? XP_AGGR_CORE : xp_aggr_get_mode(r->table->aggr)) {
	case XP_AGGR_SOCKET:
		snprintf(text, ROW_PLACE_LEN, "S%d", at->socket);
		return true;
	case XP_AGGR_DIE:
		snprintf(text, ROW_PLACE_LEN, "S%d-D%d", at->socket, at->die);
		return true;
	case XP_AGGR_CORE:
		snprintf(text, ROW_PLACE_LEN, "S%d-D%d-C%d", at->socket, at->die, at->core);
		return true;
	case XP_AGGR_CLUSTER:
		snprintf(text, ROW_PLACE_LEN, "S%d-D%d-CLS%d", at->socket, at->die, at->cluster);
		return true;
	case XP_AGGR_CACHE: /* as perf 7.2, where none is known: "S0-D0-L-1-ID-1" */
		snprintf(text, ROW_PLACE_LEN, "S%d-D%d-L%d-ID%d", at->socket, at->die,
			 at->cache_level ? at->cache_level : -1, at->cache);
		return true;
	case XP_AGGR_NODE:
		snprintf(text, ROW_PLACE_LEN, "N%d", at->node);
		return true;
	default:
		return false;
	}
}

int row_precision(const struct stat_row *row)
{
	double scale = xp_evsel_scale(row->evsel);

	return scale >= 1 && scale == (double)(uint64_t)scale ? 0 : 2;
}

double row_share_pct(const struct stat_row *row)
{
	if (row->running_ns == row->enabled_ns)
		return 100;
	return 100 * (double)row->running_ns / (double)row->enabled_ns;
}

const char *row_cgroup(const struct stat_row *row)
{
	const char *name = xp_evsel_cgroup(row->evsel);

	return name ? name : "";
}

bool row_is_unreliable(const struct stat_row *row)
{
	return row->state == ROW_COUNTED && row_share_pct(row) < UNRELIABLE_BELOW_PCT;
}

/* With --metric-only; threads without any value are left out where all there are were counted. */
static void lines(struct rendering *r, const struct stat_renderer *renderer)
{
	const struct stat_table *table = r->table;

	if (renderer->titles)
		renderer->titles(r);
	for (int i = 0; i < table->nr_lines; i++) {
		bool has_value = !table->counted_only;

		for (int c = 0; c < table->nr_columns; c++)
			has_value |= !table->lines[i].metrics[c].reason;
		if (has_value)
			renderer->line(r, &table->lines[i]);
	}
}

int stat_render(const struct stat_style *style, const struct stat_table *table)
{
	const struct stat_renderer *renderer = renderers[style->format];
	struct rendering r = { .style = style, .table = table, .out = SINK_KEPT };

	if (style->format == STYLE_TEXT)
		r.numbers = style->numbers ? style->numbers : number_format_user();
	if (table->is_interval)
		snprintf(r.stamp, sizeof(r.stamp),
			 style->perf7 ? renderer->stamp7 : renderer->stamp,
			 (unsigned long)(table->interval_ns / 1000000000),
			 (unsigned long)(table->interval_ns % 1000000000));
	if (renderer->header)
		renderer->header(&r);
	if (style->metric_only)
		lines(&r, renderer);
	else
		for (int i = 0; i < table->nr_rows; i++)
			renderer->row(&r, &table->rows[i]);
	if (renderer->footer)
		renderer->footer(&r);
	int err = r.out.err;
	if (!err && r.out.len &&
	    (fwrite(r.out.buf, 1, r.out.len, style->out) != r.out.len || fflush(style->out)))
		err = -errno;
	sink_fini(&r.out);
	return err;
}
