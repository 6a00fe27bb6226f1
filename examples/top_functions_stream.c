/* SPDX-License-Identifier: MIT */
/*
 * top_functions_stream: the ten functions with the most samples, of any recording.
 *
 *     perf record -o - COMMAND | top_functions_stream
 *     top_functions_stream FILE
 *
 * A stream can be read once only, and a profile takes two readings: first what was mapped when,
 * then the samples. With spool, libxperf keeps the stream in memory, and it is read as a file is.
 */
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

enum { MOST = 10 };

/* What is needed, made in this order. */
struct work {
	struct xp_ctx *ctx;
	struct xp_data *recording;
	struct xp_timeline *timeline;
	struct xp_profile *profile;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
};

static int read_recording(struct work *work, const char *path, struct xp_diag *diag)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_DSO, XP_KEY_SYMBOL };
	struct xp_data_opts from = {
		.size = sizeof(from), .path = path, .force = true, .spool = true
	};
	struct xp_profile_opts how = { .size = sizeof(how),
				       .keys = keys,
				       .nr_keys = sizeof(keys) / sizeof(keys[0]) };
	int err = xp_data_open(work->ctx, &from, &work->recording, diag);

	if (!err)
		err = xp_timeline_new(&work->timeline);
	if (!err)
		err = xp_timeline_load(work->timeline, work->recording, NULL, NULL);
	if (err)
		return err;
	/* The events of a stream are among its records: now all of them are known. */
	const struct xp_fill_opts fill = { .size = sizeof(fill),
					   .without_times = !xp_data_has_times(work->recording) };
	how.nr_events = xp_data_nr_events(work->recording);
	err = xp_profile_new(work->timeline, &how, &work->profile);
	if (!err)
		err = xp_profile_fill(work->profile, work->recording, &fill);
	if (!err)
		err = xp_symbols_new(work->ctx, NULL, &work->symbols);
	if (!err)
		err = xp_resolver_new(work->timeline, work->symbols, &work->resolver);
	return err ? err : xp_profile_resolve(work->profile, work->resolver, NULL, NULL);
}

static void show(const struct work *work, int event)
{
	struct xp_profile_total total = { .size = sizeof(total) };

	xp_profile_total_at(work->profile, event, &total);
	printf("%s: %llu samples\n", xp_data_event_at(work->recording, event)->name,
	       (unsigned long long)total.samples);
	for (size_t i = 0; i < MOST; i++) {
		const struct xp_profile_row *row = xp_profile_row_at(work->profile, event, i);

		if (!row)
			break;
		printf("  %6.2f %%  %s\n", 100.0 * (double)row->sum.period / (double)total.period,
		       row->location && row->location->frame.function.name
			       ? row->location->frame.function.name
			       : "[unknown]");
	}
}

int main(int argc, char **argv)
{
	struct xp_diag diag = { 0 };
	struct work work = { NULL, NULL, NULL, NULL, NULL, NULL };
	int err = xp_ctx_new(NULL, &work.ctx);

	if (!err)
		err = read_recording(&work, argc > 1 ? argv[1] : "-", &diag);
	for (int event = 0; !err && event < xp_data_nr_events(work.recording); event++)
		show(&work, event);
	if (err)
		fprintf(stderr, "top_functions_stream: %s%s%s\n",
			diag.err ? diag.what : strerror(-err), *diag.hint ? ". " : "", diag.hint);
	xp_resolver_free(work.resolver);
	xp_symbols_free(work.symbols);
	xp_profile_free(work.profile);
	xp_timeline_free(work.timeline);
	xp_data_close(work.recording);
	xp_ctx_free(work.ctx);
	return err ? 1 : 0;
}
