/* SPDX-License-Identifier: MIT */
/* Opens the recording of a command, and reports at the end what was wrong with it. */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/stacks.h>
#include <xperf/symtab.h>
#include <xperf/timeline.h>
#include <xperf/traces.h>

#include "escape.h"
#include "nearby.h"
#include "readings.h"

/* As many damages as a screen has room for beside the result. */
enum { DAMAGES_SHOWN = 5 };

/* Source of the default: perf. */
static const char *default_path(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

int recording_jobs(const struct recording_opts *opts)
{
	long nr = opts->jobs ? opts->jobs : sysconf(_SC_NPROCESSORS_ONLN);

	return nr < 1 ? 1 : (int)nr;
}

static int open_data(struct recording *rec)
{
	const struct xp_data_opts opts = { .size = sizeof(opts),
					   .path = rec->path,
					   .force = rec->opts->force,
					   .spool = true,
					   .read_ahead = recording_jobs(rec->opts) > 1,
					   .is_stopped = progress_is_stopped,
					   .stop_data = rec->progress };
	int err = xp_data_open(rec->ctx, &opts, &rec->data, &rec->diag);
	if (err == -ENOENT)
		nearby_hint(rec->path, &rec->diag);
	return err;
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

/* Refuses options that want of the recording what is not done; says so where it makes no
 * difference. */
static int check_options(struct recording *rec)
{
	const struct recording_opts *opts = rec->opts;
	size_t len;

	if (opts->stitches)
		fprintf(stderr,
			"Note: --%s: call chains of branch records are shown as they were recorded\n",
			opts->stitches);
	if (!opts->trace)
		return 0;
	if (xp_data_is_stream(rec->data) || xp_data_feature(rec->data, XP_FEATURE_AUXTRACE, &len))
		return xp_diag_set(&rec->diag, -EOPNOTSUPP,
				   "--%s: traces of the AUX area are not decoded", opts->trace);
	fprintf(stderr, "Note: --%s has no effect: no trace was recorded\n", opts->trace);
	return 0;
}

int recording_begin(struct recording *rec, const struct recording_opts *opts)
{
	rec->opts = opts;
	rec->progress = opts->progress ? opts->progress : &rec->own_progress;
	int err = xp_timeline_new(&rec->timeline) ?: read_ahead(rec) ?: check_options(rec);

	rec->nr_events = xp_data_nr_events(rec->data);
	rec->without_times = !xp_data_has_times(rec->data);
	return err;
}

int recording_open(struct recording *rec, const struct cli *cli, const struct recording_opts *opts)
{
	*rec = (struct recording){ .opts = opts,
				   .path = opts->input ? opts->input : default_path(),
				   .joins = !opts->no_join && !cli_is_perf(cli) };
	rec->progress = opts->progress ? opts->progress : &rec->own_progress;
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

const char *recording_machine(const struct recording *rec)
{
	size_t len;
	const char *body = xp_data_feature(rec->data, XP_FEATURE_ARCH, &len);
	const size_t head = sizeof(uint32_t); /* the padded length of the text */

	return body && len > head && memchr(body + head, '\0', len - head) ? body + head : NULL;
}

/* "'perf.data': ", where the user does not know otherwise which file is meant. */
static void print_name(const struct recording *rec)
{
	if (!rec->opts->is_one_of_several)
		return;
	fputc('\'', stderr);
	escape_print(stderr, rec->path);
	fputs("': ", stderr);
}

static void report_damage(const struct recording *rec, bool verbose)
{
	const struct xp_data *data = rec->data;
	uint64_t nr = xp_data_nr_damages(data), shown = 0;
	const char *text;

	while ((verbose || shown < DAMAGES_SHOWN) && (text = xp_data_damage(data, shown))) {
		fputs("Warning: ", stderr);
		print_name(rec);
		fputs("damage ", stderr);
		escape_print(stderr, text);
		fputc('\n', stderr);
		shown++;
	}
	if (nr <= shown)
		return;
	fputs("Warning: ", stderr);
	print_name(rec);
	fprintf(stderr, "%llu more places are damaged%s\n", (unsigned long long)(nr - shown),
		verbose ? "" : "; -v shows where");
}

static void report_shared_ids(const struct recording *rec)
{
	if (!rec->timeline || !xp_timeline_nr_shared_ids(rec->timeline))
		return;
	fputs("Warning: ", stderr);
	print_name(rec);
	fputs("several kernel modules have the same build id, which is ignored\n", stderr);
}

/* For a message that names no file; its hint stays. */
static void name_file(struct recording *rec)
{
	char what[sizeof(rec->diag.what)];

	memcpy(what, rec->diag.what, sizeof(what));
	snprintf(rec->diag.what, sizeof(rec->diag.what), "'%s': %.300s", rec->path, what);
}

static void report_failure(struct recording *rec, int err)
{
	if (!err) {
		if (!rec->diag.err)
			return;
		fputs("Warning: ", stderr);
		print_name(rec);
		fprintf(stderr, "%s\n", rec->diag.what);
		return;
	}
	if (!rec->diag.err)
		xp_diag_set(&rec->diag, err, "'%s' cannot be read: %s", rec->path, strerror(-err));
	else if (rec->opts->is_one_of_several && !strchr(rec->diag.what, '\''))
		name_file(rec);
	cli_print_diag(&rec->diag, NULL);
}

void recording_fini(struct recording *rec)
{
	xp_stacks_free(rec->stacks);
	xp_resolver_free(rec->resolver);
	if (!rec->opts || !rec->opts->kept)
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
		report_damage(rec, verbose);
	report_shared_ids(rec);
	if (rec->ctx || rec->is_misused)
		report_failure(rec, err);
	recording_fini(rec);
	xp_data_close(rec->data);
	cli_ctx_free(rec->ctx);
	if (err && rec->is_misused)
		return EXIT_USAGE;
	return err || is_damaged ? EXIT_FAILED : 0;
}
