/* SPDX-License-Identifier: MIT */
/* A profile's beginning and end, and what it has to know of the side band. */
#include "profile-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/sample.h>

#include "opts.h"

static int check_opts(const struct xp_profile_opts *opts)
{
	if (opts->nr_keys < 1 || opts->nr_keys > XP_NR_KEYS || opts->nr_events < 1 ||
	    opts->max_stack < 0 || opts->nr_threads < 0 || opts->group_leader < XP_GROUP_SUM)
		return -EINVAL;
	for (int i = 0; i < opts->nr_keys; i++)
		if ((unsigned int)opts->keys[i] >= XP_NR_KEYS)
			return -EINVAL;
	for (int i = 0; opts->leaders && i < opts->nr_events; i++)
		if (opts->leaders[i] < 0 || opts->leaders[i] > i)
			return -EINVAL;
	return 0;
}

static int copy_opts(struct xp_profile *profile, const struct xp_profile_opts *opts)
{
	profile->opts = *opts;
	if (!opts->max_stack)
		profile->opts.max_stack = DEFAULT_STACK;
	profile->keys = calloc((size_t)opts->nr_keys, sizeof(*profile->keys));
	profile->totals = calloc((size_t)opts->nr_events, sizeof(*profile->totals));
	if (!profile->keys || !profile->totals)
		return -ENOMEM;
	for (int i = 0; i < opts->nr_keys; i++) {
		profile->keys[i] = opts->keys[i];
		profile->has_key[opts->keys[i]] = true;
	}
	profile->opts.keys = profile->keys;
	if (!opts->leaders)
		return 0;
	profile->leaders = malloc((size_t)opts->nr_events * sizeof(*profile->leaders));
	if (!profile->leaders)
		return -ENOMEM;
	memcpy(profile->leaders, opts->leaders,
	       (size_t)opts->nr_events * sizeof(*profile->leaders));
	profile->opts.leaders = profile->leaders;
	return 0;
}

static void make_tables(struct xp_profile *profile)
{
	profile->whos = xp_table(sizeof(struct who), sizeof(struct who));
	profile->spaces = xp_table(offsetof(struct space, time_ns), sizeof(struct space));
	profile->stacks = xp_table(offsetof(struct stack, node), sizeof(struct stack));
	profile->nodes = xp_table(sizeof(struct node), sizeof(struct node));
	profile->raws = xp_table(offsetof(struct raw, sum), sizeof(struct raw));
}

int xp_profile_new(const struct xp_timeline *timeline, const struct xp_profile_opts *opts,
		   struct xp_profile **ret_profile)
{
	struct xp_profile_opts known = { .size = 0 };

	int err = XP_OPTS_COPY(&known, opts, struct xp_profile_opts, parent_data, NULL);

	if (err)
		return err;
	err = timeline ? check_opts(&known) : -EINVAL;
	if (err)
		return err;
	struct xp_profile *profile = calloc(1, sizeof(*profile));
	if (!profile)
		return -ENOMEM;
	err = copy_opts(profile, &known);
	if (err) {
		xp_profile_free(profile);
		return err;
	}
	profile->timeline = timeline;
	make_tables(profile);
	*ret_profile = profile;
	return 0;
}

int xp_profile_fork(struct xp_profile *profile, struct xp_profile **ret_profile)
{
	xp_profile_start(profile);
	int err = xp_profile_new(profile->timeline, &profile->opts, ret_profile);

	if (err)
		return err;
	(*ret_profile)->names = profile->names;
	(*ret_profile)->maps = profile->maps;
	(*ret_profile)->is_forked = (*ret_profile)->has_samples = true;
	return 0;
}

static void free_places(struct xp_profile *profile)
{
	for (uint32_t i = 0; i < profile->nr_places; i++)
		free(profile->places[i]);
	free(profile->places);
	free(profile->place_samples);
	free(profile->drawn);
	free(profile->inlined);
	xp_intern_fini(&profile->texts);
	xp_table_fini(&profile->functions);
	xp_table_fini(&profile->addresses);
	free(profile->node_addresses);
	free(profile->file_names);
}

