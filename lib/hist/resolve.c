/* SPDX-License-Identifier: MIT */
/* Looks up the addresses of a profile, each once, and makes rows of what was counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* Keys of the tables. */
struct spot {
	uint32_t space, mode;
	uint64_t ip;
};

struct function {
	const struct xp_dso *dso;
	uint64_t address; /* start of the function, or the address itself */
	uint64_t kind;    /* level, and whether it is a function */
};

struct call {
	uint32_t parent, place;
};

struct job {
	struct xp_profile *profile;
	struct xp_resolver *resolver;
	xp_profile_keep_fn keep;
	void *data;
	uint32_t *calls; /* per node */
};

static char level_of(uint32_t mode)
{
	static const char levels[XP_MISC_CPUMODE_MASK + 1] = {
		'H', 'k', '.', 'H', 'g', 'u', 'H', 'H',
	};

	return levels[mode & XP_MISC_CPUMODE_MASK];
}

/* Files of the same name count as one. */
static int number_files(struct xp_profile *profile)
{
	int nr = xp_timeline_nr_dsos(profile->timeline);

	profile->file_names = calloc((size_t)nr + 1, sizeof(*profile->file_names));
	if (!profile->file_names)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		const char *name = xp_timeline_dso(profile->timeline, i)->short_name;
		int first = 0;

		while (strcmp(xp_timeline_dso(profile->timeline, first)->short_name, name) != 0)
			first++;
		profile->file_names[i] = (uint32_t)first;
	}
	return 0;
}

static int new_place(struct xp_profile *profile, uint32_t nr, const struct xp_spot *place)
{
	if (xp_array_grow(&profile->places, &profile->cap_places, nr, sizeof(*profile->places)) ||
	    xp_array_grow(&profile->place_samples, &profile->cap_place_samples, nr,
			  sizeof(*profile->place_samples)))
		return -ENOMEM;
	profile->places[nr] = malloc(sizeof(*place));
	if (!profile->places[nr])
		return -ENOMEM;
	*profile->places[nr] = *place;
	return 0;
}

/* What has no file has no offsets. Source: perf 6.1. */
static bool is_memory(const struct xp_dso *dso)
{
	static const char *const names[] = { "//anon", "[heap]", "[stack", "/SYSV", "/anon_hugepage" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(dso->name, names[i], strlen(names[i])))
			return true;
	return dso->is_jit;
}

static int place_of(struct job *job, const struct spot *spot, uint32_t *ret_place)
{
	struct xp_profile *profile = job->profile;
	const struct space *space = xp_table_key(&profile->spaces, spot->space);
	struct xp_spot place = { .ip = spot->ip, .level = level_of(spot->mode) };
	int err = xp_resolver_frame(
		job->resolver, space->pid, (uint16_t)(spot->mode & XP_MISC_CPUMODE_MASK), spot->ip,
		spot->mode & MODE_RETURN, profile->space_times[spot->space], &place.frame);

	if (err)
		return err;
	bool is_leaf = spot->mode & MODE_LEAF, is_function = place.frame.function.name;
	if (is_leaf && place.frame.map.dso && !is_memory(place.frame.map.dso))
		place.ip = spot->ip - place.frame.map.start + place.frame.map.offset;
	struct function function = {
		.dso = place.frame.map.dso,
		.address = is_function && (is_leaf || !profile->opts.by_address)
				   ? place.frame.function.start
				   : place.ip,
		.kind = (uint64_t)place.level << 1 | is_function,
	};
	err = xp_table_intern(&profile->functions, &function, ret_place);
	return err > 0 ? new_place(profile, *ret_place, &place) : err;
}

/* The place of an address in a space, looked up when it is met first. */
static int find_place(struct job *job, uint32_t space, uint32_t mode, uint64_t ip,
		      uint32_t *ret_place)
{
	struct xp_profile *profile = job->profile;
	struct spot spot = { .space = space, .mode = mode, .ip = ip };
	uint32_t nr;
	int is_new = xp_table_intern(&profile->spots, &spot, &nr);

	if (is_new < 0 || xp_array_grow(&profile->spot_places, &profile->cap_spot_places, nr,
					sizeof(*profile->spot_places)))
		return -ENOMEM;
	int err = is_new ? place_of(job, &spot, &profile->spot_places[nr]) : 0;
	*ret_place = profile->spot_places[nr];
	return err;
}

