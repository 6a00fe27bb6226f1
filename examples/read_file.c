/* SPDX-License-Identifier: MIT */
/*
 * read_file: what a recording holds.
 *
 *     read_file [FILE]
 *
 * Prints the events, how many records of each type there are and to which event the samples belong;
 * what is damaged is reported at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

enum { NR_TYPES = 128 };

struct tally {
	unsigned long long records[NR_TYPES];
	unsigned long long *samples; /* of each event */
	int nr_events;
};

/* The events of a stream come with the records: there may be one more than before. */
static int count_sample(struct tally *tally, int event)
{
	if (event >= tally->nr_events) {
		unsigned long long *more =
			realloc(tally->samples, ((size_t)event + 1) * sizeof(*more));

		if (!more)
			return -1;
		tally->samples = more;
		while (tally->nr_events <= event)
			tally->samples[tally->nr_events++] = 0;
	}
	if (event >= 0)
		tally->samples[event]++;
	return 0;
}

static int count(struct xp_data *recording, struct tally *tally)
{
	const struct xp_record *record;
	int got;

	while ((got = xp_data_next(recording, &record, NULL)) > 0) {
		if (record->type < NR_TYPES)
			tally->records[record->type]++;
		if (record->type == XP_RECORD_SAMPLE &&
		    count_sample(tally, xp_data_event_of(recording, record)))
			return -ENOMEM;
	}
	return got;
}

static void show(const struct xp_data *recording, const struct tally *tally)
{
	for (int i = 0; i < xp_data_nr_events(recording); i++) {
		const struct xp_data_event *event = xp_data_event_at(recording, i);

		printf("event %s: %llu samples", event->name,
		       i < tally->nr_events ? tally->samples[i] : 0);
		if (event->leader != i)
			printf(", in the group of %s",
			       xp_data_event_at(recording, event->leader)->name);
		putchar('\n');
	}
	for (uint32_t type = 0; type < NR_TYPES; type++)
		if (tally->records[type])
			printf("%s: %llu\n", xp_record_name(type), tally->records[type]);
	for (size_t i = 0; xp_data_damage(recording, i); i++)
		printf("damage %s\n", xp_data_damage(recording, i));
}

int main(int argc, char **argv)
{
	const struct xp_data_opts opts = {
		.size = sizeof(opts),
		.path = argc > 1 ? argv[1] : "perf.data",
		.force = true,
	};
	struct tally tally = { .nr_events = 0 };
	struct xp_diag diag = { 0 };
	struct xp_data *recording = NULL;
	struct xp_ctx *ctx = NULL;
	int err = xp_ctx_new(NULL, &ctx);

	if (!err)
		err = xp_data_open(ctx, &opts, &recording, &diag);
	if (!err) {
		err = count(recording, &tally);
		if (err)
			xp_diag_set(&diag, err, "The recording cannot be read on: %s",
				    strerror(-err));
		show(recording, &tally);
	}
	if (diag.err)
		fprintf(stderr, "read_file: %s%s%s\n", diag.what, *diag.hint ? ". " : "",
			diag.hint);
	free(tally.samples);
	xp_data_close(recording);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