static void free_rows(struct xp_profile *profile)
{
	for (uint32_t i = 0; profile->rows && i < profile->row_keys.nr; i++) {
		free(profile->rows[i].items);
		free(profile->rows[i].members);
		free(profile->rows[i].numbers);
	}
	free(profile->rows);
	free(profile->order);
	free(profile->first);
	xp_table_fini(&profile->row_keys);
	xp_table_fini(&profile->groups);
	xp_table_fini(&profile->calls);
	free(profile->drawn_calls);
	xp_forest_free(profile->forest);
}

void xp_profile_free(struct xp_profile *profile)
{
	if (!profile)
		return;
	free_rows(profile);
	free_places(profile);
	if (!profile->is_forked) {
		xp_epochs_fini(&profile->names);
		xp_epochs_fini(&profile->maps);
	}
	free(profile->joined.at);
	xp_table_fini(&profile->whos);
	xp_table_fini(&profile->spaces);
	xp_table_fini(&profile->stacks);
	xp_table_fini(&profile->nodes);
	xp_table_fini(&profile->raws);
	free(profile->path.nodes);
	free(profile->path.last);
	free(profile->path.nrs);
	free(profile->totals);
	free(profile->leaders);
	free(profile->keys);
	free(profile);
}

int xp_profile_note(struct xp_profile *profile, const struct xp_record *record,
		    const struct xp_sample_id *id)
{
	return xp_profile_note_at(profile, record, id, UINT64_MAX);
}

int xp_profile_note_at(struct xp_profile *profile, const struct xp_record *record,
		       const struct xp_sample_id *id, uint64_t position)
{
	/* The pid and tid of all these begin alike, but for those of FORK: the child's. */
	const struct xp_record_comm *comm = (const void *)record;
	const struct xp_record_task *task = (const void *)record;
	bool is_kernel = (record->misc & XP_MISC_CPUMODE_MASK) == XP_MISC_KERNEL;
	struct change change = { .time_ns = id->time_ns, .position = position };
	struct change name = change;

	if (profile->has_samples)
		return -EBUSY;
	switch (record->type) {
	case XP_RECORD_COMM:
		change.task = (int32_t)comm->pid;
		name.task = (int32_t)comm->tid;
		break;
	case XP_RECORD_FORK:
		change.task = (int32_t)task->pid;
		name.task = (int32_t)task->tid;
		break;
	case XP_RECORD_MMAP:
	case XP_RECORD_MMAP2:
		change.task = is_kernel ? KERNEL_PID : (int32_t)comm->pid;
		return xp_epochs_add(&profile->maps, &change);
	case XP_RECORD_KSYMBOL:
		change.task = KERNEL_PID;
		return xp_epochs_add(&profile->maps, &change);
	default:
		return 0;
	}
	int err = xp_epochs_add(&profile->names, &name);
	return err ? err : xp_epochs_add(&profile->maps, &change);
}

/* Samples are looked up by their moments. */
static void start_epochs(const struct xp_profile *profile, struct epochs *epochs)
{
	for (uint32_t i = 0; i < epochs->nr; i++) {
		struct change *change = &epochs->changes[i];

		change->time_ns =
			xp_timeline_moment(profile->timeline, change->time_ns, change->position);
	}
	xp_epochs_sort(epochs);
}

void xp_profile_start(struct xp_profile *profile)
{
	if (profile->has_samples)
		return;
	start_epochs(profile, &profile->names);
	start_epochs(profile, &profile->maps);
	profile->has_samples = true;
}

int xp_profile_total_at(const struct xp_profile *profile, int event,
			struct xp_profile_total *ret_total)
{
	static const struct xp_profile_total none;
	bool is_there = event >= 0 && event < profile->opts.nr_events;

	return XP_OUTPUT_COPY(ret_total, is_there ? &profile->totals[event] : &none,
			      struct xp_profile_total, hidden_samples);
}
