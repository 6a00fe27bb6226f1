/* SPDX-License-Identifier: MIT */
/* `xperf script`: every sample of a recording as text. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
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

/* Without -i: standard input, if something is piped into it and no perf.data is here. */
static const char *default_input(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

static void tell_damage(const struct xp_data *data, const struct values *values)
{
	uint64_t nr = xp_data_nr_damages(data);
	size_t shown = values->verbose ? SIZE_MAX : 5;
	const char *text;

	for (size_t i = 0; i < shown && (text = xp_data_damage(data, i)); i++)
		fprintf(stderr, "Warning: %s\n", text);
	if (nr > shown)
		fprintf(stderr, "Warning: %llu more are damaged; -v tells which\n",
			(unsigned long long)(nr - shown));
}

static int run_on(struct xp_ctx *ctx, const struct values *values, const struct config *config)
{
	const struct xp_data_opts opts = { .size = sizeof(opts),
					   .path = values->input ? values->input : default_input(),
					   .force = values->force };
	struct xp_diag diag = { 0 };
	struct xp_data *data = NULL;
	int err = xp_data_open(ctx, &opts, &data, &diag);

	if (!err)
		err = run_script(ctx, data, config, STDOUT_FILENO, &diag);
	if (err && err != -EPIPE && !diag.err)
		xp_diag_set(&diag, err, "'%s' cannot be printed: %s", opts.path, strerror(-err));
	if (data)
		tell_damage(data, values);
	if (err == -EPIPE)
		err = 0;
	else if (err)
		cli_print_diag(&diag, NULL);
	else if (diag.err)
		fprintf(stderr, "Warning: %s\n", diag.what);
	bool damaged = data && xp_data_nr_damages(data);
	xp_data_close(data);
	return err || damaged ? EXIT_FAILED : 0;
}

static int run_config(const struct cli *cli, const struct values *values,
		      const struct config *config)
{
	struct xp_ctx *ctx = cli_ctx_new(cli, 0);

	if (!ctx)
		return EXIT_FAILED;
	pid_t pager = cli->no_pager ? 0 : pager_start();
	int status = run_on(ctx, values, config);
	pager_end(pager);
	cli_ctx_free(ctx);
	return status;
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
