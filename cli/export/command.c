/* SPDX-License-Identifier: MIT */
/* `xperf export`: a recording for other programs. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <xperf/export.h>
#include <xperf/record.h>

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
	DIFF_OPTION(offsetof(struct values, export.diff)),
	BY_OPTION(offsetof(struct values, export.write)),
	CODE_OPTION(offsetof(struct values, export.write)),
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

static int write_samples(const struct cli *cli, struct export_values *values, struct xp_tree *tree)
{
	bool failed = true;
	int status = stream_write(cli, &values->collect, &values->write, tree, &failed);

	values->is_written = !failed;
	return status;
}

static int write_tree(const struct cli *cli, struct export_values *values, struct xp_tree *tree,
		      struct xp_tree *base)
{
	struct collect_opts *from = &values->collect;
	struct write_opts *to = &values->write;
	bool failed = true;
	bool shows_changes = !values->diff && to->format->has & XP_EXPORT_BASE;
	int status = tree_read(cli, from, tree, shows_changes ? base : NULL, &failed);
	struct xp_tree_event event = { .size = sizeof(event) };

	if (failed || event_choose(to, tree))
		return failed ? status : EXIT_FAILED;
	if (shows_changes && !xp_tree_event_at(base, 0, &event)) {
		to->opts.base = base;
		to->opts.base_event = to->opts.event < 0 ? -1 : 0;
	} else if (values->diff) {
		int other = baseline_read(cli, from, to, values->diff, tree, base, &failed);

		status = other ? other : status;
	}
	if (failed || tree_write(to, tree, from->read.input))
		return failed ? status : EXIT_FAILED;
	values->is_written = true;
	return status;
}

int export_recording(const struct cli *cli, struct export_values *values)
{
	struct write_opts *write = &values->write;
	struct xp_tree *tree = NULL, *base = NULL;
	int status = EXIT_FAILED;

	write->format = format_find(values->format ? values->format : "folded");
	if (!write->format || write_parse(write, &values->collect))
		return EXIT_USAGE;
	if (values->diff && !baseline_is_shown(write))
		return EXIT_USAGE;
	if (values->diff && !baseline_is_kept(write, values->diff))
		return EXIT_FAILED;
	const char **time = &values->collect.read.filter.time;
	if (*time && !strcmp(*time, "now")) {
		values->collect.is_now = true;
		*time = NULL;
	}
	values->collect.read.is_one_of_several |= values->diff != NULL;
	if (!xp_tree_new(&tree) && !xp_tree_new(&base))
		status = write->format->has & XP_EXPORT_SAMPLES
				 ? write_samples(cli, values, tree)
				 : write_tree(cli, values, tree, base);
	xp_tree_free(tree);
	xp_tree_free(base);
	return status;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .export.collect = COLLECT_DEFAULTS };
	int first, status;

	if (!options_parse(&export_command, argc, argv, &values, &first, &status))
		return status;
	if (!collect_files(&values.export.collect, argv + first))
		return options_misused(&export_command, "unexpected argument '%s'", argv[first]);
	if (values.list)
		return list_formats();
	return export_recording(cli, &values.export);
}

const struct command export_command = {
	.name = "export",
	.summary = "Write a recording for other programs: flame graphs, pprof, browsers",
	.usage = "[<options>] [<recording>]",
	.options = options,
	.run = run,
};
