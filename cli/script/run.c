/* SPDX-License-Identifier: MIT */
/*
 * A run over a recording: first all of its side band becomes a timeline, then its samples are
 * printed in the order of their times. A stream that cannot be read twice is kept meanwhile.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "header.h"
#include "input.h"
#include "order.h"
#include "readings.h"
#include "rounds.h"
#include "script.h"

struct run {
	struct script script;
	struct rounds rounds;
	struct order *order;
	bool in_rounds;               /* what is older than two rounds can be printed */
	bool is_kept;                 /* the recording is read once */
	bool needs_times;             /* of the first and the last sample */
	uint64_t nr;                  /* records that were taken */
	uint64_t strangers;           /* samples of no event */
	uint64_t last_ns, misordered; /* of samples, for --debug-mode */
};

/* --- when a record was --- */

/* Samples have the time behind these fields. Returns XP_NO_TIME where there is none. */
static uint64_t sample_time(const struct xp_record *record, const struct xp_attr *attr)
{
	uint64_t before = attr->sample_type & (XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP | XP_SAMPLE_TID);
	size_t at = sizeof(*record) + (size_t)__builtin_popcountll(before) * sizeof(uint64_t);
	uint64_t time_ns;

	if (!(attr->sample_type & XP_SAMPLE_TIME) || at + sizeof(time_ns) > record->size)
		return XP_NO_TIME;
	memcpy(&time_ns, (const char *)record + at, sizeof(time_ns));
	return time_ns;
}

static uint64_t time_of(const struct xp_data *data, const struct xp_record *record)
{
	const struct xp_data_event *event = xp_data_event_at(data, xp_data_event_of(data, record));
	struct xp_sample_id id;

	if (!event)
		return XP_NO_TIME;
	if (record->type == XP_RECORD_SAMPLE)
		return sample_time(record, &event->attr);
	if (!event->attr.sample_id_all || xp_sample_id_decode(record, &event->attr, &id))
		return XP_NO_TIME;
	return id.time_ns;
}

/* --- records --- */

static int show(const struct xp_record *record, uint64_t time_ns, uint64_t position, void *data)
{
	struct run *run = data;

	if (run->script.config->values->only_check) {
		if (record->type == XP_RECORD_SAMPLE) {
			run->misordered += time_ns < run->last_ns;
			run->last_ns = time_ns;
		}
		return 0;
	}
	run->script.now = time_ns;
	run->script.moment = xp_timeline_moment(run->script.timeline, time_ns, position);
	if (record->type == XP_RECORD_SAMPLE)
		return sample_show(&run->script, record);
	side_show(&run->script, record);
	return run->script.out.err;
}

/* Addresses, and pids, are in the same place of all samples of a recording. */
static void ahead(const struct xp_record *record, bool is_near, void *data)
{
	const struct script *script = &((struct run *)data)->script;
	const struct view *view = script->nr_views ? script->views : NULL;
	uint64_t type = view && !view->has_chain ? view->event->attr.sample_type : 0;
	size_t at = !!(type & XP_SAMPLE_IDENTIFIER);
	const uint64_t *words = (const uint64_t *)(record + 1);
	struct where where = { .mode = record->misc & XP_MISC_CPUMODE_MASK };

	if (record->type != XP_RECORD_SAMPLE || !(type & XP_SAMPLE_IP) || !(type & XP_SAMPLE_TID) ||
	    record->size < sizeof(*record) + (at + 2) * sizeof(*words))
		return;
	where.ip = words[at];
	memcpy(&where.pid, &words[at + 1], sizeof(where.pid));
	place_prefetch(script, view->fields, &where, is_near);
}

/* What has no time is printed where it is. */
static int take(const struct xp_record *record, void *data)
{
	struct run *run = data;
	const struct config *config = run->script.config;

	run->script.now = ++run->nr;
	if (config->values->dump)
		dump_record(&run->script, record);
	if (record->type == XP_RECORD_FINISHED_ROUND) {
		if (config->values->show_rounds && !config->values->json)
			sink_text(&run->script.out, "PERF_RECORD_FINISHED_ROUND\n");
		return run->in_rounds ? order_round(run->order) : 0;
	}
	if (record->type != XP_RECORD_SAMPLE && !side_is_shown(config, record->type))
		return counts_take(&run->script, record);
	uint64_t time_ns = time_of(run->script.data, record);
	uint64_t position = xp_data_position(run->script.data);
	bool has_time = time_ns && time_ns != XP_NO_TIME;
	if (!has_time)
		time_ns = xp_data_has_times(run->script.data) ? 0 : run->nr;
	if (!has_time && !run->is_kept)
		return show(record, time_ns, position, data);
	return order_add(run->order, record, time_ns, position);
}

