/* SPDX-License-Identifier: MIT */
/* `xperf report`: what a recording says, summed up. */
#include "report.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "header.h"
#include "option-values.h"
#include "separator.h"
#include "servers.h"
#include "terminal.h"

#define IGNORED(its_letter, its_name)                                                              \
	{                                                                                          \
		its_letter, its_name, OPTION_FLAG, offsetof(struct values, ignored),               \
			.help = "changes nothing", .hidden = true                                  \
	}
#define IGNORED_VALUE(its_letter, its_name, its_value)                                             \
	{                                                                                          \
		its_letter, its_name, OPTION_CALL, .call = report_nothing, .value = its_value,     \
						   .help = "changes nothing", .hidden = true       \
	}

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(input), .value = "file",
	  .help = "the recording (perf.data; \"-\": standard input)" },
	{ 'f', "force", OPTION_FLAG, VALUE(force), .help = "take another user's file, too" },
	{ 'q', "quiet", OPTION_FLAG, VALUE(quiet), .help = "rows only, without heading" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "show addresses, origins of symbols, paths of files, and every damage" },
	{ 0, "stdio", OPTION_FLAG, VALUE(stdio), .help = "text (the only view there is)" },
	{ 0, "stdio-color", OPTION_CALL, .call = report_color, .value = "always|never|auto",
	  .help = "color shares: from 5% on red, from 0.5% on green (never)" },
	{ 0, "tui", OPTION_FLAG, VALUE(tui), .help = "taken for --stdio", .hidden = true },
	{ 0, "gtk", OPTION_FLAG, VALUE(gtk), .help = "the same", .hidden = true },
	{ 's', "sort", OPTION_STRING, VALUE(sort), .value = "key,...",
	  .help = "what rows are told apart by: comm,dso,symbol if not said; +key adds" },
	{ 'F', "fields", OPTION_STRING, VALUE(fields), .value = "key,...",
	  .help = "which columns there are, and in which order" },
	{ 'b', "branch-stack", OPTION_FLAG, VALUE(branches),
	  .help = "show branches instead of samples: as a matter of course where there are some" },
	{ 0, "no-branch-stack", OPTION_FLAG, VALUE(no_branches),
	  .help = "show samples all the same" },
	{ 0, "total-cycles", OPTION_FLAG, VALUE(total_cycles),
	  .help = "show the cycles of basic blocks, of recordings with branches" },
	{ 0, "mem-mode", OPTION_FLAG, VALUE(mem_mode),
	  .help = "show accesses to memory, weighted by what they cost (record -d -W)" },
	{ 0, "branch-history", OPTION_FLAG, VALUE(branch_history),
	  .help = "put the last branches in front of the call chains" },
	{ 0, "group", OPTION_FLAG, VALUE(group),
	  .help = "show all events side by side, as those that were recorded in a group" },
	{ 0, "no-group", OPTION_FLAG, VALUE(no_group),
	  .help = "show each event of a group on its own" },
	{ 'H', "hierarchy", OPTION_FLAG, VALUE(hierarchy),
	  .help = "a level for each key, with sums: what rows have in common stands once" },
	{ 'n', "show-nr-samples", OPTION_FLAG, VALUE(samples), .help = "a column with samples" },
	{ 0, "show-total-period", OPTION_FLAG, VALUE(period),
	  .help = "a column with the sum of periods" },
	{ 0, "show-cpu-utilization", OPTION_FLAG, VALUE(cpu_utilization),
	  .help = "columns with the shares of the kernel and of users" },
	{ 0, "showcpuutilization", OPTION_FLAG, VALUE(cpu_utilization),
	  .help = "the same, as perf takes it, too", .hidden = true },
	{ 0, "latency", OPTION_FLAG, VALUE(latency),
	  .help = "shares of the time that passed, where several threads ran (record --latency)" },
	{ 0, "group-sort-idx", OPTION_INT, VALUE(group_leader), .value = "n",
	  .help = "the n-th event of a group, from 0, decides what comes first" },
	{ 0, "children", OPTION_FLAG, VALUE(children),
	  .help = "charge functions with what they called (where there are call chains)" },
	{ 0, "no-children", OPTION_FLAG, VALUE(no_children), .help = "do not" },
	{ 'g', "call-graph", OPTION_CALL, .call = report_graph, .value = "how,...",
	  .optional = true,
	  .help = "call chains: graph|flat|fractal|folded|none, threshold, limit, caller|callee "
		  "(alone: graph,0.5,caller)" },
	{ 'G', "inverted", OPTION_FLAG, VALUE(inverted),
	  .help = "start call chains at the outermost caller, whatever -g says" },
	{ 0, "max-stack", OPTION_INT, VALUE(max_stack), .value = "n",
	  .help = "entries of a call chain that count (127)" },
	{ 0, "percent-limit", OPTION_CALL, .call = report_percent_limit, .value = "percent",
	  .help = "leave out rows and branches of call chains with less" },
	{ 0, "percentage", OPTION_STRING, VALUE(percentage), .value = "relative|absolute",
	  .help = "what shares are of: what the filters leave, or all" },
	SEPARATOR_OPTION(offsetof(struct values, separator)),
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
	{ 'U', "hide-unresolved", OPTION_FLAG, VALUE(hide_unresolved),
	  .help = "leave out samples, branches and callers that are in no known function" },
	{ 0, "symbol-filter", OPTION_STRING, VALUE(symbol_filter), .value = "text",
	  .help = "only rows of functions with this in their name" },
	{ 'p', "parent", OPTION_STRING, VALUE(parent), .value = "regex",
	  .help = "tell rows apart by the caller that matches, too" },
	{ 0, "show-ref-call-graph", OPTION_FLAG, VALUE(show_references),
	  .help = "tell where events with call-graph=no have those of another event" },
	{ 'x', "exclude-other", OPTION_FLAG, VALUE(exclude_other),
	  .help = "only what has such a caller" },
	{ 0, "ignore-callees", OPTION_STRING, VALUE(roots), .value = "regex",
	  .help = "charge functions that match with what they called; chains begin there" },
	{ 0, "pid", OPTION_STRING, VALUE(pids), .value = "pid,...",
	  .help = "only these processes" },
	{ 0, "tid", OPTION_STRING, VALUE(tids), .value = "tid,...", .help = "only these threads" },
	{ 'C', "cpu", OPTION_STRING, VALUE(cpus), .value = "cpu,...", .help = "only these CPUs" },
	{ 0, "socket-filter", OPTION_STRING, VALUE(socket), .value = "n",
	  .help = "only CPUs of this socket" },
	{ 0, "parallelism", OPTION_STRING, VALUE(parallelism), .value = "n,...",
	  .help = "only what ran while so many threads ran, as in 1,4-8 (record --latency)" },
	{ 0, "switch-on", OPTION_STRING, VALUE(switch_on), .value = "event",
	  .help = "only from such an event on" },
	{ 0, "switch-off", OPTION_STRING, VALUE(switch_off), .value = "event",
	  .help = "not from such an event on" },
	{ 0, "show-on-off-events", OPTION_FLAG, VALUE(show_on_off),
	  .help = "these events themselves, too" },
	{ 0, "time", OPTION_STRING, VALUE(time), .value = "from,to",
	  .help = "only this span: seconds, or 10%/2, 0%-10%,30%-40%" },
	{ 0, "time-quantum", OPTION_STRING, VALUE(quantum), .value = "time",
	  .help = "steps of the key \"time\" (100ms)" },
	{ 0, "raw-trace", OPTION_FLAG, VALUE(raw_trace),
	  .help = "fields of tracepoints as they were recorded" },
	{ 0, "ns", OPTION_FLAG, VALUE(show_ns), .help = "times with nanoseconds" },
	{ 0, "header", OPTION_FLAG, VALUE(header), .help = "first show the file's header" },
	{ 0, "header-only", OPTION_FLAG, VALUE(header_only), .help = "show the header only" },
	{ 'I', "show-info", OPTION_FLAG, VALUE(full_header),
	  .help = "the same with all about processors, caches, memory" },
	{ 0, "stats", OPTION_FLAG, VALUE(stats), .help = "show numbers of records" },
	{ 0, "no-skip-empty", OPTION_FLAG, VALUE(show_empty),
	  .help = "with events that have no samples" },
	{ 'T', "threads", OPTION_FLAG, VALUE(thread_counts),
	  .help = "then show what each thread has counted (record -s)" },
	{ 0, "pretty", OPTION_CALL, .call = report_pretty, .value = "normal|raw",
	  .help = "show -T as a table, or with a row per thread and event" },
	{ 'D', "dump-raw-trace", OPTION_FLAG, VALUE(dump),
	  .help = "show every record, as script -D" },
	{ 0, "tasks", OPTION_FLAG, VALUE(tasks), .help = "show the tasks there were" },
	{ 0, "mmaps", OPTION_FLAG, VALUE(mmaps), .help = "the same, with what they had mapped" },
	{ 0, "symfs", OPTION_CALL, .call = report_symfs, .value = "directory[,flat]",
	  .help = "look for files with symbols below it; flat: in it" },
	{ 'k', "vmlinux", OPTION_STRING, VALUE(vmlinux), .value = "file",
	  .help = "the kernel's file with symbols" },
	{ 0, "ignore-vmlinux", OPTION_FLAG, VALUE(no_vmlinux),
	  .help = "do not look for it: use the symbol list" },
	{ 0, "kallsyms", OPTION_STRING, VALUE(kallsyms), .value = "file",
	  .help = "a copy of the kernel's symbol list" },
	SERVERS_OPTION(offsetof(struct values, debuginfod)),
	{ 0, "no-demangle", OPTION_FLAG, VALUE(no_demangle),
	  .help = "names of functions as the files have them" },
	{ 0, "demangle-kernel", OPTION_FLAG, VALUE(demangle_kernel),
	  .help = "make names of the kernel readable, too" },
	{ 0, "jobs", OPTION_INT, VALUE(threads), .value = "n",
	  .help = "read with so many threads (as many as there are CPUs)" },
	{ 0, "inline", OPTION_FLAG, VALUE(inlines),
	  .help = "call chains with the functions that were inlined (with libdw)" },
	{ 0, "no-inline", OPTION_FLAG, VALUE(no_inlines), .help = "without (as usual)" },
	{ 0, "full-source-path", OPTION_FLAG, VALUE(full_paths),
	  .help = "lines of source with the whole path of their file" },
	{ 0, "json", OPTION_FLAG, VALUE(json), .help = "write JSON" },
	/* Modules are always looked for, nothing is disassembled, and lines are read in here. */
	IGNORED('m', "modules"),
	IGNORED(0, "disable-order"),
	IGNORED(0, "asm-raw"),
	IGNORED(0, "source"),
	IGNORED_VALUE('M', "disassembler-style", "style"),
	IGNORED_VALUE(0, "objdump", "path"),
	IGNORED_VALUE(0, "addr2line", "path"),
	IGNORED_VALUE(0, "addr2line-style", "style"),
	IGNORED_VALUE(0, "prefix", "path"),
	IGNORED_VALUE(0, "prefix-strip", "n"),
	IGNORED_VALUE(0, "samples", "n"),
	{ 0, "percent-type", OPTION_CALL, .call = report_percent_type, .value = "type",
	  .help = "changes nothing", .hidden = true },
	{ 0, "stitch-lbr", OPTION_CALL, .call = report_refuse, .help = "refused", .hidden = true },
	{ 0, "itrace", OPTION_CALL, .call = report_refuse, .value = "what", .optional = true,
	  .help = "refused", .hidden = true },
	{ 0 },
};

