/* SPDX-License-Identifier: MIT */
/* `xperf report`: what a recording says, summed up. */
#include "report.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browse.h"
#include "event-views.h"
#include "export.h"
#include "header.h"
#include "option-parse.h"
#include "option-values.h"
#include "ordered.h"
#include "separator.h"
#include "servers.h"
#include "stacks.h"
#include "terminal.h"

/* Accepted for scripts. */
#define NO_EFFECT(its_letter, its_name, its_value)                                                 \
	{                                                                                          \
		its_letter, its_name, OPTION_CALL, .call = report_ignore, .value = its_value,      \
						   .help = "no effect", .hidden = true             \
	}

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(read.input), .value = "file",
	  .help = "read this recording (default perf.data, or standard input if that is a pipe)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the file even if it belongs to another user" },
	{ 'q', "quiet", OPTION_FLAG, VALUE(show.quiet), .help = "print rows without a heading" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(show.verbose),
	  .help = "report all damage; print paths of files, addresses, and where symbols come "
		  "from" },
	{ 0, "stdio", OPTION_FLAG, VALUE(show.stdio),
	  .help = "print text (default where standard output is no terminal)" },
	{ 0, "stdio2", OPTION_FLAG, VALUE(show.stdio), .help = "same as --stdio", .hidden = true },
	{ 0, "tui", OPTION_FLAG, VALUE(show.tui),
	  .help = "browse rows on the terminal (default there; h lists the keys)" },
	{ 0, "stdio-color", OPTION_CALL, .call = report_color, .value = "always|never|auto",
	  .help = "print shares from 5% in red and from 0.5% in green (default never)" },
	{ 0, "gtk", OPTION_FLAG, VALUE(show.gtk), .help = "same as --stdio, with a warning",
	  .hidden = true },
	{ 's', "sort", OPTION_STRING, VALUE(count.sort), .value = "key,...",
	  .help = "the keys that make a row (default comm,dso,symbol); +key adds one" },
	{ 'F', "fields", OPTION_STRING, VALUE(show.fields), .value = "key,...",
	  .help = "the columns, in their order; +column adds one" },
	{ 'b', "branch-stack", OPTION_FLAG, VALUE(count.branches),
	  .help = "show branches instead of samples (default if there are branches)" },
	{ 0, "no-branch-stack", OPTION_FLAG, VALUE(count.no_branches),
	  .help = "show samples even if there are branches" },
	{ 0, "total-cycles", OPTION_FLAG, VALUE(count.total_cycles),
	  .help = "show the cycles of basic blocks, the most expensive first (record -b)" },
	{ 0, "mem-mode", OPTION_FLAG, VALUE(count.mem_mode),
	  .help = "show memory accesses, weighted by their cost (record -d -W)" },
	{ 0, "branch-history", OPTION_FLAG, VALUE(count.branch_history),
	  .help = "put the last branches of each sample in front of its call chain" },
	{ 0, "group", OPTION_FLAG, VALUE(count.group), .help = "show all events side by side" },
	{ 0, "no-group", OPTION_FLAG, VALUE(count.no_group),
	  .help = "show the events of a group one after the other" },
	{ 'H', "hierarchy", OPTION_FLAG, VALUE(show.hierarchy),
	  .help = "show a tree: one level per key, with subtotals" },
	{ 'n', "show-nr-samples", OPTION_FLAG, VALUE(show.samples),
	  .help = "add a column with the number of samples" },
	{ 0, "show-total-period", OPTION_FLAG, VALUE(show.period),
	  .help = "add a column with the sum of periods" },
	{ 0, "show-cpu-utilization", OPTION_FLAG, VALUE(show.cpu_utilization),
	  .help = "add columns with the shares of the kernel and of user space" },
	{ 0, "showcpuutilization", OPTION_FLAG, VALUE(show.cpu_utilization),
	  .help = "same as above", .hidden = true },
	{ 0, "latency", OPTION_FLAG, VALUE(count.latency),
	  .help = "show shares of elapsed time: a period counts 1/n while n threads ran (record "
		  "--latency)" },
	{ 0, "group-sort-idx", OPTION_INT, VALUE(count.group_leader), .value = "n",
	  .help = "sort groups by their n-th event, starting at 0" },
	{ 0, "children", OPTION_FLAG, VALUE(count.children),
	  .help = "add callees' cost to their callers (default if there are call chains)" },
	{ 0, "no-children", OPTION_FLAG, VALUE(count.no_children),
	  .help = "show the cost of functions alone" },
	{ 'g', "call-graph", OPTION_CALL, .call = report_graph, .value = "how,...",
	  .optional = true,
	  .help = "print call chains: graph|flat|fractal|folded|none, threshold, limit, "
		  "caller|callee (default graph,0.5,caller)" },
	{ 'G', "inverted", OPTION_FLAG, VALUE(show.inverted),
	  .help = "start call chains at the outermost caller, whatever -g says" },
	{ 0, "max-stack", OPTION_INT, VALUE(count.max_stack), .value = "n",
	  .help = "use at most this many entries of a call chain (default 127)" },
	STACKS_OPTION(offsetof(struct values, read.unwind)),
	NO_JOIN_OPTION(offsetof(struct values, read.no_join)),
	{ 0, "percent-limit", OPTION_CALL, .call = report_percent_limit, .value = "percent",
	  .help = "do not print rows, or branches of call chains, with a smaller share" },
	{ 0, "percentage", OPTION_STRING, VALUE(count.percentage), .value = "relative|absolute",
	  .help = "compute shares of the samples that pass the filters, or of all (default)" },
	SEPARATOR_OPTION(offsetof(struct values, show.separator)),
	{ 'w', "column-widths", OPTION_STRING, VALUE(show.widths), .value = "n,...",
	  .help = "the widths of the columns; 0: as wide as needed" },
	{ 'c', "comms", OPTION_STRING, VALUE(read.filter.comms), .value = "name,...",
	  .help = "show only these commands (file://FILE: one per line)" },
	{ 0, "comm", OPTION_STRING, VALUE(read.filter.comms), .value = "name,...",
	  .help = "same as above", .hidden = true },
	{ 'd', "dsos", OPTION_STRING, VALUE(read.filter.dsos), .value = "file,...",
	  .help = "show only these files" },
	{ 0, "dso", OPTION_STRING, VALUE(read.filter.dsos), .value = "file,...",
	  .help = "same as above", .hidden = true },
	{ 'S', "symbols", OPTION_STRING, VALUE(read.filter.symbols), .value = "name,...",
	  .help = "show only these functions" },
	{ 'U', "hide-unresolved", OPTION_FLAG, VALUE(count.hide_unresolved),
	  .help = "leave out samples, branches and callers that are in no known function" },
	{ 0, "symbol-filter", OPTION_STRING, VALUE(count.symbol_filter), .value = "text",
	  .help = "show only rows of functions with this text in their name" },
	{ 'p', "parent", OPTION_STRING, VALUE(count.parent), .value = "regex",
	  .help = "also distinguish rows by the caller that matches" },
	{ 0, "show-ref-call-graph", OPTION_FLAG, VALUE(show.show_references),
	  .help = "print whether events with call-graph=no have the call chains of another event" },
	{ 'x', "exclude-other", OPTION_FLAG, VALUE(count.exclude_other),
	  .help = "with -p: show only samples that have a matching caller" },
	{ 0, "ignore-callees", OPTION_STRING, VALUE(count.roots), .value = "regex",
	  .help = "add callees' cost to the functions that match, and start call chains there" },
	{ 0, "pid", OPTION_STRING, VALUE(read.filter.pids), .value = "pid,...",
	  .help = "show only these processes" },
	{ 0, "tid", OPTION_STRING, VALUE(read.filter.tids), .value = "tid,...",
	  .help = "show only these threads" },
	{ 'C', "cpu", OPTION_STRING, VALUE(read.filter.cpus), .value = "cpu,...",
	  .help = "show only these CPUs" },
	{ 0, "socket-filter", OPTION_STRING, VALUE(count.socket), .value = "n",
	  .help = "show only the CPUs of this socket" },
	{ 0, "parallelism", OPTION_STRING, VALUE(count.parallelism), .value = "n,...",
	  .help = "show only samples taken while this number of threads ran, as in 1,4-8 (record "
		  "--latency)" },
	{ 0, "switch-on", OPTION_STRING, VALUE(read.filter.switch_on), .value = "event",
	  .help = "ignore everything before the first sample of this event" },
	{ 0, "switch-off", OPTION_STRING, VALUE(read.filter.switch_off), .value = "event",
	  .help = "ignore everything after a sample of this event" },
	{ 0, "show-on-off-events", OPTION_FLAG, VALUE(read.filter.show_on_off),
	  .help = "show the samples of these two events, too" },
	{ 0, "time", OPTION_STRING, VALUE(read.filter.time), .value = "from,to",
	  .help = "show only this time: seconds, or 10%/2, 0%-10%,30%-40%" },
	{ 0, "time-quantum", OPTION_STRING, VALUE(count.quantum), .value = "time",
	  .help = "the step of the key \"time\" (default 100ms)" },
	{ 0, "raw-trace", OPTION_FLAG, VALUE(count.raw_trace),
	  .help = "show tracepoint fields as recorded" },
	{ 0, "ns", OPTION_FLAG, VALUE(show.show_ns), .help = "show times in nanoseconds" },
	{ 0, "header", OPTION_FLAG, VALUE(show.header),
	  .help = "first show the header of the recording" },
	{ 0, "header-only", OPTION_FLAG, VALUE(show.header_only),
	  .help = "show the header and nothing else" },
	{ 'I', "show-info", OPTION_FLAG, VALUE(show.full_header),
	  .help = "same as --header, with all details of processors, caches and memory" },
	{ 0, "stats", OPTION_FLAG, VALUE(show.stats),
	  .help = "show the number of records of each type" },
	{ 0, "no-skip-empty", OPTION_FLAG, VALUE(show.show_empty),
	  .help = "with --stats: show events without samples, too" },
	{ 'T', "threads", OPTION_FLAG, VALUE(show.thread_counts),
	  .help = "after the report, show the counts of each thread (record -s)" },
	{ 0, "pretty", OPTION_CALL, .call = report_pretty, .value = "normal|raw",
	  .help = "print the counts of -T as a table, or as one row per thread and event" },
	{ 0, "syscalls", OPTION_FLAG, VALUE(show.syscalls),
	  .help = "show system calls: how often each thread made each, errors, times (record "
		  "--syscalls)" },
	{ 0, "sched", OPTION_FLAG, VALUE(show.sched),
	  .help = "show how long each task ran, waited for a CPU and slept (record --sched)" },
	{ 0, "total", OPTION_FLAG, VALUE(show.all_threads),
	  .help = "with --syscalls: add up all threads" },
	{ 'D', "dump-raw-trace", OPTION_FLAG, VALUE(show.dump),
	  .help = "show every record, as xperf script -D" },
	{ 0, "tasks", OPTION_FLAG, VALUE(show.tasks),
	  .help = "show processes and threads, each below its parent" },
	{ 0, "mmaps", OPTION_FLAG, VALUE(show.mmaps),
	  .help = "show processes and threads with their maps" },
	SYMBOL_OPTIONS(offsetof(struct values, read.symbols)),
	JOBS_OPTION(offsetof(struct values, read.jobs)),
	{ 0, "no-inline", OPTION_FLAG, VALUE(count.no_inlines),
	  .help = "do not show inlined functions in call chains" },
	{ 0, "full-source-path", OPTION_FLAG, VALUE(count.full_paths),
	  .help = "print the whole path of source files" },
	{ 0, "json", OPTION_FLAG, VALUE(show.json), .help = "write JSON" },
	{ 0, "format", OPTION_STRING, VALUE(show.format), .value = "format",
	  .help = "write the call chains for another program, as xperf export does" },
	/* For files of settings: what -s, -g and the browser begin with. */
	{ 0, "default-sort", OPTION_STRING, VALUE(count.default_sort), .value = "key,...",
	  .help = "the default of --sort", .hidden = true },
	{ 0, "default-call-graph", OPTION_CALL, .call = report_graph_default, .value = "word,...",
	  .help = "the default of --call-graph", .hidden = true },
	{ 0, "default-threshold", OPTION_CALL, .call = report_threshold_default, .value = "percent",
	  .help = "its threshold", .hidden = true },
	{ 0, "default-print-limit", OPTION_INT, VALUE(show.graph.limit), .value = "n",
	  .help = "its limit", .hidden = true },
	{ 0, "default-stdio", OPTION_FLAG, VALUE(show.text_by_default),
	  .help = "as --stdio, unless --tui is given", .hidden = true },
	{ 0, "hide-headings", OPTION_FLAG, VALUE(show.hide_headings),
	  .help = "browse rows without the names of columns", .hidden = true },
	/* Modules are always looked for, nothing is disassembled, and lines are read in here. */
	NO_EFFECT('m', "modules", NULL),
	NO_EFFECT(0, "disable-order", NULL),
	NO_EFFECT(0, "asm-raw", NULL),
	NO_EFFECT(0, "source", NULL),
	NO_EFFECT('M', "disassembler-style", "style"),
	NO_EFFECT(0, "objdump", "path"),
	NO_EFFECT(0, "addr2line", "path"),
	NO_EFFECT(0, "addr2line-style", "style"),
	NO_EFFECT(0, "prefix", "path"),
	NO_EFFECT(0, "prefix-strip", "n"),
	NO_EFFECT(0, "samples", "n"),
	{ 0, "percent-type", OPTION_CALL, .call = report_percent_type, .value = "type",
	  .help = "no effect", .hidden = true },
	{ 0, "stitch-lbr", OPTION_CALL, VALUE(read.stitches), .call = option_note,
	  .help = "no effect", .hidden = true },
	{ 0, "itrace", OPTION_CALL, VALUE(read.trace), .call = option_note, .value = "what",
	  .optional = true, .help = "no effect", .hidden = true },
	{ 0 },
};

