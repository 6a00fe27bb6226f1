/* SPDX-License-Identifier: MIT */
/*
 * What a run makes ready once all events of the recording are known, and before the first line is
 * printed.
 */
#include <errno.h>
#include <stdlib.h>

#include "escape.h"
#include "input.h"
#include "kernel-copy.h"
#include "script.h"
#include "servers.h"

/* Names as they are printed, all as wide as the widest. */
static int name_view(struct view *view, size_t width)
{
	size_t room = strlen(view->plain_name) * ESCAPE_MAX + width + sizeof(": "), len = 0;

	view->name = malloc(room);
	if (!view->name)
		return -ENOMEM;
	for (const char *at = view->plain_name; *at;)
		len += escape_next(&at, view->name + len);
	size_t pad = len < width ? width - len : 0;
	memmove(view->name + pad, view->name, len);
	memset(view->name, ' ', pad);
	memcpy(view->name + pad + len, ": ", sizeof(": "));
	view->name_len = pad + len + 2;
	return 0;
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
		size_t len = strlen(xp_data_event_at(script->data, i)->name);

		width = len > width ? len : width;
	}
	for (int i = 0; i < nr && !err; i++) {
		const struct xp_data_event *event = xp_data_event_at(script->data, i);
		struct view *view = &script->views[i];

		view->event = event;
		view->plain_name = event->name;
		view->fields = script->fields.kind[kind_of(&event->attr)].fields;
		view->has_chain = chains && event->attr.sample_type & XP_SAMPLE_CALLCHAIN;
		if (view->has_chain && script->config->values->inlines)
			view->fields |= F_INLINED;
		if (view->fields & (F_INLINED | F_SRCLINE))
			view->fields |= F_RETURN;
		err = name_view(view, width);
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

/* What the recorder says of the first and the last sample; of two u64. */
static void told_times(struct script *script)
{
	size_t len = 0;
	const void *body = xp_data_feature(script->data, XP_FEATURE_SAMPLE_TIME, &len);
	uint64_t times[2];

	if (!body || len < sizeof(times))
		return;
	memcpy(times, body, sizeof(times));
	if (xp_data_is_swapped(script->data))
		for (int i = 0; i < 2; i++)
			times[i] = __builtin_bswap64(times[i]);
	if (times[1] <= times[0])
		return;
	script->seen = (struct time_range){ times[0], times[1] };
}

static int make_ranges(struct script *script, struct xp_diag *diag)
{
	const char *text = script->config->values->time;

	if (!text)
		return 0;
	if (script->without_times) {
		xp_diag_set(diag, -EINVAL, "--time: the samples of this recording have no times");
		return -EINVAL;
	}
	told_times(script);
	return ranges_parse(text, script->seen.first_ns, script->seen.last_ns, &script->ranges,
			    &script->nr_ranges, diag)
		       ? -EINVAL
		       : 0;
}

/* Whether events that a switch names are there. */
static int check_switch(const struct script *script, const char *option, const char *name,
			struct xp_diag *diag)
{
	for (int i = 0; i < script->nr_views; i++)
		if (!name || !strcmp(script->views[i].plain_name, name))
			return 0;
	if (!name)
		return 0;
	xp_diag_set(diag, -EINVAL, "--%s: there is no event '%s'", option, name);
	xp_diag_hint(diag, "see '%s evlist'", program_invocation_short_name);
	return -EINVAL;
}

static int make_switch(struct script *script, struct xp_diag *diag)
{
	const struct values *values = script->config->values;
	int err = check_switch(script, "switch-on", values->switch_on, diag);

	script->is_off = values->switch_on;
	return err ? err : check_switch(script, "switch-off", values->switch_off, diag);
}

/* A feature that is one string: padded length, text. */
static void find_machine(struct script *script)
{
	size_t len;
	const char *body = xp_data_feature(script->data, XP_FEATURE_ARCH, &len);

	if (body && len > sizeof(uint32_t) &&
	    memchr(body + sizeof(uint32_t), '\0', len - sizeof(uint32_t)))
		script->machine = machine_find(body + sizeof(uint32_t));
}

/* The clock's time and the time of day at one moment: version, clock, then two u64. */
static int make_clock(struct script *script, struct xp_diag *diag)
{
	size_t len;
	const char *body = xp_data_feature(script->data, XP_FEATURE_CLOCK_DATA, &len);
	uint64_t fields = 0, at[2];

	for (int i = 0; i < script->nr_views; i++)
		fields |= script->views[i].fields;
	if (!(fields & F_TOD))
		return 0;
	if (!body || len < 2 * sizeof(uint32_t) + sizeof(at)) {
		xp_diag_set(diag, -EINVAL, "The recording does not tell the time of day ('tod')");
		xp_diag_hint(diag, "record with -k CLOCK_MONOTONIC");
		return -EINVAL;
	}
	memcpy(at, body + 2 * sizeof(uint32_t), sizeof(at));
	for (int i = 0; i < 2 && xp_data_is_swapped(script->data); i++)
		at[i] = __builtin_bswap64(at[i]);
	script->clock.wall_ns = (int64_t)(at[0] - at[1]);
	return 0;
}

static int open_symbols(struct script *script, struct xp_ctx *ctx)
{
	const struct values *values = script->config->values;
	struct xp_symbols_opts opts = {
		.size = sizeof(opts),
		.symfs = values->symfs,
		.vmlinux = values->vmlinux,
		.kallsyms = values->kallsyms,
		.no_demangle = values->demangle_off,
		.demangle_kernel = values->demangle_kernel,
		.demangle_full = values->verbose,
		.other_kernel = !xp_data_is_of_this_kernel(script->data, ctx),
	};
	char path[PATH_MAX];

	kernel_copy_use(&opts, script->path, path);
	servers_use(&opts, values->debuginfod);
	int err = xp_symbols_new(ctx, &opts, &script->symbols);

	if (!err)
		err = xp_resolver_new(script->timeline, script->symbols, &script->resolver);
	if (!err && script->traces)
		xp_resolver_name_traces(script->resolver, script->traces);
	return err;
}

/* What `stat record` has written has no samples, whose fields could be asked for: its counts are
 * shown as they are. Source: perf 6.1. */
static bool has_counts(const struct script *script)
{
	size_t len;

	return counts_are_there(script->counts) ||
	       xp_data_feature(script->data, XP_FEATURE_STAT, &len);
}

int prepare(struct script *script, struct xp_ctx *ctx, struct xp_diag *diag)
{
	int err = open_traces(script, diag);

	script->without_times = !xp_data_has_times(script->data);
	if (!err && !has_counts(script) &&
	    fields_fit(&script->fields, script->data, !script->config->values->hide_chains, diag))
		return -EINVAL;
	find_machine(script);
	if (!err && script->config->cpus)
		err = input_check_cpus(script->data, diag);
	if (!err)
		err = make_ranges(script, diag);
	if (!err)
		err = make_views(script);
	if (!err)
		err = make_switch(script, diag);
	if (!err)
		err = make_clock(script, diag);
	if (!err)
		err = kernel_files_check(script->config->values->vmlinux,
					 script->config->values->kallsyms, diag);
	return err ? err : open_symbols(script, ctx);
}
