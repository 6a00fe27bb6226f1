/* SPDX-License-Identifier: MIT */
/* Counts samples by their raw values. Call chains share what they begin with: they are leaves of a
 * tree whose nodes are addresses. */
#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int check_opts(const struct xp_profile_opts *opts)
{
	if (opts->size != sizeof(*opts) || opts->nr_keys < 1 || opts->nr_keys > XP_NR_KEYS ||
	    opts->nr_events < 1 || opts->max_stack < 0)
		return -EINVAL;
	for (int i = 0; i < opts->nr_keys; i++)
		if ((unsigned int)opts->keys[i] >= XP_NR_KEYS)
			return -EINVAL;
	return 0;
}

static int take_opts(struct xp_profile *profile, const struct xp_profile_opts *opts)
{
	profile->opts = *opts;
	if (!opts->max_stack)
		profile->opts.max_stack = DEFAULT_STACK;
	profile->keys = calloc((size_t)opts->nr_keys, sizeof(*profile->keys));
	profile->totals = calloc((size_t)opts->nr_events, sizeof(*profile->totals));
	profile->path.nodes = calloc((size_t)profile->opts.max_stack, sizeof(*profile->path.nodes));
	profile->path.nrs = calloc((size_t)profile->opts.max_stack, sizeof(*profile->path.nrs));
	if (!profile->keys || !profile->totals || !profile->path.nodes || !profile->path.nrs)
		return -ENOMEM;
	for (int i = 0; i < opts->nr_keys; i++) {
		profile->keys[i] = opts->keys[i];
		profile->has_key[opts->keys[i]] = true;
	}
	profile->opts.keys = profile->keys;
	return 0;
}

int xp_profile_new(const struct xp_timeline *timeline, const struct xp_profile_opts *opts,
		   struct xp_profile **ret_profile)
{
	int err = check_opts(opts);

	if (err)
		return err;
	struct xp_profile *profile = calloc(1, sizeof(*profile));
	if (!profile)
		return -ENOMEM;
	err = take_opts(profile, opts);
	if (err) {
		xp_profile_free(profile);
		return err;
	}
	profile->timeline = timeline;
	profile->whos.key_bytes = sizeof(struct who);
	profile->spaces.key_bytes = sizeof(struct space);
	profile->nodes.key_bytes = sizeof(struct node);
	profile->raws.key_bytes = sizeof(struct raw);
	*ret_profile = profile;
	return 0;
}

static void free_places(struct xp_profile *profile)
{
	for (uint32_t i = 0; i < profile->functions.nr; i++)
		free(profile->places[i]);
	free(profile->places);
	free(profile->place_samples);
	xp_table_fini(&profile->functions);
	xp_table_fini(&profile->spots);
	free(profile->spot_places);
	free(profile->file_names);
}

static void free_rows(struct xp_profile *profile)
{
	for (uint32_t i = 0; i < profile->row_keys.nr; i++)
		free(profile->rows[i].items);
	free(profile->rows);
	free(profile->order);
	free(profile->first);
	free(profile->group_sums);
	xp_table_fini(&profile->row_keys);
	xp_table_fini(&profile->groups);
	xp_table_fini(&profile->calls);
	xp_forest_free(profile->forest);
}

void xp_profile_free(struct xp_profile *profile)
{
	if (!profile)
		return;
	free_rows(profile);
	free_places(profile);
	xp_epochs_fini(&profile->names);
	xp_epochs_fini(&profile->maps);
	xp_table_fini(&profile->whos);
	xp_table_fini(&profile->spaces);
	xp_table_fini(&profile->nodes);
	xp_table_fini(&profile->raws);
	free(profile->space_times);
	free(profile->sums);
	free(profile->path.nodes);
	free(profile->path.nrs);
	free(profile->totals);
	free(profile->keys);
	free(profile);
}

int xp_profile_note(struct xp_profile *profile, const struct xp_record *record,
		    const struct xp_sample_id *id)
{
	const struct xp_record_comm *comm = (const void *)record;
	const struct xp_record_task *task = (const void *)record;
	int err = 0;

	if (profile->has_samples)
		return -EBUSY;
	switch (record->type) {
	case XP_RECORD_COMM:
		err = xp_epochs_add(&profile->names, (int32_t)comm->tid, id->time_ns);
		return err ? err : xp_epochs_add(&profile->maps, (int32_t)comm->pid, id->time_ns);
	case XP_RECORD_FORK:
	case XP_RECORD_EXIT:
		err = xp_epochs_add(&profile->names, (int32_t)task->tid, task->time_ns);
		return err ? err : xp_epochs_add(&profile->maps, (int32_t)task->pid, task->time_ns);
	case XP_RECORD_MMAP:
	case XP_RECORD_MMAP2: /* pid and tid lie as those of COMM do */
		return xp_epochs_add(&profile->maps, (int32_t)comm->pid, id->time_ns);
	default:
		return 0;
	}
}

