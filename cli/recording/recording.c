/* SPDX-License-Identifier: MIT */
/* Opens the recording of a command, and reports at the end what was wrong with it. */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape.h"
#include "readings.h"

/* As many damages as a screen has room for beside the result. */
enum { DAMAGES_SHOWN = 5 };

/* Source of the default: perf. */
static const char *default_path(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

static int open_data(struct recording *rec)
{
	const struct xp_data_opts opts = {
		.size = sizeof(opts), .path = rec->path, .force = rec->opts->force, .spool = true
	};
	struct stat st;

	if (!stat(rec->path, &st) && S_ISREG(st.st_mode))
		rec->disk_bytes = (uint64_t)st.st_blocks * 512;
	return xp_data_open(rec->ctx, &opts, &rec->data, &rec->diag);
}

/* Events and features of a stream come with its records, before those of the kernel. A failure
 * comes again when they are read. */
static int read_ahead(struct recording *rec)
{
	const struct xp_record *record;

	if (!xp_data_is_stream(rec->data))
		return 0;
	while (xp_data_next(rec->data, &record, NULL) > 0)
		if (record->type < XP_RECORD_HEADER_ATTR)
			break;
	return xp_data_rewind(rec->data);
}

int recording_begin(struct recording *rec, const struct recording_opts *opts)
{
	rec->opts = opts;
	int err = xp_timeline_new(&rec->timeline);

	if (!err)
		err = read_ahead(rec);
	rec->nr_events = xp_data_nr_events(rec->data);
	rec->without_times = !xp_data_has_times(rec->data);
	return err;
}

int recording_open(struct recording *rec, const struct cli *cli, const struct recording_opts *opts)
{
	*rec = (struct recording){ .opts = opts,
				   .path = opts->input ? opts->input : default_path() };
	int err = sample_filter_parse(&rec->filter, &opts->filter, &rec->diag);

	rec->is_misused = err;
	if (err)
		return err;
	rec->ctx = cli_ctx_new(cli, 0);
	if (!rec->ctx)
		return -ECANCELED;
	err = open_data(rec);
	return err ? err : recording_begin(rec, opts);
}

int recording_traces(struct recording *rec, struct xp_diag *diag)
{
	size_t len;
	const void *body = xp_data_feature(rec->data, XP_FEATURE_TRACING_DATA, &len);

	if (rec->traces)
		return 0;
	int err = body ? xp_traces_new(body, len, &rec->traces, diag) : -ENOENT;
	if (!err && rec->resolver)
		xp_resolver_name_traces(rec->resolver, rec->traces);
	return err;
}

static void report_damage(const struct xp_data *data, bool verbose)
{
	uint64_t nr = xp_data_nr_damages(data), shown = 0;
	const char *text;

	while ((verbose || shown < DAMAGES_SHOWN) && (text = xp_data_damage(data, shown))) {
		fputs("Warning: damage ", stderr);
		escape_print(stderr, text);
		fputc('\n', stderr);
		shown++;
	}
	if (nr > shown)
		fprintf(stderr, "Warning: %llu more places are damaged%s\n",
			(unsigned long long)(nr - shown), verbose ? "" : "; -v shows where");
}

static void report_failure(struct recording *rec, int err)
{
	if (!err) {
		if (rec->diag.err)
			fprintf(stderr, "Warning: %s\n", rec->diag.what);
		return;
	}
	if (!rec->diag.err)
		xp_diag_set(&rec->diag, err, "'%s' cannot be read: %s", rec->path, strerror(-err));
	cli_print_diag(&rec->diag, NULL);
}

void recording_fini(struct recording *rec)
{
	xp_resolver_free(rec->resolver);
	xp_symbols_free(rec->symbols);
	xp_timeline_free(rec->timeline);
	xp_traces_free(rec->traces);
	cgroups_fini(&rec->cgroups);
	readings_free(rec->readings);
	free(rec->lbr.at);
	free(rec->joined.at);
	sample_filter_fini(&rec->filter);
}

int recording_close(struct recording *rec, int err, bool verbose)
{
	bool is_damaged = rec->data && xp_data_is_damaged(rec->data);

	/* What standard output failed with is reported where the program ends. */
	if (fflush(stdout) || ferror(stdout))
		err = 0;
	if (rec->data)
		report_damage(rec->data, verbose);
	if (rec->ctx || rec->is_misused)
		report_failure(rec, err);
	recording_fini(rec);
	xp_data_close(rec->data);
	cli_ctx_free(rec->ctx);
	if (err && rec->is_misused)
		return EXIT_USAGE;
	return err || is_damaged ? EXIT_FAILED : 0;
}
