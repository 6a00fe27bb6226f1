/* SPDX-License-Identifier: MIT */
/* `xperf diff`: what has changed between recordings. */
#include "diff.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "options.h"
#include "separator.h"
#include "servers.h"
#include "terminal.h"

static int parse_compute(const struct option *option, const char *arg, bool negated, void *data)
{
	static const struct {
		const char *name;
		enum compute compute;
	} names[] = {
		{ "delta", COMPUTE_DELTA },
		{ "delta-abs", COMPUTE_DELTA_ABS },
		{ "ratio", COMPUTE_RATIO },
	};
	struct values *values = data;
	long long weights[2];
	char rest;

	if (negated) {
		values->compute = COMPUTE_DELTA_ABS;
		return 0;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, arg)) {
			values->compute = names[i].compute;
			return 0;
		}
	if (sscanf(arg, "wdiff:%lld,%lld%c", &weights[0], &weights[1], &rest) == 2) {
		values->compute = COMPUTE_WDIFF;
		values->weights[0] = weights[0];
		values->weights[1] = weights[1];
		return 0;
	}
	return option_error(option, "'%s' is not delta, delta-abs, ratio or wdiff:N,M", arg);
}

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'c', "compute", OPTION_CALL, .call = parse_compute, .value = "what",
	  .help = "compute delta-abs (default), delta, ratio, or wdiff:N,M: M times the period "
		  "minus N times the baseline's" },
	{ 'o', "order", OPTION_INT, VALUE(order), .value = "n",
	  .help = "sort by the n-th recording that is compared with the baseline; 0: by the "
		  "baseline" },
	{ 's', "sort", OPTION_STRING, VALUE(sort), .value = "key,...",
	  .help = "the keys that make a row: dso,symbol (default), comm, pid, cpu" },
	{ 'b', "baseline-only", OPTION_FLAG, VALUE(baseline_only),
	  .help = "show only rows that the baseline and another side have" },
	{ 'p', "period", OPTION_FLAG, VALUE(period), .help = "show the sums of the periods" },
	{ 'F', "formula", OPTION_FLAG, VALUE(formula), .help = "show how each value was computed" },
	{ 0, "normalize", OPTION_FLAG, VALUE(normalize),
	  .help = "ignore what compilers and versions add to names; default if a side has "
		  "several recordings" },
	{ 'd', "dsos", OPTION_STRING, VALUE(read.filter.dsos), .value = "file,...",
	  .help = "compare only these files" },
	{ 'C', "comms", OPTION_STRING, VALUE(read.filter.comms), .value = "name,...",
	  .help = "compare only these commands" },
	{ 'S', "symbols", OPTION_STRING, VALUE(read.filter.symbols), .value = "name,...",
	  .help = "compare only these functions" },
	{ 0, "pid", OPTION_STRING, VALUE(read.filter.pids), .value = "pid,...",
	  .help = "compare only these processes" },
	{ 0, "tid", OPTION_STRING, VALUE(read.filter.tids), .value = "tid,...",
	  .help = "compare only these threads" },
	{ 0, "cpu", OPTION_STRING, VALUE(read.filter.cpus), .value = "cpu,...",
	  .help = "compare only these CPUs" },
	{ 0, "time", OPTION_STRING, VALUE(read.filter.time), .value = "from,to",
	  .help = "compare only this span of each recording: seconds, or 10%/2, 0%-10%,30%-40%" },
	{ 0, "percentage", OPTION_STRING, VALUE(percentage), .value = "relative|absolute",
	  .help = "compute shares of what passes the filters, or of everything" },
	SEPARATOR_OPTION(offsetof(struct values, separator)),
	{ 'q', "quiet", OPTION_FLAG, VALUE(quiet), .help = "print rows without a heading" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the files even if they belong to another user" },
	{ 'm', "modules", OPTION_FLAG, VALUE(modules),
	  .help = "read the symbols of kernel modules; always done" },
	SYMBOL_OPTIONS(offsetof(struct values, read.symbols)),
	{ 0, "json", OPTION_FLAG, VALUE(json), .help = "write JSON" },
	{ 0, "html", OPTION_STRING, VALUE(html), .value = "file",
	  .help = "write a report for browsers that shows the difference of two recordings" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "report all damage of the recordings" },
	{ 0 },
};

