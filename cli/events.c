/* SPDX-License-Identifier: MIT */
/* Events, conditions of tracepoints and probes, cgroups: taken from the command line, appended to a
 * list. */
#include "events.h"
#include "vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/bpf-samples.h>
#include <xperf/cgroup.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

static struct event_args *args_of(const struct option *option, void *values)
{
	return (struct event_args *)((char *)values + option->offset);
}

int events_parse(const struct option *option, const char *arg, bool negated, void *values)
{
	struct event_args *args = args_of(option, values);

	if (negated)
		return option_error(option, "events cannot be undone");
	if (vec_add(&args->texts, (size_t)args->nr, sizeof(*args->texts)))
		return option_error(option, "out of memory");
	args->texts[args->nr++] = (struct event_text){
		.text = arg,
		.is_vendor = !strcmp(option->name, "pfm-events"),
	};
	return 0;
}

/* NULL: the threads of this process are left out. */
static int add_filter(const struct option *option, struct event_args *args, const char *text)
{
	if (vec_add(&args->filters, (size_t)args->nr_filters, sizeof(*args->filters)))
		return option_error(option, "out of memory");
	args->filters[args->nr_filters++] = (struct event_filter){ args->nr - 1, text };
	return 0;
}

/* @what: that it is for, of the -e before it. */
static int check_order(const struct option *option, const struct event_args *args, bool negated,
		       const char *what)
{
	if (negated)
		return option_error(option, "cannot be undone");
	if (!args->nr)
		return option_error(
			option, "applies to the %s of the preceding -e, and there is none", what);
	return 0;
}

int events_parse_filter(const struct option *option, const char *arg, bool negated, void *values)
{
	struct event_args *args = args_of(option, values);
	int err = check_order(option, args, negated,
			      args->filters_samples ? "events" : "tracepoints and probes");

	return err ? err : add_filter(option, args, arg);
}

int events_parse_exclude_perf(const struct option *option, const char *arg, bool negated,
			      void *values)
{
	struct event_args *args = args_of(option, values);
	int err = check_order(option, args, negated, "tracepoints and probes");

	(void)arg;
	return err ? err : add_filter(option, args, NULL);
}

int events_parse_cgroups(const struct option *option, const char *arg, bool negated, void *values)
{
	struct event_args *args = args_of(option, values);
	int err = check_order(option, args, negated, "events");

	if (err)
		return err;
	if (vec_add(&args->cgroups, (size_t)args->nr_cgroups, sizeof(*args->cgroups)))
		return option_error(option, "out of memory");
	args->cgroups[args->nr_cgroups++] = (struct event_cgroups){ args->nr - 1, arg };
	return 0;
}

/* Each returns 0, -EOPNOTSUPP if the event is none of those it is for, or why it cannot be. */
typedef int (*filter_fn)(struct xp_evsel *evsel, const char *text, struct xp_diag *diag);

static int exclude_self(struct xp_evsel *evsel, const char *text, struct xp_diag *diag)
{
	(void)text;
	return xp_evsel_exclude_self(evsel, diag);
}

/* Returns 0, -EOPNOTSUPP: it is for none of the events from @first on, or why not. */
static int filter_all(struct xp_evlist *evlist, int first, const char *text, filter_fn add,
		      struct xp_diag *diag)
{
	bool any = false;

	for (int i = first; i < xp_evlist_nr(evlist); i++) {
		int err = add(xp_evlist_at(evlist, i), text, diag);

		if (err && err != -EOPNOTSUPP)
			return err;
		any |= !err;
	}
	return any ? 0 : -EOPNOTSUPP;
}

static int apply_filter(const struct event_args *args, const struct event_filter *filter,
			struct xp_evlist *evlist, int first, struct xp_diag *diag)
{
	const char *events = args->texts[filter->event].text;
	int err = filter_all(evlist, first, filter->text,
			     filter->text ? xp_evsel_add_filter : exclude_self, diag);

	if (err == -EOPNOTSUPP && filter->text && args->filters_samples)
		return filter_all(evlist, first, filter->text, xp_evsel_add_sample_filter, diag);
	if (err != -EOPNOTSUPP)
		return err;
	xp_diag_set(
		diag, -EOPNOTSUPP,
		"The filter '%s' applies to the tracepoints and probes of the preceding -e, and "
		"it has none",
		filter->text ? filter->text : "--exclude-perf");
	xp_diag_at(diag, events, 0, (int)strlen(events));
	return -EOPNOTSUPP;
}

int events_add(const struct event_args *args, int idx, struct xp_evlist *evlist,
	       const char **ret_label, struct xp_diag *diag)
{
	const struct event_text *event = &args->texts[idx];
	int first = xp_evlist_nr(evlist);

	*ret_label = "event";
	int err = event->is_vendor ? xp_evlist_parse_vendor(evlist, event->text, diag)
				   : xp_evlist_parse(evlist, event->text, diag);
	if (err)
		return err;
	*ret_label = NULL; /* from here on the place is in a filter, or in names of cgroups */
	for (int i = 0; i < args->nr_filters && !err; i++)
		if (args->filters[i].event == idx)
			err = apply_filter(args, &args->filters[i], evlist, first, diag);
	for (int i = 0; i < args->nr_cgroups && !err; i++)
		if (args->cgroups[i].event == idx)
			err = xp_evlist_bind_cgroups(evlist, args->cgroups[i].names, diag);
	return err;
}

void events_fini(struct event_args *args)
{
	free(args->filters);
	free(args->cgroups);
	free(args->texts);
	*args = (struct event_args){ 0 };
}
