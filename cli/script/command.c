/* SPDX-License-Identifier: MIT */
/* `xperf script`: every sample of a recording as text. */
#include <stddef.h>
#include <unistd.h>

#include "cli.h"
#include "input.h"
#include "options.h"
#include "run.h"
#include "terminal.h"

enum { MAX_STACK = 127 };

static int take_fields(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;
	struct xp_diag diag = { 0 };

	if (negated) {
		fields_init(&values->fields);
		return 0;
	}
	if (!fields_parse(&values->fields, arg, &diag))
		return 0;
	option_error(option, "%s%s%s", diag.what, *diag.hint ? "; " : "", diag.hint);
	return -1;
}

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(input), .value = "file",
	  .help = "the recording; perf.data, or standard input if that is a pipe" },
	{ 'f', "force", OPTION_FLAG, VALUE(force), .help = "read another user's file, too" },
	{ 'F', "fields", OPTION_CALL, VALUE(fields), .value = "fields",
	  .help = "what is printed: comm,tid,pid,time,cpu,event,trace,ip,sym,dso,addr,symoff,period,"
		  "...; +field, -field; hw:, sw:, trace:, raw: before them",
	  .call = take_fields },
	{ 'G', "hide-call-graph", OPTION_FLAG, VALUE(hide_chains),
	  .help = "print samples without call chains" },
	{ 0, "max-stack", OPTION_INT, VALUE(max_stack), .value = "n",
	  .help = "print so many entries of a call chain; 127" },
	{ 0, "ns", OPTION_FLAG, VALUE(ns), .help = "print times in nanoseconds" },
	{ 0, "time", OPTION_STRING, VALUE(time), .value = "ranges",
	  .help = "only samples of these times: START,STOP in seconds; 10%/2; 0%-20%" },
	{ 'C', "cpu", OPTION_STRING, VALUE(cpus), .value = "cpus",
	  .help = "only samples on these CPUs" },
	{ 'c', "comms", OPTION_STRING, VALUE(comms), .value = "names",
	  .help = "only samples of threads with these names" },
	{ 0, "pid", OPTION_STRING, VALUE(pids), .value = "pids",
	  .help = "only samples of these processes" },
	{ 0, "tid", OPTION_STRING, VALUE(tids), .value = "tids",
	  .help = "only samples of these threads" },
	{ 'S', "symbols", OPTION_STRING, VALUE(symbols), .value = "names",
	  .help = "only samples in these functions" },
	{ 0, "dsos", OPTION_STRING, VALUE(dsos), .value = "files",
	  .help = "only samples in these files" },
	{ 0, "show-task-events", OPTION_FLAG, VALUE(show_task),
	  .help = "print COMM, FORK and EXIT records, too" },
	{ 0, "show-mmap-events", OPTION_FLAG, VALUE(show_mmap),
	  .help = "print MMAP and MMAP2 records, too" },
	{ 0, "show-switch-events", OPTION_FLAG, VALUE(show_switch),
	  .help = "print context switches, too" },
	{ 0, "show-namespace-events", OPTION_FLAG, VALUE(show_namespaces),
	  .help = "print NAMESPACES records, too" },
	{ 0, "show-cgroup-events", OPTION_FLAG, VALUE(show_cgroup),
	  .help = "print CGROUP records, too" },
	{ 0, "show-bpf-events", OPTION_FLAG, VALUE(show_bpf),
	  .help = "print KSYMBOL and BPF_EVENT records, too" },
	{ 0, "show-lost-events", OPTION_FLAG, VALUE(show_lost),
	  .help = "print LOST and LOST_SAMPLES records, too" },
	{ 0, "show-round-events", OPTION_FLAG, VALUE(show_rounds),
	  .help = "print FINISHED_ROUND records, too" },
	{ 0, "symfs", OPTION_STRING, VALUE(symfs), .value = "dir",
	  .help = "look for files with symbols below this directory" },
	{ 'k', "vmlinux", OPTION_STRING, VALUE(vmlinux), .value = "file",
	  .help = "the kernel's file" },
	{ 0, "kallsyms", OPTION_STRING, VALUE(kallsyms), .value = "file",
	  .help = "the kernel's symbols" },
	{ 0, "no-demangle", OPTION_FLAG, VALUE(demangle_off),
	  .help = "print names of functions as their files have them" },
	{ 0, "demangle-kernel", OPTION_FLAG, VALUE(demangle_kernel),
	  .help = "demangle names of the kernel, too" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "tell all of what is damaged in the recording" },
	{ 0 },
};

static int run_config(const struct cli *cli, const struct values *values,
		      const struct config *config)
{
	struct input input;
	int err = input_open(cli, values->input, values->force, &input);

	if (!err) {
		pid_t pager = cli->no_pager ? 0 : pager_start();

		err = run_script(input.ctx, input.data, config, STDOUT_FILENO, &input.diag);
		pager_end(pager);
	}
	return input_close(&input, err, values->verbose);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .max_stack = MAX_STACK };
	struct config config = { 0 };
	struct xp_diag diag = { 0 };
	int first;

	fields_init(&values.fields);
	int leave = options_parse(&script_command, argc, argv, &values, &first);
	if (leave)
		return leave - 1;
	if (first < argc)
		return options_misused(&script_command, "'%s' is not expected", argv[first]);
	int status = EXIT_USAGE;
	if (config_make(&values, &config, &diag))
		cli_print_diag(&diag, NULL);
	else
		status = run_config(cli, &values, &config);
	config_fini(&config);
	return status;
}

const struct command script_command = {
	.name = "script",
	.summary = "print the samples of a recording",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
