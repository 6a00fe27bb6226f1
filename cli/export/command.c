/* SPDX-License-Identifier: MIT */
/* `xperf export`: a recording for other programs. */
#include <stddef.h>
#include <unistd.h>

#include "export.h"
#include "options.h"

struct values {
	struct export_values export;
	bool list;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'f', "format", OPTION_STRING, VALUE(export.format), .value = "format",
	  .help = "write this format (default folded); --list lists all" },
	{ 'o', "output", OPTION_STRING, VALUE(export.write.output), .value = "file",
	  .help = "write to this file (default: standard output)" },
	{ 'l', "list", OPTION_FLAG, VALUE(list), .help = "list the formats" },
	BY_OPTION(offsetof(struct values, export.write)),
	WRITE_OPTIONS(offsetof(struct values, export.write)),
	COLLECT_OPTIONS(offsetof(struct values, export.collect)),
	{ 0 },
};

static int list_formats(void)
{
	const struct xp_export_format *format;

	for (size_t i = 0; (format = xp_export_format_at(i)) != NULL; i++)
		printf("%-12s %s\n", format->name, format->summary);
	return 0;
}

static int write_format(const struct cli *cli, struct export_values *values)
{
	struct collect_opts *from = &values->collect;
	struct write_opts *to = &values->write;
	struct xp_tree *tree = NULL;
	bool failed = true;

	if (xp_tree_new(&tree))
		return EXIT_FAILED;
	bool is_stream = to->format->has & XP_EXPORT_SAMPLES;
	int status = is_stream ? stream_write(cli, from, to, tree, &failed)
			       : tree_read(cli, from, tree, &failed);
	if (!is_stream && !failed &&
	    (event_choose(to, tree) || tree_write(to, tree, from->read.input))) {
		failed = true;
		status = EXIT_FAILED;
	}
	values->is_written = !failed;
	xp_tree_free(tree);
	return status;
}

int export_recording(const struct cli *cli, struct export_values *values)
{
	values->write.format = format_find(values->format ? values->format : "folded");
	if (!values->write.format || write_parse(&values->write, &values->collect))
		return EXIT_USAGE;
	return write_format(cli, values);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .export.collect = COLLECT_DEFAULTS };
	int first, status;

	if (!options_parse(&export_command, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(&export_command, "unexpected argument '%s'", argv[first]);
	if (values.list)
		return list_formats();
	return export_recording(cli, &values.export);
}

const struct command export_command = {
	.name = "export",
	.summary = "Write a recording for other programs: flame graphs, pprof, browsers",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
