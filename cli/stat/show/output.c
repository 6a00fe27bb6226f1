/* SPDX-License-Identifier: MIT */
/* Where `xperf stat` prints, and what is above and beside its tables. Unbuffered: a renderer hands
 * over a whole table at once. */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/stat.h>

#include "result.h"
#include "session.h"
#include "terminal.h"

static void print_date(FILE *out)
{
	time_t now = time(NULL);
	char text[32];

	fprintf(out, "# started on %s\n", ctime_r(&now, text));
}

int stat_output_open(const struct stat_config *config, FILE **ret_out, struct xp_diag *diag)
{
	FILE *out;

	/* Easily typed, where -o has lost its file name. */
	if (config->output && config->workload && strchr(config->workload[0], '/') &&
	    result_is_input(config->output, config->workload[0]))
		return xp_diag_set(diag, -EEXIST,
				   "'%s' cannot be written: it is the command to run",
				   config->output);
	if (config->quiet)
		out = fopen("/dev/null", "we");
	else if (config->output)
		out = fopen(config->output, config->append ? "ae" : "we");
	else
		out = fdopen(config->log_fd ? config->log_fd : STDERR_FILENO, "a");
	if (!out && config->output)
		return xp_diag_set(diag, -errno, "%s cannot be written: %s", config->output,
				   strerror(errno));
	if (!out)
		return xp_diag_set(diag, -errno, "Descriptor %d cannot be written: %s",
				   config->log_fd ? config->log_fd : STDERR_FILENO,
				   strerror(errno));
	setvbuf(out, NULL, _IONBF, 0);
	if (config->output && !config->json && !config->document)
		print_date(out);
	*ret_out = out;
	return 0;
}

int stat_output_close(FILE *out, struct xp_diag *diag)
{
	int err;

	if (!out)
		return 0;
	err = fflush(out) ? -errno : ferror(out) ? -EIO : 0;
	/* stderr stays open for what there may be to say. */
	if (fileno(out) != STDERR_FILENO && fclose(out) && !err)
		err = -errno;
	if (err)
		xp_diag_set(diag, err, "The counts could not be written: %s", strerror(-err));
	return err;
}

void stat_say_left_running(const struct stat_config *config)
{
	if (!config->quiet)
		fprintf(stderr, "Warning: '%s' is still running, but no longer counted\n",
			config->workload[0]);
}

void stat_say_waits(const struct stat_config *config, const struct stat_table *table)
{
	if (table->has_times && !config->quiet && !config->json && !config->document &&
	    !config->separator)
		session_say_waits(config->workload[0], table->user_s + table->system_s,
				  table->elapsed.mean);
}

void stat_style_init(struct stat_style *style, const struct stat_config *config, FILE *out)
{
	*style = (struct stat_style){
		.out = out,
		.format = config->json || config->document ? STYLE_JSON
			  : config->separator              ? STYLE_CSV
							   : STYLE_TEXT,
		.separator = config->separator,
		.big_num = config->big_num,
		.null_run = config->null_run,
		.csv_summary = config->summary && !config->no_csv_summary,
		.metric_only = config->metric_only,
		.perf7 = config->perf7,
		.color = stat_config_has_metrics(config) && terminal_has_color(fileno(out)),
		.trims = terminal_columns(fileno(out)) > 0,
		.clears = config->interval_clear && isatty(fileno(out)),
	};
}

char *stat_make_title(const struct stat_config *config)
{
	char *title = NULL;
	int len;

	if (stat_config_is_for_workload(config)) {
		size_t room = 3;
		for (char **arg = config->workload; *arg; arg++)
			room += strlen(*arg) + 1;
		title = malloc(room);
		if (!title)
			return NULL;
		char *p = stpcpy(title, "'");
		for (char **arg = config->workload; *arg; arg++)
			p = stpcpy(stpcpy(p, arg == config->workload ? "" : " "), *arg);
		stpcpy(p, "'");
		return title;
	}
	if (config->programs)
		len = asprintf(&title, "'BPF program(s) %s'", config->programs);
	else if (config->target.pid_list)
		len = asprintf(&title, "process id '%s'", config->target.pid_list);
	else if (config->target.tid_list)
		len = asprintf(&title, "thread id '%s'", config->target.tid_list);
	else if (config->target.cpu_list)
		len = asprintf(&title, "'CPU(s) %s'", config->target.cpu_list);
	else
		len = asprintf(&title, "'system wide'");
	return len < 0 ? NULL : title;
}

void stat_print_raw(const struct stat_style *style, const struct xp_evlist *evlist,
		    const struct xp_counts *counts)
{
	FILE *out = style->format == STYLE_TEXT ? style->out : stderr;

	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		struct xp_count sum = { 0 };

		for (int c = 0; c < xp_counts_nr_cpus(counts); c++)
			for (int t = 0; t < xp_counts_nr_threads(counts); t++) {
				const struct xp_count *count = xp_counts_at(counts, i, c, t);

				sum.value += count->value;
				sum.enabled_ns += count->enabled_ns;
				sum.running_ns += count->running_ns;
			}
		fprintf(out, "%s: %llu %llu %llu\n", xp_evsel_own_name(xp_evlist_at(evlist, i)),
			(unsigned long long)sum.value, (unsigned long long)sum.enabled_ns,
			(unsigned long long)sum.running_ns);
	}
}
