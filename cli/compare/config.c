/* SPDX-License-Identifier: MIT */
/*
 * The options of `xperf compare`. Those that hyperfine has, too, have its names:
 * hyperfine(1), 1.20; events are named as for `xperf stat`.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "options.h"
#include "stat/options/shared-options.h"

#define AT(member) offsetof(struct compare_config, member)

#define DEFAULT_SHELL  "/bin/sh"
#define DEFAULT_WITHIN 0.01
#define DEFAULT_JUDGE  "wall"

/* "1%", "0.5 %" or "2"; a share of 0.01, 0.005, 0.02. */
static int parse_percent(const struct option *option, const char *arg, bool negated, void *values)
{
	double *share = (double *)((char *)values + option->offset);
	char *end = NULL;

	if (negated) {
		*share = NOT_GIVEN;
		return 0;
	}
	double percent = strtod(arg, &end);
	end += strspn(end, " ");
	if (*end == '%')
		end++;
	if (end == arg || *end || !isfinite(percent) || percent < 0)
		return option_error(option, "'%s' is no percentage, as 1%% or 0.5%%", arg);
	*share = percent / 100;
	return 0;
}

static int parse_seconds(const struct option *option, const char *arg, bool negated, void *values)
{
	double *seconds = (double *)((char *)values + option->offset);
	char *end = NULL;
	double value = negated ? 0 : strtod(arg, &end);

	if (!negated && (end == arg || *end || !(value > 0) || !isfinite(value)))
		return option_error(option, "'%s' is no number of seconds above 0", arg);
	*seconds = value;
	return 0;
}

static int parse_seed(const struct option *option, const char *arg, bool negated, void *values)
{
	struct compare_config *config = values;
	char *end = NULL;

	config->has_seed = !negated;
	if (negated)
		return 0;
	errno = 0;
	config->seed = strtoull(arg, &end, 0);
	if (end == arg || *end || errno || *arg == '-')
		return option_error(option, "'%s' is no number, 0 to 18446744073709551615", arg);
	return 0;
}

static int parse_text(const struct option *option, const char *arg, bool negated, void *values)
{
	struct texts *texts = (struct texts *)((char *)values + option->offset);

	if (negated) {
		texts->nr = 0;
		return 0;
	}
	const char **at = reallocarray(texts->at, texts->nr + 1, sizeof(*at));
	if (!at)
		return option_error(option, "out of memory");
	texts->at = at;
	texts->at[texts->nr++] = arg;
	return 0;
}

static int parse_shell(const struct option *option, const char *arg, bool negated, void *values)
{
	struct compare_config *config = values;

	(void)option;
	config->shell = negated || (arg && !strcmp(arg, "none")) ? NULL
			: !arg || !strcmp(arg, "default")        ? DEFAULT_SHELL
								 : arg;
	return 0;
}

