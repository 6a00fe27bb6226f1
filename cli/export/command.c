/* SPDX-License-Identifier: MIT */
/* `xperf export`: a recording for other programs. */
#include <stddef.h>
#include <unistd.h>

#include "export.h"
#include "options.h"

struct values {
	struct collect_opts collect;
	struct write_opts write;
	const char *format;
	bool list;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'f', "format", OPTION_STRING, VALUE(format), .value = "format",
	  .help = "write this format (default folded); --list lists all" },
	{ 'o', "output", OPTION_STRING, VALUE(write.output), .value = "file",
	  .help = "write to this file (default: standard output)" },
	{ 'l', "list", OPTION_FLAG, VALUE(list), .help = "list the formats" },
	{ 'e', "event", OPTION_STRING, VALUE(write.event), .value = "event",
	  .help = "only the samples of this event" },
	{ 0, "by", OPTION_STRING, VALUE(write.by), .value = "what,...",
	  .help = "put frames at the root for: event, cgroup, cpu, comm (default), process, "
		  "thread" },
	{ 0, "weight", OPTION_STRING, VALUE(write.weight), .value = "period|samples",
	  .help = "weigh by the sum of periods (default) or by the number of samples" },
	{ 0, "title", OPTION_STRING, VALUE(write.title), .value = "text",
	  .help = "the title of a picture (default: the command that was recorded)" },
	COLLECT_OPTIONS(offsetof(struct values, collect)),
	{ 0 },
};

static int list_formats(void)
{
	const struct xp_export_format *format;

	for (size_t i = 0; (format = xp_export_format_at(i)) != NULL; i++)
		printf("%-12s %s\n", format->name, format->summary);
	return 0;
}

static int export_all(const struct cli *cli, struct values *values)
{
	struct collect_opts *from = &values->collect;
	struct write_opts *to = &values->write;
	struct xp_tree *tree = NULL;
	bool failed = true;

	if (xp_tree_new(&tree))
		return EXIT_FAILED;
	int status = collect(cli, from, tree, &failed);
	if (!failed && (event_choose(to, tree) || tree_write(to, tree, from->read.input)))
		status = EXIT_FAILED;
	xp_tree_free(tree);
	return status;
}

/* What the format has of the samples is collected, and nothing else. */
static void need(struct collect_opts *from, unsigned int has)
{
	from->lines = has & XP_EXPORT_LINES;
	from->addresses = has & XP_EXPORT_ADDRESSES;
	if (has & XP_EXPORT_TASKS)
		from->by |= 1U << XP_BY_THREAD;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .collect = { .read = { .with_symbols = true,
							.with_progress = true,
							.split_readings = true,
							.filter_rows = true } },
				 .write = { .by = "comm" },
				 .format = "folded" };
	int first, status;

	if (!options_parse(&export_command, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(&export_command, "unexpected argument '%s'", argv[first]);
	if (values.list)
		return list_formats();
	values.write.format = format_find(values.format);
	if (!values.write.format || by_parse(&values.write, &values.collect.by) ||
	    weight_parse(&values.write))
		return EXIT_USAGE;
	need(&values.collect, values.write.format->has);
	return export_all(cli, &values);
}

const struct command export_command = {
	.name = "export",
	.summary = "Write a recording for other programs: flame graphs, pprof, browsers",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