static bool wants_profile(const struct values *values)
{
	return !values->show.header_only && !values->show.stats && !values->show.tasks &&
	       !values->show.mmaps;
}

void report_nothing_shown(const struct report *report, const struct plan *plan)
{
	struct xp_profile_total total = { .size = sizeof(total) };

	if (!report->tally.records[XP_RECORD_SAMPLE]) {
		fprintf(stderr, "Warning: '%s' has no samples\n", report->rec.path);
		return;
	}
	for (int i = 0; i < report->rec.nr_events; i++) {
		xp_profile_total_at(report->profile, i, &total);
		if (total.kept_samples ||
		    (!plan->relative && xp_profile_nr_rows(report->profile, i)))
			return;
	}
	if (!plan->values->count.as_perf)
		fprintf(stderr, "Note: no sample matches the filters (%" PRIu64 " read)%s\n",
			report->tally.records[XP_RECORD_SAMPLE],
			plan->values->read.filter.symbols
				? "; without -S the functions are shown that have some"
				: "");
}

static int show(struct report *report, struct plan *plan)
{
	const struct values *values = plan->values;
	int err = wants_profile(values) ? plan_finalize(plan, report) : 0;

	if (err)
		return err;
	if (values->show.header || values->show.header_only || values->show.full_header)
		header_print(stdout, report->rec.data, report->rec.path, values->show.full_header);
	else if (!values->show.quiet && !values->show.json && wants_profile(values))
		fputs("# To display the perf.data header info, please use --header/--header-only "
		      "options.\n#\n",
		      stdout);
	if (values->show.header_only)
		return 0;
	err = load_index(report, plan, wants_profile(values));
	if (!err && wants_profile(values))
		err = load_aggregate(report, plan);
	if (values->show.stats)
		stats_print(stdout, report, values->show.show_empty);
	else if (!err && values->show.mmaps)
		mmaps_print(stdout, report);
	else if (!err && values->show.tasks)
		tasks_print(stdout, report);
	else if (!err && values->show.json)
		json_print(stdout, report, plan);
	else if (!err) {
		if (report->tally.records[XP_RECORD_SAMPLE])
			stdio_print(stdout, report, plan);
		report_nothing_shown(report, plan);
	}
	if (!err && values->show.thread_counts && wants_profile(values) && !values->show.json)
		threads_print(stdout, report, values->show.raw_counts);
	return err;
}

