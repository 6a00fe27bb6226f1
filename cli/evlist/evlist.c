/* SPDX-License-Identifier: MIT */
/*
 * `xperf evlist`: the events of a recording. Source of the layout: perf evlist, 6.1, measured.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/traces.h>

#include "attr-text.h"
#include "cli.h"
#include "escape.h"
#include "options.h"
#include "recording.h"

struct values {
	struct recording_opts read;
	bool freq, group, trace_fields;
	int verbose;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(read.input), .value = "file",
	  .help = "read this recording (default perf.data, or standard input if that is a pipe)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the file even if it belongs to another user" },
	{ 'F', "freq", OPTION_FLAG, VALUE(freq),
	  .help = "print the sampling frequency or period of each event" },
	{ 'g', "group", OPTION_FLAG, VALUE(group), .help = "print groups as {a,b}" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "print the attribute of each event, and report all damage of the recording" },
	{ 0, "trace-fields", OPTION_FLAG, VALUE(trace_fields),
	  .help = "print the fields of tracepoints" },
	{ 0 },
};

struct evlist {
	const struct values *values;
	struct recording *rec;
};

static bool is_leader(const struct evlist *list, int idx)
{
	const struct xp_data_event *next = xp_data_event_at(list->rec->data, idx + 1);

	return next && next->leader == idx;
}

/* "{a,b}", or the name of the group before it. */
static void print_group(const struct evlist *list, int idx)
{
	const struct xp_data_event *event = xp_data_event_at(list->rec->data, idx);
	const struct xp_data_event *member = event;

	escape_print(stdout, event->group_name ? event->group_name : "");
	putchar('{');
	for (int i = idx; member && member->leader == idx;
	     member = xp_data_event_at(list->rec->data, ++i)) {
		if (i > idx)
			putchar(',');
		escape_print(stdout, member->name);
	}
	putchar('}');
}

/* What was asked for behind the name. */
static void print_rest(const struct evlist *list, const struct xp_data_event *event)
{
	const struct values *values = list->values;

	if (values->trace_fields && event->attr.type != XP_TYPE_TRACEPOINT) {
		fputs(": (not a tracepoint)", stdout);
	} else if (values->trace_fields) {
		fputs(": trace_fields: ", stdout);
		escape_print(stdout, list->rec->traces ? xp_traces_fields(list->rec->traces,
									  event->attr.config)
						       : "(not described)");
	} else if (values->verbose) {
		fputs(": ", stdout);
		attr_print_line(stdout, &event->attr, ": ");
	} else if (values->freq) {
		printf(": %s=%llu", event->attr.freq ? "sample_freq" : "sample_period",
		       (unsigned long long)event->attr.sample_freq);
	}
}

/* Returns true for a tracepoint. */
static bool print_event(const struct evlist *list, int idx)
{
	const struct xp_data_event *event = xp_data_event_at(list->rec->data, idx);

	if (list->values->group && event->leader != idx)
		return false;
	if (list->values->group && is_leader(list, idx))
		print_group(list, idx);
	else
		escape_print(stdout, event->name);
	if (!list->values->group)
		print_rest(list, event);
	putchar('\n');
	return event->attr.type == XP_TYPE_TRACEPOINT;
}

/* The events of a stream come with its records. */
static int read_all(struct xp_data *data)
{
	const struct xp_record *record;
	int got;

	if (!xp_data_is_stream(data))
		return 0;
	while ((got = xp_data_next(data, &record, NULL)) > 0)
		continue;
	return got;
}

static int print_all(struct recording *rec, const struct values *values)
{
	const struct evlist list = { .values = values, .rec = rec };
	bool has_tracepoint = false;
	int err = read_all(rec->data);

	/* Without it, fields cannot be shown; the events can. */
	recording_traces(rec, NULL);
	for (int i = 0; i < xp_data_nr_events(rec->data); i++)
		has_tracepoint |= print_event(&list, i);
	if (has_tracepoint && !values->trace_fields)
		printf("# Tip: use '%s evlist --trace-fields' to show fields for tracepoint "
		       "events\n",
		       program_invocation_short_name);
	return err;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	int first, status;

	if (!options_parse(&evlist_command, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(&evlist_command, "unexpected argument '%s'", argv[first]);
	if (values.group && (values.verbose || values.freq))
		return options_misused(&evlist_command, "--group cannot be combined with -v or -F");
	struct recording rec;
	int err = recording_open(&rec, cli, &values.read) ?: print_all(&rec, &values);
	return recording_close(&rec, err, values.verbose);
}

const struct command evlist_command = {
	.name = "evlist",
	.summary = "List the events of a recording",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
