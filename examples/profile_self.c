/* SPDX-License-Identifier: MIT */
/*
 * profile_self: a program that samples itself, and says where its time went, function by function
 * with the callers; no file and no other program takes part.
 *
 *     profile_self [EVENTS]
 *
 * Callers are found by frame pointers: cc -fno-omit-frame-pointer. What the kernel writes while it
 * works is kept as it is. Afterwards the side band, and what was mapped before, become a timeline;
 * with it samples get their files and functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/xperf.h>

enum { MOST = 5, RING_PAGES = 64 };

/* What is needed, made in this order. */
struct work {
	struct xp_ctx *ctx;
	struct xp_evlist *events;
	struct xp_event_ids *ids;
	char *records; /* one behind the other */
	size_t len;
	struct xp_timeline *timeline;
	struct xp_profile *profile;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
};

/* --- what is to be seen --- */

/* Read each time, so that the compiler does not take all sums for one. */
static volatile long numbers = 1000000;

static __attribute__((noinline)) double add_up(long nr)
{
	double sum = 0;

	while (nr--)
		sum += 1 / (double)(nr + 1);
	return sum;
}

static __attribute__((noinline)) double work_hard(void)
{
	double sum = 0;

	for (int i = 0; i < 100; i++)
		sum += add_up(numbers);
	return sum;
}

/* --- sampling --- */

static int start(struct work *work, const char *events, struct xp_diag *diag)
{
	struct xp_sampling_opts how = { .size = sizeof(how),
					.freq_hz = 1000,
					.callchain = XP_CALLCHAIN_FP };
	struct xp_open_opts where = { .size = sizeof(where) };
	struct xp_rings_opts rings = { .size = sizeof(rings), .pages = RING_PAGES };
	int err = xp_evlist_new(work->ctx, &work->events);

	if (!err)
		err = xp_evlist_parse(work->events, events, diag);
	if (!err)
		err = xp_evlist_config_sampling(work->events, &how, diag);
	if (!err)
		err = xp_threads_one(work->ctx, getpid(), &where.threads);
	if (!err)
		err = xp_evlist_open_sampling(work->events, &where, diag);
	if (!err)
		err = xp_evlist_map_rings(work->events, &rings, diag);
	if (!err)
		err = xp_event_ids_new(work->events, &work->ids);
	if (!err)
		err = xp_evlist_enable(work->events);
	xp_threads_unref(where.threads);
	return err;
}

static int keep(const struct xp_record *record, void *data)
{
	struct work *work = (struct work *)data;
	char *more = (char *)realloc(work->records, work->len + record->size);

	if (!more)
		return -1;
	memcpy(more + work->len, record, record->size);
	work->records = more;
	work->len += record->size;
	return 0;
}

/* A longer run would do so whenever poll(2) says that there is something. */
static int keep_all(struct work *work)
{
	const struct xp_record *record;
	int err = 0;

	for (int i = 0; i < xp_evlist_nr_rings(work->events); i++) {
		struct xp_ring *ring = xp_evlist_ring(work->events, i)->ring;

		xp_ring_begin(ring);
		while (!err && xp_ring_next(ring, &record) > 0)
			err = keep(record, work);
		xp_ring_consume(ring);
	}
	return err;
}

/* --- making a profile of it --- */

static const struct xp_attr *attr_of(const struct work *work, int event)
{
	return xp_evsel_attr_const(xp_evlist_at(work->events, event));
}

static int add_mapped(const struct xp_record *record, void *data)
{
	struct work *work = (struct work *)data;
	struct xp_sample_id id;
	int err = xp_sample_id_decode(record, attr_of(work, 0), &id);

	return err ? err : xp_timeline_add(work->timeline, record, &id);
}

/* Calls a function for each record that was kept. */
static int each(struct work *work, xp_record_fn fn)
{
	int err = 0;

	for (size_t at = 0; !err && at < work->len;) {
		const struct xp_record *record = (const struct xp_record *)(work->records + at);

		err = fn(record, work);
		at += record->size;
	}
	return err;
}

