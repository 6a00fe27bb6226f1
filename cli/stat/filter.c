/* SPDX-License-Identifier: MIT */
/* Conditions of tracepoints and probes: taken from the command line, given to the events. */
#include "filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

/* Takes over @text. */
static int add(const struct option *option, struct stat_config *config, char *text)
{
	size_t room = ((size_t)config->nr_filters + 1) * sizeof(config->filters[0]);
	struct stat_filter *filters = text ? realloc(config->filters, room) : NULL;

	if (!filters) {
		free(text);
		return option_error(option, "out of memory");
	}
	config->filters = filters;
	filters[config->nr_filters++] = (struct stat_filter){ config->nr_events - 1, text };
	return 0;
}

static int check_order(const struct option *option, const struct stat_config *config, bool negated)
{
	if (negated)
		return option_error(option, "filters cannot be taken back");
	if (!config->nr_events)
		return option_error(
			option,
			"it is for the tracepoints and probes of the -e before it, and there is none");
	return 0;
}

int stat_take_filter(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;
	int err = check_order(option, config, negated);

	return err ? err : add(option, config, strdup(arg));
}

int stat_take_exclude_perf(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;
	char *text = NULL;
	int err = check_order(option, config, negated);

	(void)arg;
	if (err)
		return err;
	if (asprintf(&text, "common_pid != %d", (int)getpid()) < 0)
		text = NULL;
	return add(option, config, text);
}

static int apply(const struct stat_filter *filter, const char *events, struct xp_evlist *evlist,
		 int first, struct xp_diag *diag)
{
	bool any = false;

	for (int i = first; i < xp_evlist_nr(evlist); i++) {
		int err = xp_evsel_add_filter(xp_evlist_at(evlist, i), filter->text, diag);

		if (err && err != -EOPNOTSUPP)
			return err;
		any |= !err;
	}
	if (any)
		return 0;
	xp_diag_set(
		diag, -EOPNOTSUPP,
		"The filter '%s' is for tracepoints and probes, and there is none in the -e before it",
		filter->text);
	xp_diag_at(diag, events, 0, (int)strlen(events));
	return -EOPNOTSUPP;
}

int stat_filters_apply(const struct stat_config *config, int event, struct xp_evlist *evlist,
		       int first, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < config->nr_filters && !err; i++)
		if (config->filters[i].event == event)
			err = apply(&config->filters[i], config->events[event].text, evlist, first,
				    diag);
	return err;
}

void stat_filters_fini(struct stat_config *config)
{
	for (int i = 0; i < config->nr_filters; i++)
		free(config->filters[i].text);
	free(config->filters);
	config->filters = NULL;
	config->nr_filters = 0;
}