/* Call chains of addresses become such of places. */
static int make_calls(struct job *job)
{
	struct xp_profile *profile = job->profile;
	uint32_t *spaces = calloc((size_t)profile->nodes.nr + 1, sizeof(*spaces));
	int err = spaces ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < profile->nodes.nr; i++) {
		const struct node *node = xp_table_key(&profile->nodes, i);

		if (node->parent == NO_NODE) {
			spaces[i] = node->mode;
			job->calls[i] = NO_NODE;
			continue;
		}
		struct call call = { .parent = job->calls[node->parent] };
		spaces[i] = spaces[node->parent];
		err = find_place(job, spaces[i], node->mode, node->ip, &call.place);
		if (!err && xp_table_intern(&profile->calls, &call, &job->calls[i]) < 0)
			err = -ENOMEM;
	}
	free(spaces);
	return err;
}

static int find_row(struct xp_profile *profile, uint32_t event, const struct xp_profile_row *like,
		    uint32_t *ret_row)
{
	uint64_t key[ROW_KEY_WORDS];

	xp_row_key(profile, like, key);
	key[0] = event;
	int is_new = xp_table_intern(&profile->row_keys, key, ret_row);
	if (is_new < 0 ||
	    xp_array_grow(&profile->rows, &profile->cap_rows, *ret_row, sizeof(*profile->rows)))
		return -ENOMEM;
	if (is_new) {
		profile->rows[*ret_row].event = event;
		profile->rows[*ret_row].shown = *like;
	}
	return 0;
}

static int add_group(struct xp_profile *profile, const struct group *group, const struct sum *sum)
{
	uint32_t nr;

	if (xp_table_intern(&profile->groups, group, &nr) < 0 ||
	    xp_array_grow(&profile->group_sums, &profile->cap_group_sums, nr,
			  sizeof(*profile->group_sums)))
		return -ENOMEM;
	profile->group_sums[nr].period += sum->period;
	profile->group_sums[nr].samples += sum->samples;
	return 0;
}

static int group_raw(struct job *job, uint32_t nr)
{
	struct xp_profile *profile = job->profile;
	const struct raw *raw = xp_table_key(&profile->raws, nr);
	const struct who *who = xp_table_key(&profile->whos, raw->who);
	struct xp_profile_total *total = &profile->totals[who->event];
	const struct sum *sum = &profile->sums[nr];
	struct group group = { .chain = raw->chain == NO_NODE ? NO_NODE : job->calls[raw->chain] };
	uint32_t place;
	int err = find_place(job, raw->space, raw->mode, raw->ip, &place);

	if (err)
		return err;
	struct xp_profile_row row = { .comm = who->comm,
				      .pid = who->pid,
				      .tid = who->tid,
				      .cpu = who->cpu,
				      .place = profile->places[place] };
	profile->place_samples[place] += sum->samples;
	if (!row.place->frame.function.name)
		total->unresolved_samples += sum->samples;
	if (job->keep && !job->keep(&row, job->data))
		return 0;
	total->kept_samples += sum->samples;
	total->kept_period += sum->period;
	err = find_row(profile, who->event, &row, &group.row);
	return err ? err : add_group(profile, &group, sum);
}

static int add_item(struct row *row, uint32_t group, uint32_t skip)
{
	if (xp_array_grow(&row->items, &row->cap_items, row->nr_items, sizeof(*row->items)))
		return -ENOMEM;
	row->items[row->nr_items++] = (struct item){ .group = group, .skip = skip };
	return 0;
}

/* Charges a row with samples it led to; once, however often it is in their chain. */
static int charge(struct xp_profile *profile, uint32_t row_nr, uint32_t group, uint32_t skip,
		  uint32_t len)
{
	struct row *row = &profile->rows[row_nr];

	if (row->last_group == group + 1)
		return 0;
	row->last_group = group + 1;
	row->shown.children_period += profile->group_sums[group].period;
	if (len - skip > row->depth)
		row->depth = len - skip;
	return profile->opts.with_chains ? add_item(row, group, skip) : 0;
}

static uint32_t length_of(const struct xp_profile *profile, uint32_t call)
{
	uint32_t len = 0;

	for (; call != NO_NODE; len++)
		call = ((const struct call *)xp_table_key(&profile->calls, call))->parent;
	return len;
}

