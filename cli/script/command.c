/* SPDX-License-Identifier: MIT */
/* `xperf script`: every sample of a recording as text. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "cli.h"
#include "header.h"
#include "option-parse.h"
#include "options.h"
#include "ordered.h"
#include "python.h"
#include "run.h"
#include "servers.h"
#include "stacks.h"
#include "terminal.h"

enum { MAX_STACK = 127 };

/* What follows is a script and its arguments. */
static const char program_word[] = "report";

static int parse_fields(const struct option *option, const char *arg, bool negated, void *data)
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

/* Programs are given lines to read instead of being run inside. */
static int refuse_script(const struct option *option, const char *arg, bool negated, void *data)
{
	(void)arg;
	(void)negated;
	(void)data;
	return option_error(option, "xperf makes no scripts; see xperf-script(1) for what they "
				    "look like");
}

static int refuse_filter(const struct option *option, const char *arg, bool negated, void *data)
{
	(void)arg;
	(void)negated;
	(void)data;
	return option_error(option,
			    "xperf does not load filters; use -c, --dsos, -S, --time and others, "
			    "or 'xperf script --json'");
}

static int refuse_guest(const struct option *option, const char *arg, bool negated, void *data)
{
	(void)arg;
	(void)negated;
	(void)data;
	return option_error(option, "functions of guests are not looked up; their samples are "
				    "shown by address");
}

