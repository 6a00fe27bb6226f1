/* SPDX-License-Identifier: MIT */
/* `xperf report`: what a recording says, summed up. */
#include "report.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/ctx.h>

#include "options.h"
#include "terminal.h"

/* As many damages as a screen has room for. */
enum { DAMAGES_SHOWN = 5 };

static int take_graph(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;

	if (negated) {
		values->graph.mode = GRAPH_NONE;
		return 0;
	}
	if (!arg || graph_parse(arg, &values->graph))
		return 0;
	return option_error(option,
			    "'%s' is none of graph, flat, fractal, folded, none; a threshold; "
			    "caller, callee; function, address; percent, period, count",
			    arg);
}

static int take_caller(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;

	(void)option;
	(void)arg;
	values->graph.callers_first = !negated;
	values->graph.order_set = true;
	return 0;
}

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(input), .value = "file",
	  .help = "the recording (perf.data; \"-\": standard input)" },
	{ 'f', "force", OPTION_FLAG, VALUE(force), .help = "take another user's file, too" },
	{ 'q', "quiet", OPTION_FLAG, VALUE(quiet), .help = "rows only, without heading" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose), .help = "tell every damage of the file" },
	{ 0, "stdio", OPTION_FLAG, VALUE(stdio), .help = "text (the only view there is)" },
	{ 's', "sort", OPTION_STRING, VALUE(sort), .value = "key,...",
	  .help = "what rows are told apart by: comm,dso,symbol if not said; +key adds" },
	{ 'n', "show-nr-samples", OPTION_FLAG, VALUE(samples), .help = "a column with samples" },
	{ 0, "show-total-period", OPTION_FLAG, VALUE(period),
	  .help = "a column with the sum of periods" },
	{ 0, "children", OPTION_FLAG, VALUE(children),
	  .help = "charge functions with what they called (where there are call chains)" },
	{ 0, "no-children", OPTION_FLAG, VALUE(no_children), .help = "do not" },
	{ 'g', "call-graph", OPTION_CALL, .call = take_graph, .value = "how,...", .optional = true,
	  .help = "call chains: graph|flat|fractal|folded|none, threshold, limit, caller|callee" },
	{ 'G', "inverted", OPTION_CALL, .call = take_caller,
	  .help = "call chains begin with the outermost caller" },
	{ 0, "max-stack", OPTION_INT, VALUE(max_stack), .value = "n",
	  .help = "entries of a call chain that count (127)" },
	{ 0, "percent-limit", OPTION_STRING, VALUE(percent_limit), .value = "percent",
	  .help = "leave out rows with less" },
	{ 0, "percentage", OPTION_STRING, VALUE(percentage), .value = "relative|absolute",
	  .help = "what shares are of: what the filters leave, or all" },
	{ 't', "field-separator", OPTION_STRING, VALUE(separator), .value = "text",
	  .help = "put this between columns" },
	{ 'w', "column-widths", OPTION_STRING, VALUE(widths), .value = "n,...",
	  .help = "widths of the columns; 0: as needed" },
	{ 'c', "comms", OPTION_STRING, VALUE(comms), .value = "name,...",
	  .help = "only these commands (file://FILE: a line each)" },
	{ 0, "comm", OPTION_STRING, VALUE(comms), .value = "name,...", .help = "the same",
	  .hidden = true },
	{ 'd', "dsos", OPTION_STRING, VALUE(dsos), .value = "file,...",
	  .help = "only these files" },
	{ 0, "dso", OPTION_STRING, VALUE(dsos), .value = "file,...", .help = "the same",
	  .hidden = true },
	{ 'S', "symbols", OPTION_STRING, VALUE(symbols), .value = "name,...",
	  .help = "only these functions" },
	{ 0, "pid", OPTION_STRING, VALUE(pids), .value = "pid,...",
	  .help = "only these processes" },
	{ 0, "tid", OPTION_STRING, VALUE(tids), .value = "tid,...", .help = "only these threads" },
	{ 'C', "cpu", OPTION_STRING, VALUE(cpus), .value = "cpu,...", .help = "only these CPUs" },
	{ 0, "time", OPTION_STRING, VALUE(time), .value = "from,to",
	  .help = "only this span: seconds, or 10%/2, 0%-10%,30%-40%" },
	{ 0, "header", OPTION_FLAG, VALUE(header), .help = "first show the file's header" },
	{ 0, "header-only", OPTION_FLAG, VALUE(header_only), .help = "show the header only" },
	{ 0, "stats", OPTION_FLAG, VALUE(stats), .help = "show numbers of records" },
	{ 0, "tasks", OPTION_FLAG, VALUE(tasks), .help = "show the tasks there were" },
	{ 0, "mmaps", OPTION_FLAG, VALUE(mmaps), .help = "the same, with what they had mapped" },
	{ 0, "symfs", OPTION_STRING, VALUE(symfs), .value = "directory",
	  .help = "look for files with symbols below it" },
	{ 'k', "vmlinux", OPTION_STRING, VALUE(vmlinux), .value = "file",
	  .help = "the kernel's file with symbols" },
	{ 0, "kallsyms", OPTION_STRING, VALUE(kallsyms), .value = "file",
	  .help = "a copy of the kernel's symbol list" },
	{ 0, "no-demangle", OPTION_FLAG, VALUE(no_demangle),
	  .help = "names of functions as the files have them" },
	{ 0, "demangle-kernel", OPTION_FLAG, VALUE(demangle_kernel),
	  .help = "make names of the kernel readable, too" },
	{ 0, "json", OPTION_FLAG, VALUE(json), .help = "write JSON" },
	{ 0 },
};

