/* SPDX-License-Identifier: MIT */
/* `xperf version`: one line that scripts take the third word of, and what was built in. */
#include <stdio.h>
#include <string.h>
#include <xperf/api.h>

#include "cli.h"
#include "feature.h"
#include "options.h"

/* The perf whose command line and output this is. Programs that start perf ask for it to learn what
 * they can use: "perf version (\d+)\.(\d+)\." is the pattern of toplev and ocperf. */
#define PERF_VERSION "6.1.0"

struct values {
	bool build_options;
};

/* Source: the head of cp-demangle.c. */
static const char demangler[] =
	" It contains cp-demangle.o of libiberty, which is under the GPL, version\n"
	"2 or later, and may be distributed without restriction in what it is linked into.";

static const struct option options[] = {
	{ .name = "build-options",
	  .kind = OPTION_FLAG,
	  .offset = offsetof(struct values, build_options),
	  .help = "also show which optional features this build has" },
	{ 0 },
};

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	int first, status;

	if (!options_parse(&version_command, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(&version_command, "unexpected argument '%s'", argv[first]);
	if (cli_is_perf(cli))
		/* Programs take the first line apart, some to its end. */
		printf("perf version %s\n(xperf %s)\n", PERF_VERSION, xp_version());
	else
		printf("%s version %s%s\n", cli->name, xp_version(),
		       strncmp(cli->name, "xperf", 5) ? " (xperf)" : "");
	if (!values.build_options)
		return 0;
	for (const struct build_feature *f = features; f->name; f++)
		feature_print(f);
	printf("\nxperf is under the MIT licence.%s\n",
	       feature_is_on("libiberty") ? demangler : "");
	return 0;
}

const struct command version_command = {
	.name = "version",
	.summary = "Show the version of xperf",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