static int find_space(struct xp_profile *profile, int32_t pid, uint64_t time_ns)
{
	struct space space = { .pid = pid };

	profile->map_epoch = xp_epochs_find(&profile->maps, pid, time_ns);
	profile->has_space = true;
	space.epoch = profile->map_epoch.nr;
	int is_new = xp_table_intern(&profile->spaces, &space, &profile->space);
	if (is_new <= 0)
		return is_new;
	if (xp_array_grow(&profile->space_times, &profile->cap_space_times, profile->space,
			  sizeof(*profile->space_times)))
		return -ENOMEM;
	profile->space_times[profile->space] = time_ns;
	return 0;
}

static int find_who(struct xp_profile *profile, int event, const struct xp_sample_id *id)
{
	struct epoch *epoch = &profile->name_epoch;

	if (!profile->comm || !xp_epoch_has(epoch, id->tid, id->time_ns) ||
	    id->pid != profile->last_who.pid) {
		*epoch = xp_epochs_find(&profile->names, id->tid, id->time_ns);
		profile->comm =
			xp_timeline_comm_at(profile->timeline, id->pid, id->tid, id->time_ns);
		if (!profile->comm)
			return -ENOMEM;
	}
	struct who who = { .event = (uint32_t)event,
			   .pid = id->pid,
			   .tid = id->tid,
			   .cpu = profile->has_key[XP_KEY_CPU] ? id->cpu : -1,
			   .comm = profile->comm };
	if (!memcmp(&who, &profile->last_who, sizeof(who)))
		return 0;
	if (xp_table_intern(&profile->whos, &who, &profile->who) < 0)
		return -ENOMEM;
	profile->last_who = who;
	return 0;
}

static uint32_t mode_of_context(uint64_t marker, uint32_t mode)
{
	static const struct {
		uint64_t marker;
		uint32_t mode;
	} contexts[] = {
		{ XP_CONTEXT_HV, XP_MISC_HYPERVISOR },
		{ XP_CONTEXT_KERNEL, XP_MISC_KERNEL },
		{ XP_CONTEXT_USER, XP_MISC_USER },
		{ XP_CONTEXT_GUEST_KERNEL, XP_MISC_GUEST_KERNEL },
		{ XP_CONTEXT_GUEST_USER, XP_MISC_GUEST_USER },
	};

	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		if (contexts[i].marker == marker)
			return contexts[i].mode;
	return mode;
}

/* The addresses of a sample's chain with their modes, innermost first, into @nodes. Returns how
 * many. */
static int read_chain(const struct xp_profile *profile, const struct xp_sample *sample,
		      struct node *nodes)
{
	uint32_t mode = sample->record->misc & XP_MISC_CPUMODE_MASK, is_return = 0;
	int nr = 0;

	for (size_t i = 0; i < sample->nr_callchain && nr < profile->opts.max_stack; i++) {
		uint64_t ip = sample->callchain[i];

		if (ip >= XP_CONTEXT_MAX) {
			mode = mode_of_context(ip, mode);
			is_return = 0;
			continue;
		}
		nodes[nr++] = (struct node){ .mode = mode | is_return, .ip = ip };
		is_return = MODE_RETURN;
	}
	return nr;
}

static int start_path(struct xp_profile *profile, uint32_t *ret_parent)
{
	struct node root = { .parent = NO_NODE, .mode = profile->space };

	return xp_table_intern(&profile->nodes, &root, ret_parent);
}

/* Finds the chain's innermost node; what the last chain had in common is not looked up again. */
static int find_chain(struct xp_profile *profile, const struct xp_sample *sample, uint32_t *ret)
{
	struct path *path = &profile->path;
	struct node chain[DEFAULT_STACK + 1];
	struct node *nodes = chain;
	int nr, at = 0;

	if (profile->opts.max_stack > DEFAULT_STACK) {
		nodes = malloc((size_t)profile->opts.max_stack * sizeof(*nodes));
		if (!nodes)
			return -ENOMEM;
	}
	nr = read_chain(profile, sample, nodes);
	if (path->space != profile->space)
		path->nr = 0;
	path->space = profile->space;
	while (at < nr && at < path->nr && path->nodes[at].ip == nodes[nr - 1 - at].ip &&
	       path->nodes[at].mode == nodes[nr - 1 - at].mode)
		at++;
	uint32_t parent = at ? path->nrs[at - 1] : NO_NODE;
	int err = nr && !at ? start_path(profile, &parent) : 0;
	for (; err >= 0 && at < nr; at++) {
		path->nodes[at] = nodes[nr - 1 - at];
		path->nodes[at].parent = parent;
		err = xp_table_intern(&profile->nodes, &path->nodes[at], &parent);
		path->nrs[at] = parent;
	}
	path->nr = err < 0 ? 0 : nr;
	*ret = parent;
	if (nodes != chain)
		free(nodes);
	return err < 0 ? err : 0;
}