/* Returns the exit status. */
static int run_plan(const struct cli *cli, struct plan *plan)
{
	struct report report = { .tally = { .counted = 1 } };
	int err = load_open(cli, &report, plan->values);

	if (err) {
		load_fini(&report);
		return recording_close(&report.rec, err, false);
	}
	pid_t pager = pager_start();
	err = show(&report, plan);
	fflush(stdout);
	pager_end(pager);
	load_fini(&report);
	int status = recording_close(&report.rec, err, plan->values->show.verbose);
	return plan->is_misused ? EXIT_USAGE : status;
}

/* "report -D" is "script -D". */
static int dump(const struct cli *cli, const struct values *values)
{
	char name[] = "script", raw[] = "-D", force[] = "-f", input[] = "-i";
	char *argv[6] = { name, raw };
	int nr = 2;

	if (values->read.force)
		argv[nr++] = force;
	if (values->read.input) {
		argv[nr++] = input;
		argv[nr++] = (char *)(uintptr_t)values->read.input;
	}
	return script_command.run(cli, nr, argv);
}

/* "report --format" is "export -f", with the filters of a report. */
static int write_format(const struct cli *cli, const struct values *values)
{
	struct export_values export = {
		.collect = { .read = values->read,
			     .max_stack = values->count.max_stack,
			     .no_inlines = values->count.no_inlines,
			     .verbose = values->show.verbose },
		.format = values->show.format,
	};

	export.collect.read.with_symbols = true;
	return export_recording(cli, &export);
}