/* clang-format off: one row, one line */
static const struct option options[] = {
	STAT_OPTIONS_OF_EVENTS,
	{ 'n', "null", OPTION_FLAG, AT(stat.null_run),
	  .help = "count nothing, compare times and memory only" },
	{ 'w', "warmup", OPTION_INT, AT(warmup), "N", "run N rounds first that are not measured" },
	{ 'r', "rounds", OPTION_POSITIVE, AT(rounds), "N", "run each command N times" },
	{ 0, "runs", OPTION_POSITIVE, AT(rounds), "N", "the same as --rounds", .hidden = true },
	{ 0, "max-rounds", OPTION_POSITIVE, AT(max_rounds), "N",
	  "with --until: stop after N rounds at the latest; default: 1000" },
	{ 0, "time", OPTION_CALL, AT(time_s), "SECONDS",
	  "begin no round after this time; default: 3 for each command, and ten rounds at least",
	  parse_seconds },
	{ 0, "until", OPTION_CALL, AT(until), "PERCENT",
	  "stop when the difference is known to plus or minus this", parse_percent },
	{ 0, "within", OPTION_CALL, AT(within), "PERCENT",
	  "differences up to this are none; default: 1%", parse_percent },
	{ 0, "judge", OPTION_STRING, AT(judge), "METRIC",
	  "what --until and --fail-if-slower look at; default: wall" },
	{ 0, "fail-if-slower", OPTION_CALL, AT(fail_if_slower), "PERCENT",
	  "exit with status 3 if a command is slower than the first by more than this, with 4 if "
	  "that is unclear",
	  parse_percent },
	{ 0, "seed", OPTION_CALL, 0, "N", "draw the order of runs as the comparison that printed N",
	  parse_seed },
	{ 0, "import", OPTION_STRING, AT(import), "FILE",
	  "compare with the stored runs of a file, as --export-json or hyperfine writes it" },
	{ 0, "import-name", OPTION_STRING, AT(import_name), "NAME",
	  "with --import: only the stored runs of this command" },
	{ 'L', "parameter-list", OPTION_CALL, AT(sweeps), "NAME=VALUE[,VALUE]",
	  "run the commands with each of these values for {NAME}", parse_text },
	{ 0, "command-name", OPTION_CALL, AT(names), "NAME",
	  "call the commands so, in the order they are named", parse_text },
	{ 0, "shell", OPTION_CALL, 0, "SHELL", "pass the commands to a shell; default: /bin/sh",
	  parse_shell, .optional = true },
	{ 0, "setup", OPTION_STRING, AT(setup), "COMMAND",
	  "run this in a shell once for each command, before everything" },
	{ 0, "prepare", OPTION_CALL, AT(prepares), "COMMAND",
	  "run this in a shell before each run; given several times: one for each command",
	  parse_text },
	{ 0, "conclude", OPTION_STRING, AT(conclude), "COMMAND",
	  "run this in a shell after each run" },
	{ 0, "cleanup", OPTION_STRING, AT(cleanup), "COMMAND",
	  "run this in a shell once for each command, after everything" },
	{ 0, "ignore-failure", OPTION_FLAG, AT(ignore_failure),
	  .help = "go on if a command exits with a status other than 0" },
	{ 0, "show-output", OPTION_FLAG, AT(show_output),
	  .help = "print what the commands print, and let them read standard input" },
	{ 0, "no-padding", OPTION_FLAG, AT(no_padding),
	  .help = "do not move stack and environment by a random number of bytes in each run" },
	{ 0, "export-json", OPTION_STRING, AT(json), "FILE",
	  "write all values and conclusions, as hyperfine does and more" },
	{ 0, "export-csv", OPTION_STRING, AT(csv), "FILE", "write the table as CSV" },
	{ 0, "export-markdown", OPTION_STRING, AT(markdown), "FILE",
	  "write the table for Markdown" },
	{ 'v', "verbose", OPTION_COUNT, AT(stat.verbose),
	  .help = "print each run; twice: also the attributes each event was opened with" },
	{ 'q', "quiet", OPTION_FLAG, AT(stat.quiet), .help = "print no table and no warnings" },
	{ 0 },
};
/* clang-format on */

const struct command compare_command = {
	.name = "compare",
	.summary = "Run commands in turns and show which differences are real",
	.usage = "[<options>] '<command>' '<command>' ...",
	.options = options,
	.run = compare_main,
	.epilogue =
		"Commands can also be lists of arguments after --, with -- between them. The first "
		"command is\nwhat the others are compared with; with --import, the first one of the "
		"file.\n",
};

static const char *contradiction(const struct compare_config *c)
{
	if (!c->words[0])
		return "No command is given to run: xperf compare 'COMMAND A' 'COMMAND B'";
	if (c->rounds && (c->time_s > 0 || c->until >= 0 || c->max_rounds))
		return "--rounds says how often, --time, --until and --max-rounds when to stop: choose one";
	if (c->until == 0)
		return "--until needs a precision above 0%";
	if (c->max_rounds && c->until < 0)
		return "--max-rounds needs --until";
	if (c->import_name && !c->import)
		return "--import-name needs --import";
	if (c->warmup < 0)
		return "--warmup needs a number of rounds, 0 or more";
	if (c->stat.null_run && c->stat.events.nr)
		return "-n counts nothing, -e names events to count: choose one";
	if (c->stat.null_run && stat_config_has_metrics(&c->stat))
		return "-n counts nothing, -M needs counts: choose one";
	if (c->stat.all_user && c->stat.all_kernel)
		return "--all-user and --all-kernel exclude each other";
	return NULL;
}

bool compare_config_init(struct compare_config *config, int argc, char **argv, int *ret_status)
{
	int first;

	*config = (struct compare_config){
		.stat = { .repeat = 1, .scale = true, .affinity = true },
		.until = NOT_GIVEN,
		.within = NOT_GIVEN,
		.fail_if_slower = NOT_GIVEN,
	};
	if (!options_parse(&compare_command, argc, argv, config, &first, ret_status))
		return false;
	config->words = argv + first;
	const char *sentence = contradiction(config);
	if (sentence) {
		*ret_status = options_misused(&compare_command, "%s", sentence);
		return false;
	}
	if (config->within < 0)
		config->within = DEFAULT_WITHIN;
	if (!config->judge)
		config->judge = DEFAULT_JUDGE;
	return true;
}

void compare_config_fini(struct compare_config *config)
{
	free(config->names.at);
	free(config->sweeps.at);
	free(config->prepares.at);
	stat_config_fini(&config->stat);
}
