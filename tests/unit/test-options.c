/* SPDX-License-Identifier: MIT */
/* cli/options.c: every spelling of an option, and what is wrong with the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"

enum { ARGS_MAX = 8 };

struct values {
	bool all, group, no_aggr, big_num;
	int verbose, repeat;
	const char *event, *output;
	char log[64]; /* what add_pid() was called with */
};

static int add_pid(const struct option *option, const char *arg, bool negated, void *values)
{
	struct values *v = values;
	size_t len = strlen(v->log);

	if (arg && !strcmp(arg, "bad"))
		return option_error(option, "'%s' is not a process", arg);
	snprintf(v->log + len, sizeof(v->log) - len, "[%s%s]", negated ? "no " : "",
		 arg ? arg : "-");
	return 0;
}

static const struct option options[] = {
	{ 'a', "all-cpus", OPTION_FLAG, offsetof(struct values, all), NULL, "all", NULL, false },
	{ 'A', "no-aggr", OPTION_FLAG, offsetof(struct values, no_aggr), NULL, "A", NULL, false },
	{ 'g', "group", OPTION_FLAG, offsetof(struct values, group), NULL, "group", NULL, false },
	{ 'B', "big-num", OPTION_FLAG, offsetof(struct values, big_num), NULL, "B", NULL, false },
	{ 'v', "verbose", OPTION_COUNT, offsetof(struct values, verbose), NULL, "v", NULL, false },
	{ 'r', "repeat", OPTION_INT, offsetof(struct values, repeat), "n", "r", NULL, false },
	{ 'e', "event", OPTION_STRING, offsetof(struct values, event), "event", "e", NULL, false },
	{ 0, "events", OPTION_STRING, offsetof(struct values, event), "event", "e", NULL, true },
	{ 'o', "output", OPTION_STRING, offsetof(struct values, output), "file", "o", NULL, false },
	{ 'p', "pid", OPTION_CALL, 0, "pid", "p", add_pid, false },
	{ 0, "per-core", OPTION_CALL, 0, NULL, "per core", add_pid, false },
	{ 'z', "compress", OPTION_CALL, 0, "n", "z", add_pid, .optional = true },
	{ 0 },
};

static const struct command command = {
	.name = "demo",
	.summary = "Shows options",
	.usage = "[<options>] [<command>]",
	.options = options,
	.runs_program = true,
};

/* Its arguments are its own. */
static const struct command with_files = {
	.name = "files",
	.summary = "Shows files",
	.usage = "[<options>] [<file>]...",
	.options = options,
};

