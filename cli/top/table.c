/* SPDX-License-Identifier: MIT */
/* The option table of `xperf top`. Names and letters are those of perf 6.1. */
#include "values.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "option-parse.h"
#include "option-values.h"
#include "servers.h"

#define VALUE(field)  .offset = offsetof(struct top_values, field)
#define REPORT(field) .offset = offsetof(struct top_values, report.field)
#define IGNORED(its_letter, its_name, its_value)                                                   \
	{                                                                                          \
		its_letter, its_name, OPTION_CALL, .call = option_ignore, .value = its_value,      \
						   .help = "no effect", .hidden = true             \
	}

int top_record(struct top_values *values, const char *fmt, ...)
{
	va_list args;
	char *text;

	if (values->nr_record == MOST_RECORD_ARGS)
		return -E2BIG;
	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	values->record[values->nr_record++] = text;
	return 0;
}

/* An option that record has by the same name. */
static int record_option(const struct option *option, const char *arg, bool negated, void *data)
{
	struct top_values *values = data;
	int err;

	if (negated)
		err = top_record(values, "--no-%s", option->name);
	else if (arg)
		err = top_record(values, "--%s=%s", option->name, arg);
	else
		err = top_record(values, "--%s", option->name);
	return err ? option_error(option, "there are too many options") : 0;
}

static int record_chains(const struct option *option, const char *arg, bool negated, void *data)
{
	int err = negated ? 0 : top_record(data, "%s", "-g");

	(void)arg;
	return err ? option_error(option, "there are too many options") : 0;
}

/* Those of one side are not sampled at all. */
static int user_only(const struct option *option, const char *arg, bool negated, void *data)
{
	(void)arg;
	return negated || !top_record(data, "--all-user")
		       ? 0
		       : option_error(option, "there are too many options");
}

static int kernel_only(const struct option *option, const char *arg, bool negated, void *data)
{
	(void)arg;
	return negated || !top_record(data, "--all-kernel")
		       ? 0
		       : option_error(option, "there are too many options");
}

#define RECORD(its_letter, its_name, its_value, its_help)                                          \
	{                                                                                          \
		its_letter, its_name, OPTION_CALL, .call = record_option, .value = its_value,      \
						   .help = its_help                                \
	}
#define HIDDEN_RECORD(its_name, its_value, its_help)                                               \
	{                                                                                          \
		0, its_name, OPTION_CALL, .call = record_option, .value = its_value,               \
					  .help = its_help, .hidden = true                         \
	}
#define REFUSED(its_letter, its_name, its_value, why)                                              \
	{                                                                                          \
		its_letter, its_name, OPTION_CALL, .call = option_refuse, .value = its_value,      \
						   .help = why, .hidden = true                     \
	}

