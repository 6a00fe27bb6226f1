/* SPDX-License-Identifier: MIT */
/* The samples of a recording, summed up: which count, and as what. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>

#include "kernel-copy.h"
#include "readings.h"
#include "report.h"
#include "servers.h"

/* @plan: of the profile, too: whether a place is a parent. */
static bool is_parent(const struct xp_spot *place, void *data)
{
	const struct plan *plan = data;

	return !regexec(plan->parent, place->frame.function.name, 0, NULL, 0);
}

/* @plan: likewise: what it called is not of interest. */
static bool is_root(const struct xp_spot *place, void *data)
{
	const struct plan *plan = data;

	return !regexec(plan->roots, place->frame.function.name, 0, NULL, 0);
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

int profile_make(struct recording *rec, struct plan *plan)
{
	enum xp_key keys[XP_NR_KEYS];

	/* What cannot be described is shown as such. */
	if (keys_have(plan, EXTRA_TRACE))
		recording_traces(rec);
	int err = extras_new(rec, plan, &rec->extras);
	if (err)
		return err;
	struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = keys,
		.nr_keys = library_keys(plan, keys),
		.nr_events = rec->nr_events ? rec->nr_events : 1,
		.with_chains = plan->with_chains,
		.children = plan->children,
		.callers_first = plan->graph.callers_first,
		.by_address = plan->graph.by_address,
		.by_line = plan->graph.by_line || plan->graph.by_address,
		.inlines = plan->values->inlines && !plan->values->no_inlines,
		.full_paths = plan->values->full_paths,
		.max_stack = plan->values->max_stack,
		.leaders = plan->grouped ? plan->leaders : NULL,
		.compare_tags = rec->extras ? extras_compare : NULL,
		.tag_data = rec->extras,
		.latency = plan->latency ? extras_latency : NULL,
		.group_leader = plan->values->group_leader,
		.is_root = plan->roots ? is_root : NULL,
		.root_data = plan,
		.is_parent = plan->parent ? is_parent : NULL,
		.parent_data = plan,
		.long_files = plan->values->verbose,
		.hide_unresolved = plan->values->hide_unresolved,
		.is_shown =
			plan->values->symbol_filter && plan_has_functions(plan) ? plan_shows : NULL,
		.shown_data = plan,
	};
	return xp_profile_new(rec->timeline, &opts, &rec->profile);
}

uint64_t recording_moment(const struct recording *rec, uint64_t time_ns)
{
	return xp_timeline_moment(rec->timeline, time_ns, xp_data_position(rec->input.data));
}

struct adding {
	struct recording *rec;
	const struct plan *plan;
};

static bool is_at_level(const struct plan *plan, uint64_t time_ns)
{
	int level = (int)parallelism_at(plan->rec->running, time_ns);

	return xp_cpus_find(plan->levels, (struct xp_cpu){ level }) >= 0;
}

static bool is_of_socket(const struct plan *plan, int cpu)
{
	return cpu >= 0 && cpu < plan->nr_cpus_of_socket && plan->cpus_of_socket[cpu];
}

static bool is_wanted(const struct plan *plan, int event, const struct xp_sample_id *id)
{
	if (plan->cpus && !(xp_cpus_find(plan->cpus, (struct xp_cpu){ id->cpu }) >= 0))
		return false;
	if (plan->cpus_of_socket && !is_of_socket(plan, id->cpu))
		return false;
	if (plan->levels && !is_at_level(plan, id->time_ns))
		return false;
	return slices_have(plan->slices, id->time_ns) &&
	       switches_have(plan->switches, event, id->time_ns);
}

/* Each branch is one. @placed: the sample at its moment, for what is looked up */
static int add_branches(struct recording *rec, int event, const struct xp_sample *sample,
			const struct xp_sample *placed)
{
	int err = rec->blocks ? blocks_add(rec->blocks, event, sample) : 0;

	for (size_t i = 0; !err && i < sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i];
		int64_t tag = rec->extras ? extras_tag(rec->extras, event, sample, branch) : 0;

		err = tag < 0 ? (int)tag
			      : xp_profile_add_branch(rec->profile, event, placed, branch,
						      (uint32_t)tag);
	}
	return err;
}

