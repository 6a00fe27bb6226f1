/* SPDX-License-Identifier: MIT */
/* The samples of a recording, summed up: which count, and as what. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/data.h>

#include "chain-ends.h"
#include "fill.h"
#include "numbers.h"
#include "stacks.h"

/* @plan: of the profile, too: whether a location is a parent. */
static bool is_parent(const struct xp_location *location, void *data)
{
	const struct plan *plan = data;

	return !regexec(plan->parent, location->frame.function.name, 0, NULL, 0);
}

/* @plan: likewise: what it called is not of interest. */
static bool is_root(const struct xp_location *location, void *data)
{
	const struct plan *plan = data;

	return !regexec(plan->roots, location->frame.function.name, 0, NULL, 0);
}

/* What the profile calls the keys: all it knows nothing of are one. */
static int library_keys(const struct plan *plan, enum xp_key keys[XP_NR_KEYS])
{
	bool has_tag = false;
	int nr = 0;

	for (int i = 0; i < plan->nr_keys; i++) {
		bool is_extra = plan->keys[i] >= XP_NR_KEYS;

		if (!is_extra)
			keys[nr++] = (enum xp_key)plan->keys[i];
		else if (!has_tag)
			keys[nr++] = XP_KEY_TAG;
		has_tag |= is_extra;
	}
	return nr;
}

/* Only where chains count, stacks are worth the work. */
static int open_stacks(struct report *report, const struct plan *plan)
{
	if (!plan->with_chains && !plan->children && !keys_have(plan, XP_KEY_PARENT))
		return 0;
	return stacks_open(&report->rec, plan->values->count.max_stack);
}

int profile_make(struct report *report, struct plan *plan)
{
	enum xp_key keys[XP_NR_KEYS];

	/* What cannot be described is shown as such. */
	if (keys_have(plan, EXTRA_TRACE))
		recording_traces(&report->rec, NULL);
	int err = extras_new(report, plan, &report->extras);
	if (err)
		return err;
	struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = keys,
		.nr_keys = library_keys(plan, keys),
		.nr_events = report->rec.nr_events ? report->rec.nr_events : 1,
		.with_chains = plan->with_chains,
		.children = plan->children,
		.callers_first = plan->graph.callers_first,
		.by_address = plan->graph.by_address,
		.by_line = plan->graph.by_line || plan->graph.by_address,
		.inlines = !plan->values->count.no_inlines,
		.full_paths = plan->values->count.full_paths,
		.max_stack = plan->values->count.max_stack,
		.leaders = plan->grouped ? plan->leaders : NULL,
		.compare_tags = report->extras ? extras_compare : NULL,
		.tag_data = report->extras,
		.row_tag = plan->has_numbers ? extras_row_tag : NULL,
		.add_numbers = plan->has_numbers ? extras_add_numbers : NULL,
		.nr_numbers = NR_NUMBERS,
		.latency = plan->latency ? extras_latency : NULL,
		.group_leader = plan->with_waits ? XP_GROUP_SUM : plan->values->count.group_leader,
		.is_root = plan->roots ? is_root : NULL,
		.root_data = plan,
		.is_parent = plan->parent ? is_parent : NULL,
		.parent_data = plan,
		.long_files = plan->values->show.verbose,
		.hide_unresolved = plan->values->count.hide_unresolved,
		.merge_unknown = plan->values->count.merge_unknown,
		.is_shown = plan->values->count.symbol_filter && plan_has_functions(plan)
				    ? plan_shows
				    : NULL,
		.shown_data = plan,
		.nr_threads = recording_jobs(&plan->values->read),
	};
	return xp_profile_new(report->rec.timeline, &opts, &report->profile);
}

struct adding {
	struct report *report;
	const struct plan *plan;
};

static bool is_at_level(const struct plan *plan, uint64_t time_ns)
{
	int level = (int)parallelism_at(plan->report->running, time_ns);

	return xp_cpus_find(plan->levels, (struct xp_cpu){ level }) >= 0;
}

static bool is_of_socket(const struct plan *plan, int cpu)
{
	return cpu >= 0 && cpu < plan->nr_cpus_of_socket && plan->cpus_of_socket[cpu];
}

/* What the filter of the recording does not know. */
static bool is_wanted(const struct plan *plan, const struct xp_sample_id *id)
{
	if (plan->cpus_of_socket && !is_of_socket(plan, id->cpu))
		return false;
	return !plan->levels || is_at_level(plan, id->time_ns);
}

/* Each branch is one. @placed: the sample at its moment, for what is looked up */
static int add_branches(struct report *report, int event, const struct xp_sample *sample,
			const struct xp_sample *placed)
{
	int err = report->blocks ? blocks_add(report->blocks, event, sample) : 0;

	for (size_t i = 0; !err && i < sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i];
		int64_t tag =
			report->extras ? extras_tag(report->extras, event, sample, branch) : 0;

		err = tag < 0 ? (int)tag
			      : xp_profile_add_branch(report->profile, event, placed, branch,
						      (uint32_t)tag);
	}
	return err;
}

