/* SPDX-License-Identifier: MIT */
/* The recording that is browsed: read, counted, and its events with samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "browse.h"

static int check_stopped(struct loaded *loaded)
{
	struct report *report = &loaded->report;
	struct progress *progress = report->rec.progress;

	if (loaded_next_event(loaded, -1, 1) >= 0 ||
	    (!progress->was_stopped[STAGE_READING] && !progress->was_stopped[STAGE_COUNTING]))
		return 0;
	return xp_diag_set(&report->rec.diag, -EINTR,
			   "stopped with Ctrl-C before a sample was counted");
}

int loaded_read(struct loaded *loaded, const struct cli *cli)
{
	struct report *report = &loaded->report;
	struct plan *plan = &loaded->plan;

	report->tally.counted = 1;
	if (plan_make(plan, &loaded->values))
		return -EINVAL;
	return load_open(cli, report, &loaded->values)
		       ?: plan_finalize(plan, report)
		       ?: load_index(report, plan, true)
		       ?: load_aggregate(report, plan)
		       ?: check_stopped(loaded);
}

int loaded_free(struct loaded *loaded, int err)
{
	if (!loaded)
		return EXIT_FAILED;
	bool is_misused = loaded->plan.is_misused;
	load_fini(&loaded->report);
	int status = recording_close(&loaded->report.rec, err, loaded->values.show.verbose);
	plan_fini(&loaded->plan);
	free(loaded->sort);
	free(loaded->input);
	free(loaded);
	return is_misused ? EXIT_USAGE : status;
}

struct loaded *loaded_new(const struct values *values, const char *sort, const char *input)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	if (!loaded)
		return NULL;
	loaded->values = *values;
	loaded->values.read.progress = &loaded->progress;
	loaded->sort = sort ? strdup(sort) : NULL;
	loaded->input = input ? strdup(input) : NULL;
	if (loaded->sort)
		loaded->values.count.sort = loaded->sort;
	if (loaded->input)
		loaded->values.read.input = loaded->input;
	return loaded;
}

int loaded_next_event(const struct loaded *loaded, int event, int step)
{
	const struct report *report = &loaded->report;

	for (event += step; event >= 0 && event < report->rec.nr_events; event += step)
		if (loaded->plan.leaders[event] == event &&
		    plan_samples(&loaded->plan, report, event))
			return event;
	return -1;
}
