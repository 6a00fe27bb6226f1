/* SPDX-License-Identifier: MIT */
/* The profile as JSON: the same rows and call chains as the text, nothing rounded. */
#include <inttypes.h>

#include "json.h"
#include "report.h"

enum { FORMAT_VERSION = 1 };

static void put_dso(FILE *file, const struct xp_spot *place)
{
	const struct xp_dso *dso = place->frame.map.dso;

	json_string(file, dso ? dso->name : NULL);
}

static void put_place(FILE *file, const struct xp_spot *place)
{
	fputs("{\"dso\": ", file);
	put_dso(file, place);
	fputs(", \"symbol\": ", file);
	json_string(file, place->frame.function.name);
	fprintf(file, ", \"address\": \"%#" PRIx64 "\", \"level\": \"%c\"", place->ip,
		place->level);
	if (place->is_inlined)
		fputs(", \"inlined\": true", file);
	if (place->line) {
		fputs(", \"srcline\": ", file);
		json_string(file, place->line);
	}
	fputc('}', file);
}

static void put_chains(FILE *file, const struct xp_chain *chain)
{
	fputc('[', file);
	for (const struct xp_chain *c = chain->child; c; c = c->next) {
		fprintf(file,
			"%s{\"period\": %" PRIu64 ", \"samples\": %" PRIu64
			", \"self_period\": %" PRIu64 ", \"frames\": [",
			c == chain->child ? "" : ", ", c->hit + c->below, c->nr_hits + c->nr_below,
			c->hit);
		for (int i = 0; i < c->nr_places; i++) {
			fputs(i ? ", " : "", file);
			put_place(file, c->places[i]);
		}
		fputs("], \"then\": ", file);
		put_chains(file, c);
		fputc('}', file);
	}
	fputc(']', file);
}

static void put_sums(FILE *file, const struct xp_profile_sum *sum, const struct plan *plan)
{
	fprintf(file, "\"period\": %" PRIu64 ", \"samples\": %" PRIu64, sum->period, sum->samples);
	if (plan->children)
		fprintf(file, ", \"children_period\": %" PRIu64, sum->children_period);
	if (plan->latency)
		fprintf(file, ", \"latency\": %" PRIu64, sum->latency);
	if (plan->latency && plan->children)
		fprintf(file, ", \"children_latency\": %" PRIu64, sum->children_latency);
}

static void put_members(FILE *file, const struct xp_profile_row *row, int nr,
			const struct plan *plan)
{
	fputs(", \"members\": [", file);
	for (int i = 0; i < nr; i++) {
		fputs(i ? ", {" : "{", file);
		put_sums(file, &row->members[i], plan);
		fputc('}', file);
	}
	fputc(']', file);
}

/* As exactly as the keys say. */
static void put_spot(FILE *file, const char *name, const struct xp_spot *spot, bool has_symbol)
{
	fprintf(file, ", \"%s\": ", name);
	if (has_symbol) {
		put_place(file, spot);
		return;
	}
	fputs("{\"dso\": ", file);
	put_dso(file, spot);
	fputc('}', file);
}

static bool have_any(const struct plan *plan, const int keys[3])
{
	return keys_have(plan, keys[0]) || keys_have(plan, keys[1]) || keys_have(plan, keys[2]);
}

/* Of a branch, where it comes from and where it goes to. */
static void put_branch(FILE *file, const struct xp_profile_row *row, const struct plan *plan,
		       bool has_symbol, bool has_dso)
{
	static const int from[] = { XP_KEY_SYMBOL_FROM, XP_KEY_DSO_FROM, XP_KEY_SRCLINE_FROM };
	static const int to[] = { XP_KEY_SYMBOL_TO, XP_KEY_DSO_TO, XP_KEY_SRCLINE_TO };

	if (have_any(plan, from))
		put_spot(file, "place", row->place,
			 keys_have(plan, from[0]) || keys_have(plan, from[2]));
	if (has_symbol || has_dso || have_any(plan, to))
		put_spot(file, "target", row->target,
			 has_symbol || keys_have(plan, to[0]) || keys_have(plan, to[2]));
}

static void put_where(FILE *file, const struct xp_profile_row *row, const struct plan *plan)
{
	const struct xp_spot *spot = xp_profile_row_spot(row);
	bool has_symbol = keys_have(plan, XP_KEY_SYMBOL) || keys_have(plan, XP_KEY_SYMOFF);

	if (row->target) {
		put_branch(file, row, plan, has_symbol, keys_have(plan, XP_KEY_DSO));
	} else if (has_symbol || keys_have(plan, XP_KEY_SYMBOL_FROM)) {
		fputs(", \"place\": ", file);
		put_place(file, spot);
	} else if (keys_have(plan, XP_KEY_DSO) || keys_have(plan, XP_KEY_DSO_FROM)) {
		fputs(", \"dso\": ", file);
		put_dso(file, spot);
	}
	if (keys_have(plan, XP_KEY_SRCLINE)) {
		fputs(", \"srcline\": ", file);
		json_string(file, spot->line);
	}
	if (keys_have(plan, XP_KEY_SRCFILE)) {
		fputs(", \"srcfile\": ", file);
		json_string(file, spot->file);
	}
	if (row->parent) {
		fputs(", \"parent\": ", file);
		put_place(file, row->parent);
	}
}

