/* SPDX-License-Identifier: MIT */
/*
 * Goes through the events of this machine. Names come from the tables the parser reads
 * (lib/evsel/parse) and from sysfs and tracefs; whether one opens is openable.c's.
 */
#include "events-list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/diag.h>

#include "cache-names.h"
#include "cleanup.h"
#include "event-names.h"
#include "host.h"
#include "names.h"
#include "opts.h"
#include "pmu.h"
#include "pmus.h"
#include "str.h"
#include "tools.h"
#include "tracefs.h"
#include "uapi.h"
#include "vendor-list.h"

int xp_list_report(struct xp_list_walk *w, struct xp_event_info *info)
{
	const char **const texts[] = { &info->alias, &info->pmu, &info->encoding, &info->desc };

	for (size_t i = 0; i < XP_ARRAY_LEN(texts); i++)
		if (!*texts[i])
			*texts[i] = "";
	info->state = w->verdict.state;
	info->reason = w->verdict.reason;
	return w->fn(info, w->data);
}

static void ask(struct xp_list_walk *w, uint32_t type, uint64_t config)
{
	struct xp_attr attr = { .type = type, .config = config, .exclude_guest = 1 };

	xp_openable_attr(w->ctx, &attr, &w->verdict);
}

static void ask_tool(struct xp_list_walk *w, enum xp_tool_event tool)
{
	uint64_t value;
	const char *unknown =
		xp_tool_is_snapshot(tool) ? xp_tool_read(w->ctx, tool, NULL, &value) : NULL;

	if (!unknown)
		return;
	w->verdict.state = XP_EVENT_ABSENT;
	snprintf(w->verdict.reason, sizeof(w->verdict.reason), "%s", unknown);
}

/* An event known by its numbers; @info without encoding. */
static int report_numbers(struct xp_list_walk *w, struct xp_event_info *info, uint32_t type,
			  uint64_t config)
{
	char encoding[48];

	snprintf(encoding, sizeof(encoding), "%u:0x%llx", type, (unsigned long long)config);
	if (w->opts.encoding)
		info->encoding = encoding;
	return xp_list_report(w, info);
}

static bool is_second_name(const struct xp_event_name *row)
{
	return !*row->desc;
}

/* The PMU's event of this name is the one that is meant, and listed. */
static bool is_of_a_pmu(struct xp_ctx *ctx, const struct xp_event_name *row)
{
	return xp_tool_is_snapshot(row->tool) && xp_pmu_has_alias(ctx, row->name);
}

static int walk_table(struct xp_list_walk *w, enum xp_event_kind kind, uint32_t type, bool tools)
{
	const struct xp_event_name *row, *next;

	for (size_t i = 0; (row = xp_event_name_at(i)); i++) {
		if (row->type != type || tools != (row->tool != XP_TOOL_NONE) ||
		    is_second_name(row) || is_of_a_pmu(w->ctx, row))
			continue;
		struct xp_event_info info = { .kind = kind, .name = row->name, .desc = row->desc };
		next = xp_event_name_at(i + 1);
		if (next && is_second_name(next))
			info.alias = next->name;
		w->verdict = (struct xp_verdict){ .state = XP_EVENT_OPENS };
		if (tools)
			ask_tool(w, row->tool);
		else
			ask(w, row->type, row->config);
		int err = tools ? xp_list_report(w, &info)
				: report_numbers(w, &info, type, row->config);
		if (err)
			return err;
	}
	return 0;
}

static int walk_hardware(struct xp_list_walk *w)
{
	return walk_table(w, XP_EVENT_HARDWARE, XP_TYPE_HARDWARE, false);
}

static int walk_software(struct xp_list_walk *w)
{
	return walk_table(w, XP_EVENT_SOFTWARE, XP_TYPE_SOFTWARE, false);
}

static int walk_tools(struct xp_list_walk *w)
{
	return walk_table(w, XP_EVENT_TOOL, XP_TYPE_SOFTWARE, true);
}

static int report_cache(struct xp_list_walk *w, const char *name, bool asked)
{
	struct xp_event_info info = { .kind = XP_EVENT_CACHE, .name = name };
	const struct xp_source source = { .text = name };
	uint64_t config = 0;

	xp_cache_name_parse(&source, (struct xp_span){ name, strlen(name) }, &config);
	if (!asked || xp_host_has_core_pmu(w->ctx))
		ask(w, XP_TYPE_HW_CACHE, config);
	return report_numbers(w, &info, XP_TYPE_HW_CACHE, config);
}

static int walk_caches(struct xp_list_walk *w)
{
	struct xp_names names = { 0 };
	int err = xp_cache_names_list(&names);

	xp_names_sort(&names);
	for (int i = 0; !err && i < names.nr; i++)
		err = report_cache(w, names.at[i], i > 0);
	xp_names_fini(&names);
	return err;
}

