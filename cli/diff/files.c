/* SPDX-License-Identifier: MIT */
/* The recordings that are compared: which there are, and their rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff.h"

static int add_source(struct diff *diff, const char *path, size_t len)
{
	struct source *more;

	if (diff->nr_sources == MAX_FILES) {
		fprintf(stderr, "Error: more than %d recordings cannot be compared\n", MAX_FILES);
		return -1;
	}
	more = reallocarray(diff->sources, (size_t)diff->nr_sources + 1, sizeof(*more));
	if (!more)
		return -1;
	diff->sources = more;
	more += diff->nr_sources;
	*more = (struct source){ .path = strndup(path, len), .side = diff->nr_sides };
	if (!more->path)
		return -1;
	diff->nr_sources++;
	return 0;
}

static int add_side(struct diff *diff, const char *text)
{
	bool is_one = !strchr(text, ',') || !access(text, F_OK);
	const char *at = text;
	int err = 0;

	if (is_one)
		err = add_source(diff, text, strlen(text));
	while (!is_one && !err && *at) {
		size_t len = strcspn(at, ",");

		if (len)
			err = add_source(diff, at, len);
		at += len + (at[len] == ',');
	}
	diff->nr_sides++;
	return err;
}

/* Source of what is missing: perf diff. */
int sources_take(struct diff *diff, int argc, char **argv)
{
	int err = 0;

	if (argc < 2)
		err = add_side(diff, "perf.data.old");
	if (!argc && !err)
		err = add_side(diff, "perf.data");
	for (int i = 0; i < argc && !err; i++)
		err = add_side(diff, argv[i]);
	diff->normalize = diff->wishes->normalize || diff->nr_sources > diff->nr_sides;
	return err;
}

static struct values values_of(const struct wishes *wishes, const char *path)
{
	return (struct values){
		.input = path,
		.sort = wishes->sort,
		.comms = wishes->comms,
		.dsos = wishes->dsos,
		.symbols = wishes->symbols,
		.pids = wishes->pids,
		.tids = wishes->tids,
		.cpus = wishes->cpus,
		.time = wishes->time,
		.percentage = wishes->percentage,
		.symfs = wishes->symfs,
		.kallsyms = wishes->kallsyms,
		.vmlinux = wishes->vmlinux,
		.debuginfod = wishes->debuginfod,
		.force = wishes->force,
		.no_children = true,
		.no_branches = true,
		.graph = { .mode = GRAPH_NONE },
	};
}

static int take_event(struct diff *diff, int file, const struct recording *rec, bool relative,
		      int idx)
{
	const struct xp_profile_row *row;
	struct diff_event *event;
	struct xp_profile_total total = xp_profile_total_at(rec->profile, idx);
	int err = event_find(diff, xp_data_event_at(rec->input.data, idx)->name, &event);

	if (err)
		return err;
	event->is_there[file] = true;
	event->totals[file] += relative ? total.kept_period : total.period;
	for (size_t i = 0; !err && (row = xp_profile_row_at(rec->profile, idx, i)) != NULL; i++)
		err = row_add(diff, event, file, row);
	return err;
}

static int take_rows(struct diff *diff, int file, struct recording *rec, struct plan *plan)
{
	int err = load_events(rec);

	if (!err)
		err = plan_settle(plan, rec);
	if (!err)
		err = load_index(rec, plan, true);
	if (!err)
		err = load_aggregate(rec, plan);
	for (int i = 0; i < rec->nr_events && !err; i++)
		err = take_event(diff, file, rec, plan->relative, i);
	return err;
}

/* Returns an exit status; *ret_failed: there is nothing to compare. */
static int read_file(const struct cli *cli, struct diff *diff, int file, bool *ret_failed)
{
	const struct values values = values_of(diff->wishes, diff->sources[file].path);
	struct recording rec = { 0 };
	struct plan plan;

	*ret_failed = true;
	if (plan_make(&plan, &values)) {
		plan_fini(&plan);
		return EXIT_USAGE;
	}
	int err = load_open(cli, &rec, &values);
	if (!err)
		err = take_rows(diff, file, &rec, &plan);
	*ret_failed = err;
	plan_fini(&plan);
	load_close(&rec);
	return input_close(&rec.input, err, diff->wishes->verbose);
}

int sources_read(const struct cli *cli, struct diff *diff, bool *ret_failed)
{
	int status = 0;

	*ret_failed = false;
	for (int i = 0; i < diff->nr_sources && !*ret_failed; i++) {
		int its = read_file(cli, diff, i, ret_failed);

		status = its ? its : status;
	}
	return status;
}