static bool wants_profile(const struct values *values)
{
	return !values->header_only && !values->stats && !values->tasks && !values->mmaps;
}

static int show(struct recording *rec, struct plan *plan)
{
	const struct values *values = plan->values;
	int err = 0;

	if (values->header || values->header_only)
		header_print(stdout, rec);
	else if (!values->quiet && !values->json && wants_profile(values))
		fputs("# To display the perf.data header info, please use --header/--header-only "
		      "options.\n#\n",
		      stdout);
	if (values->header_only)
		return 0;
	err = recording_index(rec, plan, wants_profile(values));
	if (!err && wants_profile(values))
		err = recording_aggregate(rec, plan);
	if (values->stats)
		stats_print(stdout, rec);
	else if (!err && values->mmaps)
		err = mmaps_print(stdout, rec);
	else if (!err && values->tasks)
		tasks_print(stdout, rec);
	else if (!err && values->json)
		json_print(stdout, rec, plan);
	else if (!err)
		stdio_print(stdout, rec, plan);
	return err;
}

static void tell_damage(const struct xp_data *data, bool verbose)
{
	uint64_t nr = xp_data_nr_damages(data), shown = 0;
	const char *text;

	for (; (verbose || shown < DAMAGES_SHOWN) && (text = xp_data_damage(data, shown)); shown++)
		fprintf(stderr, "Warning: damage %s\n", text);
	if (nr > shown)
		fprintf(stderr, "Warning: %llu more places are damaged%s\n",
			(unsigned long long)(nr - shown), verbose ? "" : "; -v shows where");
}

/* Returns the exit status. */
static int run_plan(const struct cli *cli, struct plan *plan)
{
	struct recording rec = { .ctx = cli_ctx_new(cli, 0) };
	struct xp_diag diag = { 0 };

	if (!rec.ctx)
		return EXIT_FAILED;
	int err = recording_open(&rec, plan->values, &diag);
	if (err) {
		cli_print_diag(&diag, NULL);
		recording_close(&rec);
		return EXIT_FAILED;
	}
	pid_t pager = cli->no_pager ? 0 : pager_start();
	err = show(&rec, plan);
	fflush(stdout);
	pager_end(pager);
	if (err)
		fprintf(stderr, "Error: '%s' cannot be read on: %s\n", rec.path, strerror(-err));
	tell_damage(rec.data, plan->values->verbose);
	bool damaged = xp_data_nr_damages(rec.data);
	recording_close(&rec);
	return err || damaged ? EXIT_FAILED : 0;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = {
		.graph = { .mode = GRAPH_GRAPH, .min_percent = 0.5 },
	};
	struct plan plan;
	int first;
	int leave = options_parse(&report_command, argc, argv, &values, &first);

	if (leave)
		return leave - 1;
	if (first < argc)
		return options_misused(&report_command, "'%s' is too much", argv[first]);
	if (values.max_stack < 0)
		return options_misused(&report_command, "--max-stack: %d is negative",
				       values.max_stack);
	int status = plan_make(&plan, &values) ? EXIT_USAGE : run_plan(cli, &plan);
	plan_fini(&plan);
	return status;
}

const struct command report_command = {
	.name = "report",
	.summary = "Sums up a recording: by command, file, function, with call chains",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