static bool wants_profile(const struct values *values)
{
	return !values->header_only && !values->stats && !values->tasks && !values->mmaps;
}

/* Nothing to see is easily taken for nothing recorded. */
static void tell_filtered(const struct recording *rec, const struct plan *plan)
{
	for (int i = 0; i < rec->nr_events; i++)
		if (xp_profile_total_at(rec->profile, i).kept_samples ||
		    (!plan->relative && xp_profile_nr_rows(rec->profile, i)))
			return;
	fprintf(stderr, "Note: no sample matches the filters (%" PRIu64 " read)\n",
		rec->tally.records[XP_RECORD_SAMPLE]);
}

static int show(struct recording *rec, struct plan *plan)
{
	const struct values *values = plan->values;
	int err = load_events(rec);

	if (!err && wants_profile(values))
		err = plan_settle(plan, rec);
	if (err)
		return err;
	if (values->header || values->header_only || values->full_header)
		header_print(stdout, rec->input.data, rec->input.path, values->full_header);
	else if (!values->quiet && !values->json && wants_profile(values))
		fputs("# To display the perf.data header info, please use --header/--header-only "
		      "options.\n#\n",
		      stdout);
	if (values->header_only)
		return 0;
	err = load_index(rec, plan, wants_profile(values));
	if (!err && wants_profile(values))
		err = load_aggregate(rec, plan);
	if (values->stats)
		stats_print(stdout, rec, values->show_empty);
	else if (!err && values->mmaps)
		mmaps_print(stdout, rec);
	else if (!err && values->tasks)
		tasks_print(stdout, rec);
	else if (!err && values->json)
		json_print(stdout, rec, plan);
	else if (!err && !rec->tally.records[XP_RECORD_SAMPLE])
		fprintf(stderr, "Warning: '%s' holds no samples\n", rec->input.path);
	else if (!err) {
		stdio_print(stdout, rec, plan);
		tell_filtered(rec, plan);
	}
	if (!err && values->thread_counts && wants_profile(values) && !values->json)
		threads_print(stdout, rec, values->raw_counts);
	return err;
}

