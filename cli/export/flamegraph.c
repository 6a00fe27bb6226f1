/* SPDX-License-Identifier: MIT */
/* `xperf flamegraph`: a picture of a recording, or of what has changed since another. */
#include <stddef.h>
#include <string.h>

#include "export.h"
#include "options.h"

struct values {
	struct collect_opts collect;
	struct write_opts write;
	const char *diff;
	bool quiet;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'o', "output", OPTION_STRING, VALUE(write.output), .value = "file",
	  .help = "write to this file (default flamegraph.svg); -: standard output" },
	{ 0, "diff", OPTION_STRING, VALUE(diff), .value = "baseline",
	  .help = "show what has changed since this recording" },
	{ 0, "inverted", OPTION_FLAG, VALUE(write.opts.inverted),
	  .help = "put the outermost frames at the top" },
	BY_OPTION(offsetof(struct values, write)),
	WRITE_OPTIONS(offsetof(struct values, write)),
	COLLECT_OPTIONS(offsetof(struct values, collect)),
	{ 0 },
};

/* Reads the baseline, too, and finds the event in it that is shown. Returns the exit status. */
static int add_baseline(const struct cli *cli, struct values *values, const struct xp_tree *tree,
			struct xp_tree *base, bool *ret_failed)
{
	struct collect_opts opts = values->collect;
	struct xp_tree_event event = { .size = sizeof(event) };
	struct write_opts *write = &values->write;

	opts.read.input = values->diff;
	int status = tree_read(cli, &opts, base, ret_failed);
	if (*ret_failed)
		return status;
	write->opts.base = base;
	write->opts.base_event = -1;
	if (xp_tree_event_at(tree, write->opts.event, &event))
		return status;
	write->opts.base_event = event_of_name(base, event.name);
	*ret_failed = write->opts.base_event < 0;
	return *ret_failed ? EXIT_FAILED : status;
}

static int draw(const struct cli *cli, struct values *values, struct xp_tree *tree,
		struct xp_tree *base)
{
	struct write_opts *write = &values->write;
	const char *input = values->collect.read.input;
	bool failed = true;
	int status = tree_read(cli, &values->collect, tree, &failed);

	if (failed || event_choose(write, tree))
		return failed ? status : EXIT_FAILED;
	if (values->diff) {
		int other = add_baseline(cli, values, tree, base, &failed);

		status = other ? other : status;
	}
	if (failed || tree_write(write, tree, input))
		return failed ? status : EXIT_FAILED;
	if (strcmp(write->output, "-") != 0 && !values->quiet)
		fprintf(stderr, "The flame graph is in '%s'; a browser shows it\n", write->output);
	return status;
}

/* Returns the exit status. */
static int draw_as_asked(const struct cli *cli, struct values *values)
{
	struct xp_tree *tree = NULL, *base = NULL;
	int status = EXIT_FAILED;

	if (!values->write.by && values->diff)
		values->write.by = "";
	values->write.format = format_find("svg");
	if (write_parse(&values->write, &values->collect))
		return EXIT_USAGE;
	if (!xp_tree_new(&tree) && !xp_tree_new(&base))
		status = draw(cli, values, tree, base);
	xp_tree_free(tree);
	xp_tree_free(base);
	return status;
}

int flamegraph_write(const struct cli *cli, const char *input, const char *output, bool quiet)
{
	struct values values = { .collect = COLLECT_DEFAULTS,
				 .write = { .output = output },
				 .quiet = quiet };

	values.collect.read.input = input;
	return draw_as_asked(cli, &values);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .collect = COLLECT_DEFAULTS,
				 .write = { .output = "flamegraph.svg" } };
	int first, status;

	if (!options_parse(&flamegraph_command, argc, argv, &values, &first, &status))
		return status;
	if (argc - first > 1 || (first < argc && values.collect.read.input))
		return options_misused(&flamegraph_command, "unexpected argument '%s'",
				       argv[argc - 1]);
	if (first < argc)
		values.collect.read.input = argv[first];
	values.collect.read.is_one_of_several = values.diff;
	if (values.diff && result_is_input(values.write.output, values.diff)) {
		fprintf(stderr, "Error: '%s' cannot be written: it is also the baseline\n",
			values.write.output);
		return EXIT_FAILED;
	}
	return draw_as_asked(cli, &values);
}

const struct command flamegraph_command = {
	.name = "flamegraph",
	.summary = "Draw a flame graph of a recording, or of what has changed",
	.usage = "[<options>] [<recording>]",
	.options = options,
	.run = run,
};
