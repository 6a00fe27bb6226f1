/* SPDX-License-Identifier: MIT */
/*
 * One JSON object per line, with perf 6.1's keys in its order. Whatever a name holds, the line
 * parses: what is not UTF-8 becomes U+FFFD. Source of the syntax: RFC 8259, section 7.
 */
#include "render.h"

#include <string.h>

#include "cli.h"
#include "json.h"

static void string(struct out *out, const char *text)
{
	out_char(out, '"');
	while (*text) {
		char *room = out_room(out, JSON_MAX);

		if (!room)
			return;
		out->len += json_next(&text, room);
	}
	out_char(out, '"');
}

static void string_member(struct out *out, const char *key, const char *value)
{
	out_text(out, key);
	string(out, value);
}

static void number_member(struct out *out, const char *key, double value, int precision)
{
	out_text(out, key);
	out_fixed(out, value, precision);
}

/* The key of the place a row is of. */
static const char *const place_keys[XP_AGGR_NR_MODES] = {
	[XP_AGGR_SOCKET] = "socket",
	[XP_AGGR_DIE] = "die",
	[XP_AGGR_CORE] = "core",
	[XP_AGGR_NODE] = "node",
};

static void identity(struct rendering *r, const struct stat_row *row)
{
	enum xp_aggr_mode mode = row->by_core ? XP_AGGR_CORE : xp_aggr_get_mode(r->table->aggr);
	const struct xp_aggr_id *id = row->id;
	char name[64];

	if (row_place(r, row, name)) {
		out_format(&r->out, "\"%s\" : \"%s\", ", place_keys[mode], name);
		if (!row->by_core)
			out_format(&r->out, "\"aggregate-number\" : %d, ", row->nr_cpus);
	} else if (mode == XP_AGGR_CPU) {
		out_format(&r->out, "\"cpu\" : \"%d\", ", id->cpu.nr);
	} else if (mode == XP_AGGR_THREAD) {
		struct xp_threads *threads = xp_aggr_threads(r->table->aggr);

		snprintf(name, sizeof(name), "%s-%d", xp_threads_comm(threads, id->thread_idx),
			 (int)xp_threads_tid(threads, id->thread_idx));
		string_member(&r->out, "\"thread\" : ", name);
		out_text(&r->out, ", ");
	}
}

static void lead(struct rendering *r, const struct stat_row *row)
{
	out_char(&r->out, '{');
	if (r->stamp[0]) {
		out_text(&r->out, "\"interval\" : ");
		out_text(&r->out, r->stamp);
		out_text(&r->out, ", ");
	}
	identity(r, row);
}

static void count(struct rendering *r, const struct stat_row *row)
{
	struct out *out = &r->out;
	bool counted = row->state == ROW_COUNTED;
	struct wording buf;

	out_text(out, "\"counter-value\" : \"");
	if (counted)
		out_fixed(out, row->value, 6);
	else
		out_text(out, row_state_text(row->state));
	string_member(out, "\", \"unit\" : ", xp_evsel_unit(row->evsel));
	string_member(out, ", \"event\" : ", row->name);
	if (xp_evlist_has_cgroups(r->table->evlist))
		string_member(out, ", \"cgroup\" : ", row_cgroup(row));
	if (r->table->nr_runs > 1)
		number_member(out, ", \"variance\" : ", counted ? row->noise_pct : 0, 2);
	if (row->state == ROW_NOT_COUNTED && xp_evsel_reason(row->evsel)[0])
		string_member(out, ", \"reason\" : ", cli_words(xp_evsel_reason(row->evsel), &buf));
	out_text(out, ", \"event-runtime\" : ");
	out_uint(out, row->running_ns);
	number_member(out, ", \"pcnt-running\" : ", row_share_pct(row), 2);
	out_text(out, ", ");
}

static void metric(struct out *out, const struct xp_metric *m)
{
	number_member(out, "\"metric-value\" : ", m ? m->value : 0, 6);
	string_member(out, ", \"metric-unit\" : ", m ? m->unit : "");
	out_text(out, "}\n");
}

static void json_row(struct rendering *r, const struct stat_row *row)
{
	bool beside = row->nr_metrics && !row->metrics[0].own_line;

	lead(r, row);
	count(r, row);
	metric(&r->out, beside ? &row->metrics[0] : NULL);
	for (int i = beside; i < row->nr_metrics; i++) {
		lead(r, row);
		metric(&r->out, &row->metrics[i]);
	}
}

const struct stat_renderer json_renderer = { .row = json_row, .stamp = "%lu.%09lu" };
