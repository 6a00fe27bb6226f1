/* SPDX-License-Identifier: MIT */
/* `xperf check feature`: lets a script ask what this build can do. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <xperf/suggest.h>

#include "cli.h"
#include "feature.h"
#include "options.h"

struct values {
	bool quiet;
};

static const struct option options[] = {
	{ .letter = 'q',
	  .name = "quiet",
	  .kind = OPTION_FLAG,
	  .offset = offsetof(struct values, quiet),
	  .help = "print nothing; the exit status is the answer" },
	{ 0 },
};

static bool same(const char *name, const char *text, size_t len)
{
	return !strncasecmp(name, text, len) && !name[len];
}

static const struct build_feature *find(const char *text, size_t len)
{
	for (const struct build_feature *f = features; f->name; f++)
		if (same(f->name, text, len) || same(f->macro, text, len))
			return f;
	return NULL;
}

static void say_unknown(const char *text, size_t len)
{
	struct xp_suggest suggest = { .word = text, .len = len };

	for (const struct build_feature *f = features; f->name; f++)
		xp_suggest_offer(&suggest, f->name);
	fprintf(stderr, "Error: there is no feature '%.*s'", (int)len, text);
	if (suggest.best)
		fprintf(stderr, ", did you mean '%s'?\n", suggest.best);
	else
		fprintf(stderr, "; '%s version --build-options' lists them\n",
			program_invocation_short_name);
}

/* Returns whether all features of a list like "libelf,zstd" are on. */
static bool all_on(const char *list, bool quiet)
{
	bool on = true;

	for (const char *name = list;; name++) {
		size_t len = strcspn(name, ",");
		const struct build_feature *feature = find(name, len);

		if (!feature)
			say_unknown(name, len);
		else if (!quiet)
			feature_print(feature);
		on = on && feature && feature->on;
		name += len;
		if (!*name)
			return on;
	}
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	int first, status;

	(void)cli;
	if (!options_parse(&check_command, argc, argv, &values, &first, &status))
		return status;
	if (first == argc || strcmp(argv[first], "feature"))
		return options_misused(&check_command, "the argument 'feature' is missing");
	if (++first == argc)
		return options_misused(&check_command, "the name of a feature is missing");

	bool on = true;
	for (int i = first; i < argc; i++)
		on = all_on(argv[i], values.quiet) && on;
	return on ? 0 : 1;
}

const struct command check_command = {
	.name = "check",
	.summary = "Check whether this build has a feature",
	.usage = "feature [<options>] <name>[,<name>...]",
	.options = options,
	.run = run,
};
