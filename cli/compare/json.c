/* SPDX-License-Identifier: MIT */
/*
 * All values and conclusions as one JSON document. "results" has what hyperfine --export-json
 * writes (hyperfine 1.20, src/benchmark/benchmark_result.rs), so that its scripts read it; the rest
 * is ours.
 */
#include "render.h"

#include <math.h>
#include <stdio.h>

#include "json-numbers.h"
#include "wording.h"

static const struct json_layout lines_1 = { "\n  ", "\n  ", "\n" };
static const struct json_layout lines_2 = { "\n    ", "\n    ", "\n  " };
static const struct json_layout lines_3 = { "\n      ", "\n      ", "\n    " };
static const struct json_layout lines_4 = { "\n        ", "\n        ", "\n      " };

static void put_values(struct json *json, const char *name, const struct findings *f,
		       size_t contender, size_t metric)
{
	const double *values = f->m->contenders.at[contender].values;

	json_array(json, name, &json_blanks);
	for (size_t i = 0; i < measured_runs(f->m, contender); i++)
		json_number(json, NULL, values[i * f->m->metrics.nr + metric]);
	json_end(json);
}

/* Without a value, they are null. */
static void put_mean(struct json *json, const char *name, const struct summary *s)
{
	json_number(json, name, s->nr_known ? s->mean : NAN);
}

static void put_summary(struct json *json, const struct summary *s)
{
	const double of_none = s->nr_known ? 0 : NAN;

	put_mean(json, "mean", s);
	json_number(json, "stddev", s->nr_known > 1 ? s->deviation : NAN);
	json_number(json, "median", s->median + of_none);
	json_number(json, "min", s->min + of_none);
	json_number(json, "max", s->max + of_none);
}

static void put_statuses(struct json *json, const struct contender *c, size_t nr)
{
	json_array(json, "exit_codes", &json_blanks);
	for (size_t i = 0; i < nr; i++)
		json_int(json, NULL, c->statuses[i]);
	json_end(json);
}

/* What hyperfine has. */
static void put_times(const struct findings *f, size_t contender, struct json *json)
{
	const struct contender *c = &f->m->contenders.at[contender];
	const struct summary *rss = findings_summary(f, contender, METRIC_MAX_RSS);

	json_string(json, "command", c->text);
	put_summary(json, findings_summary(f, contender, METRIC_WALL));
	put_mean(json, "user", findings_summary(f, contender, METRIC_USER));
	put_mean(json, "system", findings_summary(f, contender, METRIC_SYSTEM));
	put_values(json, "times", f, contender, METRIC_WALL);
	if (rss->nr_known == measured_runs(f->m, contender))
		put_values(json, "memory_usage_byte", f, contender, METRIC_MAX_RSS);
	if (c->stored)
		json_string(json, "imported", f->m->config->import);
	else
		put_statuses(json, c, f->nr_rounds);
	if (!c->nr_parameters)
		return;
	json_object(json, "parameters", &json_blanks);
	for (size_t i = 0; i < c->nr_parameters; i++)
		json_string(json, c->parameters[i].name, c->parameters[i].value);
	json_end(json);
}

static void put_change(const struct findings *f, size_t contender, size_t metric, struct json *json)
{
	const struct finding *finding = findings_at(f, contender, metric);
	const struct change *change = &finding->change;

	json_object(json, "change", &json_blanks);
	json_string(json, "verdict", verdict_word(f, contender, metric));
	if (finding->is_known) {
		json_string(json, "kind", change->is_ratio ? "ratio" : "difference");
		json_bool(json, "interleaved", !change->m);
		json_number(json, "estimate", change->estimate);
		json_number(json, "low", change->low);
		json_number(json, "high", change->high);
		json_number(json, "level", change->level);
		json_number(json, "p", change->p);
		json_number(json, "rounds_needed",
			    finding->rounds_needed > 0 ? finding->rounds_needed : NAN);
	}
	json_end(json);
}

static void put_metrics(const struct findings *f, size_t contender, struct json *json)
{
	json_object(json, "metrics", &lines_3);
	for (size_t i = 0; i < f->m->metrics.nr; i++) {
		json_object(json, f->m->metrics.at[i].name, &lines_4);
		json_string(json, "unit", metric_unit(&f->m->metrics.at[i]));
		if (f->m->metrics.at[i].reason)
			json_string(json, "reason", f->m->metrics.at[i].reason);
		put_summary(json, findings_summary(f, contender, i));
		put_values(json, "values", f, contender, i);
		if (contender)
			put_change(f, contender, i, json);
		json_end(json);
	}
	json_end(json);
}

static void put_health(const struct health *health, struct json *json)
{
	json_object(json, "health", &json_blanks);
	json_uint(json, "outliers", health->nr_outliers);
	json_number(json, "drift", health->drift.share);
	json_number(json, "drift_p", health->drift.p);
	json_bool(json, "two_modes", health->modes.are_two);
	json_end(json);
}

static void put_machine(const struct findings *f, struct json *json)
{
	const struct xp_disturbance *after = &f->m->after;

	json_object(json, "machine", &json_blanks);
	json_string(json, "host", f->m->uts.nodename);
	json_number(json, "steal_s", f->disturbed.steal_s);
	json_number(json, "throttled", f->disturbed.nr_throttled);
	if (after->governor[0])
		json_string(json, "governor", after->governor);
	else
		json_null(json, "governor");
	if (after->turbo >= 0)
		json_bool(json, "turbo", after->turbo);
	else
		json_null(json, "turbo");
	json_end(json);
}

void render_json(const struct findings *f, struct sink *out)
{
	const struct measurement *m = f->m;
	struct json json;
	char seed[32];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)m->seed);
	json_init(&json, out, ": ");
	json_object(&json, NULL, &lines_1);
	json_string(&json, "schema", "xperf-compare-1");
	json_uint(&json, "rounds", f->nr_rounds);
	json_string(&json, "seed", seed); /* a text: to many readers, numbers are doubles */
	json_fixed(&json, "seconds", (double)(m->ended_ns - m->began_ns) / 1e9, 3);
	json_string(&json, "judge", m->config->judge);
	json_number(&json, "within", m->config->within);
	json_number(&json, "noise", f->noise);
	put_machine(f, &json);
	json_array(&json, "results", &lines_2);
	for (size_t i = 0; i < m->contenders.nr; i++) {
		json_object(&json, NULL, &lines_3);
		put_times(f, i, &json);
		json_string(&json, "name", m->contenders.at[i].name);
		put_health(&f->health[i], &json);
		put_metrics(f, i, &json);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	sink_char(out, '\n');
}