/* With perf, what stands alone is a part of functions' names; many mean a file. Returns 0 or
 * EXIT_USAGE. */
static int parse_operand(int nr, char **operands, struct values *values)
{
	if (nr > 1 || (nr && values->count.symbol_filter))
		return options_misused(&report_command, "unexpected argument '%s'",
				       operands[nr - 1]);
	if (nr && !access(operands[0], F_OK))
		return options_misused(
			&report_command,
			"'%s' is a file, not a part of functions' names; to read it, use -i %s",
			operands[0], operands[0]);
	if (nr)
		values->count.symbol_filter = operands[0];
	return 0;
}

/* The option that asks for other rows than the basic blocks of --total-cycles; NULL: none does. */
static const char *not_for_blocks(const struct values *values)
{
	return values->count.no_branches      ? "--no-branch-stack"
	       : values->count.branch_history ? "--branch-history"
	       : values->count.mem_mode       ? "--mem-mode"
	       : values->show.hierarchy       ? "-H"
	       : values->show.json            ? "--json"
					      : NULL;
}

/* In one line; programs that call perf know what they wrote. */
static void say_without_effect(const struct values *values)
{
	const char *const *names = values->show.without_effect;

	if (values->count.as_perf)
		return;
	for (int i = 0; names[i]; i++)
		fprintf(stderr, "%s--%s", i ? ", " : "Note: no effect: ", names[i]);
	if (names[0])
		fputc('\n', stderr);
}

