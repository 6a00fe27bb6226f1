/* SPDX-License-Identifier: MIT */
/*
 * Each option of each command that takes a value, with values that are wrong for most of them: none
 * may crash or hang, and what is not on the list of values that mean something ends in one sentence
 * and an exit status that is not 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "remove-tree.h"
#include "sim.h"

enum { HANGS_AFTER_S = 30, ARGS_MAX = 8 };

/* The values, each with the letter it has in the lists below. */
static const struct value {
	char letter;
	const char *text;
} values[] = {
	{ 'w', "%wrong%" }, /* no name of anything, nor a number */
	{ '0', "0" },       { '-', "-5" }, { 'h', "99999999999999999999999" }, { 'e', "" },
};

/* How a command is run so that it has something to do: arguments before and after the option. */
static const struct call {
	const char *command;
	const char *before[4], *after[4];
} calls[] = {
	{ "record", { "-q" }, { "prog" } },
	{ "stat", { NULL }, { "prog" } },
	{ "diff", { NULL }, { "perf.data", "perf.data" } },
	{ "data", { "convert", "--to-json", "json", "--force" }, { NULL } },
	{ "archive", { NULL }, { "perf.data" } },
	{ "check", { NULL }, { "feature", "libelf" } },
	{ "view", { "--no-open" }, { NULL } },
};

/*
 * Values that mean something, by their letters; "*" is any command. An option that is not listed
 * has none of them. '!' marks what runs until it is interrupted, and is not run here.
 */
static const struct accepted {
	const char *command, *option, *letters;
} accepted[] = {
	/* any name of a file, host, task or function is possible, and any separator */
	{ "*", "output", "w0-h" },
	{ "*", "to-json", "w0-h" },
	{ "diff", "html", "w0-h" },
	{ "record", "flamegraph", "w0-h" },
	{ "annotate", "symbol", "w0-he" },
	{ "*", "debuginfod", "w0-he" },
	{ "*", "dsos", "w0-he" },
	{ "*", "dso", "w0-he" },
	{ "*", "comms", "w0-he" },
	{ "*", "comm", "w0-he" },
	{ "*", "symbols", "w0-he" },
	{ "*", "symbol-filter", "w0-he" },
	{ "*", "stop-bt", "w0-he" },
	{ "*", "parent", "w0-he" },
	{ "*", "ignore-callees", "w0-he" },
	{ "*", "field-separator", "w0-he" },
	{ "script", "vmlinux", "w0-h" },
	{ "script", "kallsyms", "w0-h" },
	{ "*", "input", "w0-h" },
	/* perf takes a directory that is not there, and scripts do so for "without symbols" */
	{ "*", "symfs", "w0-he" },
	{ "list", "unit", "w0-he" },
	{ "*", "title", "w0-he" },
	{ "flamegraph", "subtitle", "w0-he" },
	{ "flamegraph", "countname", "w0-he" },
	{ "flamegraph", "minwidth", "0" },
	/* nothing is the default, or all */
	{ "*", "sort", "e" },
	{ "report", "default-sort", "e" },
	{ "report", "default-call-graph", "0e" },
	{ "report", "default-threshold", "0" },
	{ "report", "default-print-limit", "0-" },
	{ "*", "by", "e" },
	{ "*", "time", "0e" },
	{ "*", "pid", "0e" },
	{ "*", "tid", "0e" },
	{ "report", "column-widths", "0e" },
	{ "report", "call-graph", "0e" },
	{ "*", "vmlinux", "e" },
	{ "*", "kallsyms", "e" },
	/* 0 is the first, none, or no limit */
	{ "*", "cpu", "0" },
	{ "*", "delay", "0" },
	{ "*", "max-stack", "0" },
	{ "*", "max-blocks", "0" },
	{ "*", "percent-limit", "0" },
	{ "*", "socket-filter", "0" },
	{ "*", "group-sort-idx", "0" },
	{ "*", "order", "0" },
	{ "*", "jobs", "0" },
	{ "*", "samples", "0" },
	{ "*", "prefix-strip", "0" },
	{ "record", "off-cpu", "0" },
	{ "record", "off-cpu-thresh", "0" },
	{ "record", "realtime", "0" },
	{ "record", "uid", "0" },
	{ "record", "switch-max-files", "0" },
	{ "record", "max-cpu", "0" },
	{ "record", "aio", "0" },
	{ "record", "num-thread-synthesize", "0" },
	{ "stat", "interval-count", "0" },
	{ "stat", "timeout", "0" },
	{ "stat", "log-fd", "0" },
	{ "stat", "repeat", "!0" },
	/* programs and styles for what is not done here */
	{ "record", "clang-path", "w0-he" },
	{ "record", "clang-opt", "w0-he" },
	{ "report", "disassembler-style", "w0-he" },
	{ "*", "objdump", "w0-he" },
	{ "*", "addr2line", "w0-he" },
	{ "report", "addr2line-style", "w0-he" },
	{ "*", "prefix", "w0-he" },
	/* what to make of a trace, where there is none */
	{ "*", "itrace", "w0-he" },
	{ "script", "insn-trace", "w0-he" },
	{ "script", "call-trace", "w0-he" },
	{ "script", "call-ret-trace", "w0-he" },
	{ "script", "graph-function", "w0-he" },
};