static const struct row {
	int line;
	const char *args[ARGS_MAX];
	int first; /* counted from the first argument behind the command's name */
	struct values values;
} good[] = {
#define AT __LINE__
	{ AT, { NULL }, 0, { 0 } },
	{ AT, { "-a" }, 1, { .all = true } },
	{ AT, { "--all-cpus" }, 1, { .all = true } },
	{ AT, { "-ag" }, 1, { .all = true, .group = true } },
	{ AT, { "-vvv", "-v" }, 2, { .verbose = 4 } },
	{ AT, { "-v", "--no-verbose", "-v" }, 3, { .verbose = 1 } },
	/* the four ways to give a value */
	{ AT, { "-ecycles", "true" }, 1, { .event = "cycles" } },
	{ AT, { "-e", "cycles", "true" }, 2, { .event = "cycles" } },
	{ AT, { "--event=cycles", "true" }, 1, { .event = "cycles" } },
	{ AT, { "--event", "cycles", "true" }, 2, { .event = "cycles" } },
	{ AT, { "-agecycles" }, 1, { .all = true, .group = true, .event = "cycles" } },
	{ AT, { "-age", "-a" }, 2, { .all = true, .group = true, .event = "-a" } },
	{ AT, { "--event=a=b" }, 1, { .event = "a=b" } },
	{ AT, { "--event=" }, 1, { .event = "" } },
	{ AT, { "-e", "" }, 2, { .event = "" } },
	{ AT, { "-r", "-1" }, 2, { .repeat = -1 } },
	{ AT, { "-r3", "-r4" }, 2, { .repeat = 4 } },
	/* where options end */
	{ AT, { "ls", "-a" }, 0, { 0 } },
	{ AT, { "-g", "--", "-a" }, 2, { .group = true } },
	{ AT, { "-g", "-", "-a" }, 1, { .group = true } },
	{ AT, { "-g", "", "-a" }, 1, { .group = true } },
	/* prefixes */
	{ AT, { "--al" }, 1, { .all = true } },
	{ AT, { "--ev=x" }, 1, { .event = "x" } },
	{ AT, { "--events=x" }, 1, { .event = "x" } },
	{ AT, { "--no" }, 1, { .no_aggr = true } },
	{ AT, { "--out", "f", "x" }, 2, { .output = "f" } },
	/* taking back */
	{ AT, { "-B", "--no-big-num" }, 2, { 0 } },
	{ AT, { "-B", "--no-big" }, 2, { 0 } },
	{ AT, { "--no-aggr" }, 1, { .no_aggr = true } },
	{ AT, { "-A", "--aggr" }, 2, { 0 } },
	{ AT, { "-A", "--agg" }, 2, { 0 } },
	{ AT, { "-A", "--no-no-aggr" }, 2, { 0 } },
	{ AT, { "-A", "--no-no-big-num" }, -1, { 0 } },
	{ AT, { "-o", "f", "--no-output" }, 3, { 0 } },
	{ AT, { "-r", "3", "--no-repeat" }, 3, { 0 } },
	/* calls */
	{ AT, { "-p1", "--pid", "2", "--no-pid" }, 4, { .log = "[1][2][no -]" } },
	{ AT, { "--per-core", "--no-per-core" }, 2, { .log = "[-][no -]" } },
	/* values that may be left out are only taken where they are attached */
	{ AT, { "-z", "3" }, 1, { .log = "[-]" } },
	{ AT, { "-az3", "-z" }, 2, { .all = true, .log = "[3][-]" } },
	{ AT, { "-z=3" }, 1, { .log = "[3]" } },
	{ AT, { "--compress", "3" }, 1, { .log = "[-]" } },
	{ AT, { "--comp=3", "--no-compress" }, 2, { .log = "[3][no -]" } },
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same(const struct values *a, const struct values *b)
{
	return a->all == b->all && a->group == b->group && a->no_aggr == b->no_aggr &&
	       a->big_num == b->big_num && a->verbose == b->verbose && a->repeat == b->repeat &&
	       same_text(a->event, b->event) && same_text(a->output, b->output) &&
	       same_text(a->log, b->log);
}

/* Returned where the command goes on; else the exit status. */
enum { GOES_ON = -1 };

static int parse(const char *const args[], struct values *values, int *ret_first)
{
	char *argv[ARGS_MAX + 2] = { (char *)"demo" };
	int argc = 1, found;

	while (argc <= ARGS_MAX && args[argc - 1]) {
		argv[argc] = (char *)args[argc - 1];
		argc++;
	}
	int status;
	found = options_first(&command, argc, argv);
	if (!options_parse(&command, argc, argv, values, ret_first, &status))
		return status;
	assert_int_equal(found, *ret_first);
	return GOES_ON;
}

/* Runs parse() with stdout and stderr going into @text. */
static int parse_loud(const char *const args[], char *text, size_t size)
{
	struct values values = { 0 };
	FILE *file = tmpfile();
	int saved[2] = { dup(STDOUT_FILENO), dup(STDERR_FILENO) };
	int first;

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	int status = parse(args, &values, &first);
	fflush(stdout);
	dup2(saved[0], STDOUT_FILENO);
	dup2(saved[1], STDERR_FILENO);
	close(saved[0]);
	close(saved[1]);
	rewind(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
	return status;
}

static void spellings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct row *row = &good[i];
		struct values values = { 0 };
		char text[512];
		int first = -1;

		if (row->first < 0) {
			assert_int_equal(parse_loud(row->args, text, sizeof(text)), EXIT_USAGE);
			continue;
		}
		int status = parse(row->args, &values, &first);
		if (status != GOES_ON || first != row->first + 1 || !same(&values, &row->values))
			fail_msg("line %d: status %d, first %d", row->line, status, first - 1);
	}
}

