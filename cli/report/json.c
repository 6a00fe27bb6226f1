/* SPDX-License-Identifier: MIT */
/* The profile as JSON: the same rows and call chains as the text, nothing rounded. */
#include <inttypes.h>

#include "json.h"
#include "report.h"

enum { FORMAT_VERSION = 1 };

static void put_place(FILE *file, const struct xp_spot *place)
{
	const struct xp_dso *dso = place->frame.map.dso;

	fputs("{\"dso\": ", file);
	if (dso)
		json_string(file, dso->name);
	else
		fputs("null", file);
	fputs(", \"symbol\": ", file);
	if (place->frame.function.name)
		json_string(file, place->frame.function.name);
	else
		fputs("null", file);
	fprintf(file, ", \"address\": \"%#" PRIx64 "\", \"level\": \"%c\"}", place->ip,
		place->level);
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

static void put_row(FILE *file, const struct xp_profile_row *row, const struct plan *plan)
{
	fprintf(file, "{\"period\": %" PRIu64 ", \"samples\": %" PRIu64, row->period, row->samples);
	if (plan->children)
		fprintf(file, ", \"children_period\": %" PRIu64, row->children_period);
	if (keys_have(plan, XP_KEY_COMM) || keys_have(plan, XP_KEY_PID)) {
		fputs(", \"comm\": ", file);
		json_string(file, row->comm);
	}
	if (keys_have(plan, XP_KEY_PID))
		fprintf(file, ", \"pid\": %d, \"tid\": %d", row->pid, row->tid);
	if (keys_have(plan, XP_KEY_CPU))
		fprintf(file, ", \"cpu\": %d", row->cpu);
	if (keys_have(plan, XP_KEY_SYMBOL)) {
		fputs(", \"place\": ", file);
		put_place(file, row->place);
	} else if (keys_have(plan, XP_KEY_DSO)) {
		const struct xp_dso *dso = row->place->frame.map.dso;

		fputs(", \"dso\": ", file);
		if (dso)
			json_string(file, dso->name);
		else
			fputs("null", file);
	}
}

static void put_event(FILE *file, struct recording *rec, const struct plan *plan, int event)
{
	struct xp_profile_total total = xp_profile_total(rec->profile, event);
	const struct xp_profile_row *row;
	const struct xp_chain *root;

	fputs("{\"event\": ", file);
	json_string(file, xp_data_event(rec->input.data, event)->name);
	fprintf(file,
		", \"samples\": %" PRIu64 ", \"period\": %" PRIu64 ", \"shown_samples\": %" PRIu64
		", \"shown_period\": %" PRIu64 ", \"unresolved_samples\": %" PRIu64
		",\n\t\"rows\": [",
		total.samples, total.period, total.kept_samples, total.kept_period,
		total.unresolved_samples);
	for (size_t i = 0; (row = xp_profile_row(rec->profile, event, i)) != NULL; i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", file);
		put_row(file, row, plan);
		if (plan->with_chains && !xp_profile_chains(rec->profile, event, i, &root)) {
			fputs(", \"chains\": ", file);
			put_chains(file, root);
		}
		fputc('}', file);
	}
	fputs("]}", file);
}

void json_print(FILE *file, struct recording *rec, const struct plan *plan)
{
	const char *between = "\n\t";

	fprintf(file,
		"{\"format\": \"xperf-report\", \"version\": %d,\n\"lost_samples\": %" PRIu64
		", \"lost_records\": %" PRIu64 ", \"throttled\": %" PRIu64 ",\n\"events\": [",
		FORMAT_VERSION, rec->tally.lost_samples, rec->tally.lost_records,
		rec->tally.throttled);
	for (int i = 0; i < rec->nr_events; i++) {
		if (!xp_profile_total(rec->profile, i).samples)
			continue;
		fputs(between, file);
		between = ",\n\t";
		put_event(file, rec, plan, i);
	}
	fputs("]}\n", file);
}
