/* SPDX-License-Identifier: MIT */
/* `xperf annotate`: the instructions of the hottest functions, with where samples were. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/timeline.h>

#include "annotate.h"
#include "escape.h"
#include "option-parse.h"
#include "option-values.h"
#include "ordered.h"
#include "servers.h"
#include "terminal.h"

#define VALUE(field) .offset = offsetof(struct values, field)
#define REFUSED(its_letter, its_name, its_value, its_reason)                                       \
	{                                                                                          \
		its_letter, its_name, OPTION_CALL, .call = option_refuse, .value = its_value,      \
						   .optional = true, .help = its_reason,           \
						   .hidden = true                                  \
	}
#define IGNORED(its_letter, its_name)                                                              \
	{                                                                                          \
		its_letter, its_name, OPTION_FLAG, VALUE(ignored), .help = "no effect",            \
								   .hidden = true                  \
	}
#define IGNORED_VALUE(its_letter, its_name, its_value)                                             \
	{                                                                                          \
		its_letter, its_name, OPTION_CALL, .call = option_ignore, .value = its_value,      \
						   .help = "no effect", .hidden = true             \
	}

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(read.input), .value = "file",
	  .help = "read this recording (default perf.data, or standard input if that is a pipe)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the file even if it belongs to another user" },
	{ 's', "symbol", OPTION_STRING, VALUE(read.filter.symbols), .value = "name",
	  .help = "show only this function" },
	{ 'd', "dsos", OPTION_STRING, VALUE(read.filter.dsos), .value = "file,...",
	  .help = "show only functions of these files" },
	{ 'C', "cpu", OPTION_STRING, VALUE(read.filter.cpus), .value = "cpu,...",
	  .help = "count only samples of these CPUs" },
	{ 'l', "print-line", OPTION_FLAG, VALUE(lines),
	  .help = "first list the hottest lines of source, and name the line of instructions" },
	{ 0, "no-source", OPTION_FLAG, VALUE(no_source),
	  .help = "do not show source (--source: show it, the default)" },
	{ 0, "asm-raw", OPTION_FLAG, VALUE(raw), .help = "show the bytes of instructions" },
	{ 'M', "disassembler-style", OPTION_CALL, .call = annotate_style, .value = "intel|att",
	  .help = "the syntax of x86 (default att)" },
	{ 'n', "show-nr-samples", OPTION_FLAG, VALUE(samples),
	  .help = "show numbers of samples instead of percentages" },
	{ 0, "show-total-period", OPTION_FLAG, VALUE(period),
	  .help = "show sums of periods instead of percentages" },
	{ 0, "percent-type", OPTION_CALL, .call = annotate_percent_type, .value = "type",
	  .help = "percentages of the function or of all samples, by period or by number: "
		  "local-period (default), global-period, local-hits, global-hits" },
	{ 0, "percent-limit", OPTION_CALL, .call = annotate_limit, .value = "percent",
	  .help = "do not show functions with a smaller share of all samples" },
	{ 0, "group", OPTION_FLAG, VALUE(group), .help = "show all events side by side" },
	{ 0, "no-group", OPTION_FLAG, VALUE(no_group),
	  .help = "show the events of a group one after the other" },
	{ 0, "skip-missing", OPTION_FLAG, VALUE(skip_missing),
	  .help = "do not report functions whose code is not known" },
	{ 'P', "full-paths", OPTION_FLAG, VALUE(full_paths), .help = "print whole paths" },
	{ 0, "prefix", OPTION_STRING, VALUE(prefix.directory), .value = "directory",
	  .help = "search absolute paths of source below this directory" },
	{ 0, "prefix-strip", OPTION_INT, VALUE(prefix.strip), .value = "n",
	  .help = "with --prefix: first remove this many directories from the path" },
	{ 'q', "quiet", OPTION_FLAG, VALUE(quiet), .help = "print no notes and warnings" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "report all damage of the recording" },
	{ 0, "stdio", OPTION_FLAG, VALUE(stdio),
	  .help = "print text (default where standard output is no terminal)" },
	{ 0, "tui", OPTION_CALL, .call = annotate_tui,
	  .help = "browse functions (default on a terminal)" },
	{ 0, "default-stdio", OPTION_FLAG, VALUE(stdio),
	  .help = "as --stdio, unless --tui is given", .hidden = true },
	{ 0, "stdio-color", OPTION_CALL, .call = annotate_color, .value = "always|never|auto",
	  .help = "print shares from 5% in red and from 0.5% in green (default never)" },
	SYMBOL_OPTIONS(offsetof(struct values, read.symbols)),
	JOBS_OPTION(offsetof(struct values, read.jobs)),
	/* Other views of perf, and what is done without being asked for. */
	{ 0, "gtk", OPTION_CALL, .call = annotate_view, .help = "as --stdio", .hidden = true },
	{ 0, "stdio2", OPTION_CALL, .call = annotate_view, .help = "as --stdio", .hidden = true },
	IGNORED('m', "modules"),
	REFUSED('D', "dump-raw-trace", NULL, "records are shown by script -D"),
	IGNORED_VALUE(0, "objdump", "path"),
	IGNORED_VALUE(0, "addr2line", "path"),
	{ 0, "itrace", OPTION_CALL, VALUE(read.trace), .call = option_note, .value = "what",
	  .optional = true, .help = "no effect", .hidden = true },
	REFUSED(0, "data-type", "name", "types of data are not known here"),
	REFUSED(0, "type-stat", NULL, "types of data are not known here"),
	REFUSED(0, "insn-stat", NULL, "types of data are not known here"),
	REFUSED(0, "code-with-type", NULL, "types of data are not known here"),
	{ 0 },
};