/* The last branches are a part of the call chain, the latest first. */
static int add_history(struct report *report, int event, const struct xp_sample *sample,
		       uint32_t tag)
{
	size_t nr = sample->nr_callchain + 4 * sample->nr_branches, at = 0;
	uint64_t *chain = reallocarray(NULL, nr + 1, sizeof(*chain));
	struct xp_sample longer = *sample;
	uint64_t last = 0;

	if (!chain)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i / 2];
		uint64_t ip = i % 2 ? branch->from : branch->to;
		uint64_t context = ip >> 63 ? XP_CONTEXT_KERNEL : XP_CONTEXT_USER;

		if (context != last)
			chain[at++] = last = context;
		chain[at++] = ip;
	}
	for (size_t i = 0; i < sample->nr_callchain; i++)
		chain[at++] = sample->callchain[i];
	longer.callchain = chain;
	longer.nr_callchain = at;
	int err = xp_profile_add_tagged(report->profile, event, &longer, tag);
	free(chain);
	return err;
}

/* What an access took, at least 1. Source: perf 6.1; of the layout: linux/perf_event.h, union
 * perf_sample_weight. */
static uint64_t sample_cost(const struct xp_attr *attr, const struct xp_sample *sample)
{
	uint64_t cost = attr->sample_type & XP_SAMPLE_WEIGHT_STRUCT ? (uint32_t)sample->weight
								    : sample->weight;

	return cost ? cost : 1;
}

/* By how much the event shared its counter with others, where samples have it. */
static void note_counted(struct report *report, const struct xp_attr *attr,
			 const struct xp_sample *sample)
{
	struct xp_reading reading;

	if (!sample->read || !(attr->read_format & XP_FORMAT_TOTAL_TIME_RUNNING) ||
	    xp_reading_decode(sample->read, sample->nr_read_words, attr->read_format, &reading) ||
	    reading.running_ns >= reading.enabled_ns)
		return;
	double counted = (double)reading.running_ns / (double)reading.enabled_ns;
	if (counted < report->tally.counted)
		report->tally.counted = counted;
}

static int add(struct recorded *recorded, void *data)
{
	const struct adding *adding = data;
	struct report *report = adding->report;
	const struct plan *plan = adding->plan;
	struct xp_sample *placed = &recorded->sample, sample = *placed;
	int event = recorded->event;

	sample.id.time_ns = recorded->time_ns;
	note_counted(report, recorded->attr, &sample);
	if (!is_wanted(plan, &sample.id))
		return 0;
	if (plan->branches)
		return add_branches(report, event, &sample, placed);
	int64_t tag = report->extras ? extras_tag(report->extras, event, &sample, NULL) : 0;

	if (tag < 0)
		return (int)tag;
	if (plan->values->count.mem_mode)
		placed->period = sample_cost(recorded->attr, &sample);
	if (plan->branch_history)
		return add_history(report, event, placed, (uint32_t)tag);
	return xp_profile_add_tagged(report->profile, event, placed, (uint32_t)tag);
}

/* One after the other, where what a sample is depends on those before it, or has to be looked up.
 */
static int add_all(struct report *report, const struct plan *plan)
{
	struct adding adding = { report, plan };

	return recording_each(&report->rec, add, &adding);
}

static bool keep_sample(int event, const struct xp_sample *sample, void *data)
{
	(void)event;
	return is_wanted(data, &sample->id);
}

static int fill(struct report *report, const struct plan *plan)
{
	bool has_filter = plan->cpus_of_socket || plan->levels;

	return recording_fill(&report->rec, report->profile, plan->values->read.jobs,
			      has_filter ? keep_sample : NULL, (void *)plan);
}

static bool is_plain(const struct report *report, const struct plan *plan)
{
	bool has_readings = false;

	for (int i = 0; i < report->rec.nr_events; i++)
		has_readings |= (xp_data_event_at(report->rec.data, i)->attr.sample_type &
				 XP_SAMPLE_READ) != 0;
	return !report->extras && !plan->values->count.mem_mode && !plan->branches &&
	       !plan->branch_history && !has_readings;
}

/* Functions are looked up, and rows are made. */
static int resolve(struct report *report, const struct plan *plan)
{
	struct progress *progress = report->rec.progress;
	uint64_t nr = xp_profile_watch(report->profile, progress_add, progress);

	progress_begin(progress, STAGE_NAMING, nr);
	int err =
		xp_profile_resolve(report->profile, report->rec.resolver, plan_keeps, (void *)plan);
	progress_end(progress);
	return err;
}

int load_aggregate(struct report *report, const struct plan *plan)
{
	struct xp_resolver *resolver = report->rec.resolver;
	int err = plan->values->count.total_cycles ? blocks_new(report, plan, &report->blocks) : 0;

	if (err)
		return err;
	err = open_stacks(report, plan)
		      ?: (is_plain(report, plan) ? fill(report, plan) : add_all(report, plan));
	if (err)
		return err;
	return resolve(report, plan)
		       ?: xp_chain_ends_new(&report->chain_ends)
		       ?: chain_ends_judge(report->rec.data, report->profile, resolver,
					   report->chain_ends);
}
