/* SPDX-License-Identifier: MIT */
/*
 * The forms of the result: text, names alone, JSON. Layout of the text: `perf list`, perf 6.1; what
 * xperf adds stands behind it. JSON keys: perf-list(1), perf 6.2 and later.
 */
#include <string.h>
#include <xperf/metric.h>
#include <xperf/pmu.h>
#include <xperf/stat.h>

#include "list.h"

/* What perf calls a kind. */
static const char *const kind_names[XP_EVENT_NR_KINDS] = {
	[XP_EVENT_HARDWARE] = "Hardware event",
	[XP_EVENT_SOFTWARE] = "Software event",
	[XP_EVENT_TOOL] = "Tool event",
	[XP_EVENT_CACHE] = "Hardware cache event",
	[XP_EVENT_PMU] = "Kernel PMU event",
	[XP_EVENT_RAW] = "Raw hardware event descriptor",
	[XP_EVENT_BREAKPOINT] = "Hardware breakpoint",
	[XP_EVENT_TRACEPOINT] = "Tracepoint event",
	[XP_EVENT_VENDOR] = "Vendor event",
	[XP_EVENT_SDT] = "SDT event",
};

static void nothing(struct list_output *out)
{
	(void)out;
}

/* In front of the reason. */
static const char *const state_words[] = {
	[XP_EVENT_OPENS] = "",
	[XP_EVENT_FORBIDDEN] = "not permitted",
	[XP_EVENT_ABSENT] = "not supported",
};

#define DIM    "\033[2m"
#define NORMAL "\033[m"

static int print_cap(const char *name, const char *value, void *data)
{
	struct list_output *out = data;

	fprintf(out->file, " %s=%s", name, value);
	return 0;
}

static int has_cap(const char *name, const char *value, void *data)
{
	(void)name;
	(void)value;
	(void)data;
	return 1;
}

/* "  cpu: branches=32 max_precise=3", above the first event of a PMU that has some. */
static void print_caps(struct list_output *out, const struct xp_event_info *event)
{
	if (event->kind != XP_EVENT_PMU || !strcmp(out->pmu, event->pmu))
		return;
	snprintf(out->pmu, sizeof(out->pmu), "%s", event->pmu);
	if (xp_pmu_caps_walk(out->ctx, event->pmu, has_cap, NULL) != 1)
		return;
	fprintf(out->file, "  %s:", event->pmu);
	xp_pmu_caps_walk(out->ctx, event->pmu, print_cap, out);
	fputc('\n', out->file);
}

/* True for the first event of several with one reason. */
static bool is_new(struct list_output *out, const char *reason)
{
	for (int i = 0; i < out->nr_reasons; i++)
		if (!strcmp(out->reasons[i], reason))
			return false;
	if (out->nr_reasons < LIST_REASONS)
		snprintf(out->reasons[out->nr_reasons++], sizeof(out->reasons[0]), "%s", reason);
	return true;
}

/* Why it cannot be counted; the text once, the state each time. */
static void print_reason(struct list_output *out, enum xp_event_state state, const char *reason)
{
	const char *word = state_words[state];

	if (!*reason || out->as_perf)
		return;
	if (*word)
		fprintf(out->file, " %s", word);
	if (!*word || is_new(out, reason))
		fprintf(out->file, "%s %s", *word ? ":" : "", reason);
}

static void print_text(struct list_output *out, const struct xp_event_info *event)
{
	if (out->details)
		print_caps(out, event);
	bool dim = out->color && event->state != XP_EVENT_OPENS;
	char both[512];

	snprintf(both, sizeof(both), "%s%s%s", event->name, *event->alias ? " OR " : "",
		 event->alias);
	fprintf(out->file, "%s  %-50s [%s]", dim ? DIM : "", both, kind_names[event->kind]);
	print_reason(out, event->state, event->reason);
	fprintf(out->file, "%s\n", dim ? NORMAL : "");
	if (out->desc && *event->desc)
		fprintf(out->file, "       [%s]\n", event->desc);
	if (out->details && *event->encoding)
		fprintf(out->file, "        %s\n", event->encoding);
}

static void print_metric(struct list_output *out, const struct xp_metric_info *metric,
			 enum xp_event_state state, const char *reason)
{
	bool dim = out->color && state != XP_EVENT_OPENS;

	fprintf(out->file, "%s  %-50s [Metric]", dim ? DIM : "", metric->name);
	print_reason(out, state, reason);
	fprintf(out->file, "%s\n", dim ? NORMAL : "");
	if (out->desc || out->details)
		fprintf(out->file, "        %s\n", metric->events);
}

static void print_bracketed(struct list_output *out, const char *text)
{
	if (*text)
		fprintf(out->file, "       [%s]\n", text);
}

static void print_named_metric(struct list_output *out, const struct xp_metric_def *def,
			       enum xp_event_state state, const char *reason)
{
	bool dim = out->color && state != XP_EVENT_OPENS;

