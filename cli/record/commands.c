/* SPDX-License-Identifier: MIT */
/* What the commands of --control do to a recording. Source: perf-record(1) of perf 6.1. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attr-text.h"
#include "recorder.h"

static void say(const struct recorder *r, const char *name, bool on)
{
	if (r->config.quiet)
		return;
	if (name)
		fprintf(stderr, "Event %s %s\n", name, on ? "enabled" : "disabled");
	else
		fputs(on ? "Events enabled\n" : "Events disabled\n", stderr);
}

static int enable_one(struct recorder *r, const char *name, bool on, struct xp_diag *diag)
{
	bool any = false;

	for (int i = 0; i < xp_evlist_nr(r->evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(r->evlist, i);

		if (strcmp(xp_evsel_name(evsel), name) != 0)
			continue;
		int err = on ? xp_evsel_enable(evsel) : xp_evsel_disable(evsel);
		if (err)
			return xp_diag_set(diag, err, "%s cannot be switched %s: %s", name,
					   on ? "on" : "off", strerror(-err));
		any = true;
	}
	if (any)
		say(r, name, on);
	else
		fprintf(stderr, "Warning: --control: there is no event '%s'\n", name);
	return 0;
}

static int enable_or_disable(struct recorder *r, const char *name, bool on, struct xp_diag *diag)
{
	if (*name)
		return enable_one(r, name, on, diag);
	int err = recorder_enable(r, on, diag);
	if (!err)
		say(r, NULL, on);
	return err;
}

static int enable(void *data, const char *arg, struct xp_diag *diag)
{
	return enable_or_disable(data, arg, true, diag);
}

static int disable(void *data, const char *arg, struct xp_diag *diag)
{
	return enable_or_disable(data, arg, false, diag);
}

static int snapshot(void *data, const char *arg, struct xp_diag *diag)
{
	const struct recorder *r = data;
	int err = xp_recorder_snapshot(r->recorder);

	(void)arg;
	return err ? xp_diag_set(diag, err, "A snapshot cannot be recorded: %s", strerror(-err))
		   : 0;
}

static int stop(void *data, const char *arg, struct xp_diag *diag)
{
	(void)arg;
	(void)diag;
	recorder_stop(data);
	return 0;
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

static int list(void *data, const char *arg, struct xp_diag *diag)
{
	const struct recorder *r = data;

	(void)diag;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (strcmp(lists[i].arg, arg) != 0)
			continue;
		lists[i].list(r->evlist);
		fflush(stdout);
		return 0;
	}
	fprintf(stderr, "Warning: --control: evlist accepts -v, -g or -F, not '%s'\n", arg);
	return 0;
}

const struct control_ops recorder_control = {
	.enable = enable,
	.disable = disable,
	.snapshot = snapshot,
	.stop = stop,
	.list = list,
};
