/* SPDX-License-Identifier: MIT */
/*
 * What commands of --control do to events: switch and list them. Source: perf-record(1) and
 * perf-stat(1) of perf 6.1.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "attr-text.h"
#include "control.h"

static const char *on_or_off(bool on)
{
	return on ? "on" : "off";
}

static int switch_all(struct xp_evlist *evlist, bool on, bool quiet, struct xp_diag *diag)
{
	int err = on ? xp_evlist_enable(evlist) : xp_evlist_disable(evlist);

	if (err)
		return xp_diag_set(diag, err, "The events cannot be switched %s: %s", on_or_off(on),
				   strerror(-err));
	if (!quiet)
		fputs(on ? "Events enabled\n" : "Events disabled\n", stderr);
	return 0;
}

/* What has no counter of its own, such as duration_time, is left as it is. */
static int switch_one(struct xp_evsel *evsel, bool on, bool quiet, struct xp_diag *diag)
{
	int err = on ? xp_evsel_enable(evsel) : xp_evsel_disable(evsel);
	const char *name = xp_evsel_name(evsel);

	if (err && err != -ENOTCONN)
		return xp_diag_set(diag, err, "%s cannot be switched %s: %s", name, on_or_off(on),
				   strerror(-err));
	if (err)
		fprintf(stderr, "Warning: --control: %s cannot be switched %s: it has no counter\n",
			name, on_or_off(on));
	else if (!quiet)
		fprintf(stderr, "Event %s %s\n", name, on ? "enabled" : "disabled");
	return 0;
}

int control_switch(struct xp_evlist *evlist, const char *name, bool on, bool quiet,
		   struct xp_diag *diag)
{
	bool any = false;
	int err = 0;

	if (!*name)
		return switch_all(evlist, on, quiet, diag);
	for (int i = 0; i < xp_evlist_nr(evlist) && !err; i++) {
		struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		if (strcmp(xp_evsel_name(evsel), name) != 0)
			continue;
		err = switch_one(evsel, on, quiet, diag);
		any = true;
	}
	if (!any)
		fprintf(stderr, "Warning: --control: there is no event '%s'\n", name);
	return err;
}

static void list_names(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		puts(xp_evsel_name(xp_evlist_at(evlist, i)));
}

static void list_attrs(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		printf("%s: ", xp_evsel_name(evsel));
		attr_print_line(stdout, xp_evsel_attr_const(evsel), ": ");
		putchar('\n');
	}
}

static void list_groups(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist);) {
		int size = xp_evsel_group_size(xp_evlist_at(evlist, i));

		printf("%s", size > 1 ? "{" : "");
		for (int end = i + size; i < end; i++)
			printf("%s%s", xp_evsel_name(xp_evlist_at(evlist, i)),
			       i + 1 < end ? "," : "");
		puts(size > 1 ? "}" : "");
	}
}

static void list_frequencies(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, i);
		const struct xp_attr *attr = xp_evsel_attr_const(evsel);

		printf("%s: %s=%llu\n", xp_evsel_name(evsel),
		       attr->freq ? "sample_freq" : "sample_period",
		       (unsigned long long)attr->sample_period);
	}
}

static const struct {
	const char *arg;
	void (*list)(const struct xp_evlist *evlist);
} lists[] = {
	{ "", list_names },
	{ "-v", list_attrs },
	{ "-g", list_groups },
	{ "-F", list_frequencies },
};

void control_list(const struct xp_evlist *evlist, const char *arg)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (strcmp(lists[i].arg, arg) != 0)
			continue;
		lists[i].list(evlist);
		fflush(stdout);
		return;
	}
	fprintf(stderr, "Warning: --control: evlist accepts -v, -g or -F, not '%s'\n", arg);
}