/* The last branches are a part of the call chain, the latest first. */
static int add_history(struct recording *rec, int event, const struct xp_sample *sample,
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
	int err = xp_profile_add_tagged(rec->profile, event, &longer, tag);
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

static int add(int event, const struct xp_sample *sample, void *data)
{
	const struct adding *adding = data;
	struct recording *rec = adding->rec;
	struct xp_sample placed = *sample;

	if (!is_wanted(adding->plan, event, &sample->id))
		return 0;
	placed.id.time_ns = recording_moment(rec, sample->id.time_ns);
	if (adding->plan->branches)
		return add_branches(rec, event, sample, &placed);
	int64_t tag = rec->extras ? extras_tag(rec->extras, event, sample, NULL) : 0;

	if (tag < 0)
		return (int)tag;
	if (adding->plan->values->mem_mode)
		placed.period =
			sample_cost(&xp_data_event_at(rec->input.data, event)->attr, sample);
	if (adding->plan->branch_history)
		return add_history(rec, event, &placed, (uint32_t)tag);
	return xp_profile_add_tagged(rec->profile, event, &placed, (uint32_t)tag);
}

/* By how much the event shared its counter with others, where samples tell. */
static void note_counted(struct recording *rec, const struct xp_attr *attr,
			 const struct xp_sample *sample)
{
	const uint64_t times_format = XP_FORMAT_TOTAL_TIME_ENABLED | XP_FORMAT_TOTAL_TIME_RUNNING;
	const uint64_t *times = sample->read ? sample->read + 1 : NULL;

	if ((attr->read_format & times_format) != times_format || sample->nr_read_words < 3 ||
	    !times[0] || times[1] >= times[0])
		return;
	double counted = (double)times[1] / (double)times[0];
	if (counted < rec->tally.counted)
		rec->tally.counted = counted;
}

/* @nr: of the record, from 1 */
static int add_sample(struct recording *rec, const struct plan *plan,
		      const struct xp_record *record, uint64_t nr)
{
	struct adding adding = { rec, plan };
	int event = load_event_of(rec, record);
	struct xp_sample sample;

	if (event < 0)
		return 0;
	const struct xp_attr *attr = &xp_data_event_at(rec->input.data, event)->attr;
	if (xp_sample_decode(record, attr, &sample))
		return 0;
	if (xp_sample_use_lbr(&sample, attr, &rec->lbr))
		return -ENOMEM;
	note_counted(rec, attr, &sample);
	if (rec->without_times)
		sample.id.time_ns = nr;
	return readings_each(rec->readings, event, &sample, add, &adding);
}

static int make_resolver(struct recording *rec, const struct values *values)
{
	struct xp_symbols_opts opts = {
		.size = sizeof(opts),
		.symfs = values->symfs,
		.symfs_flat = values->symfs_flat,
		.no_vmlinux = values->no_vmlinux,
		.vmlinux = values->vmlinux,
		.kallsyms = values->kallsyms,
		.no_demangle = values->no_demangle,
		.demangle_kernel = values->demangle_kernel,
		.other_kernel = !xp_data_is_of_this_kernel(rec->input.data, rec->input.ctx),
	};
	char path[PATH_MAX];

	kernel_copy_use(&opts, rec->input.path, path);
	servers_use(&opts, values->debuginfod);
	int err = xp_symbols_new(rec->input.ctx, &opts, &rec->symbols);

	return err ? err : xp_resolver_new(rec->timeline, rec->symbols, &rec->resolver);
}

/* One after the other, where what a sample is depends on those before it, or has to be looked up.
 */
static int add_all(struct recording *rec, const struct plan *plan)
{
	const struct xp_record *record;
	int more, err = xp_data_rewind(rec->input.data);

	rec->readings = readings_new(rec->input.data);
	if (!rec->readings)
		return -ENOMEM;
	progress_start(rec);
	for (uint64_t nr = 1; !err && (more = xp_data_next(rec->input.data, &record, NULL)) != 0;
	     nr++) {
		progress_step(rec);
		if (more < 0)
			err = more;
		else if (record->type == XP_RECORD_SAMPLE)
			err = add_sample(rec, plan, record, nr);
	}
	progress_end(rec);
	return err;
}

static bool keep_sample(int event, const struct xp_sample *sample, void *data)
{
	return is_wanted(data, event, &sample->id);
}

static bool has_filter(const struct plan *plan)
{
	return plan->cpus || plan->slices || plan->cpus_of_socket || plan->levels || plan->switches;
}

static int fill(struct recording *rec, const struct plan *plan)
{
	const struct xp_fill_opts opts = {
		.size = sizeof(opts),
		.nr_threads = plan->values->threads,
		.keep = has_filter(plan) ? keep_sample : NULL,
		.keep_data = (void *)plan,
		.without_times = rec->without_times,
	};

	return xp_profile_fill(rec->profile, rec->input.data, &opts);
}

static bool is_plain(const struct recording *rec, const struct plan *plan)
{
	bool has_readings = false;

	for (int i = 0; i < rec->nr_events; i++)
		has_readings |= (xp_data_event_at(rec->input.data, i)->attr.sample_type &
				 XP_SAMPLE_READ) != 0;
	return !rec->extras && !plan->values->mem_mode && !plan->branches &&
	       !plan->branch_history && !has_readings;
}

int load_aggregate(struct recording *rec, const struct plan *plan)
{
	int err = make_resolver(rec, plan->values);

	if (!err && plan->values->total_cycles)
		err = blocks_new(rec, plan, &rec->blocks);
	if (!err && rec->traces)
		xp_resolver_name_traces(rec->resolver, rec->traces);
	if (!err)
		err = is_plain(rec, plan) ? fill(rec, plan) : add_all(rec, plan);
	if (!err)
		err = xp_profile_resolve(rec->profile, rec->resolver, plan_keeps, (void *)plan);
	return err;
}