static int run_options(const struct cli *cli, int argc, char **argv)
{
	struct values values = {
		.read = { .with_progress = true, .split_readings = true, .filter_rows = true },
		.show = { .graph = { .mode = GRAPH_GRAPH, .min_percent = 0.5 } },
	};
	struct plan plan;
	int first, status;

	if (!options_parse(&report_command, argc, argv, &values, &first, &status))
		return status;
	int misuse = parse_operand(argc - first, argv + first, &values);
	if (misuse)
		return misuse;
	if (values.count.max_stack < 0)
		return options_misused(&report_command, "--max-stack: %d is negative",
				       values.count.max_stack);
	if (values.count.group_leader < 0)
		return options_misused(&report_command, "--group-sort-idx: %d is negative",
				       values.count.group_leader);
	values.count.as_perf = cli_is_perf(cli);
	if (values.read.jobs < 0)
		return options_misused(&report_command, "--jobs: %d is negative", values.read.jobs);
	if (values.count.total_cycles && not_for_blocks(&values))
		return options_misused(&report_command, "--total-cycles and %s exclude each other",
				       not_for_blocks(&values));
	say_without_effect(&values);
	if (values.show.gtk)
		fputs("Warning: --gtk is not available; --stdio is used\n", stderr);
	if (event_view_is_wanted(&values))
		return event_view(cli, &values);
	values.read.with_symbols = wants_profile(&values);
	if (values.show.dump)
		return dump(cli, &values);
	if (!values.show.format && tree_is_imported(values.read.input))
		values.show.format = "text";
	if (values.show.format)
		return write_format(cli, &values);
	if (browse_is_wanted(&values))
		return browse(cli, &values);
	status = plan_make(&plan, &values) ? EXIT_USAGE : run_plan(cli, &plan);
	plan_fini(&plan);
	return status;
}

/* As with perf, the value of -g may also stand behind it, unless it looks like an option: attaches
 * it. Returns the new arguments, NULL without memory. */
static char **attach_graph(int *argc, char **argv, char *text)
{
	char **joined = calloc((size_t)*argc + 1, sizeof(*joined));
	int nr = 0;

	for (int i = 0; joined && i < *argc; i++) {
		bool is_graph = !strcmp(argv[i], "-g") || !strcmp(argv[i], "--call-graph");

		joined[nr++] = argv[i];
		if (!is_graph || i + 1 == *argc || argv[i + 1][0] == '-')
			continue;
		joined[nr - 1] = text;
		text += sprintf(text, "--call-graph=%s", argv[++i]) + 1;
	}
	*argc = nr;
	return joined;
}

static size_t text_bytes(int argc, char **argv)
{
	size_t bytes = 1;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + sizeof("--call-graph=");
	return bytes;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	char *text = malloc(text_bytes(argc, argv));
	char **joined = text ? attach_graph(&argc, argv, text) : NULL;
	int status = joined ? run_options(cli, argc, joined) : EXIT_FAILED;

	free(joined);
	free(text);
	return status;
}

const struct command report_command = {
	.name = "report",
	.summary = "Summarize a recording: by command, file and function, with call chains",
	.usage = "[<options>] [<part of functions' names>]",
	.options = options,
	.run = run,
};
