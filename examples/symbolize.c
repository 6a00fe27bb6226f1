/* SPDX-License-Identifier: MIT */
/*
 * symbolize: the ten functions of a recording with the most samples, and the callers of the first.
 *
 *     symbolize [FILE]
 *
 * The recording is read twice: what was mapped when, and how tasks were called, becomes a timeline;
 * with it samples can be taken in any order. Addresses are looked up last, each once.
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

static int add_samples(struct work *work)
{
	const struct xp_record *record;
	struct xp_sample sample = { .size = sizeof(sample) };
	int err = xp_data_rewind(work->recording), more = 1;

	while (!err && (more = xp_data_next(work->recording, &record, NULL)) > 0) {
		int event = xp_data_event_of(work->recording, record);

		if (record->type != XP_RECORD_SAMPLE || event < 0)
			continue;
		xp_sample_decode(record, &xp_data_event_at(work->recording, event)->attr, &sample);
		err = xp_profile_add(work->profile, event, &sample);
	}
	return err ? err : more;
}

static int read_recording(struct work *work, const char *path, struct xp_diag *diag)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_COMM, XP_KEY_DSO,
					    XP_KEY_SYMBOL };
	struct xp_data_opts from = { .size = sizeof(from), .path = path, .force = true };
	struct xp_profile_opts how = { .size = sizeof(how),
				       .keys = keys,
				       .nr_keys = sizeof(keys) / sizeof(keys[0]),
				       .with_chains = true };
	int err = xp_data_open(work->ctx, &from, &work->recording, diag);

	if (!err)
		err = xp_timeline_new(&work->timeline);
	if (!err)
		err = xp_timeline_load(work->timeline, work->recording, NULL, NULL);
	if (!err) {
		how.nr_events = xp_data_nr_events(work->recording);
		err = xp_profile_new(work->timeline, &how, &work->profile);
	}
	if (!err)
		err = add_samples(work);
	if (!err)
		err = xp_symbols_new(work->ctx, NULL, &work->symbols);
	if (!err)
		err = xp_resolver_new(work->timeline, work->symbols, &work->resolver);
	if (!err)
		err = xp_profile_resolve(work->profile, work->resolver, NULL, NULL);
	return err;
}

static const char *name_of(const struct xp_location *location)
{
	return location && location->frame.function.name ? location->frame.function.name
							 : "[unknown]";
}

/* The heaviest way up from the function of the first row, which begins the chains. */
static void show_callers(struct xp_profile *profile, int event)
{
	const struct xp_chain *chain;
	bool is_caller = false;

	if (xp_profile_chains(profile, event, 0, &chain))
		return;
	for (chain = chain->child; chain; chain = chain->child)
		for (int i = 0; i < chain->nr_locations; i++, is_caller = true)
			if (is_caller)
				printf("            called from %s\n",
				       name_of(chain->locations[i]));
}

static void show(const struct work *work)
{
	for (int event = 0; event < xp_data_nr_events(work->recording); event++) {
		struct xp_profile_total total = { .size = sizeof(total) };

		xp_profile_total_at(work->profile, event, &total);
		printf("%s: %llu samples\n", xp_data_event_at(work->recording, event)->name,
		       (unsigned long long)total.samples);
		for (size_t i = 0; i < MOST; i++) {
			const struct xp_profile_row *row =
				xp_profile_row_at(work->profile, event, i);

			if (!row)
				break;
			printf("  %6.2f %%  %s  %s\n",
			       100.0 * (double)row->sum.period / (double)total.period, row->comm,
			       name_of(row->location));
			if (!i)
				show_callers(work->profile, event);
		}
	}
}

int main(int argc, char **argv)
{
	struct xp_diag diag = { 0 };
	struct work work = { NULL, NULL, NULL, NULL, NULL, NULL };
	int err = xp_ctx_new(NULL, &work.ctx);

	if (!err)
		err = read_recording(&work, argc > 1 ? argv[1] : "perf.data", &diag);
	if (!err)
		show(&work);
	else
		fprintf(stderr, "symbolize: %s%s%s\n", diag.err ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_resolver_free(work.resolver);
	xp_symbols_free(work.symbols);
	xp_profile_free(work.profile);
	xp_timeline_free(work.timeline);
	xp_data_close(work.recording);
	xp_ctx_free(work.ctx);
	return err ? 1 : 0;
}