static void put_row(FILE *file, struct report *report, const struct xp_profile_row *row, int event,
		    int nr_members, const struct plan *plan)
{
	uint64_t size;

	fputc('{', file);
	put_sums(file, &row->sum, plan);
	if (nr_members > 1)
		put_members(file, row, nr_members, plan);
	if (keys_have(plan, XP_KEY_COMM) || keys_have(plan, XP_KEY_PID) ||
	    keys_have(plan, XP_KEY_TGID)) {
		fputs(", \"comm\": ", file);
		json_string(file, row->comm);
	}
	if (keys_have(plan, XP_KEY_PID))
		fprintf(file, ", \"pid\": %d, \"tid\": %d", row->pid, row->tid);
	else if (keys_have(plan, XP_KEY_TGID))
		fprintf(file, ", \"pid\": %d", row->pid);
	if (keys_have(plan, XP_KEY_CPU))
		fprintf(file, ", \"cpu\": %d", row->cpu);
	for (int key = XP_KEY_SYMBOL_SIZE; key <= XP_KEY_DSO_SIZE; key++)
		if (keys_have(plan, key) && key_size(row, key, &size))
			fprintf(file, ", \"%s\": %" PRIu64, key_name(plan, key, event), size);
	if (keys_have(plan, XP_KEY_ADDRESS))
		fprintf(file, ", \"addr\": \"%#" PRIx64 "\"", xp_profile_row_spot(row)->frame.ip);
	for (int i = EXTRA_TRACE; i < NR_COLUMNS; i++)
		if (keys_have(plan, i) && *key_name(plan, i, event)) {
			fprintf(file, ", \"%s\": ", key_name(plan, i, event));
			json_string(file, extras_text(report->extras, row, i));
		}
	put_where(file, row, plan);
}

static void put_event_totals(FILE *file, const struct report *report, int event)
{
	struct xp_profile_total total = { .size = sizeof(total) };

	xp_profile_total_at(report->profile, event, &total);
	fputs("{\"event\": ", file);
	json_string(file, xp_data_event_at(report->rec.data, event)->name);
	fprintf(file,
		", \"samples\": %" PRIu64 ", \"period\": %" PRIu64 ", \"shown_samples\": %" PRIu64
		", \"shown_period\": %" PRIu64 ", \"unresolved_samples\": %" PRIu64
		", \"truncated_samples\": %" PRIu64,
		total.samples, total.period, total.kept_samples, total.kept_period,
		total.unresolved_samples, total.truncated_samples);
}

static void put_event(FILE *file, struct report *report, const struct plan *plan, int event,
		      int nr_members)
{
	const struct xp_profile_row *row;
	const struct xp_chain *root;

	put_event_totals(file, report, event);
	if (nr_members > 1) {
		fputs(",\n\t\"members\": [", file);
		for (int i = 0; i < nr_members; i++) {
			fputs(i ? ", " : "", file);
			put_event_totals(file, report, event + i);
			fputc('}', file);
		}
		fputc(']', file);
	}
	fputs(",\n\t\"rows\": [", file);
	for (size_t i = 0; (row = xp_profile_row_at(report->profile, event, i)) != NULL; i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", file);
		put_row(file, report, row, event, nr_members, plan);
		if (plan->with_chains && !xp_profile_chains(report->profile, event, i, &root)) {
			fputs(", \"chains\": ", file);
			put_chains(file, root);
		}
		fputc('}', file);
	}
	fputs("]}", file);
}

void json_print(FILE *file, struct report *report, const struct plan *plan)
{
	const char *between = "\n\t";

	fprintf(file,
		"{\"format\": \"xperf-report\", \"version\": %d,\n\"lost_samples\": %" PRIu64
		", \"lost_records\": %" PRIu64 ", \"throttled\": %" PRIu64
		", \"doubtful_samples\": %" PRIu64 ", \"counted\": %.4f,\n\"events\": [",
		FORMAT_VERSION, report->tally.lost_samples, report->tally.lost_records,
		report->tally.throttled, report->rec.nr_doubtful, report->tally.counted);
	for (int i = 0, nr; i < report->rec.nr_events; i += nr) {
		nr = plan_members(plan, report, i);
		if (!plan_samples(plan, report, i))
			continue;
		fputs(between, file);
		between = ",\n\t";
		put_event(file, report, plan, i, nr);
	}
	fputs("]}\n", file);
}