/* Functions whose code is not known. */
struct missing {
	size_t nr;
	struct xp_diag first;
};

struct running {
	const struct values *values;
	struct recording *rec;
	struct heat heat;
	struct interleaving source;
	struct sink out;
	struct missing missing;
	size_t nr_shown;
	bool is_unknown; /* no function of the name has samples */
};

static int show_function(struct running *running, const struct event_set *set,
			 const struct hot_function *function)
{
	const struct values *values = running->values;
	struct xp_diag diag = { 0 };
	struct code code;
	const struct annotation annotation = { .values = values,
					       .rec = running->rec,
					       .heat = &running->heat,
					       .set = set,
					       .function = function,
					       .code = &code,
					       .source = &running->source,
					       .out = &running->out };
	int err = code_read(function, values->intel, !values->no_source || values->lines, &code,
			    &diag);

	if (!err)
		err = annotation_print(&annotation);
	code_fini(&code);
	if (!err)
		running->nr_shown++;
	if (err == -ENODATA || err == -ENOTSUP) {
		if (!running->missing.nr++)
			running->missing.first = diag;
		return 0;
	}
	if (err == -ENOSYS)
		running->rec->diag = diag;
	return err;
}

static bool is_hot(const struct running *running, const struct event_set *set,
		   const struct hot_function *function)
{
	const struct heat_sum *sum = &function->sums[set->events[0]];
	uint64_t all = running->heat.totals[set->events[0]].period;

	return !all || 100.0 * (double)sum->period / (double)all >= running->values->percent_limit;
}

static int show_set(struct running *running, const struct event_set *set)
{
	const struct hot_function **functions =
		calloc(running->heat.nr_functions + 1, sizeof(*functions));
	int err = functions ? 0 : -ENOMEM;
	size_t nr = err ? 0 : event_set_functions(set, &running->heat, functions);

	for (size_t i = 0; !err && i < nr; i++)
		if (is_hot(running, set, functions[i]))
			err = show_function(running, set, functions[i]);
	free(functions);
	return err;
}

/* Functions without samples, and those without code, are easily taken for none. */
static void report_missing(struct running *running)
{
	const struct missing *missing = &running->missing;
	const struct values *values = running->values;
	const struct heat *heat = &running->heat;

	if (missing->nr && !values->skip_missing && !values->quiet) {
		fprintf(stderr, "Warning: %s\n", escaped(missing->first.what));
		if (missing->nr > 1)
			fprintf(stderr, "Warning: %zu more functions have no known code\n",
				missing->nr - 1);
	}
	if (running->nr_shown || missing->nr || values->quiet)
		return;
	running->is_unknown = values->read.filter.symbols && !heat->unknown;
	fprintf(stderr, "%s: no sample in a known function matches (%llu read)\n",
		running->is_unknown ? "Error" : "Note",
		(unsigned long long)running->rec->nr_samples);
	if (running->is_unknown)
		fputs("Hint: xperf report -s symbol shows the functions that have samples\n",
		      stderr);
	if (heat->unknown)
		fprintf(stderr, "Note: functions of '%s' are not known: %s\n",
			escaped(heat->unknown->name), heat->reason);
}

/* Events whose samples are not at the instruction that they count. Source: perf_event_open(2),
 * "precise_ip". */
