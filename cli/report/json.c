/* SPDX-License-Identifier: MIT */
/* The profile as JSON: the same rows and call chains as the text, nothing rounded. */
#include <inttypes.h>
#include <xperf/attr.h>
#include <xperf/chain-ends.h>
#include <xperf/data.h>
#include <xperf/unwind.h>

#include "chain-reasons.h"
#include "json-numbers.h"
#include "numbers.h"

enum { FORMAT_VERSION = 1 };

static const struct json_layout event_lines = { "\n\t", "\n\t", "" };
static const struct json_layout row_lines = { "\n\t\t", "\n\t\t", "" };

static void put_dso(struct json *json, const char *name, const struct xp_location *location)
{
	const struct xp_dso *dso = location->frame.map.dso;

	json_string(json, name, dso ? dso->name : NULL);
}

static void put_address(struct json *json, const char *name, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "%#" PRIx64, address);
	json_string(json, name, text);
}

static void put_place(struct json *json, const struct xp_location *location)
{
	put_dso(json, "dso", location);
	json_string(json, "symbol", location->frame.function.name);
	put_address(json, "address", location->ip);
	json_string(json, "level", (char[]){ location->level, '\0' });
	if (location->is_inlined)
		json_bool(json, "inlined", true);
	if (location->line)
		json_string(json, "srcline", location->line);
}

static void put_frame(struct json *json, const char *name, const struct xp_location *location)
{
	json_object(json, name, &json_blanks);
	put_place(json, location);
	json_end(json);
}

static void put_chain_frame(struct json *json, const struct xp_chain *chain, int idx)
{
	json_object(json, NULL, &json_blanks);
	put_place(json, chain->locations[idx]);
	if (chain->nr_joined[idx])
		json_uint(json, "joined_samples", chain->nr_joined[idx]);
	json_end(json);
}

static void put_chains(struct json *json, const char *name, const struct xp_chain *chain)
{
	json_array(json, name, &json_blanks);
	for (const struct xp_chain *c = chain->child; c; c = c->next) {
		json_object(json, NULL, &json_blanks);
		json_uint(json, "period", c->hit + c->below);
		json_uint(json, "samples", c->nr_hits + c->nr_below);
		json_uint(json, "self_period", c->hit);
		json_array(json, "frames", &json_blanks);
		for (int i = 0; i < c->nr_locations; i++)
			put_chain_frame(json, c, i);
		json_end(json);
		put_chains(json, "then", c);
		json_end(json);
	}
	json_end(json);
}

static void put_sums(struct json *json, const struct xp_profile_sum *sum, const struct plan *plan)
{
	json_uint(json, "period", sum->period);
	json_uint(json, "samples", sum->samples);
	if (plan->children)
		json_uint(json, "children_period", sum->children_period);
	if (plan->latency)
		json_uint(json, "latency", sum->latency);
	if (plan->latency && plan->children)
		json_uint(json, "children_latency", sum->children_latency);
}

static void put_members(struct json *json, const struct xp_profile_row *row, int nr,
			const struct plan *plan)
{
	json_array(json, "members", &json_blanks);
	for (int i = 0; i < nr; i++) {
		json_object(json, NULL, &json_blanks);
		put_sums(json, &row->members[i], plan);
		json_end(json);
	}
	json_end(json);
}

/* As exactly as the keys say. */
static void put_location(struct json *json, const char *name, const struct xp_location *location,
			 bool has_symbol)
{
	if (has_symbol) {
		put_frame(json, name, location);
		return;
	}
	json_object(json, name, &json_blanks);
	put_dso(json, "dso", location);
	json_end(json);
}

static bool have_any(const struct plan *plan, const int keys[3])
{
	return keys_have(plan, keys[0]) || keys_have(plan, keys[1]) || keys_have(plan, keys[2]);
}

/* Of a branch, where it comes from and where it goes to. */
static void put_branch(struct json *json, const struct xp_profile_row *row, const struct plan *plan,
		       bool has_symbol, bool has_dso)
{
	static const int from[] = { XP_KEY_SYMBOL_FROM, XP_KEY_DSO_FROM, XP_KEY_SRCLINE_FROM };
	static const int to[] = { XP_KEY_SYMBOL_TO, XP_KEY_DSO_TO, XP_KEY_SRCLINE_TO };

	if (have_any(plan, from))
		put_location(json, "place", row->location,
			     keys_have(plan, from[0]) || keys_have(plan, from[2]));
	if (has_symbol || has_dso || have_any(plan, to))
		put_location(json, "target", row->target,
			     has_symbol || keys_have(plan, to[0]) || keys_have(plan, to[2]));
}

static void put_where(struct json *json, const struct xp_profile_row *row, const struct plan *plan)
{
	const struct xp_location *location = xp_profile_row_location(row);
	bool has_symbol = keys_have(plan, XP_KEY_SYMBOL) || keys_have(plan, XP_KEY_SYMOFF);

	if (row->target) {
		put_branch(json, row, plan, has_symbol, keys_have(plan, XP_KEY_DSO));
	} else if (has_symbol || keys_have(plan, XP_KEY_SYMBOL_FROM)) {
		put_frame(json, "place", location);
	} else if (keys_have(plan, XP_KEY_DSO) || keys_have(plan, XP_KEY_DSO_FROM)) {
		put_dso(json, "dso", location);
	}
	if (keys_have(plan, XP_KEY_SRCLINE)) {
		json_string(json, "srcline", location->line);
	}
	if (keys_have(plan, XP_KEY_SRCFILE)) {
		json_string(json, "srcfile", location->file);
	}
	if (row->parent) {
		put_frame(json, "parent", row->parent);
	}
}