static int refuse_disassembly(const struct option *option, const char *arg, bool negated,
			      void *data)
{
	(void)arg;
	(void)negated;
	(void)data;
	return option_error(option, "no program is run; -F +brstackdisasm or +disasm prints "
				    "instructions as text");
}

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(read.input), .value = "file",
	  .help = "read this recording (default perf.data, or standard input if that is a pipe)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the file even if it belongs to another user" },
	{ 'F', "fields", OPTION_CALL, VALUE(fields), .value = "fields",
	  .help = "print these fields: "
		  "comm,tid,pid,time,cpu,event,trace,ip,sym,dso,addr,symoff,period,...; +field, "
		  "-field; hw:, sw:, trace:, raw: in front",
	  .call = parse_fields },
	{ 0, "json", OPTION_FLAG, VALUE(json),
	  .help = "print each sample as one line of JSON, with everything that was recorded" },
	{ 'G', "hide-call-graph", OPTION_FLAG, VALUE(hide_chains),
	  .help = "print samples without call chains" },
	{ 0, "max-stack", OPTION_INT, VALUE(max_stack), .value = "n",
	  .help = "print at most this many entries of a call chain (default 127)" },
	{ 0, "max-blocks", OPTION_INT, VALUE(max_blocks), .value = "n",
	  .help = "with -F brstackinsn: print at most this many blocks of code" },
	{ 0, "stop-bt", OPTION_STRING, VALUE(stop_bt), .value = "names",
	  .help = "end call chains at these functions" },
	{ 0, "ns", OPTION_FLAG, VALUE(ns), .help = "print times in nanoseconds" },
	{ 0, "reltime", OPTION_FLAG, VALUE(reltime), .help = "print times since the first line" },
	{ 0, "deltatime", OPTION_FLAG, VALUE(deltatime),
	  .help = "print times since the previous line" },
	{ 0, "time", OPTION_STRING, VALUE(read.filter.time), .value = "ranges",
	  .help = "print only samples of this time: START,STOP in seconds; 10%/2; 0%-20%" },
	{ 'C', "cpu", OPTION_STRING, VALUE(read.filter.cpus), .value = "cpus",
	  .help = "print only samples on these CPUs" },
	{ 'c', "comms", OPTION_STRING, VALUE(read.filter.comms), .value = "names",
	  .help = "print only samples of threads with these names" },
	{ 0, "pid", OPTION_STRING, VALUE(read.filter.pids), .value = "pids",
	  .help = "print only samples of these processes" },
	{ 0, "tid", OPTION_STRING, VALUE(read.filter.tids), .value = "tids",
	  .help = "print only samples of these threads" },
	{ 'S', "symbols", OPTION_STRING, VALUE(read.filter.symbols), .value = "names",
	  .help = "print only samples in these functions, or at these addresses (0x...)" },
	{ 0, "addr-range", OPTION_STRING, VALUE(read.filter.addr_range), .value = "bytes",
	  .help = "with -S: match this many bytes after each address, too" },
	{ 0, "dsos", OPTION_STRING, VALUE(read.filter.dsos), .value = "files",
	  .help = "print only samples in these files" },
	{ 0, "switch-on", OPTION_STRING, VALUE(read.filter.switch_on), .value = "event",
	  .help = "ignore everything before the first sample of this event" },
	{ 0, "switch-off", OPTION_STRING, VALUE(read.filter.switch_off), .value = "event",
	  .help = "ignore everything after a sample of this event, until the next one of "
		  "--switch-on" },
	{ 0, "show-on-off-events", OPTION_FLAG, VALUE(read.filter.show_on_off),
	  .help = "print the samples of these two events, too" },
	{ 'a', "all-cpus", OPTION_FLAG, VALUE(ignored),
	  .help = "print samples of all CPUs (default)" },
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
	{ 0, "show-text-poke-events", OPTION_FLAG, VALUE(show_text_poke),
	  .help = "print KSYMBOL and TEXT_POKE records, too" },
	{ 0, "show-lost-events", OPTION_FLAG, VALUE(show_lost),
	  .help = "print LOST and LOST_SAMPLES records, too" },
	{ 0, "show-round-events", OPTION_FLAG, VALUE(show_rounds),
	  .help = "print FINISHED_ROUND records, too" },
	{ 0, "header", OPTION_FLAG, VALUE(header),
	  .help = "first print the header of the recording" },
	{ 0, "header-only", OPTION_FLAG, VALUE(header_only),
	  .help = "print the header and nothing else" },
	{ 'I', "show-info", OPTION_FLAG, VALUE(full_header),
	  .help = "with --header: print all details" },
	{ 'D', "dump-raw-trace", OPTION_FLAG, VALUE(dump),
	  .help = "print every record, too: its bytes and its fields" },
	{ 0, "dump-unsorted-raw-trace", OPTION_FLAG, VALUE(dump), .help = "same as above",
	  .hidden = true },
	{ 0, "per-event-dump", OPTION_FLAG, VALUE(per_event_dump),
	  .help = "print the samples of each event to a file, INPUT.EVENT.dump" },
	SYMBOL_OPTIONS(offsetof(struct values, read.symbols)),
	STACKS_OPTION(offsetof(struct values, read.unwind)),
	/* As perf 7.2 calls it. */
	{ 0, "unwind-style", OPTION_CALL, VALUE(read.unwind), .value = "how",
	  .help = "same as --unwind", .call = stacks_parse, .hidden = true },
	JOBS_OPTION(offsetof(struct values, read.jobs)),
	NO_JOIN_OPTION(offsetof(struct values, read.no_join)),
	{ 0, "no-inline", OPTION_FLAG, VALUE(no_inlines),
	  .help = "do not print inlined functions in call chains" },
	{ 0, "full-source-path", OPTION_FLAG, VALUE(full_paths),
	  .help = "print the whole path of source files" },
	{ 0, "show-kernel-path", OPTION_FLAG, VALUE(ignored), .help = "no effect", .hidden = true },
	{ 's', "script", OPTION_STRING, VALUE(script), .value = "file",
	  .help = "run this script for perf's Python interface; arguments are its own" },
	{ 'l', "list", OPTION_FLAG, VALUE(list_scripts),
	  .help = "list the scripts that come with perf, and what to use here" },
	{ 'g', "gen-script", OPTION_CALL, .value = "language", .help = "refused",
	  .call = refuse_script, .hidden = true },
	{ 0, "dlfilter", OPTION_CALL, .value = "file", .help = "refused", .call = refuse_filter,
	  .hidden = true },
	{ 0, "dlarg", OPTION_CALL, .value = "argument", .help = "refused", .call = refuse_filter,
	  .hidden = true },
	{ 0, "list-dlfilters", OPTION_CALL, .help = "refused", .call = refuse_filter,
	  .hidden = true },
	{ 0, "itrace", OPTION_CALL, .value = "what", .help = "no effect", .call = option_note,
	  VALUE(read.trace), .hidden = true, .optional = true },
	{ 0, "insn-trace", OPTION_CALL, .value = "how", .help = "no effect", .call = option_note,
	  VALUE(read.trace), .hidden = true, .optional = true },
	{ 0, "call-trace", OPTION_CALL, .value = "how", .help = "no effect", .call = option_note,
	  VALUE(read.trace), .hidden = true, .optional = true },
	{ 0, "call-ret-trace", OPTION_CALL, .value = "how", .help = "no effect",
	  .call = option_note, VALUE(read.trace), .hidden = true, .optional = true },
	{ 0, "graph-function", OPTION_CALL, .value = "names", .help = "no effect",
	  .call = option_note, VALUE(read.trace), .hidden = true },
	{ 0, "xed", OPTION_CALL, .value = "how", .help = "refused", .call = refuse_disassembly,
	  .hidden = true, .optional = true },
	{ 0, "guest-code", OPTION_CALL, .help = "refused", .call = refuse_guest, .hidden = true },
	{ 0, "guestmount", OPTION_CALL, .value = "dir", .help = "refused", .call = refuse_guest,
	  .hidden = true },
	{ 0, "guestvmlinux", OPTION_CALL, .value = "file", .help = "refused", .call = refuse_guest,
	  .hidden = true },
	{ 0, "guestkallsyms", OPTION_CALL, .value = "file", .help = "refused", .call = refuse_guest,
	  .hidden = true },
	{ 0, "guestmodules", OPTION_CALL, .value = "file", .help = "refused", .call = refuse_guest,
	  .hidden = true },
	{ 0, "stitch-lbr", OPTION_CALL, VALUE(read.stitches), .help = "no effect",
	  .call = option_note, .hidden = true },
	{ 'd', "debug-mode", OPTION_FLAG, VALUE(only_check),
	  .help = "print no samples, only the number of those out of order" },
	{ 'L', "Latency", OPTION_FLAG, VALUE(ignored), .help = "no effect", .hidden = true },
	{ 0, "merge-callchains", OPTION_FLAG, VALUE(ignored), .help = "default", .hidden = true },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "print C++ names with parameters; report all damage, and why functions are "
		  "unknown" },
	{ 0 },
};

