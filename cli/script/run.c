/* SPDX-License-Identifier: MIT */
/*
 * A run over a recording: first all of its side band becomes a timeline, then its samples are
 * printed in the order of their times. A stream that cannot be read twice is kept meanwhile.
 */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "readings.h"
#include "script.h"

enum {
	S_IDENTIFIER = 1 << 16,
	S_IP = 1 << 0,
	S_TID = 1 << 1,
	S_TIME = 1 << 2,
	S_CALLCHAIN = 1 << 5
};
enum { TRACEPOINT = 2 };

struct run {
	struct script script;
	struct order *order;
	bool in_rounds; /* what is older than two rounds can be printed */
	bool is_kept;   /* the recording is read once */
};

/* --- when a record was --- */

/* Samples have the time behind these fields. Returns XP_NO_TIME where there is none. */
static uint64_t sample_time(const struct xp_record *record, const struct xp_attr *attr)
{
	uint64_t before = attr->sample_type & (S_IDENTIFIER | S_IP | S_TID);
	size_t at = sizeof(*record) + (size_t)__builtin_popcountll(before) * sizeof(uint64_t);
	uint64_t time_ns;

	if (!(attr->sample_type & S_TIME) || at + sizeof(time_ns) > record->size)
		return XP_NO_TIME;
	memcpy(&time_ns, (const char *)record + at, sizeof(time_ns));
	return time_ns;
}

