/* SPDX-License-Identifier: MIT */
/* One event as an object: made, named, freed. Opening and reading are in open.c and read.c. */
#include "given.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>

#include "plural.h"
#include "software-event.h"
#include "str.h"
#include "uapi.h"
#include "where.h"

const char xp_modifier_letters[] = "ukhGHIDeWPpSbRX";

/*
 * The ABI revision that holds the content: that of Linux 5.13, or a later one. Older kernels take
 * it as long as what they do not know is zero: perf_event_open(2), "size".
 */
static uint32_t smallest_size(const struct xp_attr *attr)
{
	if (attr->config4)
		return XP_ATTR_SIZE_VER9;
	if (attr->config3)
		return XP_ATTR_SIZE_VER8;
	return XP_ATTR_SIZE_VER7;
}

int xp_evsel_new(struct xp_ctx *ctx, const struct xp_attr *attr, const char *name,
		 struct xp_evsel **ret_evsel)
{
	struct xp_evsel *evsel;

	/* The kernel would read behind the end of what it takes for a larger struct. */
	if (attr->size > sizeof(*attr))
		return -EINVAL;
	evsel = calloc(1, sizeof(*evsel));
	if (!evsel)
		return -ENOMEM;
	evsel->ctx = ctx;
	evsel->attr = *attr;
	if (!evsel->attr.size)
		evsel->attr.size = smallest_size(attr);
	evsel->index = -1;
	evsel->leader = evsel;
	evsel->merged_into = evsel;
	evsel->group_size = 1;
	/* The clocks count nanoseconds and are shown as perf shows them. */
	evsel->unit = is_clock_attr(attr) ? "msec" : "";
	evsel->scale = is_clock_attr(attr) ? 1e-6 : 1.0;
	evsel->name = strdup(name);
	if (!evsel->name) {
		xp_evsel_free(evsel);
		return -ENOMEM;
	}
	*ret_evsel = evsel;
	return 0;
}

int xp_evsel_new_tool(struct xp_ctx *ctx, enum xp_tool_event tool, const char *name,
		      struct xp_evsel **ret_evsel)
{
	struct xp_attr attr = { .type = XP_TYPE_SOFTWARE, .config = XP_SW_DUMMY };
	struct xp_evsel *evsel;
	int err = xp_evsel_new(ctx, &attr, name, &evsel);

	if (err)
		return err;
	evsel->tool = tool;
	evsel->snapshot = xp_tool_is_snapshot(tool);
	if (!evsel->snapshot)
		evsel->unit = "ns";
	if (tool == XP_TOOL_MAX_RSS)
		evsel->unit = "bytes";
	*ret_evsel = evsel;
	return 0;
}

void xp_event_terms_fini(struct xp_event_terms *terms)
{
	xp_cpus_unref(terms->cpus);
	terms->cpus = NULL;
}

void xp_event_terms_copy(struct xp_event_terms *dst, const struct xp_event_terms *src)
{
	*dst = *src;
	xp_cpus_ref(dst->cpus);
}

void xp_evsel_free(struct xp_evsel *evsel)
{
	if (!evsel || evsel->index >= 0)
		return;
	xp_evsel_close(evsel);
	xp_evsel_forget_given(evsel);
	xp_event_terms_fini(&evsel->terms);
	xp_cpus_unref(evsel->own_cpus);
	xp_cpus_unref(evsel->recorded_on);
	free(evsel->name);
	free(evsel->own_name);
	free(evsel->elsewhere);
	free(evsel->own_unit);
	free(evsel->reason);
	free(evsel->tracepoint);
	free(evsel->filter);
	free(evsel->sample_filter);
	free(evsel->foreign);
	free(evsel->probe_target);
	free(evsel);
}

int xp_evsel_append_name(struct xp_evsel *evsel, const char *suffix)
{
	struct xp_str name = { 0 };

	xp_str_addf(&name, "%s%s", evsel->name, suffix);
	char *text = xp_str_detach(&name);
	if (!text)
		return -ENOMEM;
	free(evsel->name);
	evsel->name = text;
	return 0;
}

void xp_evsel_rename(struct xp_evsel *evsel, const char *name)
{
	char *text = strdup(name);

	if (!text)
		return;
	free(evsel->name);
	evsel->name = text;
}

void xp_evsel_limit_freq(struct xp_evsel *evsel, uint64_t most)
{
	xp_evsel_set_reason(evsel,
			    "%llu %s per second instead of %llu: "
			    "kernel.perf_event_max_sample_rate does not allow more",
			    (unsigned long long)most, plural(most, "sample", "samples"),
			    (unsigned long long)evsel->attr.sample_freq);
	evsel->attr.sample_freq = most;
}

