/* SPDX-License-Identifier: MIT */
/* `xperf flamegraph`: a picture of a recording, or of what has changed since another. */
#include <stddef.h>
#include <string.h>

#include "export.h"
#include "options.h"

#define VALUE(field) .offset = offsetof(struct export_values, field)

static const struct option options[] = {
	{ 'o', "output", OPTION_STRING, VALUE(write.output), .value = "file",
	  .help = "write to this file (default flamegraph.svg); -: standard output" },
	DIFF_OPTION(offsetof(struct export_values, diff)),
	{ 0, "inverted", OPTION_FLAG, VALUE(write.opts.inverted),
	  .help = "put the outermost frames at the top" },
	{ 0, "width", OPTION_POSITIVE, VALUE(write.width), .value = "pixels",
	  .help = "the width of the picture (default: that of the window)" },
	{ 0, "minwidth", OPTION_STRING, VALUE(write.min_width), .value = "pixels",
	  .help = "leave out boxes that are thinner (default 0.1)" },
	{ 0, "subtitle", OPTION_STRING, VALUE(write.opts.subtitle), .value = "text",
	  .help = "a text below the title" },
	{ 0, "countname", OPTION_STRING, VALUE(write.opts.count_name), .value = "text",
	  .help = "what the weights are called" },
	{ 0, "negate", OPTION_FLAG, VALUE(write.opts.negated),
	  .help = "with --diff: blue is more than before, red is less" },
	BY_OPTION(offsetof(struct export_values, write)),
	WRITE_OPTIONS(offsetof(struct export_values, write)),
	COLLECT_OPTIONS(offsetof(struct export_values, collect)),
	{ 0 },
};

/* Returns the exit status. */
static int draw(const struct cli *cli, struct export_values *values, bool quiet)
{
	const char *output = values->write.output;

	/* What has changed is easier to see in all threads together. */
	if (!values->write.by && values->diff)
		values->write.by = "";
	int status = export_recording(cli, values);
	if (values->is_written && strcmp(output, "-") != 0 && !quiet)
		fprintf(stderr, "The flame graph is in '%s'; a browser shows it\n", output);
	return status;
}

int flamegraph_write(const struct cli *cli, const char *input, const char *output, bool quiet)
{
	struct export_values values = { .collect = COLLECT_DEFAULTS,
					.write = { .output = output },
					.format = "svg" };

	values.collect.read.input = input;
	return draw(cli, &values, quiet);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct export_values values = { .collect = COLLECT_DEFAULTS,
					.write = { .output = "flamegraph.svg" },
					.format = "svg" };
	int first, status;

	if (!options_parse(&flamegraph_command, argc, argv, &values, &first, &status))
		return status;
	if (!collect_files(&values.collect, argv + first))
		return options_misused(&flamegraph_command, "unexpected argument '%s'",
				       argv[argc - 1]);
	return draw(cli, &values, false);
}

const struct command flamegraph_command = {
	.name = "flamegraph",
	.summary = "Draw a flame graph of a recording, or of what has changed",
	.usage = "[<options>] [<recording>]",
	.options = options,
	.run = run,
};
