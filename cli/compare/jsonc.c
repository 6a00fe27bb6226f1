/* SPDX-License-Identifier: MIT */
/*
 * Stored runs from JSON, through json-c, which is loaded here and not linked: only who imports
 * something pays for it. The text is not trusted: its depth and the number of its objects and lists
 * are bounded, because json-c allocates several hundred bytes for each.
 *
 * Sources: json.c of this folder for our own documents; hyperfine 1.20 and 2.0,
 * src/benchmark/benchmark_result.rs and measurement.rs. Those of hyperfine 1 have the "times" and,
 * the newest ones, the memory of single runs, and means of user and system time; those of
 * hyperfine 2 ("schema_version": 2) have "measurements", an object for each run.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <xperf/diag.h>

#include "loaded.h"
#include "stored.h"
#include "vec.h"

struct jsonc {
	void *handle;
	__typeof__(json_tokener_new_ex) *new_tokener;
	__typeof__(json_tokener_free) *free_tokener;
	__typeof__(json_tokener_set_flags) *set_flags;
	__typeof__(json_tokener_parse_ex) *parse;
	__typeof__(json_tokener_get_error) *error;
	__typeof__(json_tokener_error_desc) *describe;
	__typeof__(json_object_put) *put;
	__typeof__(json_object_get_type) *type;
	__typeof__(json_object_object_get_ex) *member;
	__typeof__(json_object_get_object) *members;
	__typeof__(json_object_array_length) *length;
	__typeof__(json_object_array_get_idx) *item;
	__typeof__(json_object_get_double) *number;
	__typeof__(json_object_get_string) *string;
};

static const struct loaded_function functions[] = {
	{ "json_tokener_new_ex", offsetof(struct jsonc, new_tokener) },
	{ "json_tokener_free", offsetof(struct jsonc, free_tokener) },
	{ "json_tokener_set_flags", offsetof(struct jsonc, set_flags) },
	{ "json_tokener_parse_ex", offsetof(struct jsonc, parse) },
	{ "json_tokener_get_error", offsetof(struct jsonc, error) },
	{ "json_tokener_error_desc", offsetof(struct jsonc, describe) },
	{ "json_object_put", offsetof(struct jsonc, put) },
	{ "json_object_get_type", offsetof(struct jsonc, type) },
	{ "json_object_object_get_ex", offsetof(struct jsonc, member) },
	{ "json_object_get_object", offsetof(struct jsonc, members) },
	{ "json_object_array_length", offsetof(struct jsonc, length) },
	{ "json_object_array_get_idx", offsetof(struct jsonc, item) },
	{ "json_object_get_double", offsetof(struct jsonc, number) },
	{ "json_object_get_string", offsetof(struct jsonc, string) },
};

struct reader {
	struct jsonc lib;
	struct stored_runs *runs;
	struct json_object *root;
	size_t at; /* the result that is read */
	struct xp_diag *diag;
};

static int load(struct jsonc *lib, struct xp_diag *diag)
{
	lib->handle = library_load("libjson-c.so.5", 0, functions,
				   sizeof(functions) / sizeof(functions[0]), lib);
	if (lib->handle)
		return 0;
	xp_diag_set(diag, -ENOSYS, "libjson-c.so.5 cannot be loaded");
	xp_diag_hint(diag, "Install json-c, which reads JSON");
	return -ENOSYS;
}

static int out_of_memory(const struct reader *r)
{
	return xp_diag_set(r->diag, -ENOMEM, "Out of memory");
}