/* Source: perf_swevent_start_hrtimer() of Linux 6.1: no timer is set to less than 10 us, while
 * samples have the period that was asked for. */
void xp_evsel_limit_clock(struct xp_evsel *evsel, uint64_t max_rate)
{
	enum { NS_PER_S = 1000000000, TIMER_NS = 10000 };
	struct xp_attr *attr = &evsel->attr;
	uint64_t least = (NS_PER_S + max_rate - 1) / max_rate;
	const char *why = least > TIMER_NS ? "kernel.perf_event_max_sample_rate does not allow more"
					   : "the kernel's timers are no faster";

	if (least < TIMER_NS)
		least = TIMER_NS;
	if (!is_clock_attr(attr) || attr->freq || !attr->sample_period ||
	    attr->sample_period >= least)
		return;
	const char *also = xp_evsel_reason(evsel);
	struct xp_str before = { 0 };

	xp_str_addf(&before, "%s%s", also, *also ? "; " : "");
	xp_evsel_set_reason(evsel, "%sa sample each %llu ns instead of each %llu: %s",
			    xp_str_text(&before), (unsigned long long)least,
			    (unsigned long long)attr->sample_period, why);
	xp_str_fini(&before);
	attr->sample_period = least;
}

void xp_evsel_set_reason(struct xp_evsel *evsel, const char *fmt, ...)
{
	va_list ap;

	free(evsel->reason);
	va_start(ap, fmt);
	if (vasprintf(&evsel->reason, fmt, ap) < 0)
		evsel->reason = NULL;
	va_end(ap);
}

void xp_evsel_forget_reason(struct xp_evsel *evsel)
{
	free(evsel->reason);
	evsel->reason = NULL;
}

const char *xp_evsel_name(const struct xp_evsel *evsel)
{
	return evsel->name;
}

const char *xp_evsel_own_name(const struct xp_evsel *evsel)
{
	return evsel->is_merged ? evsel->own_name : evsel->name;
}

const struct xp_evsel *xp_evsel_merged_into(const struct xp_evsel *evsel)
{
	return evsel->merged_into;
}

bool xp_evsel_counts_on(const struct xp_evsel *evsel, int cpu_idx)
{
	if (!evsel->elsewhere)
		return true;
	return cpu_idx >= 0 && cpu_idx < evsel->nr_elsewhere && !evsel->elsewhere[cpu_idx];
}

const char *xp_evsel_cgroup(const struct xp_evsel *evsel)
{
	return evsel->cgroup ? evsel->cgroup->name : NULL;
}

bool xp_evsel_is_percore(const struct xp_evsel *evsel)
{
	return evsel->terms.percore;
}

bool xp_evsel_is_snapshot(const struct xp_evsel *evsel)
{
	return evsel->snapshot;
}

struct xp_attr *xp_evsel_attr(struct xp_evsel *evsel)
{
	return &evsel->attr;
}

const struct xp_attr *xp_evsel_attr_const(const struct xp_evsel *evsel)
{
	return &evsel->attr;
}

const char *xp_evsel_unit(const struct xp_evsel *evsel)
{
	return evsel->unit;
}

double xp_evsel_scale(const struct xp_evsel *evsel)
{
	return evsel->scale;
}

enum xp_tool_event xp_evsel_tool(const struct xp_evsel *evsel)
{
	return evsel->tool;
}

const struct xp_evsel *xp_evsel_leader(const struct xp_evsel *evsel)
{
	return evsel->leader;
}

int xp_evsel_group_size(const struct xp_evsel *evsel)
{
	return evsel->leader->group_size;
}

int xp_evsel_index(const struct xp_evsel *evsel)
{
	return evsel->index;
}

enum xp_support xp_evsel_support(const struct xp_evsel *evsel)
{
	return evsel->support;
}

const char *xp_evsel_reason(const struct xp_evsel *evsel)
{
	return evsel->reason ? evsel->reason : "";
}

const char *xp_evsel_instead_of(const struct xp_evsel *evsel)
{
	return evsel->instead_of;
}

const struct xp_cpus *xp_evsel_own_cpus(const struct xp_evsel *evsel)
{
	return evsel->own_cpus;
}

bool xp_evsel_is_software(const struct xp_evsel *evsel)
{
	return evsel->attr.type == XP_TYPE_SOFTWARE || evsel->attr.type == XP_TYPE_TRACEPOINT;
}