/* Returns the exit status. */
static int run_plan(const struct cli *cli, struct plan *plan)
{
	struct recording rec = { .tally = { .counted = 1 } };
	int err = load_open(cli, &rec, plan->values);

	if (err)
		return input_close(&rec.input, err, false);
	pid_t pager = cli->no_pager ? 0 : pager_start();
	err = show(&rec, plan);
	fflush(stdout);
	pager_end(pager);
	load_close(&rec);
	int status = input_close(&rec.input, err, plan->values->verbose);
	return plan->is_misused ? EXIT_USAGE : status;
}

/* Views and details that other versions of perf have, and scripts ask for. */
static void tell_missing(const struct values *values)
{
	if (values->tui || values->gtk)
		fprintf(stderr, "Warning: --%s: there is no such view; this is --stdio\n",
			values->tui ? "tui" : "gtk");
}

/* "report -D" is "script -D". */
static int dump(const struct cli *cli, const struct values *values)
{
	char name[] = "script", raw[] = "-D", force[] = "-f", input[] = "-i";
	char *argv[6] = { name, raw };
	int nr = 2;

	if (values->force)
		argv[nr++] = force;
	if (values->input) {
		argv[nr++] = input;
		argv[nr++] = (char *)(uintptr_t)values->input;
	}
	return script_command.run(cli, nr, argv);
}

