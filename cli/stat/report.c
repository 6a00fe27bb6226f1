/* SPDX-License-Identifier: MIT */
/*
 * `xperf stat report`: the rounds of a recording, one after the other, are put into the table of
 * stat and rendered as it renders them. Where perf prints: to standard error, as stat does.
 */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "document.h"
#include "header.h"
#include "load.h"
#include "options.h"
#include "output.h"
#include "shared-options.h"

struct report {
	struct recording rec;
	struct recording_opts opts;
	struct stat_config *config;
	struct stat_load load;
	struct stat_style style;
	struct stat_table table;
	struct stat_table runs; /* all of them, for the document */
	struct stat_about about;
	struct document document; /* with --json=v1 */
	char *title;
	bool is_prepared;
	int nr_rounds;
	uint64_t time_ns; /* of the last round */
};

struct values {
	struct stat_config config; /* first: options of stat are parsed into it */
	struct recording_opts read;
};

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, offsetof(struct values, read.input), "FILE",
	  "read this recording (default perf.data, or standard input if that is a pipe)" },
	{ 'f', "force", OPTION_FLAG, offsetof(struct values, read.force),
	  .help = "read the file even if it belongs to another user" },
	STAT_OPTIONS_OF_ROWS("", ""),
	STAT_OPTIONS_OF_FORMAT,
	{ 'v', "verbose", OPTION_COUNT, STAT_AT(verbose),
	  .help = "report all damage of the recording" },
	{ 0 },
};

static const struct command stat_report_command = {
	.name = "stat report",
	.usage = "[<options>]",
	.options = options,
};

/* "'perf stat record true'" */
static char *make_title(const struct report *report)
{
	struct feature args = feature_of(report->rec.data, XP_FEATURE_CMDLINE);
	size_t size = 0;
	char *title = NULL;
	FILE *out = open_memstream(&title, &size);

	if (!out)
		return NULL;
	/* perf's word for a stream, in which it has no command line */
	uint32_t nr = xp_data_is_stream(report->rec.data) ? 0 : feature_u32(&args);
	fputc('\'', out);
	if (!nr)
		fputs("pipe", out);
	for (uint32_t i = 0; i < nr && !args.is_short; i++)
		fprintf(out, "%s%s", i ? " " : "", feature_text(&args));
	fputc('\'', out);
	return fclose(out) ? NULL : title;
}

static int start_table(const struct report *report, struct stat_table *table)
{
	int err = stat_table_init(table, report->load.evlist, report->load.aggr);

	table->title = report->title;
	table->no_merge = report->config->aggr_mode == XP_AGGR_CPU;
	table->hides_zero = report->config->hide_zero;
	table->no_own_metrics = report->config->perf7;
	return err;
}

static int prepare(struct report *report)
{
	struct xp_diag *diag = &report->rec.diag;

	if (report->is_prepared)
		return 0;
	int err = stat_load_prepare(&report->load, diag);
	if (err)
		return err;
	if (report->load.lacks_clusters)
		fprintf(stderr, "Warning: %s does not list clusters: rows are of dies\n",
			report->rec.path);
	report->title = make_title(report);
	if (!report->title || start_table(report, &report->table) ||
	    start_table(report, &report->runs))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	report->is_prepared = true;
	return 0;
}

/* Counts of an interval are what they grew by; those of a run are shown as they are. */
static const struct xp_counts *counts_of_round(struct report *report, bool is_interval)
{
	struct stat_load *load = &report->load;

	if (!is_interval)
		return load->now;
	xp_counts_copy(load->delta, load->now);
	xp_counts_subtract(load->delta, load->before);
	xp_counts_copy(load->before, load->now);
	return load->delta;
}

static int written(struct report *report, int err)
{
	return err ? xp_diag_set(&report->rec.diag, err, "The counts could not be written: %s",
				 strerror(-err))
		   : 0;
}

/* @counts: of a whole run. */
static int document_add_run(struct report *report, const struct xp_counts *counts, uint64_t wall_ns)
{
	const struct stat_result result = { .wall_ns = wall_ns };
	struct stat_table *table = &report->table;

	stat_table_reset(table);
	stat_table_add(table, counts, wall_ns, report->config->scale);
	stat_table_finish(table);
	stat_table_add(&report->runs, counts, wall_ns, report->config->scale);
	return document_run(&report->document, table, &result);
}

/* @err: what ended the reading; the diag has it. */
static int end_document(struct report *report, int err)
{
	struct stat_table *runs = &report->runs;
	struct wording buf;
	const struct document_end end = {
		.table = report->is_prepared ? runs : NULL,
		.error = err ? cli_words(report->rec.diag.what, &buf) : NULL,
	};
	int add_err = 0;

	/* Counts of intervals grow: the last ones are those of the run. */
	if (report->document.in_run)
		add_err = document_add_run(report, report->load.now, report->time_ns);
	runs->nr_runs = (int)runs->elapsed.n;
	stat_table_finish(runs);
	return add_err ?: document_end(&report->document, &end);
}