/* A core PMU's events can be named without it. Source: perf-list(1). */
static bool is_core(const char *pmu)
{
	return !strcmp(pmu, "cpu") || !strncmp(pmu, "armv8_pmuv3", strlen("armv8_pmuv3"));
}

static int report_pmu_event(struct xp_list_walk *w, const char *pmu, const char *event)
{
	struct xp_span span = { event, strlen(event) };
	struct xp_str full = { 0 }, encoding = { 0 };
	xp_auto_free char *terms = NULL;

	if (w->opts.encoding)
		xp_pmu_alias_read(w->ctx, pmu, span, &terms);
	if (terms) {
		terms[strcspn(terms, "\n")] = '\0';
		xp_str_addf(&encoding, "%s/%s/", pmu, terms);
	}
	xp_str_addf(&full, "%s/%s/", pmu, event);
	struct xp_event_info info = { .kind = XP_EVENT_PMU,
				      .name = is_core(pmu) ? event : xp_str_text(&full),
				      .alias = is_core(pmu) ? xp_str_text(&full) : "",
				      .pmu = pmu,
				      .encoding = xp_str_text(&encoding) };
	int err = full.failed || encoding.failed ? -ENOMEM : xp_list_report(w, &info);
	xp_str_fini(&full);
	xp_str_fini(&encoding);
	return err;
}

static int walk_pmu(struct xp_list_walk *w, const char *pmu)
{
	struct xp_names events = { 0 };
	int err = 0;

	xp_pmu_events_list(w->ctx, pmu, &events);
	xp_names_sort(&events);
	if (events.nr)
		xp_openable_pmu_event(w->ctx, pmu, events.at[0], &w->verdict);
	for (int i = 0; !err && i < events.nr; i++)
		err = report_pmu_event(w, pmu, events.at[i]);
	xp_names_fini(&events);
	return err;
}

static int walk_pmus(struct xp_list_walk *w)
{
	const struct xp_names *pmus = xp_pmus_names(w->ctx);
	int err = 0;

	for (int i = 0; !err && i < pmus->nr; i++)
		err = walk_pmu(w, pmus->at[i]);
	return err;
}

static int walk_raw(struct xp_list_walk *w)
{
	static const struct {
		const char *name, *desc;
	} forms[] = {
		{ "rNNN", "an event of the core PMU by its hexadecimal number" },
		{ "cpu/t1=v1[,t2=v2,t3 ...]/modifier", "terms that the PMU's directory format "
						       "lists" },
	};
	int err = 0;

	ask(w, XP_TYPE_RAW, 0);
	for (size_t i = 0; !err && i < XP_ARRAY_LEN(forms); i++) {
		struct xp_event_info info = { .kind = XP_EVENT_RAW,
					      .name = forms[i].name,
					      .desc = forms[i].desc };
		err = xp_list_report(w, &info);
	}
	return err;
}

static int walk_breakpoints(struct xp_list_walk *w)
{
	struct xp_event_info info = {
		.kind = XP_EVENT_BREAKPOINT,
		.name = "mem:<addr>[/len][:access]",
		.desc = "accesses to an address: r, w or x; the default is rw"
	};
	struct xp_attr attr = { .type = XP_TYPE_BREAKPOINT,
				.bp_type = 2, /* HW_BREAKPOINT_W */
				.bp_addr = (uintptr_t)w,
				.bp_len = 4 };

	xp_openable_attr(w->ctx, &attr, &w->verdict);
	return xp_list_report(w, &info);
}

/* What the kernel only traces has a format but no number. Source: kernel/trace/trace_entries.h. */
static bool is_tracer_entry(struct xp_list_walk *w, const char *subsystem, const char *event)
{
	uint64_t id;

	return !strcmp(subsystem, "ftrace") && xp_tracefs_id(w->ctx, subsystem, event, &id);
}

static int report_tracepoint(struct xp_list_walk *w, const char *subsystem, const char *event)
{
	struct xp_event_info info = { .kind = XP_EVENT_TRACEPOINT };
	struct xp_str name = { 0 };
	uint64_t id;

	xp_str_addf(&name, "%s:%s", subsystem, event);
	info.name = xp_str_text(&name);
	int err = name.failed ? -ENOMEM : 0;
	if (!err && w->opts.encoding && !xp_tracefs_id(w->ctx, subsystem, event, &id))
		err = report_numbers(w, &info, XP_TYPE_TRACEPOINT, id);
	else if (!err)
		err = xp_list_report(w, &info);
	xp_str_fini(&name);
	return err;
}