const struct option top_options[] = {
	RECORD('e', "event", "event", "sample these events (default cycles, or a clock)"),
	RECORD(0, "filter", "filter",
	       "sample the preceding tracepoints and probes only where this condition holds"),
	RECORD('F', "freq", "hz|max", "take this many samples per second (default 4000)"),
	RECORD('c', "count", "n", "take a sample every n events, instead of -F"),
	RECORD('a', "all-cpus", NULL, "show all tasks on all CPUs (default)"),
	RECORD('C', "cpu", "list", "show these CPUs: 0,2-3"),
	RECORD('p', "pid", "list", "show running processes, by number or name"),
	RECORD('t', "tid", "list", "show running threads"),
	RECORD('u', "uid", "user", "show all processes of a user (name or number)"),
	RECORD('G', "cgroup", "name[,name]", "sample the preceding events in these cgroups"),
	RECORD('i', "no-inherit", NULL, "do not sample child tasks"),
	{ 'K', "hide_kernel_symbols", OPTION_CALL, .call = user_only,
	  .help = "sample user space only" },
	{ 'U', "hide_user_symbols", OPTION_CALL, .call = kernel_only,
	  .help = "sample the kernel only" },
	RECORD('m', "mmap-pages", "pages", "size of each ring, in pages or as in 512K"),
	RECORD('r', "realtime", "prio", "read the rings with this priority of SCHED_FIFO"),
	RECORD('b', "branch-any", NULL, "show branches"),
	RECORD('j', "branch-filter", "filter", "show branches of some kinds: any_call,cond,u ..."),
	RECORD('W', "weight", NULL, "record the weight, if the event has one"),
	RECORD(0, "data", NULL, "record data addresses"),
	{ 'g', NULL, OPTION_CALL, .call = record_chains, .help = "show call chains" },
	RECORD(0, "call-graph", "mode", "show call chains found by fp, dwarf, lbr or auto"),
	{ 'd', "delay", OPTION_POSITIVE, VALUE(delay_s), .value = "seconds",
	  .help = "show what is new after this many seconds (default 2)" },
	{ 'z', "zero", OPTION_FLAG, VALUE(zero),
	  .help = "count the samples of the last -d seconds only, not of five times as long" },
	{ 'E', "entries", OPTION_POSITIVE, VALUE(entries), .value = "lines",
	  .help = "print this many lines of rows (default: as many as fit, or 20)" },
	{ 0, "refreshes", OPTION_POSITIVE, VALUE(refreshes), .value = "n",
	  .help = "end after the n-th refresh" },
	{ 0, "stdio", OPTION_FLAG, REPORT(show.stdio),
	  .help = "print text (default where standard output is no terminal)" },
	{ 0, "tui", OPTION_FLAG, REPORT(show.tui), .help = "browse rows (default on a terminal)" },
	{ 0, "default-stdio", OPTION_FLAG, REPORT(show.text_by_default),
	  .help = "as --stdio, unless --tui is given", .hidden = true },
	{ 0, "hide-headings", OPTION_FLAG, REPORT(show.hide_headings),
	  .help = "browse rows without the names of columns", .hidden = true },
	{ 's', "sort", OPTION_STRING, REPORT(count.sort), .value = "key,...",
	  .help = "the keys that make a row (default comm,dso,symbol); +key adds one" },
	{ 0, "fields", OPTION_STRING, REPORT(show.fields), .value = "key,...",
	  .help = "the columns, in their order; +column adds one" },
	{ 'n', "show-nr-samples", OPTION_FLAG, REPORT(show.samples),
	  .help = "add a column with the number of samples" },
	{ 0, "show-total-period", OPTION_FLAG, REPORT(show.period),
	  .help = "add a column with the sum of periods" },
	{ 0, "children", OPTION_FLAG, REPORT(count.children),
	  .help = "add callees' cost to their callers (default if there are call chains)" },
	{ 0, "no-children", OPTION_FLAG, REPORT(count.no_children),
	  .help = "show the cost of functions alone" },
	{ 0, "max-stack", OPTION_INT, REPORT(count.max_stack), .value = "n",
	  .help = "use at most this many entries of a call chain (default 127)" },
	{ 0, "no-inline", OPTION_FLAG, REPORT(count.no_inlines),
	  .help = "do not show inlined functions in call chains" },
	{ 0, "ignore-callees", OPTION_STRING, REPORT(count.roots), .value = "regex",
	  .help = "add callees' cost to the functions that match" },
	{ 0, "group", OPTION_FLAG, REPORT(count.group), .help = "show all events side by side" },
	{ 0, "percent-limit", OPTION_CALL, .call = report_percent_limit, .value = "percent",
	  .help = "do not show rows with a smaller share" },
	{ 0, "percentage", OPTION_STRING, REPORT(count.percentage), .value = "relative|absolute",
	  .help = "compute shares of the samples that pass the filters, or of all (default)" },
	{ 'w', "column-widths", OPTION_STRING, REPORT(show.widths), .value = "n,...",
	  .help = "the widths of the columns; 0: as wide as needed" },
	{ 0, "comms", OPTION_STRING, REPORT(read.filter.comms), .value = "name,...",
	  .help = "show only these commands" },
	{ 0, "dsos", OPTION_STRING, REPORT(read.filter.dsos), .value = "file,...",
	  .help = "show only these files" },
	{ 0, "symbols", OPTION_STRING, REPORT(read.filter.symbols), .value = "name,...",
	  .help = "show only these functions" },
	{ 0, "sym-filter", OPTION_STRING, REPORT(count.symbol_filter), .value = "text",
	  .help = "show only rows of functions with this text in their name" },
	{ 0, "symbol-filter", OPTION_STRING, REPORT(count.symbol_filter), .value = "text",
	  .help = "same as above", .hidden = true },
	SYMBOL_OPTIONS(offsetof(struct top_values, report.read.symbols)),
	{ 'v', "verbose", OPTION_COUNT, REPORT(show.verbose),
	  .help = "print paths of files and addresses" },
	{ 0, "raw-trace", OPTION_FLAG, REPORT(count.raw_trace),
	  .help = "show tracepoint fields as recorded" },
	{ 0, "group-sort-idx", OPTION_INT, REPORT(count.group_leader), .value = "n",
	  .help = "sort groups by their n-th event, starting at 0" },
	RECORD(0, "namespaces", NULL, "record the namespaces of tasks"),
	RECORD(0, "all-cgroups", NULL, "record cgroups, for the key cgroup"),
	RECORD(0, "no-bpf-event", NULL, "do not record BPF programs"),
	RECORD(0, "proc-map-timeout", "ms", "read the maps of one task for at most this long"),
	HIDDEN_RECORD("default-call-graph", "mode", "what -g means"),
	/* What perf's other views and ways of working need. */
	IGNORED('M', "disassembler-style", "style"),
	IGNORED(0, "source", NULL),
	IGNORED(0, "asm-raw", NULL),
	IGNORED(0, "objdump", "path"),
	IGNORED(0, "addr2line", "path"),
	IGNORED(0, "prefix", "path"),
	IGNORED(0, "prefix-strip", "n"),
	IGNORED(0, "num-thread-synthesize", "n"),
	IGNORED(0, "overwrite", NULL),
	IGNORED(0, "force", NULL),
	REFUSED('f', "count-filter", "n", "use --percent-limit: rows are chosen by their share"),
	REFUSED('D', "dump-symtab", NULL, "xperf report -v shows where symbols come from"),
	REFUSED(0, "hierarchy", NULL,
		"rows are no tree here; use xperf record and report --hierarchy"),
	REFUSED(0, "sym-annotate", "symbol", "choose the function in the browser and press a"),
	REFUSED(0, "switch-on", "event", "all samples count; use xperf record and script"),
	REFUSED(0, "switch-off", "event", "all samples count; use xperf record and script"),
	REFUSED(0, "show-on-off-events", NULL, "all samples count; use xperf record and script"),
	REFUSED(0, "stitch-lbr", NULL,
		"call chains of branch records are shown as they were recorded"),
	{ 0 },
};