static int show(struct report *report, const struct round_record *round)
{
	enum { INTERVALS_PER_HEADING = 25 };
	struct stat_table *table = &report->table;
	bool is_interval = report->config->interval_ms;
	uint64_t length_ns = is_interval ? round->time_ns - report->time_ns : round->time_ns;

	if (is_interval && round->time_ns < report->time_ns)
		return xp_diag_set(&report->rec.diag, -EBADMSG,
				   "%s is damaged: an interval ends before it begins",
				   report->rec.path);
	stat_table_reset(table);
	table->is_interval = is_interval;
	table->first_interval = report->nr_rounds % INTERVALS_PER_HEADING == 0;
	table->interval_ns = round->time_ns;
	report->nr_rounds++;
	report->time_ns = round->time_ns;
	if (report->config->document && !is_interval)
		return written(report, document_add_run(report, report->load.now, length_ns));
	stat_table_add(table, counts_of_round(report, is_interval), length_ns,
		       report->config->scale);
	stat_table_finish(table);
	return written(report, report->config->document
				       ? document_interval(&report->document, table, length_ns)
				       : stat_render(&report->style, table));
}

static int handle(struct report *report, const struct xp_record *record)
{
	int err = 0;

	switch (record->type) {
	case XP_RECORD_THREAD_MAP:
	case XP_RECORD_CPU_MAP:
		return report->is_prepared ? 0 : maps_load(&report->load.maps, record);
	case XP_RECORD_STAT_CONFIG:
		if (!report->is_prepared)
			stat_load_config(&report->load, record);
		return 0;
	case XP_RECORD_STAT:
		err = prepare(report);
		if (!err)
			stat_load_count(&report->load, (const void *)record);
		return err;
	case XP_RECORD_STAT_ROUND:
		return prepare(report) ?: show(report, (const void *)record);
	default:
		return 0;
	}
}

static int read_all(struct report *report)
{
	struct recording *rec = &report->rec;
	const struct xp_record *record;
	int got, err = 0;

	while (!err && (got = xp_data_next(rec->data, &record, NULL)) > 0)
		err = handle(report, record);
	if (err || got < 0)
		return err ? err : got;
	if (report->nr_rounds)
		return 0;
	if (report->is_prepared)
		return xp_diag_set(&rec->diag, -ENODATA,
				   "%s ends before the first counts are complete: its recorder was "
				   "stopped",
				   rec->path);
	xp_diag_set(&rec->diag, -ENODATA, "%s has no counts", rec->path);
	xp_diag_hint(&rec->diag, "Samples are shown by xperf report and xperf script; counts are "
				 "recorded by xperf stat record");
	return -ENODATA;
}

static int open_document(struct report *report, FILE *out)
{
	if (!report->config->document)
		return 0;
	if (stat_about_recorded(&report->about, report->config, &report->rec))
		return xp_diag_set(&report->rec.diag, -ENOMEM, "Out of memory");
	document_init(&report->document, &report->about, out);
	return 0;
}

static int run(struct report *report, const struct cli *cli)
{
	struct recording *rec = &report->rec;
	FILE *out = NULL;
	int err = recording_open(rec, cli, &report->opts);

	if (err)
		return err;
	report->load.rec = rec;
	report->load.config = report->config;
	report->config->scale = true;
	err = stat_output_open(report->config, &out, &rec->diag);
	if (err)
		return err;
	stat_style_init(&report->style, report->config, out);
	err = open_document(report, out) ?: read_all(report);
	if (report->document.about) {
		int end_err = end_document(report, err);

		err = err ? err : written(report, end_err);
	}
	if (report->load.nr_ignored)
		fprintf(stderr,
			"Warning: %llu counts are of events, CPUs or threads that %s does "
			"not describe\n",
			(unsigned long long)report->load.nr_ignored, rec->path);
	int close_err = stat_output_close(out, err ? NULL : &rec->diag);
	return err ? err : close_err;
}

int stat_report(const struct cli *cli, struct stat_config *config)
{
	struct values values = { .config = *config };
	int argc = 0, first, status;

	while (config->report[argc])
		argc++;
	values.config.aggr_mode = config->aggr_mode ? config->aggr_mode : XP_AGGR_NR_MODES;
	if (!options_parse(&stat_report_command, argc, config->report, &values, &first, &status)) {
		stat_config_fini(config);
		return status;
	}
	if (first < argc) {
		stat_config_fini(config);
		return options_misused(&stat_report_command,
				       "unexpected argument '%s': a recording is named with -i",
				       config->report[first]);
	}
	const char *sentence = stat_format_contradiction(&values.config);
	if (sentence) {
		stat_config_fini(config);
		return options_misused(&stat_report_command, "%s", sentence);
	}
	struct report report = { .config = &values.config, .opts = values.read };
	int err = run(&report, cli);
	stat_table_fini(&report.table);
	stat_table_fini(&report.runs);
	document_fini(&report.document);
	stat_about_fini(&report.about);
	stat_load_fini(&report.load);
	free(report.title);
	status = recording_close(&report.rec, err, values.config.verbose);
	stat_config_fini(config);
	return status;
}
