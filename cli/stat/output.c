/* SPDX-License-Identifier: MIT */
/* Where `xperf stat` prints. Unbuffered: a renderer hands over a whole table at once. */
#include "output.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "result.h"
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
	if (config->output && !config->json)
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

void stat_style_init(struct stat_style *style, const struct stat_config *config, FILE *out)
{
	*style = (struct stat_style){
		.out = out,
		.format = config->json        ? STYLE_JSON
			  : config->separator ? STYLE_CSV
					      : STYLE_TEXT,
		.separator = config->separator,
		.big_num = config->big_num,
		.null_run = config->null_run,
		.csv_summary = config->summary && !config->no_csv_summary,
		.metric_only = config->metric_only,
		.color = stat_config_has_metrics(config) && terminal_has_color(fileno(out)),
		.trims = terminal_columns(fileno(out)) > 0,
		.clears = config->interval_clear && isatty(fileno(out)),
	};
}