static int show(struct recording *rec, const struct config *config)
{
	if (!config->values->header_only)
		return run_script(rec, config, STDOUT_FILENO);
	header_print(stdout, rec->data, rec->path, config->values->full_header);
	fflush(stdout);
	return 0;
}

static int run_config(const struct cli *cli, const struct config *config)
{
	const struct values *values = config->values;
	struct recording rec;
	int err = recording_open(&rec, cli, &values->read);

	if (!err) {
		pid_t pager = pager_start();

		err = show(&rec, config);
		pager_end(pager);
	}
	return recording_close(&rec, err, values->verbose);
}

/* With perf, a word instead of an option names a script. */
static int refuse_words(int nr, char **words)
{
	if (!strcmp(words[0], program_word) || !strcmp(words[0], "record"))
		return script_refuse(words[0], nr > 1 ? words[1] : NULL);
	return options_misused(&script_command, "unexpected argument '%s'", words[0]);
}

/* "report NAME": the script of perf, unless something here is better and perf was not called.
 * Returns its path, the caller's to free, or NULL. */
static char *find_script(const struct cli *cli, int nr, char **words)
{
	if (nr < 2 || strcmp(words[0], program_word) != 0)
		return NULL;
	return cli_is_perf(cli) || !script_has_replacement(words[1]) ? script_find(words[1]) : NULL;
}

/* Perl's, and what "lang:file" means for perf. Returns the file, or NULL after one sentence. */
static const char *script_file(const char *script)
{
	static const char python[] = "python:", *const others[] = { ".pl", ".perl", ".so" };
	const char *file =
		strncmp(script, python, sizeof(python) - 1) ? script : script + sizeof(python) - 1;
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(dot, others[i]) != 0)
			continue;
		options_misused(&script_command,
				"--script: only scripts in Python can be run, not "
				"'%s'",
				script);
		return NULL;
	}
	return file;
}

static int run_python(const struct cli *cli, const struct config *config)
{
	const struct values *values = config->values;
	struct python python;
	struct recording rec;

	if (python_start(&python, values->script, values->arguments))
		return EXIT_FAILED;
	int err = recording_open(&rec, cli, &values->read);
	if (!err)
		err = run_script(&rec, config, python.fd);
	int failed = python_end(&python);
	if (err == -EPIPE) { /* it has read enough, or has failed */
		rec.diag = (struct xp_diag){ 0 };
		err = 0;
	}
	int status = recording_close(&rec, err, values->verbose);
	return failed ? failed : status;
}

static int run_values(const struct cli *cli, struct values *values)
{
	struct config config = { 0 };
	struct xp_diag diag = { 0 };
	int status = EXIT_USAGE;

	if (values->read.jobs < 0)
		return options_misused(&script_command, "--jobs: %d is negative",
				       values->read.jobs);
	values->json |= values->script != NULL;
	values->read.symbols.demangle_full = values->verbose;
	if (config_make(values, &config, &diag))
		cli_print_diag(&diag, NULL);
	else
		status = values->script ? run_python(cli, &config) : run_config(cli, &config);
	config_fini(&config);
	return status;
}

/* With a script of perf's, by name, or of a file, or without one. */
static int run_words(const struct cli *cli, struct values *values, int nr, char **words)
{
	char *found = values->script ? NULL : find_script(cli, nr, words);

	if (values->script && !(values->script = script_file(values->script)))
		return EXIT_USAGE;
	if (nr && !values->script && !found)
		return refuse_words(nr, words);
	values->arguments = found ? words + 2 : words;
	if (found)
		values->script = found;
	int status = run_values(cli, values);
	free(found);
	return status;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = {
		.read = { .with_symbols = true,
			  .split_readings = true,
			  .filter = { .with_addresses = true } },
		.max_stack = MAX_STACK,
	};
	int first, status;

	fields_init(&values.fields);
	if (!options_parse(&script_command, argc, argv, &values, &first, &status))
		return status;
	if (!values.list_scripts)
		return run_words(cli, &values, argc - first, argv + first);
	scripts_list();
	return 0;
}

const struct command script_command = {
	.name = "script",
	.summary = "Print the samples of a recording",
	.usage = "[<options>] [<arguments of the script>]",
	.options = options,
	.program_word = program_word,
	.run = run,
};
