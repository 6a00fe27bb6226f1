/* SPDX-License-Identifier: MIT */
/* The end of a file, and of the recording: everything there is goes in, then it is completed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/ctx.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>
#include <xperf/synth.h>
#include <xperf/sys.h>

#include "kcore.h"
#include "recorder.h"

/*
 * What the file does not have and no record tells of, a line each. Returns the caller's to free;
 * NULL: no memory, or a stream, which is read by programs that refuse features they do not know.
 */
static char *missing_of(const struct recorder *r, const struct xp_stack_sums_stats *sums)
{
	char *text = NULL;
	size_t len;
	FILE *file = r->output.stream_fd < 0 ? open_memstream(&text, &len) : NULL;

	if (!file)
		return NULL;
	if (r->target.nr_late)
		fprintf(file,
			"threads started faster than their events could be opened: at least %d, and "
			"those they started, may not be recorded\n",
			r->target.nr_late);
	if (r->has_changed && r->reopen_err)
		fputs("CPUs or cgroups appeared while recording, and not all are recorded\n", file);
	put_lost_waits(file, "", sums);
	fclose(file);
	return text;
}

static struct output_end end_of(const struct recorder *r, const struct xp_recorder_stats *stats,
				const struct xp_stack_sums_stats *sums)
{
	return (struct output_end){
		.build_ids = r->build_ids,
		.first_ns = stats->first_time_ns,
		.last_ns = stats->last_time_ns,
		.missing = missing_of(r, sums),
	};
}

static bool is_overwritten(const struct recorder *r)
{
	return r->config.sampling.flags & XP_SAMPLING_OVERWRITE;
}

/* What goes into a file at its end. */
static int write_last(struct recorder *r, struct xp_diag *diag)
{
	int err = is_overwritten(r) ? recorder_control.snapshot(r, "", diag) : sums_write(r, diag);

	if (!err && r->config.tail_synthesize)
		err = recorder_describe_here(r, diag);
	return err;
}

static int write_to(const struct xp_record *record, void *data)
{
	return xp_data_writer_write(data, record, record->size, false);
}

/* --- the next file --- */

/* The file that was written to has its last name already. */
static int begin_next(struct recorder *r, struct xp_diag *diag)
{
	struct xp_data_writer *next;

	xp_recorder_prepare_switch(r->recorder);
	int err = output_begin(&r->output, &next, diag);

	if (!err && !r->config.tail_synthesize)
		err = recorder_describe(r, write_to, next, diag);
	if (err)
		return err;
	err = xp_recorder_switch(r->recorder, next);
	if (err) {
		xp_data_writer_free(next);
		return xp_diag_set(diag, err, "The next file cannot be started: %s",
				   strerror(-err));
	}
	r->writer = next;
	return 0;
}

int recorder_switch(struct recorder *r, struct xp_diag *diag)
{
	struct xp_data_writer *complete = r->writer;
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct xp_stack_sums_stats sums;
	struct output_file file;
	int err = write_last(r, diag) ?: output_name(&r->output, &file, diag);

	if (err)
		return err;
	err = begin_next(r, diag);
	if (err) {
		/* It is completed with the recording. */
		r->file = file;
		return err;
	}
	xp_recorder_get_stats(r->recorder, &stats);
	sums_complete(r, &stats, &sums);
	struct output_end end = end_of(r, &stats, &sums);
	end.first_ns = r->at_switch.last_time_ns ? r->at_switch.last_time_ns : end.first_ns;
	r->at_switch = stats;
	err = output_end(&r->output, complete, &end, &file, diag);
	status_clear(&r->status);
	if (!err)
		say_switched(&r->config, &file);
	free(file.name);
	return err;
}

/* --- the end --- */

static int stop_recorder(struct recorder *r, struct xp_diag *diag)
{
	int err = 0;

	/* Tasks that go on are no longer of interest; what failed is not asked once more. */
	xp_evlist_disable(r->evlist);
	if (xp_recorder_state(r->recorder, diag) >= 0)
		err = sums_stop(r, diag) ?: write_last(r, diag);
	int stop_err = xp_recorder_stop(r->recorder, diag);
	return stop_err ? output_failed(&r->output, stop_err, diag) : err;
}

/* The directory of files that are kept. Returns the caller's to free; NULL: none, or no memory. */
static char *cache_dir(void)
{
	char *dir = cli_build_id_dir();

	/* perf's way to keep none. Source: perf-config(1), buildid.dir. */
	if (dir && strcmp(dir, "/dev/null") != 0)
		return dir;
	free(dir);
	return NULL;
}

/* Files that a report would not find any more. What goes wrong here is no failure of the
 * recording. */
static void keep_files(struct recorder *r)
{
	enum { MAX_BYTES = 256 << 20 };
	struct xp_build_ids_kept kept = { .size = sizeof(kept) };
	struct xp_diag diag = { 0 };
	const char *home = getenv("HOME"), *given = getenv("PERF_BUILDID_DIR");

	/* Nobody's directory is that of the root. */
	if (!r->build_ids || r->config.cache_build_ids == CHOICE_NO ||
	    ((!home || !*home) && (!given || !*given)))
		return;
	char *dir = cache_dir();
	if (!dir)
		return;
	int err = xp_build_ids_keep(r->build_ids, dir, MAX_BYTES, &kept, &diag);
	if (!r->config.quiet)
		say_kept(&kept, dir, err ? &diag : NULL);
	free(dir);
}

static int complete_file(struct recorder *r, struct xp_diag *diag)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct xp_stack_sums_stats sums;
	int err = 0;

	if (!r->file.name)
		err = output_name(&r->output, &r->file, diag);
	if (r->recorder)
		xp_recorder_get_stats(r->recorder, &stats);
	sums_complete(r, &stats, &sums);
	recorder_look_at_limit(r, &stats);
	keep_files(r);
	struct output_end end = end_of(r, &stats, &sums);
	int end_err = output_end(&r->output, r->writer, &end, &r->file, diag);
	r->writer = NULL;
	return end_err ? end_err : err;
}

/* Beside the file with the records. */
static int add_files(struct recorder *r, struct xp_diag *diag)
{
	const struct record_config *config = &r->config;
	int err = config->kcore ? kcore_copy(r->output.path, diag) : 0;

	if (err || config->cache_build_ids != CHOICE_YES || !r->build_ids)
		return err;
	char *dir = cache_dir();
	if (dir)
		err = xp_build_ids_cache(r->build_ids, dir, diag);
	free(dir);
	return err;
}

int recorder_close(struct recorder *r, struct xp_diag *diag)
{
	struct xp_diag first = { 0 }, *where = &first;
	int err = r->recorder ? stop_recorder(r, where) : 0;

	/* From here on ^C does not wait: what was taken is in the file. */
	session_release_signals(&r->session);
	if (r->writer && !r->begun) {
		output_discard(&r->output, r->writer);
		r->writer = NULL;
	} else if (r->writer) {
		struct xp_diag second = { 0 };
		int file_err = complete_file(r, &second);

		if (!err && file_err)
			first = second;
		err = err ? err : file_err;
		if (!err)
			err = add_files(r, where);
	}
	if (err)
		*diag = first;
	return err;
}
