/* SPDX-License-Identifier: MIT */
/* `xperf test`: runs a built-in workload, or shows what scripts want to know about the program. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>
#include <xperf/symbol.h>

#include "cli.h"
#include "options.h"
#include "workload.h"

struct values {
	const char *workload;
	bool list_workloads;
	bool dont_fork;
	int verbose;
};

static const struct option options[] = {
	{ .letter = 'F',
	  .name = "dont-fork",
	  .kind = OPTION_FLAG,
	  .offset = offsetof(struct values, dont_fork),
	  .help = "run checks in this process; always done" },
	{ .letter = 'v',
	  .name = "verbose",
	  .kind = OPTION_COUNT,
	  .offset = offsetof(struct values, verbose),
	  .help = "show the results of each check" },
	{ .letter = 'w',
	  .name = "workload",
	  .kind = OPTION_STRING,
	  .offset = offsetof(struct values, workload),
	  .value = "name",
	  .help = "run a built-in workload, in this process" },
	{ .name = "list-workloads",
	  .kind = OPTION_FLAG,
	  .offset = offsetof(struct values, list_workloads),
	  .help = "list the names of built-in workloads" },
	{ 0 },
};

static int print_symbol(const struct xp_symbol *symbol, void *data)
{
	static const char letters[] = {
		[XP_SYMBOL_OTHER] = '-',
		[XP_SYMBOL_FUNCTION] = 'F',
		[XP_SYMBOL_DATA] = 'D',
	};
	int *verbose = data;

	if (*verbose)
		printf("%16" PRIx64 " %8" PRIu64 " %c %s\n", symbol->address, symbol->size,
		       letters[symbol->type], symbol->name);
	return 0;
}

/* Reads the symbols of this program. Scripts look for "[[:space:]]NAME$" in what -v prints. */
static int check_symbols(int verbose)
{
	struct xp_diag diag;
	int err = xp_symbol_walk("/proc/self/exe", print_symbol, &verbose, &diag);

	if (!err)
		return 0;
	cli_print_diag(&diag, NULL);
	return 1;
}

/* What `xperf test NAME` can check. */
static const struct check {
	const char *name;
	int (*run)(int verbose);
} checks[] = {
	{ "Symbols", check_symbols },
	{ NULL, NULL },
};

static int run_check(const char *name, int verbose)
{
	for (const struct check *c = checks; c->name; c++) {
		if (!strcasestr(c->name, name))
			continue;
		int failed = c->run(verbose);

		printf("%3d: %-60s: %s\n", (int)(c - checks) + 1, c->name,
		       failed ? "FAILED!" : "Ok");
		return failed;
	}
	fprintf(stderr, "Error: there is no check '%s'; '%s test' lists them\n", name,
		program_invocation_short_name);
	return 1;
}

static void list_workloads(FILE *file)
{
	for (const struct workload *w = workloads; w->name; w++)
		fprintf(file, "%s\n", w->name);
}

static int run_workload(int argc, char **argv)
{
	struct xp_suggest suggest = { .word = argv[0], .len = strlen(argv[0]) };

	for (const struct workload *w = workloads; w->name; w++) {
		if (!strcmp(w->name, argv[0]))
			return w->run(argc, argv);
		xp_suggest_offer(&suggest, w->name);
	}
	fprintf(stderr, "Error: there is no workload '%s'", argv[0]);
	if (suggest.best)
		fprintf(stderr, ", did you mean '%s'?", suggest.best);
	fputs("\nWorkloads:\n", stderr);
	list_workloads(stderr);
	return 1;
}

static int list_all(void)
{
	for (const struct check *c = checks; c->name; c++)
		printf("%3d: %s\n", (int)(c - checks) + 1, c->name);
	printf("\nWorkloads (-w NAME):\n");
	for (const struct workload *w = workloads; w->name; w++)
		printf("  %-20s %-20s %s\n", w->name, w->args, w->summary);
	return 0;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	int first, status;

	(void)cli;
	if (!options_parse(&test_command, argc, argv, &values, &first, &status))
		return status;
	if (values.list_workloads) {
		list_workloads(stdout);
		return 0;
	}
	if (values.workload) {
		/* The name takes the place in front of the workload's own arguments. */
		argv[first - 1] = (char *)values.workload;
		return run_workload(argc - first + 1, argv + first - 1);
	}
	if (first == argc || !strcmp(argv[first], "list"))
		return list_all();
	return run_check(argv[first], values.verbose);
}

const struct command test_command = {
	.name = "test",
	.summary = "Run built-in workloads and checks of the program itself",
	.usage = "[<options>] [<check>] | -w <name> [<args>]",
	.options = options,
	.runs_program = true,
	.run = run,
};