	fprintf(out->file, "%s  %-50s [Metric]", dim ? DIM : "", def->name);
	print_reason(out, state, reason);
	fprintf(out->file, "%s\n", dim ? NORMAL : "");
	print_bracketed(out, def->brief);
	if (out->desc)
		print_bracketed(out, def->text);
	if (!out->details)
		return;
	fprintf(out->file, "        %s\n", def->formula_text);
	if (def->threshold)
		fprintf(out->file, "        threshold: %s\n", def->threshold_text);
	if (*def->groups)
		fprintf(out->file, "        groups: %s\n", def->groups);
}

/* Source: perf list metricgroup, 6.1. */
static void print_groups(struct list_output *out)
{
	fputs("\nMetric Groups:\n\n", out->file);
}

static void print_group(struct list_output *out, const struct xp_metric_group *group)
{
	fprintf(out->file, "  %s\n", group->name);
	print_bracketed(out, group->text);
}

const struct list_format list_text = {
	.start = nothing,
	.event = print_text,
	.metric = print_metric,
	.named_metric = print_named_metric,
	.groups = print_groups,
	.group = print_group,
	.end = nothing,
};

static bool is_name(const struct xp_event_info *event)
{
	return event->kind != XP_EVENT_RAW && event->kind != XP_EVENT_BREAKPOINT;
}

static void print_name(struct list_output *out, const struct xp_event_info *event)
{
	if (is_name(event) && event->state != XP_EVENT_ABSENT)
		fprintf(out->file, "%s ", event->name);
}

/* It has no name that stat -M knows. */
static void no_metric_name(struct list_output *out, const struct xp_metric_info *metric,
			   enum xp_event_state state, const char *reason)
{
	(void)out;
	(void)metric;
	(void)state;
	(void)reason;
}

static void print_metric_name(struct list_output *out, const struct xp_metric_def *def,
			      enum xp_event_state state, const char *reason)
{
	(void)reason;
	if (state != XP_EVENT_ABSENT)
		fprintf(out->file, "%s ", def->name);
}

static void print_group_name(struct list_output *out, const struct xp_metric_group *group)
{
	fprintf(out->file, "%s ", group->name);
}

static void end_line(struct list_output *out)
{
	fputc('\n', out->file);
}

const struct list_format list_names = {
	.start = nothing,
	.event = print_name,
	.metric = no_metric_name,
	.named_metric = print_metric_name,
	.groups = nothing,
	.group = print_group_name,
	.end = end_line,
};

static const struct json_layout object_lines = { "\n", "\n", "\n" };
static const struct json_layout member_lines = { "\n\t", "\n\t", "\n" };

static void member(struct json *json, const char *key, const char *value)
{
	if (*value)
		json_string(json, key, value);
}

static void json_start(struct list_output *out)
{
	out->sink = SINK_TO_FILE(out->file);
	json_init(&out->json, &out->sink, ": ");
	json_array(&out->json, NULL, &object_lines);
}

static void json_supported(struct json *json, enum xp_event_state state, const char *reason)
{
	json_bool(json, "Supported", state == XP_EVENT_OPENS);
	member(json, "Reason", reason);
	json_end(json);
}

static void json_event(struct list_output *out, const struct xp_event_info *event)
{
	struct json *json = &out->json;

	json_object(json, NULL, &member_lines);
	json_string(json, "EventName", event->name);
	member(json, "EventAlias", event->alias);
	member(json, "Unit", event->pmu);
	member(json, "EventType", kind_names[event->kind]);
	member(json, "BriefDescription", event->desc);
	member(json, "Encoding", event->encoding);
	json_supported(json, event->state, event->reason);
}

static void json_metric(struct list_output *out, const struct xp_metric_info *metric,
			enum xp_event_state state, const char *reason)
{
	struct json *json = &out->json;

	json_object(json, NULL, &member_lines);
	json_string(json, "MetricName", metric->name);
	member(json, "Events", metric->events);
	json_supported(json, state, reason);
}

/* "100%", or the unit alone. */
static void json_unit(struct json *json, const struct xp_metric_def *def)
{
	char text[200];

	snprintf(text, sizeof(text), "%.15g%s", def->scale, def->unit);
	member(json, "ScaleUnit", *def->unit || def->scale != 1 ? text : "");
}

static void json_named_metric(struct list_output *out, const struct xp_metric_def *def,
			      enum xp_event_state state, const char *reason)
{
	struct json *json = &out->json;

	json_object(json, NULL, &member_lines);
	member(json, "MetricGroup", def->groups);
	json_string(json, "MetricName", def->name);
	json_string(json, "MetricExpr", def->formula_text);
	member(json, "MetricThreshold", def->threshold_text);
	json_unit(json, def);
	member(json, "BriefDescription", def->brief);
	member(json, "PublicDescription", def->text);
	member(json, "Events", def->events);
	json_supported(json, state, reason);
}

static void json_group(struct list_output *out, const struct xp_metric_group *group)
{
	struct json *json = &out->json;

	json_object(json, NULL, &member_lines);
	json_string(json, "MetricGroup", group->name);
	member(json, "BriefDescription", group->text);
	json_end(json);
}

static void json_finish(struct list_output *out)
{
	json_close(&out->json);
}

const struct list_format list_json = {
	.start = json_start,
	.event = json_event,
	.metric = json_metric,
	.named_metric = json_named_metric,
	.groups = nothing,
	.group = json_group,
	.end = json_finish,
};
