/* SPDX-License-Identifier: MIT */
/* From the options to the list of events, and what is refused when the list has been opened. */
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <xperf/attr.h>
#include <xperf/bpf.h>
#include <xperf/cgroup.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/pmu.h>

#include "iostat.h"
#include "named.h"

static void apply_modifiers(const struct stat_config *config, struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		struct xp_attr *attr = xp_evsel_attr(xp_evlist_at(evlist, i));

		if (config->all_user)
			attr->exclude_kernel = 1;
		if (config->all_kernel)
			attr->exclude_user = 1;
	}
}

struct plan {
	struct stat_job *job;
	const char **ret_input_label;
	struct xp_diag *diag;
};

/* The events of -e. */
static int plan_named(const struct plan *plan)
{
	const struct stat_config *config = plan->job->config;
	struct xp_evlist *evlist = plan->job->evlist;
	int first = xp_evlist_nr(evlist);
	int err = 0;

	for (int i = 0; i < config->events.nr && !err; i++)
		err = events_add(&config->events, i, evlist, plan->ret_input_label, plan->diag);
	if (!err && config->group)
		err = xp_evlist_group(evlist, first, xp_evlist_nr(evlist) - first);
	return err;
}

/* The events of -M. */
static int plan_metrics(const struct plan *plan)
{
	struct stat_job *job = plan->job;

	if (!job->metrics)
		return 0;
	*plan->ret_input_label = NULL; /* the place is in a formula */
	return named_metrics_plan(job->metrics, job->config, job->evlist, plan->diag);
}

int stat_choose_kinds(const struct stat_config *config, struct xp_ctx *ctx, struct xp_diag *diag)
{
	int err = config->cpu_type ? xp_pmus_choose_core(ctx, config->cpu_type, diag) : 0;

	if (!err && config->hybrid_merge && xp_pmus_merge_core(ctx, true))
		err = xp_diag_set(diag, -ENOMEM, "Out of memory");
	return err;
}

/* All that was asked for once. */
static int plan_set(const struct plan *plan)
{
	const struct stat_config *config = plan->job->config;
	enum xp_default_set detailed = (enum xp_default_set)config->detailed;
	struct xp_evlist *evlist = plan->job->evlist;

	*plan->ret_input_label = "event";
	if (plan->job->iostat)
		return iostat_plan(plan->job->iostat, evlist, plan->diag);
	if (stat_config_has_default_metrics(config))
		return plan_metrics(plan);
	if (config->events.nr || plan->job->metrics)
		return plan_named(plan)
			       ?: xp_evlist_add_detailed(evlist, detailed) ?: plan_metrics(plan);
	if (config->null_run)
		return 0;
	return xp_evlist_add_default(evlist, detailed,
				     config->target.system_wide || config->target.cpu_list);
}

/* --for-each-cgroup: the same once more. */
static int plan_set_in(const char *cgroup, void *data)
{
	const struct plan *plan = data;
	struct xp_evlist *evlist = plan->job->evlist;
	int first = xp_evlist_nr(evlist);
	int err = plan_set(plan);

	if (err)
		return err;
	*plan->ret_input_label = NULL; /* the place is in the names */
	return xp_evlist_bind_cgroup(evlist, first, cgroup, plan->diag);
}

/* --bpf-prog; --bpf-counters, ":b" */
static int count_by_bpf(struct stat_job *job, struct xp_diag *diag)
{
	const struct stat_config *config = job->config;
	int nr;

	if (config->programs) {
		nr = xp_bpf_count_programs(job->evlist, config->program_ids, config->nr_programs,
					   diag);
		return nr < 0 ? nr : 0;
	}
	nr = xp_bpf_count_events(job->evlist, config->bpf_counters ? XP_BPF_ALL : XP_BPF_MARKED);
	return nr < 0 ? xp_diag_set(diag, nr, "Out of memory") : 0;
}

int stat_plan_events(struct stat_job *job, const char **ret_input_label, struct xp_diag *diag)
{
	const char *for_each = job->config->for_each_cgroup;
	struct plan plan = { job, ret_input_label, diag };
	int err = xp_evlist_new(job->ctx, &job->evlist);

	if (!err && job->iostat)
		err = iostat_find(job->iostat, job->ctx, job->config->iostat_ports, diag);
	if (!err && for_each)
		err = xp_cgroups_walk(job->ctx, for_each, plan_set_in, &plan, diag);
	else if (!err)
		err = plan_set(&plan);
	if (err == -ENOMEM)
		xp_diag_set(diag, err, "Out of memory");
	if (err)
		return err;
	apply_modifiers(job->config, job->evlist);
	return count_by_bpf(job, diag);
}

/* "{cycles,instructions}" */
static void format_group(const struct xp_evlist *evlist, const struct xp_evsel *leader, char *text,
			 size_t room)
{
	size_t len = 0;

	for (int i = 0; i < xp_evlist_nr(evlist) && len < room; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		if (xp_evsel_leader(evsel) == leader)
			len += (size_t)snprintf(text + len, room - len, "%c%s",
						evsel == leader ? '{' : ',', xp_evsel_name(evsel));
	}
}

static bool counts_any_of(const struct xp_evlist *evlist, const struct xp_evsel *leader)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		if (xp_evsel_leader(xp_evlist_at(evlist, i)) == leader &&
		    xp_evsel_support(xp_evlist_at(evlist, i)) != XP_NOT_SUPPORTED)
			return true;
	return false;
}

int stat_refuse_dead_groups(const struct xp_evlist *evlist, struct xp_diag *diag)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		const struct xp_evsel *leader = xp_evlist_at(evlist, i);
		char group[256];

		if (xp_evsel_group_size(leader) < 2 || xp_evsel_leader(leader) != leader ||
		    counts_any_of(evlist, leader))
			continue;
		format_group(evlist, leader, group, sizeof(group));
		return xp_diag_set(diag, -ENOENT, "No event of the group %s} can be counted: %s",
				   group, xp_evsel_reason(leader));
	}
	return 0;
}

bool stat_has_percore(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		if (xp_evsel_is_percore(xp_evlist_at(evlist, i)))
			return true;
	return false;
}

int stat_refuse_no_caches(int level, struct xp_diag *diag)
{
	return xp_diag_set(diag, -ENODATA,
			   "No CPU has a cache of level %d: lscpu -C lists those there are", level);
}