static int add_side_band(const struct xp_record *record, void *data)
{
	return record->type == XP_RECORD_SAMPLE ? 0 : add_mapped(record, data);
}

static int add_sample(const struct xp_record *record, void *data)
{
	struct work *work = (struct work *)data;
	struct xp_sample sample = { .size = sizeof(sample) };
	int event = xp_event_ids_of(work->ids, record);

	if (record->type != XP_RECORD_SAMPLE || event < 0 ||
	    xp_sample_decode(record, attr_of(work, event), &sample))
		return 0;
	return xp_profile_add(work->profile, event, &sample);
}

static int make_timeline(struct work *work)
{
	struct xp_synth_opts opts = { .size = sizeof(opts),
				      .id_bytes = xp_sample_id_bytes(attr_of(work, 0)) };
	struct xp_threads *self = NULL;
	int err = xp_timeline_new(&work->timeline);

	if (!err)
		err = xp_threads_one(work->ctx, getpid(), &self);
	if (!err)
		err = xp_synth_kernel(work->ctx, &opts, add_mapped, work);
	if (!err)
		err = xp_synth_threads(work->ctx, self, &opts, add_mapped, work);
	if (!err)
		err = each(work, add_side_band);
	if (!err)
		err = xp_timeline_seal(work->timeline);
	xp_threads_unref(self);
	return err;
}

static int make_profile(struct work *work)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_DSO, XP_KEY_SYMBOL };
	struct xp_profile_opts how = { .size = sizeof(how),
				       .keys = keys,
				       .nr_keys = sizeof(keys) / sizeof(keys[0]),
				       .nr_events = xp_evlist_nr(work->events),
				       .with_chains = true };
	int err = xp_profile_new(work->timeline, &how, &work->profile);

	if (!err)
		err = each(work, add_sample);
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

static void show(struct work *work, int event)
{
	struct xp_profile_total total = { .size = sizeof(total) };
	const struct xp_chain *chain;
	bool is_caller = false;

	xp_profile_total_at(work->profile, event, &total);

	printf("%llu samples of %s\n", (unsigned long long)total.samples,
	       xp_evsel_name(xp_evlist_at(work->events, event)));
	for (size_t i = 0; i < MOST && i < xp_profile_nr_rows(work->profile, event); i++) {
		const struct xp_profile_row *row = xp_profile_row_at(work->profile, event, i);

		printf("  %6.2f %%  %s\n", 100.0 * (double)row->sum.period / (double)total.period,
		       name_of(row->location));
	}
	/* The heaviest way up from the first of them. */
	if (xp_profile_chains(work->profile, event, 0, &chain))
		return;
	for (chain = chain->child; chain; chain = chain->child)
		for (int i = 0; i < chain->nr_locations; i++, is_caller = true)
			if (is_caller)
				printf("            called from %s\n",
				       name_of(chain->locations[i]));
}

int main(int argc, char **argv)
{
	struct work work = { NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL };
	struct xp_diag diag = { 0 };
	int err = xp_ctx_new(NULL, &work.ctx);

	if (!err)
		err = start(&work, argc > 1 ? argv[1] : "task-clock:u", &diag);
	if (!err) {
		printf("the sum is %.0f\n", work_hard());
		xp_evlist_disable(work.events);
		err = keep_all(&work);
	}
	if (!err)
		err = make_timeline(&work);
	if (!err)
		err = make_profile(&work);
	for (int i = 0; !err && i < xp_evlist_nr(work.events); i++)
		show(&work, i);
	if (err)
		fprintf(stderr, "profile_self: %s%s%s\n", diag.err ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_resolver_free(work.resolver);
	xp_symbols_free(work.symbols);
	xp_profile_free(work.profile);
	xp_timeline_free(work.timeline);
	free(work.records);
	xp_event_ids_free(work.ids);
	xp_evlist_free(work.events);
	xp_ctx_free(work.ctx);
	return err ? 1 : 0;
}