/* Charges all callers of a group; those that the profile's order has first, first. */
static int charge_callers(struct xp_profile *profile, uint32_t group_nr, uint32_t *rows,
			  uint32_t len)
{
	const struct group *group = xp_table_key(&profile->groups, group_nr);
	const struct row *self = &profile->rows[group->row];
	struct xp_profile_row like = self->shown;
	uint32_t event = self->event, call = group->chain;
	bool outward = !profile->opts.callers_first;
	int err = 0;

	for (uint32_t i = 0; !err && i < len; i++) {
		const struct call *at = xp_table_key(&profile->calls, call);

		like.place = profile->places[at->place];
		like.period = like.samples = like.children_period = 0;
		err = find_row(profile, event, &like, &rows[outward ? i : len - 1 - i]);
		call = at->parent;
	}
	for (uint32_t i = 0; !err && i < len; i++)
		err = charge(profile, rows[i], group_nr, i, len);
	return err;
}

static int charge_group(struct xp_profile *profile, uint32_t nr, uint32_t **rows, uint32_t *cap)
{
	const struct group *group = xp_table_key(&profile->groups, nr);
	struct row *self = &profile->rows[group->row];
	int err;

	self->shown.period += profile->group_sums[nr].period;
	self->shown.samples += profile->group_sums[nr].samples;
	uint32_t len = length_of(profile, group->chain);
	err = charge(profile, group->row, nr, 0, len);
	if (err || !profile->opts.children)
		return err;
	if (xp_array_grow(rows, cap, len, sizeof(**rows)))
		return -ENOMEM;
	return charge_callers(profile, nr, *rows, len);
}

static int compare_rows(const void *a, const void *b, void *profile)
{
	const struct row *rows = ((const struct xp_profile *)profile)->rows;

	return xp_row_compare(profile, &rows[*(const uint32_t *)a], &rows[*(const uint32_t *)b]);
}

static int sort_rows(struct xp_profile *profile)
{
	uint32_t nr = profile->row_keys.nr;
	size_t nr_events = (size_t)profile->opts.nr_events;

	profile->order = calloc((size_t)nr + 1, sizeof(*profile->order));
	profile->first = calloc(nr_events + 1, sizeof(*profile->first));
	if (!profile->order || !profile->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		profile->order[i] = i;
		profile->first[profile->rows[i].event + 1]++;
	}
	for (size_t i = 0; i < nr_events; i++)
		profile->first[i + 1] += profile->first[i];
	qsort_r(profile->order, nr, sizeof(*profile->order), compare_rows, profile);
	return 0;
}

static int make_rows(struct job *job)
{
	struct xp_profile *profile = job->profile;
	uint32_t *rows = NULL, cap = 0;
	int err = 0;

	for (uint32_t i = 0; !err && i < profile->raws.nr; i++)
		err = group_raw(job, i);
	for (uint32_t i = 0; !err && i < profile->groups.nr; i++)
		err = charge_group(profile, i, &rows, &cap);
	free(rows);
	return err ? err : sort_rows(profile);
}

int xp_profile_resolve(struct xp_profile *profile, struct xp_resolver *resolver,
		       xp_profile_keep_fn keep, void *data)
{
	struct job job = { .profile = profile, .resolver = resolver, .keep = keep, .data = data };

	if (profile->is_resolved)
		return -EBUSY;
	profile->is_resolved = true;
	profile->spots.key_bytes = sizeof(struct spot);
	profile->functions.key_bytes = sizeof(struct function);
	profile->calls.key_bytes = sizeof(struct call);
	profile->groups.key_bytes = sizeof(struct group);
	profile->row_keys.key_bytes = ROW_KEY_WORDS * sizeof(uint64_t);
	job.calls = calloc((size_t)profile->nodes.nr + 1, sizeof(*job.calls));
	int err = job.calls ? number_files(profile) : -ENOMEM;
	if (!err)
		err = make_calls(&job);
	if (!err)
		err = make_rows(&job);
	free(job.calls);
	return err;
}

size_t xp_profile_nr_rows(const struct xp_profile *profile, int event)
{
	if (event < 0 || event >= profile->opts.nr_events || !profile->first)
		return 0;
	return profile->first[event + 1] - profile->first[event];
}

const struct xp_profile_row *xp_profile_row(const struct xp_profile *profile, int event, size_t idx)
{
	if (idx >= xp_profile_nr_rows(profile, event))
		return NULL;
	return &profile->rows[profile->order[profile->first[event] + idx]].shown;
}

const struct xp_spot *xp_profile_spot(const struct xp_profile *profile, size_t idx,
				      uint64_t *ret_samples)
{
	if (idx >= profile->functions.nr)
		return NULL;
	*ret_samples = profile->place_samples[idx];
	return profile->places[idx];
}