/* One tracepoint answers for all. */
static void ask_tracepoint(struct xp_list_walk *w, const char *subsystem, const char *event,
			   bool *asked)
{
	uint64_t id;

	if (*asked || xp_tracefs_id(w->ctx, subsystem, event, &id))
		return;
	ask(w, XP_TYPE_TRACEPOINT, id);
	*asked = true;
}

static int walk_subsystem(struct xp_list_walk *w, const char *subsystem, bool *asked)
{
	struct xp_names events = { 0 };
	int err = xp_tracefs_events(w->ctx, subsystem, &events);

	if (err)
		return err == -ENOMEM ? err : 0; /* a file, or gone: no subsystem */
	for (int i = 0; !err && i < events.nr; i++) {
		if (is_tracer_entry(w, subsystem, events.at[i]))
			continue;
		ask_tracepoint(w, subsystem, events.at[i], asked);
		err = report_tracepoint(w, subsystem, events.at[i]);
	}
	xp_names_fini(&events);
	return err;
}

static int not_listed(struct xp_list_walk *w, int err)
{
	struct xp_tracefs_why why;

	xp_tracefs_explain(w->ctx, err, &why);
	xp_diag_set(w->diag, err, "The tracepoints cannot be listed: %s", why.reason);
	xp_diag_hint(w->diag, "%s", why.hint);
	return err;
}

static int walk_tracepoints(struct xp_list_walk *w)
{
	struct xp_names subsystems = { 0 };
	bool asked = false;
	int err = xp_tracefs_subsystems(w->ctx, &subsystems);

	if (err)
		return not_listed(w, err);
	w->verdict = (struct xp_verdict){ .state = XP_EVENT_OPENS };
	for (int i = 0; !err && i < subsystems.nr; i++)
		err = walk_subsystem(w, subsystems.at[i], &asked);
	xp_names_fini(&subsystems);
	return err;
}

/* The vendor events of one PMU open alike: the first one is asked for. */
struct vendor_walk {
	struct xp_list_walk *w;
	char pmu[64]; /* that was asked last */
};

static int report_vendor(const char *pmu, const char *name, const char *desc,
			 const struct xp_attr *attr, void *data)
{
	struct vendor_walk *v = data;
	struct xp_event_info info = {
		.kind = XP_EVENT_VENDOR, .name = name, .pmu = pmu, .desc = desc
	};

	if (strcmp(v->pmu, pmu)) {
		snprintf(v->pmu, sizeof(v->pmu), "%s", pmu);
		xp_openable_attr(v->w->ctx, attr, &v->w->verdict);
	}
	/* Numbers of this form hold no second word. */
	return attr->config1 ? xp_list_report(v->w, &info)
			     : report_numbers(v->w, &info, attr->type, attr->config);
}

static int walk_vendor(struct xp_list_walk *w)
{
	struct vendor_walk v = { .w = w };

	return xp_vendor_list(w->ctx, report_vendor, &v);
}

static int (*const walks[XP_EVENT_NR_KINDS])(struct xp_list_walk *w) = {
	[XP_EVENT_HARDWARE] = walk_hardware,
	[XP_EVENT_SOFTWARE] = walk_software,
	[XP_EVENT_TOOL] = walk_tools,
	[XP_EVENT_CACHE] = walk_caches,
	[XP_EVENT_PMU] = walk_pmus,
	[XP_EVENT_RAW] = walk_raw,
	[XP_EVENT_BREAKPOINT] = walk_breakpoints,
	[XP_EVENT_TRACEPOINT] = walk_tracepoints,
	[XP_EVENT_VENDOR] = walk_vendor,
	[XP_EVENT_SDT] = xp_list_sdt,
};

int xp_events_list(struct xp_ctx *ctx, const struct xp_list_opts *opts, xp_event_fn fn, void *data,
		   struct xp_diag *diag)
{
	struct xp_list_walk w = { .ctx = ctx, .fn = fn, .data = data, .diag = diag };
	int err = XP_OPTS_COPY(&w.opts, opts, struct xp_list_opts, sdt_path, diag);

	if (err)
		return err;
	if (w.opts.kinds >> XP_EVENT_NR_KINDS)
		return xp_diag_set(diag, -EINVAL, "%#x names no kinds of events",
				   w.opts.kinds >> XP_EVENT_NR_KINDS << XP_EVENT_NR_KINDS);
	if (!w.opts.kinds)
		w.opts.kinds = ~(1U << XP_EVENT_SDT);
	for (int kind = 0; !err && kind < XP_EVENT_NR_KINDS; kind++)
		if (w.opts.kinds & 1U << kind)
			err = walks[kind](&w);
	return err;
}