/* What is wrong with the result that is read. */
__attribute__((format(printf, 2, 3))) static int refuse(const struct reader *r, const char *fmt,
							...)
{
	char what[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return xp_diag_set(r->diag, -EBADMSG, "results[%zu]: %s", r->at, what);
}

/* --- from text to a tree --- */

static size_t nr_nodes(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += text[i] == '{' || text[i] == '[';
	return nr;
}

static int parse_tree(struct reader *r, const char *text, size_t len)
{
	struct json_tokener *tokener = r->lib.new_tokener(STORED_DEPTH_MAX);
	enum json_tokener_error error;

	if (!tokener)
		return out_of_memory(r);
	r->lib.set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	r->root = r->lib.parse(tokener, text, (int)len);
	error = r->lib.error(tokener);
	r->lib.free_tokener(tokener);
	if (error == json_tokener_continue)
		return xp_diag_set(r->diag, -EBADMSG, "The JSON document is cut off");
	if (error != json_tokener_success)
		return xp_diag_set(r->diag, -EBADMSG, "That is no JSON document: %s",
				   r->lib.describe(error));
	return 0;
}

/* A member of a type, or NULL. */
static struct json_object *find(const struct reader *r, struct json_object *in, const char *name,
				enum json_type type)
{
	struct json_object *found;

	if (r->lib.type(in) != json_type_object || !r->lib.member(in, name, &found))
		return NULL;
	return r->lib.type(found) == type ? found : NULL;
}

/* A copy of a text; NULL: there is none, or no memory. */
static char *copy_text(const struct reader *r, struct json_object *in, const char *name)
{
	struct json_object *found = find(r, in, name, json_type_string);
	const char *text = found ? r->lib.string(found) : NULL;

	return text ? strdup(text) : NULL;
}

/* --- from the tree to runs --- */

static int read_value(const struct reader *r, struct json_object *value, double *ret)
{
	enum json_type type = r->lib.type(value);

	*ret = NAN;
	if (type == json_type_null)
		return 0;
	if (type == json_type_int || type == json_type_double)
		*ret = r->lib.number(value);
	return isfinite(*ret) ? 0 : -EBADMSG;
}

/* Room for what was measured in each run. Takes @unit; returns NULL without memory. */
static struct stored_series *new_series(struct reader *r, const char *name, char *unit, size_t nr)
{
	struct stored_run *run = &r->runs->at[r->at];

	if (!unit || vec_add(&run->series, run->nr_series, sizeof(*run->series))) {
		free(unit);
		return NULL;
	}
	struct stored_series *series = &run->series[run->nr_series++];
	*series = (struct stored_series){ strdup(name), unit, calloc(nr + 1, sizeof(double)) };
	return series->name && series->values ? series : NULL;
}

/* Adds what was measured in each run. */
static int add_series(struct reader *r, const char *name, char *unit, struct json_object *list)
{
	struct stored_run *run = &r->runs->at[r->at];
	size_t nr = r->lib.length(list);
	struct stored_series *series = new_series(r, name, unit, nr);

	if (!series)
		return out_of_memory(r);
	if (nr != run->nr_runs)
		return refuse(r, "'%.80s' has %zu values for %zu runs", name, nr, run->nr_runs);
	for (size_t i = 0; i < nr; i++)
		if (read_value(r, r->lib.item(list, i), &series->values[i]))
			return refuse(r, "value %zu of '%.80s' is no number", i + 1, name);
	return 0;
}

static int read_metrics(struct reader *r, struct json_object *metrics)
{
	int err = 0;

	for (struct lh_entry *entry = r->lib.members(metrics)->head; !err && entry;
	     entry = lh_entry_next(entry)) {
		const char *name = lh_entry_k(entry);
		struct json_object *metric = lh_entry_v(entry);
		struct json_object *values = find(r, metric, "values", json_type_array);

		if (!values)
			return refuse(r, "the metric '%.80s' has no list 'values'", name);
		err = add_series(r, name, copy_text(r, metric, "unit") ?: strdup(""), values);
	}
	return err;
}

/* Not those that had been imported themselves. */
static bool was_in_turns(const struct reader *r, struct json_object *result)
{
	struct json_object *rounds = find(r, r->root, "rounds", json_type_int);
	struct json_object *imported = find(r, result, "imported", json_type_string);

	return rounds && !imported && r->lib.number(rounds) == (double)r->runs->at[r->at].nr_runs;
}

/* Times are positive, as no other metric has to be. They are the first series. */
static int check_times(const struct reader *r, const char *name)
{
	const struct stored_run *run = &r->runs->at[r->at];
	const double *times = stored_find(run, "wall", "s");

	for (size_t i = 0; i < run->nr_runs; i++)
		if (!times || !(times[i] >= 0))
			return refuse(r, "value %zu of '%s' is no time in seconds", i + 1, name);
	return 0;
}

static int read_times(struct reader *r, struct json_object *times)
{
	return add_series(r, "wall", strdup("s"), times) ?: check_times(r, "times");
}

/* One quantity of each of hyperfine's measurements; one that the first run lacks was not measured.
 */
static int read_quantity(struct reader *r, struct json_object *list, const char *theirs,
			 const char *ours, const char *unit)
{
	struct stored_run *run = &r->runs->at[r->at];

	if (!find(r, r->lib.item(list, 0), theirs, json_type_object))
		return 0;
	struct stored_series *series = new_series(r, ours, strdup(unit), run->nr_runs);
	if (!series)
		return out_of_memory(r);
	for (size_t i = 0; i < run->nr_runs; i++) {
		struct json_object *of = find(r, r->lib.item(list, i), theirs, json_type_object);
		struct json_object *value;

		if (!of || !r->lib.member(of, "value", &value) ||
		    read_value(r, value, &series->values[i]))
			return refuse(r, "'%s' of measurement %zu is no number", theirs, i + 1);
	}
	return 0;
}

static int read_measurements(struct reader *r, struct json_object *list)
{
	static const struct {
		const char *theirs, *ours, *unit;
	} quantities[] = {
		{ "time_wall_clock", "wall", "s" },
		{ "time_user", "user", "s" },
		{ "time_system", "sys", "s" },
		{ "memory_peak_resident", "max-rss", "byte" },
		{ "cpu_cycles", "cycles", "" },
		{ "instructions", "instructions", "" },
		{ "cache_references", "cache-references", "" },
		{ "cache_misses", "cache-misses", "" },
		{ "branch_misses", "branch-misses", "" },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(quantities) / sizeof(quantities[0]); i++)
		err = read_quantity(r, list, quantities[i].theirs, quantities[i].ours,
				    quantities[i].unit);
	return err ? err : check_times(r, "time_wall_clock");
}

static int read_result(struct reader *r, struct json_object *result)
{
	struct json_object *measured = find(r, result, "measurements", json_type_array);
	struct json_object *times = find(r, result, "times", json_type_array);
	struct json_object *memory = find(r, result, "memory_usage_byte", json_type_array);
	struct json_object *metrics = find(r, result, "metrics", json_type_object);
	struct stored_run *run = &r->runs->at[r->at];

	run->command = copy_text(r, result, "command");
	if (!run->command)
		return refuse(r, "there is no 'command'");
	run->name = copy_text(r, result, "name") ?: strdup(run->command);
	if (!run->name)
		return out_of_memory(r);
	if (!times && !measured)
		return refuse(r, "there are no 'times' or 'measurements' of single runs");
	run->nr_runs = r->lib.length(times ? times : measured);
	if (!run->nr_runs || run->nr_runs > STORED_RUNS_MAX)
		return refuse(r, "there are %zu '%s', not 1 to %d", run->nr_runs,
			      times ? "times" : "measurements", STORED_RUNS_MAX);
	run->in_turns = was_in_turns(r, result);
	if (!times)
		return read_measurements(r, measured);
	int err = read_times(r, times);
	if (!err && metrics)
		return read_metrics(r, metrics);
	return err || !memory ? err : add_series(r, "max-rss", strdup("byte"), memory);
}

static int read_results(struct reader *r)
{
	struct json_object *results = find(r, r->root, "results", json_type_array);
	struct json_object *machine = find(r, r->root, "machine", json_type_object);
	size_t nr = results ? r->lib.length(results) : 0;
	int err = 0;

	if (!nr || nr > STORED_RESULTS_MAX)
		return xp_diag_set(r->diag, -EBADMSG,
				   "The JSON document has no list 'results' of 1 to %d commands",
				   STORED_RESULTS_MAX);
	r->runs->at = calloc(nr, sizeof(*r->runs->at));
	if (!r->runs->at)
		return out_of_memory(r);
	r->runs->nr = nr;
	r->runs->host = machine ? copy_text(r, machine, "host") : NULL;
	for (r->at = 0; !err && r->at < nr; r->at++)
		err = read_result(r, r->lib.item(results, r->at));
	return err;
}

int stored_parse(struct stored_runs *runs, const char *text, size_t len, struct xp_diag *diag)
{
	struct reader r = { .runs = runs, .diag = diag };

	*runs = (struct stored_runs){ 0 };
	if (len > STORED_BYTES_MAX || nr_nodes(text, len) > STORED_NODES_MAX)
		return xp_diag_set(diag, -EBADMSG,
				   "The JSON document has more than %d objects and lists",
				   STORED_NODES_MAX);
	int err = load(&r.lib, diag);
	if (err)
		return err;
	err = parse_tree(&r, text, len) ?: read_results(&r);
	r.lib.put(r.root);
	dlclose(r.lib.handle);
	return err;
}