static int add_sum(struct sum **sums, uint32_t *cap, uint32_t nr, uint64_t period, uint64_t samples)
{
	if (xp_array_grow(sums, cap, nr, sizeof(**sums)))
		return -ENOMEM;
	(*sums)[nr].period += period;
	(*sums)[nr].samples += samples;
	return 0;
}

static int add_raw(struct xp_profile *profile, const struct raw *raw, uint64_t period,
		   uint64_t samples)
{
	uint32_t nr;
	int err = xp_table_intern(&profile->raws, raw, &nr);

	return err < 0 ? err : add_sum(&profile->sums, &profile->cap_sums, nr, period, samples);
}

static void start_samples(struct xp_profile *profile)
{
	xp_epochs_sort(&profile->names);
	xp_epochs_sort(&profile->maps);
	profile->has_samples = true;
}

int xp_profile_add(struct xp_profile *profile, int event, const struct xp_sample *sample)
{
	const struct xp_sample_id *id = &sample->id;
	int err;

	if (event < 0 || event >= profile->opts.nr_events || profile->is_resolved)
		return -EINVAL;
	if (!profile->has_samples)
		start_samples(profile);
	err = find_who(profile, event, id);
	if (!err &&
	    (!profile->has_space || !xp_epoch_has(&profile->map_epoch, id->pid, id->time_ns)))
		err = find_space(profile, id->pid, id->time_ns);
	struct raw raw = { .who = profile->who,
			   .space = profile->space,
			   .chain = NO_NODE,
			   .mode = (sample->record->misc & XP_MISC_CPUMODE_MASK) | MODE_LEAF,
			   .ip = sample->ip };
	if (!err && (profile->opts.with_chains || profile->opts.children) && sample->nr_callchain)
		err = find_chain(profile, sample, &raw.chain);
	if (!err)
		err = add_raw(profile, &raw, sample->period, 1);
	if (err)
		return err;
	profile->totals[event].samples++;
	profile->totals[event].period += sample->period;
	return 0;
}

static int merge_nodes(struct xp_profile *profile, const struct xp_profile *other,
		       const uint32_t *spaces, uint32_t *nodes)
{
	for (uint32_t i = 0; i < other->nodes.nr; i++) {
		struct node node = *(const struct node *)xp_table_key(&other->nodes, i);

		if (node.parent == NO_NODE)
			node.mode = spaces[node.mode];
		else
			node.parent = nodes[node.parent];
		if (xp_table_intern(&profile->nodes, &node, &nodes[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int merge_spaces(struct xp_profile *profile, const struct xp_profile *other,
			uint32_t *spaces)
{
	for (uint32_t i = 0; i < other->spaces.nr; i++) {
		const struct space *space = xp_table_key(&other->spaces, i);

		if (find_space(profile, space->pid, other->space_times[i]))
			return -ENOMEM;
		spaces[i] = profile->space;
	}
	return 0;
}

static int merge_raws(struct xp_profile *profile, const struct xp_profile *other,
		      const uint32_t *spaces, const uint32_t *nodes)
{
	for (uint32_t i = 0; i < other->raws.nr; i++) {
		struct raw raw = *(const struct raw *)xp_table_key(&other->raws, i);

		if (xp_table_intern(&profile->whos, xp_table_key(&other->whos, raw.who), &raw.who) <
		    0)
			return -ENOMEM;
		raw.space = spaces[raw.space];
		if (raw.chain != NO_NODE)
			raw.chain = nodes[raw.chain];
		if (add_raw(profile, &raw, other->sums[i].period, other->sums[i].samples))
			return -ENOMEM;
	}
	return 0;
}

int xp_profile_merge(struct xp_profile *profile, const struct xp_profile *other)
{
	if (profile->is_resolved || other->is_resolved)
		return -EBUSY;
	if (!profile->has_samples)
		start_samples(profile);
	uint32_t *spaces = calloc((size_t)other->spaces.nr + 1, sizeof(*spaces));
	uint32_t *nodes = calloc((size_t)other->nodes.nr + 1, sizeof(*nodes));
	int err = !spaces || !nodes ? -ENOMEM : merge_spaces(profile, other, spaces);

	if (!err)
		err = merge_nodes(profile, other, spaces, nodes);
	if (!err)
		err = merge_raws(profile, other, spaces, nodes);
	for (int i = 0; !err && i < profile->opts.nr_events; i++) {
		profile->totals[i].samples += other->totals[i].samples;
		profile->totals[i].period += other->totals[i].period;
	}
	/* What was remembered of the last sample is of another one now. */
	profile->comm = NULL;
	profile->last_who = (struct who){ .event = UINT32_MAX };
	profile->path.nr = 0;
	profile->has_space = false;
	free(spaces);
	free(nodes);
	return err;
}

struct xp_profile_total xp_profile_total(const struct xp_profile *profile, int event)
{
	if (event < 0 || event >= profile->opts.nr_events)
		return (struct xp_profile_total){ 0 };
	return profile->totals[event];
}