static uint64_t time_of(const struct xp_data *data, const struct xp_record *record)
{
	const struct xp_data_event *event = xp_data_event(data, xp_data_event_of(data, record));
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

static int show(const struct xp_record *record, void *data)
{
	struct run *run = data;

	if (record->type == XP_RECORD_SAMPLE)
		return sample_show(&run->script, record);
	side_show(&run->script, record);
	return run->script.out.err;
}

/* What has no time is printed where it is. */
static int take(const struct xp_record *record, void *data)
{
	struct run *run = data;
	const struct config *config = run->script.config;

	if (record->type == XP_RECORD_FINISHED_ROUND) {
		if (config->values->show_rounds)
			sink_text(&run->script.out, "PERF_RECORD_FINISHED_ROUND\n");
		return run->in_rounds ? order_round(run->order) : 0;
	}
	if (record->type != XP_RECORD_SAMPLE && !side_is_shown(config, record->type))
		return 0;
	uint64_t time_ns = time_of(run->script.data, record);
	if (time_ns == XP_NO_TIME || !time_ns) {
		if (!run->is_kept)
			return show(record, data);
		time_ns = 0;
	}
	return order_add(run->order, record, time_ns);
}

static int walk(struct run *run)
{
	const struct xp_record *record;
	int got, err = 0;

	while (!err && (got = xp_data_next(run->script.data, &record, NULL)) > 0)
		err = take(record, run);
	return err ? err : got;
}

/* --- what is known before the first line --- */

static int name_view(struct view *view, const char *name, size_t width)
{
	size_t len = strlen(name), pad = len < width ? width - len : 0;

	view->name = malloc(pad + len + sizeof(": "));
	if (!view->name)
		return -ENOMEM;
	memset(view->name, ' ', pad);
	memcpy(view->name + pad, name, len);
	memcpy(view->name + pad + len, ": ", sizeof(": "));
	view->name_len = pad + len + 2;
	return 0;
}

/* Streams do not tell the names of tracepoints, but their tracing data do. */
static const char *name_of(const struct script *script, const struct xp_data_event *event)
{
	const char *name = NULL;

	if (event->attr.type == TRACEPOINT && script->traces)
		name = xp_traces_name(script->traces, event->attr.config);
	return name && !strchr(event->name, ':') ? name : event->name;
}

static int make_views(struct script *script)
{
	int nr = xp_data_nr_events(script->data);
	bool chains = !script->config->values->hide_chains;
	size_t width = 0;
	int err = 0;

	script->views = calloc((size_t)nr + 1, sizeof(*script->views));
	if (!script->views)
		return -ENOMEM;
	script->nr_views = nr;
	for (int i = 0; i < nr; i++) {
		size_t len = strlen(name_of(script, xp_data_event(script->data, i)));

		width = len > width ? len : width;
	}
	for (int i = 0; i < nr && !err; i++) {
		const struct xp_data_event *event = xp_data_event(script->data, i);
		struct view *view = &script->views[i];

		view->event = event;
		view->fields = script->fields.kind[kind_of(&event->attr)].fields;
		view->has_chain = chains && event->attr.sample_type & S_CALLCHAIN;
		err = name_view(view, name_of(script, event), width);
	}
	return err;
}

/* Without them, what tracepoints say is left out; the rest is printed. */
static int open_traces(struct script *script, struct xp_diag *diag)
{
	size_t len;
	const void *body = xp_data_feature(script->data, XP_FEATURE_TRACING_DATA, &len);
	int err = body ? xp_traces_new(body, len, &script->traces, diag) : 0;

	return err == -ENOMEM ? err : 0;
}

static int make_ranges(struct script *script, struct xp_diag *diag)
{
	const char *text = script->config->values->time;
	size_t len = 0;
	const void *body = xp_data_feature(script->data, XP_FEATURE_SAMPLE_TIME, &len);
	uint64_t times[2] = { 0, 0 };

	if (!text)
		return 0;
	if (body && len >= sizeof(times))
		memcpy(times, body, sizeof(times));
	if (xp_data_is_swapped(script->data))
		for (int i = 0; i < 2; i++)
			times[i] = __builtin_bswap64(times[i]);
	if (strchr(text, '%') && times[1] <= times[0]) {
		xp_diag_set(diag, -EINVAL,
			    "--time: the recording does not tell when it began and "
			    "ended");
		xp_diag_hint(diag, "give times in seconds: --time START,STOP");
		return -EINVAL;
	}
	return ranges_parse(text, times[0], times[1], &script->ranges, &script->nr_ranges, diag)
		       ? -EINVAL
		       : 0;
}

static int open_symbols(struct run *run, struct xp_ctx *ctx)
{
	struct script *script = &run->script;
	const struct values *values = script->config->values;
	const struct xp_symbols_opts opts = {
		.size = sizeof(opts),
		.symfs = values->symfs,
		.vmlinux = values->vmlinux,
		.kallsyms = values->kallsyms,
		.no_demangle = values->demangle_off,
		.demangle_kernel = values->demangle_kernel,
	};
	int err = xp_symbols_new(ctx, &opts, &script->symbols);

	if (!err)
		err = xp_resolver_new(script->timeline, script->symbols, &script->resolver);
	return err;
}

/* After the first pass: all events are known. */
static int prepare(struct run *run, struct xp_ctx *ctx, struct xp_diag *diag)
{
	struct script *script = &run->script;
	int err = open_traces(script, diag);

	if (!err &&
	    fields_fit(&script->fields, script->data, !script->config->values->hide_chains, diag))
		return -EINVAL;
	if (!err)
		err = make_ranges(script, diag);
	if (!err)
		err = make_views(script);
	return err ? err : open_symbols(run, ctx);
}

/* --- the whole --- */

static int init(struct run *run, const struct config *config, struct xp_data *data, int fd)
{
	struct script *script = &run->script;
	size_t len;

	*run = (struct run){ .script = { .config = config, .data = data } };
	script->fields = config->values->fields;
	run->is_kept = xp_data_rewind(data) == -ESPIPE;
	/* Files of a directory have rounds of their own. */
	run->in_rounds = !run->is_kept && !xp_data_feature(data, XP_FEATURE_DIR_FORMAT, &len);
	run->order = order_new(show, run);
	script->tails = tails_new();
	if (!run->order || !script->tails || sink_init(&script->comm_text, -1) ||
	    sink_init(&script->out, fd))
		return -ENOMEM;
	return xp_timeline_new(&script->timeline);
}

static void fini(struct run *run)
{
	struct script *script = &run->script;

	for (int i = 0; i < script->nr_views; i++)
		free(script->views[i].name);
	free(script->views);
	free(script->ranges);
	readings_free(script->readings);
	xp_resolver_free(script->resolver);
	xp_symbols_free(script->symbols);
	xp_timeline_free(script->timeline);
	xp_traces_free(script->traces);
	tails_free(script->tails);
	sink_fini(&script->comm_text);
	sink_fini(&script->out);
	order_free(run->order);
}

int run_script(struct xp_ctx *ctx, struct xp_data *data, const struct config *config, int fd,
	       struct xp_diag *diag)
{
	struct run run;
	int err = init(&run, config, data, fd);

	if (!err)
		err = xp_timeline_load(run.script.timeline, data, run.is_kept ? take : NULL, &run);
	if (!err)
		err = prepare(&run, ctx, diag);
	if (!err && !run.is_kept) {
		err = xp_data_rewind(data);
		if (!err)
			err = walk(&run);
	}
	/* What was read before the failure is shown. */
	int ended = run.script.resolver ? order_end(run.order) : 0;
	int flushed = run.script.resolver ? sink_flush(&run.script.out) : 0;
	err = err ? err : ended ? ended : flushed;
	fini(&run);
	return err;
}