static void put_row(struct json *json, struct report *report, const struct xp_profile_row *row,
		    int event, int nr_members, const struct plan *plan)
{
	uint64_t size;

	put_sums(json, &row->sum, plan);
	if (nr_members > 1)
		put_members(json, row, nr_members, plan);
	if (keys_have(plan, XP_KEY_COMM) || keys_have(plan, XP_KEY_PID) ||
	    keys_have(plan, XP_KEY_TGID))
		json_string(json, "comm", row->comm);
	if (keys_have(plan, XP_KEY_PID) || keys_have(plan, XP_KEY_TGID))
		json_int(json, "pid", row->pid);
	if (keys_have(plan, XP_KEY_PID))
		json_int(json, "tid", row->tid);
	if (keys_have(plan, XP_KEY_CPU))
		json_int(json, "cpu", row->cpu);
	for (int key = XP_KEY_SYMBOL_SIZE; key <= XP_KEY_DSO_SIZE; key++)
		if (keys_have(plan, key) && key_size(row, key, &size))
			json_uint(json, key_name(plan, key, event), size);
	if (keys_have(plan, XP_KEY_ADDRESS))
		put_address(json, "addr", xp_profile_row_location(row)->frame.ip);
	if (plan->has_numbers)
		number_put_json(json, plan, row);
	for (int i = EXTRA_TRACE; i < NR_COLUMNS; i++)
		if (keys_have(plan, i) && !number_is_one(i) && *key_name(plan, i, event))
			json_string(json, key_name(plan, i, event),
				    extras_text(report->extras, row, i));
	put_where(json, row, plan);
}

static void add_total(struct xp_profile_total *sum, const struct xp_profile_total *other)
{
	sum->samples += other->samples;
	sum->period += other->period;
	sum->kept_samples += other->kept_samples;
	sum->kept_period += other->kept_period;
	sum->unresolved_samples += other->unresolved_samples;
	sum->truncated_samples += other->truncated_samples;
}

/* @nr: events, from this one on, that are added up */
static void put_event_totals(struct json *json, const struct report *report, int event, int nr)
{
	struct xp_profile_total total = { 0 };

	for (int i = 0; i < nr; i++) {
		struct xp_profile_total one = { .size = sizeof(one) };

		xp_profile_total_at(report->profile, event + i, &one);
		add_total(&total, &one);
	}
	json_string(json, "event", xp_data_event_at(report->rec.data, event)->name);
	json_uint(json, "samples", total.samples);
	json_uint(json, "period", total.period);
	json_uint(json, "shown_samples", total.kept_samples);
	json_uint(json, "shown_period", total.kept_period);
	json_uint(json, "unresolved_samples", total.unresolved_samples);
	json_uint(json, "truncated_samples", total.truncated_samples);
}

static void put_event(struct json *json, struct report *report, const struct plan *plan, int event,
		      int nr_members)
{
	const struct xp_profile_row *row;
	const struct xp_chain *root;

	bool are_summed = plan->with_waits && nr_members > 1;

	put_event_totals(json, report, event, are_summed ? nr_members : 1);
	if (are_summed)
		json_bool(json, "members_are_summed", true);
	if (nr_members > 1) {
		json_space(json, "\n\t");
		json_array(json, "members", &json_blanks);
		for (int i = 0; i < nr_members; i++) {
			json_object(json, NULL, &json_blanks);
			put_event_totals(json, report, event + i, 1);
			json_end(json);
		}
		json_end(json);
	}
	json_space(json, "\n\t");
	json_array(json, "rows", &row_lines);
	for (size_t i = 0; (row = xp_profile_row_at(report->profile, event, i)) != NULL; i++) {
		json_object(json, NULL, &json_blanks);
		put_row(json, report, row, event, nr_members, plan);
		if (plan->with_chains && !xp_profile_chains(report->profile, event, i, &root))
			put_chains(json, "chains", root);
		json_end(json);
	}
	json_end(json);
}

/* Those that were added later are there if there are any. */
static void put_chain_ends(struct json *json, const struct xp_chain_ends *ends)
{
	json_object(json, "user_call_chains", &json_blanks);
	for (int i = 0; i < XP_NR_CHAIN_ENDS; i++) {
		uint64_t nr = xp_chain_ends_nr(ends, (enum xp_chain_end)i);

		if (i < XP_CHAIN_COMPLEX || nr)
			json_uint(json, chain_reason_of((enum xp_chain_end)i)->name, nr);
	}
	json_end(json);
}

static void put_head(struct json *json, const struct report *report)
{
	const struct tally *tally = &report->tally;

	json_string(json, "format", "xperf-report");
	json_uint(json, "version", FORMAT_VERSION);
	json_space(json, "\n");
	json_uint(json, "lost_samples", tally->lost_samples);
	json_uint(json, "lost_records", tally->lost_records);
	json_uint(json, "throttled", tally->throttled);
	json_bool(json, "cut_off", report->rec.cut_off.is_cut);
	json_uint(json, "doubtful_samples", report->rec.cut_off.nr_doubtful);
	json_fixed(json, "counted", tally->counted, 4);
	put_chain_ends(json, report->chain_ends);
}

void json_print(FILE *file, struct report *report, const struct plan *plan)
{
	struct sink out = SINK_TO_FILE(file);
	struct json json;

	json_init(&json, &out, ": ");
	json_object(&json, NULL, &json_blanks);
	put_head(&json, report);
	json_space(&json, "\n");
	json_array(&json, "events", &event_lines);
	for (int i = 0, nr; i < report->rec.nr_events; i += nr) {
		nr = plan_members(plan, report, i);
		if (!plan_samples(plan, report, i))
			continue;
		json_object(&json, NULL, &json_blanks);
		put_event(&json, report, plan, i, nr);
		json_end(&json);
	}
	json_close(&json);
}