/* With perf, what stands alone is a part of functions' names; many mean a file. Returns 0 or
 * EXIT_USAGE. */
static int take_operand(int nr, char **operands, struct values *values)
{
	if (nr > 1 || (nr && values->symbol_filter))
		return options_misused(&report_command, "'%s' is too much", operands[nr - 1]);
	if (nr && !access(operands[0], F_OK))
		return options_misused(
			&report_command,
			"'%s' is a file, and would be taken for a part of functions' "
			"names; to read it: -i %s",
			operands[0], operands[0]);
	if (nr)
		values->symbol_filter = operands[0];
	return 0;
}

/* The option that asks for other rows than the basic blocks of --total-cycles; NULL: none does. */
static const char *not_for_blocks(const struct values *values)
{
	return values->no_branches      ? "--no-branch-stack"
	       : values->branch_history ? "--branch-history"
	       : values->mem_mode       ? "--mem-mode"
	       : values->hierarchy      ? "-H"
	       : values->json           ? "--json"
					: NULL;
}

static int run_options(const struct cli *cli, int argc, char **argv)
{
	struct values values = {
		.graph = { .mode = GRAPH_GRAPH, .min_percent = 0.5 },
	};
	struct plan plan;
	int first;
	int leave = options_parse(&report_command, argc, argv, &values, &first);

	if (leave)
		return leave - 1;
	int misuse = take_operand(argc - first, argv + first, &values);
	if (misuse)
		return misuse;
	if (values.max_stack < 0)
		return options_misused(&report_command, "--max-stack: %d is negative",
				       values.max_stack);
	if (values.group_leader < 0)
		return options_misused(&report_command, "--group-sort-idx: %d is negative",
				       values.group_leader);
	if (values.threads < 0)
		return options_misused(&report_command, "--jobs: %d is negative", values.threads);
	if (values.total_cycles && not_for_blocks(&values))
		return options_misused(&report_command, "--total-cycles and %s exclude each other",
				       not_for_blocks(&values));
	tell_missing(&values);
	if (values.dump)
		return dump(cli, &values);
	int status = plan_make(&plan, &values) ? EXIT_USAGE : run_plan(cli, &plan);
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
	.summary = "Sums up a recording: by command, file, function, with call chains",
	.usage = "[<options>] [<part of functions' names>]",
	.options = options,
	.run = run,
};