static const struct call *call_of(const char *command)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].command, command))
			return &calls[i];
	return NULL;
}

/* The letters of the option's row, "" without one. */
static const char *accepted_of(const char *command, const struct option *option)
{
	for (size_t i = 0; option->name && i < sizeof(accepted) / sizeof(accepted[0]); i++)
		if (!strcmp(accepted[i].option, option->name) &&
		    (!strcmp(accepted[i].command, command) || *accepted[i].command == '*'))
			return accepted[i].letters;
	return "";
}

/* --- one run --- */

struct outcome {
	int status; /* of the process, as wait(2) has it */
	char said[4096];
};

static struct outcome run(struct sim *sim, int argc, char **argv)
{
	struct outcome outcome = { 0 };
	FILE *said = tmpfile();

	assert_non_null(said);
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		struct xp_ctx_opts seam = sim_ctx_opts(sim);
		int null = open("/dev/null", O_RDWR);

		alarm(HANGS_AFTER_S);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(fileno(said), STDERR_FILENO);
		int status = cli_main(argc, argv, &seam);
		fflush(stderr);
		_exit(status);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &outcome.status, 0), pid);
	rewind(said);
	outcome.said[fread(outcome.said, 1, sizeof(outcome.said) - 1, said)] = '\0';
	fclose(said);
	return outcome;
}

static int count(const char *text, const char *word)
{
	int nr = 0;

	for (; (text = strstr(text, word)); text++)
		nr++;
	return nr;
}

/* Returns what is wrong with it, NULL: nothing. */
static const char *verdict(const struct outcome *outcome, bool is_accepted)
{
	if (WIFSIGNALED(outcome->status))
		return WTERMSIG(outcome->status) == SIGALRM ? "it hangs" : "it crashes";
	if (is_accepted)
		return NULL;
	if (!WEXITSTATUS(outcome->status))
		return "it is taken";
	/* perf's words for wrong events, which scripts look for, come instead */
	if (count(outcome->said, "Error: ") + count(outcome->said, "event syntax error: ") != 1)
		return "it is not one sentence";
	return NULL;
}

/* Returns 1 if there is a fault. */
static int try_value(struct sim *sim, const struct command *command, const struct option *option,
		     const struct value *value)
{
	const struct call *call = call_of(command->name);
	const char *letters = accepted_of(command->name, option);
	char *argv[2 * ARGS_MAX] = { (char *)"xperf", (char *)command->name }, text[256];
	int argc = 2;

	for (int i = 0; call && i < 4 && call->before[i]; i++)
		argv[argc++] = (char *)call->before[i];
	if (option->name)
		snprintf(text, sizeof(text), "--%s=%s", option->name, value->text);
	else
		snprintf(text, sizeof(text), "-%c%s", option->letter, value->text);
	argv[argc++] = text;
	if (!option->name && !*value->text)
		argv[argc++] = (char *)"";
	for (int i = 0; call && i < 4 && call->after[i]; i++)
		argv[argc++] = (char *)call->after[i];
	bool is_accepted = strchr(letters, value->letter);
	if (is_accepted && *letters == '!')
		return 0;
	struct outcome outcome = run(sim, argc, argv);
	unlink(value->text); /* where it was the name of what is written */
	const char *wrong = verdict(&outcome, is_accepted);
	if (!wrong)
		return 0;
	printf("%s %s: %s (status %d): %s\n", command->name, text, wrong,
	       WEXITSTATUS(outcome.status), outcome.said);
	return 1;
}

static void wrong_values_end_in_one_sentence(void **state)
{
	static const char input[] = "tests/data/perfdata/files/local-arm64-group";
	char dir[] = "/tmp/option-values.XXXXXX", copy[512];
	struct sim *sim = sim_new("machine cpus=2\npmu general=4\n"
				  "program prog\n run 1ms cycles=1000\n exit 0\n",
				  "test-option-values");
	int nr_wrong = 0;

	(void)state;
	assert_non_null(sim);
	sim_exit_when_stuck(sim);
	assert_non_null(mkdtemp(dir));
	snprintf(copy, sizeof(copy), "cp '%s/%s' %s/perf.data", getenv("SOURCE_DIR"), input, dir);
	assert_int_equal(system(copy), 0);
	assert_int_equal(chdir(dir), 0);
	for (const struct command *const *c = commands; *c; c++)
		for (const struct option *o = (*c)->options; o && (o->name || o->letter); o++)
			for (size_t v = 0; o->value && v < sizeof(values) / sizeof(values[0]); v++)
				nr_wrong += try_value(sim, *c, o, &values[v]);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(remove_tree(dir), 0);
	sim_free(sim);
	assert_int_equal(nr_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_values_end_in_one_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