static bool is_imprecise(const struct xp_attr *attr)
{
	bool is_clock = attr->type == XP_TYPE_SOFTWARE &&
			(attr->config == XP_SW_CPU_CLOCK || attr->config == XP_SW_TASK_CLOCK);
	bool is_counter = attr->type != XP_TYPE_SOFTWARE && attr->type != XP_TYPE_TRACEPOINT &&
			  attr->type != XP_TYPE_BREAKPOINT;

	return is_clock || (is_counter && !attr->precise_ip);
}

static void report_skid(const struct running *running)
{
	const struct recording *rec = running->rec;

	for (int i = 0; running->nr_shown && !running->values->quiet && i < rec->nr_events; i++) {
		const struct xp_data_event *event = xp_data_event_at(rec->data, i);

		if (!running->heat.totals[i].samples || !is_imprecise(&event->attr))
			continue;
		fprintf(stderr,
			"Note: %s is not precise: its samples are at the instruction that comes "
			"after the one that took the time, or later\n",
			event->name ? escaped(event->name) : "an event");
		return;
	}
}

static int show_sets(struct running *running)
{
	struct event_set *sets = NULL;
	size_t nr = 0;
	int err = event_sets_make(running->rec, running->values, &sets, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		err = show_set(running, &sets[i]);
	event_sets_free(sets, nr);
	return err;
}

static int print(struct running *running)
{
	pid_t pager = pager_start();
	int err = show_sets(running) ?: sink_flush(&running->out);

	fflush(stdout);
	pager_end(pager);
	return err;
}

/* Browses; a terminal that cannot be drawn on is written to instead. */
static int browse(struct running *running)
{
	const struct annotation like = { .values = running->values,
					 .rec = running->rec,
					 .heat = &running->heat,
					 .source = &running->source };
	struct xp_diag diag = { 0 };
	int err = annotate_browse(&like, &diag);

	running->nr_shown = !err;
	if (err == -ENODATA) {
		running->missing.nr = *diag.what != 0;
		running->missing.first = diag;
		return 0;
	}
	if (!err || !*diag.what)
		return err;
	fprintf(stderr, "Warning: %s; --stdio is used\n", diag.what);
	return print(running);
}

static int show(struct running *running)
{
	int err = heat_load(running->rec, &running->heat);

	running->source = (struct interleaving){ .prefix = running->values->prefix,
						 .files = source_files_new() };
	running->out = SINK_TO_FILE(stdout);
	if (!err && !running->source.files)
		err = -ENOMEM;
	if (!err)
		err = annotate_is_browsed(running->values) ? browse(running) : print(running);
	if (!err) {
		report_missing(running);
		report_skid(running);
	}
	interleaving_fini(&running->source);
	sink_fini(&running->out);
	heat_fini(&running->heat);
	return err;
}

static int run_recording(const struct cli *cli, const struct values *values)
{
	struct recording rec;
	struct running running = { .values = values, .rec = &rec };
	int err = recording_open(&rec, cli, &values->read);

	if (!err)
		err = show(&running);
	int status = recording_close(&rec, err, values->verbose);
	bool has_failed = running.missing.nr || running.is_unknown;

	return !status && !running.nr_shown && has_failed ? EXIT_FAILED : status;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .read = { .with_symbols = true,
					   .with_progress = true,
					   .split_readings = true,
					   .filter_rows = true },
				 .percent_type = percent_types };
	int first, status;

	if (!options_parse(&annotate_command, argc, argv, &values, &first, &status))
		return status;
	if (argc - first > 1 || (argc > first && values.read.filter.symbols))
		return options_misused(&annotate_command, "unexpected argument '%s'",
				       argv[argc - 1]);
	if (argc > first)
		values.read.filter.symbols = argv[first];
	if (values.prefix.strip && !values.prefix.directory)
		return options_misused(&annotate_command, "--prefix-strip needs --prefix");
	if (values.read.jobs < 0 || values.prefix.strip < 0)
		return options_misused(&annotate_command, "--%s: %d is negative",
				       values.read.jobs < 0 ? "jobs" : "prefix-strip",
				       values.read.jobs < 0 ? values.read.jobs
							    : values.prefix.strip);
	if (values.not_available && !values.quiet)
		fprintf(stderr, "Warning: --%s is not available; --stdio is used\n",
			values.not_available);
	return run_recording(cli, &values);
}

const struct command annotate_command = {
	.name = "annotate",
	.summary = "Show the instructions of the hottest functions, with source",
	.usage = "[<options>] [<function>]",
	.options = options,
	.run = run,
};