static const struct {
	int line;
	const char *args[ARGS_MAX];
	const char *sentence; /* the first line */
} bad[] = {
	{ AT, { "--evnet=x" }, "Error: unknown option '--evnet', did you mean '--event'?" },
	{ AT, { "--xyzzy" }, "Error: unknown option '--xyzzy'" },
	{ AT, { "-aZ" }, "Error: unknown option '-Z'" },
	{ AT, { "--p" }, "Error: option '--p' is ambiguous, it could be --pid, --per-core" },
	{ AT,
	  { "--no-p=1" },
	  "Error: option '--no-p' is ambiguous, it could be --no-pid, --no-per-core" },
	{ AT, { "-a", "-e" }, "Error: -e: requires a value: <event>" },
	{ AT, { "--event" }, "Error: --event: requires a value: <event>" },
	{ AT, { "--all-cpus=1" }, "Error: --all-cpus: takes no value" },
	{ AT, { "--no-event=1" }, "Error: --event: takes no value when negated" },
	{ AT, { "-r", "3x" }, "Error: -r: '3x' is not a number" },
	{ AT, { "--repeat=" }, "Error: --repeat: '' is not a number" },
	{ AT, { "-r99999999999" }, "Error: -r: 99999999999 is out of range" },
	{ AT, { "-p", "bad" }, "Error: -p: 'bad' is not a process" },
};

static void mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[512], expected[256];
		int status = parse_loud(bad[i].args, text, sizeof(text));

		snprintf(expected, sizeof(expected), "%s\nUsage: %s demo %s\n", bad[i].sentence,
			 program_invocation_short_name, command.usage);
		if (status != EXIT_USAGE || strcmp(text, expected))
			fail_msg("line %d: status %d, text: %s", bad[i].line, status, text);
	}
}

static void help_is_no_mistake(void **state)
{
	static const char *const ways[][ARGS_MAX] = {
		{ "--help" },
		{ "-h" },
		{ "-ah", "x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char text[2048], usage[256];

		snprintf(usage, sizeof(usage), "Usage: %s demo [<options>]",
			 program_invocation_short_name);
		assert_int_equal(parse_loud(ways[i], text, sizeof(text)), 0);
		assert_non_null(strstr(text, usage));
		assert_non_null(strstr(text, "\n    -e, --event <event>"));
		assert_non_null(strstr(text, "\n        --per-core"));
		assert_null(strstr(text, "--events"));
	}
}

static const struct {
	int line;
	const char *args[ARGS_MAX];
	const char *words; /* what is left as arguments, in their order */
	struct values values;
} behind[] = {
	{ AT, { "a", "b" }, " a b", { 0 } },
	{ AT, { "a", "-a", "b" }, " a b", { .all = true } },
	{ AT, { "a", "b", "-r", "3", "-a" }, " a b", { .all = true, .repeat = 3 } },
	{ AT,
	  { "a", "-e", "x", "b", "--output", "o", "c" },
	  " a b c",
	  { .event = "x", .output = "o" } },
	{ AT, { "-a", "a", "-z", "b" }, " a b", { .all = true, .log = "[-]" } },
	{ AT, { "a", "--", "-a", "b" }, " a -a b", { 0 } },
	{ AT, { "-a", "--", "-r" }, " -r", { .all = true } },
	{ AT, { "-", "-a" }, " -", { .all = true } },
	{ AT, { "a", "-ag", "b", "--no-all-cpus" }, " a b", { .group = true } },
};

static void options_may_follow_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		char *argv[ARGS_MAX + 2] = { (char *)"files" }, words[64] = "";
		struct values values = { 0 };
		int argc = 1, first, status;

		for (; argc <= ARGS_MAX && behind[i].args[argc - 1]; argc++)
			argv[argc] = (char *)behind[i].args[argc - 1];
		bool goes_on = options_parse(&with_files, argc, argv, &values, &first, &status);
		for (int word = first; word < argc; word++) {
			strcat(words, " ");
			strcat(words, argv[word]);
		}
		if (!goes_on || strcmp(words, behind[i].words) || !same(&values, &behind[i].values))
			fail_msg("line %d: arguments:%s", behind[i].line, words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(options_may_follow_arguments),
		cmocka_unit_test(help_is_no_mistake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