static void widen(struct time_range *range, uint64_t time_ns)
{
	if (!range->last_ns || time_ns < range->first_ns)
		range->first_ns = time_ns;
	if (time_ns > range->last_ns)
		range->last_ns = time_ns;
}

/* What is to be known before the first line is printed. */
static int note(const struct xp_record *record, void *data)
{
	struct run *run = data;
	uint64_t time_ns;

	rounds_note(&run->rounds, run->script.data, record);
	if (record->type == XP_RECORD_CGROUP) {
		int err = groups_add(&run->script, record);

		if (err)
			return err;
	}
	if (record->type == XP_RECORD_SAMPLE)
		run->strangers += xp_data_event_of(run->script.data, record) < 0;
	if (record->type == XP_RECORD_SAMPLE && run->needs_times) {
		time_ns = time_of(run->script.data, record);
		if (time_ns != XP_NO_TIME)
			widen(&run->script.seen, time_ns);
	}
	return run->is_kept ? take(record, data) : 0;
}

static int walk(struct run *run)
{
	const struct xp_record *record;
	int got, err = 0;

	while (!err && (got = xp_data_next(run->script.data, &record, NULL)) > 0)
		err = take(record, run);
	return err ? err : got;
}

/* --- the whole --- */

static int init(struct run *run, const struct config *config, struct xp_data *data,
		const char *path, int fd)
{
	struct script *script = &run->script;
	size_t len;

	*run = (struct run){ .script = { .config = config, .data = data, .path = path } };
	script->fields = config->values->fields;
	run->is_kept = xp_data_rewind(data) == -ESPIPE;
	/* Files of a directory have rounds of their own. */
	run->in_rounds = !run->is_kept && !xp_data_feature(data, XP_FEATURE_DIR_FORMAT, &len);
	run->order = order_new(show, ahead, run->in_rounds ? order_limit(path) : SIZE_MAX, run);
	script->places = places_new();
	script->comms = comms_new();
	run->needs_times = config->values->time && strchr(config->values->time, '%');
	if (!run->order || !script->places || !script->comms || sink_init(&script->out, fd))
		return -ENOMEM;
	return xp_timeline_new(&script->timeline);
}

static void fini(struct run *run)
{
	struct script *script = &run->script;

	apart_fini(script);
	for (int i = 0; i < script->nr_views; i++)
		free(script->views[i].name);
	free(script->views);
	free(script->ranges);
	free(script->joined.at);
	free(script->lbr.at);
	free(script->missing);
	readings_free(script->readings);
	xp_resolver_free(script->resolver);
	xp_symbols_free(script->symbols);
	xp_timeline_free(script->timeline);
	xp_traces_free(script->traces);
	groups_free(script->groups);
	counts_free(script->counts);
	places_free(script->places);
	comms_free(script->comms);
	sink_fini(&script->out);
	order_free(run->order);
}

int run_script(struct xp_ctx *ctx, struct xp_data *data, const struct config *config, int fd,
	       const char *path, struct xp_diag *diag)
{
	struct run run;
	int err = init(&run, config, data, path, fd);

	rounds_init(&run.rounds, data, path);
	if (!err)
		err = xp_timeline_load(run.script.timeline, data, note, &run);
	input_note_strangers(diag, run.strangers);
	run.script.doubtful = rounds_doubtful(&run.rounds, data);
	if (run.script.doubtful)
		fprintf(stderr, "Warning: " ROUNDS_DOUBTFUL "\n", run.script.doubtful);
	/* Streams have their features among the records. */
	if (!err && config->values->header) {
		header_print(stdout, data, path, config->values->full_header);
		err = fflush(stdout) ? -EIO : 0;
	}
	if (!err)
		err = prepare(&run.script, ctx, diag);
	if (!err && config->values->per_event_dump)
		err = apart_open(&run.script, path, diag);
	if (!err && config->values->json)
		json_start(&run.script);
	if (!err && !run.is_kept) {
		err = xp_data_rewind(data);
		if (!err)
			err = walk(&run);
	}
	/* What was read before the failure is shown. */
	int ended = run.script.resolver ? order_end(run.order) : 0;
	int flushed = run.script.resolver ? sink_flush(&run.script.out) : 0;
	int apart = apart_close(&run.script, diag);
	if (run.order)
		order_say_late(run.order, stderr);
	missing_print(&run.script, stderr);
	if (config->values->only_check && !err)
		fprintf(stderr, "Misordered timestamps: %" PRIu64 "\n", run.misordered);
	if (run.script.out.err && run.script.out.err != -ENOMEM)
		xp_diag_set(diag, run.script.out.err, "standard output cannot be written: %s",
			    strerror(-run.script.out.err));
	err = err ? err : ended ? ended : flushed ? flushed : apart;
	fini(&run);
	return err;
}