/* The keys rows are distinguished by. Returns 0 or -1 after one sentence. */
static int parse_keys(struct diff *diff, const char *text)
{
	static const enum xp_key known[] = { XP_KEY_DSO, XP_KEY_SYMBOL, XP_KEY_COMM, XP_KEY_PID,
					     XP_KEY_CPU };

	for (; *text; text += strcspn(text, ","), text += *text == ',') {
		size_t len = strcspn(text, ",");
		int key = xp_key_find(text, len);
		bool is_known = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			is_known |= (int)known[i] == key;
		if (len && (!is_known || diff->nr_keys == MAX_KEYS)) {
			fprintf(stderr,
				"Error: --sort: '%.*s' is not dso, symbol, comm, pid or cpu\n",
				(int)len, text);
			return -1;
		}
		if (len)
			diff->keys[diff->nr_keys++] = (enum xp_key)key;
	}
	return 0;
}

/* Returns 0 or -1 after one sentence. */
static int parse_percentage(struct diff *diff, const char *how)
{
	diff->relative = how && !strcmp(how, "relative");
	if (!how || diff->relative || !strcmp(how, "absolute"))
		return 0;
	fprintf(stderr, "Error: --percentage: '%s' is neither relative nor absolute\n", how);
	return -1;
}

static int show(const struct cli *cli, struct diff *diff)
{
	bool failed;
	int status = sources_read(cli, diff, &failed);

	if (failed)
		return status;
	diff_compute(diff);
	pid_t pager = pager_start();
	if (diff->values->json)
		diff_print_json(diff);
	else
		diff_print(diff);
	fflush(stdout);
	pager_end(pager);
	if (!diff->values->quiet)
		diff_hint_renamed(diff);
	return status;
}

/* The report has call chains, and all that belongs to them, in the place of rows. */
static int write_html(const struct cli *cli, const struct diff *diff)
{
	struct export_values report = {
		.collect = { .read = diff->values->read, .verbose = diff->values->verbose },
		.write = { .output = diff->values->html },
		.format = "html",
		.diff = diff->sources[0].path,
	};

	if (diff->nr_sources != 2 || diff->nr_sides != 2 || diff->values->json)
		return options_misused(&diff_command,
				       "--html compares two recordings, and excludes --json");
	report.collect.read.input = diff->sources[1].path;
	int status = export_recording(cli, &report);
	if (report.is_written && !diff->values->quiet && strcmp(report.write.output, "-") != 0)
		fprintf(stderr, "The report is in '%s'; a browser shows it\n",
			escaped(report.write.output));
	return status;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = {
		.read = { .with_symbols = true,
			  .is_one_of_several = true,
			  .with_progress = true,
			  .split_readings = true,
			  .filter_rows = true },
		.sort = "dso,symbol",
		.order = 1,
	};
	struct diff diff = { .values = &values };
	int first, status;

	if (!options_parse(&diff_command, argc, argv, &values, &first, &status))
		return status;
	status = EXIT_USAGE;
	if (!parse_keys(&diff, values.sort) && !parse_percentage(&diff, values.percentage) &&
	    !sources_parse(&diff, argc - first, argv + first)) {
		if (values.order < 0 || values.order >= diff.nr_sides)
			status = options_misused(&diff_command, "--order: there is no side %d",
						 values.order);
		else
			status = values.html ? write_html(cli, &diff) : show(cli, &diff);
	}
	diff_fini(&diff);
	return status;
}

const struct command diff_command = {
	.name = "diff",
	.summary = "Compare recordings: what got slower, what faster",
	.usage = "[<options>] [<baseline>[,<file>...]] [<file>[,<file>...]]...",
	.options = options,
	.run = run,
};
