/* SPDX-License-Identifier: MIT */
/* Makes rows of what was counted, when its addresses have become places. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "places.h"

/* The row of a place, of somebody; NO_ROW: it is not wanted. */
struct known_row {
	uint32_t who, place;
	uint32_t target, parent;
	uint32_t row, unused2;
};

#define NO_ROW UINT32_MAX

/* The row of a call, of somebody; chains have most of their calls in common. @who: plus 1; 0: not
 * known yet; @level: what its place says; 0: nothing */
struct known_call {
	uint32_t who, parent;
	uint32_t row;
	char level;
};

struct job {
	struct xp_profile *profile;
	xp_profile_keep_fn keep;
	void *data;
	struct nodes nodes;
	struct table rows;
	struct known_call *calls; /* per call of the profile */
	uint32_t *chain;          /* the calls of the group that is charged, outermost first */
	uint32_t cap_chain;
};

static uint32_t leader_of(const struct xp_profile *profile, uint32_t event)
{
	return profile->leaders ? (uint32_t)profile->leaders[event] : event;
}

static int make_row(struct job *job, uint32_t who_nr, const struct xp_profile_row *like,
		    uint32_t *ret_row)
{
	struct xp_profile *profile = job->profile;
	const struct who *who = xp_table_at(&profile->whos, who_nr);
	uint32_t event = leader_of(profile, who->event);
	uint64_t key[ROW_KEY_WORDS];
	size_t key_bytes = xp_row_key(profile, event, like, key) * sizeof(*key);

	if (!profile->row_keys.key_bytes)
		profile->row_keys = xp_table(key_bytes, key_bytes);
	int is_new = xp_table_intern(&profile->row_keys, key, ret_row);
	if (is_new < 0 ||
	    xp_array_grow(&profile->rows, &profile->cap_rows, *ret_row, sizeof(*profile->rows)))
		return -ENOMEM;
	if (!is_new)
		return 0;
	struct row *row = &profile->rows[*ret_row];
	row->event = event;
	row->who = who_nr;
	row->shown = *like;
	row->first_ns = UINT64_MAX;
	if (profile->opts.add_numbers && profile->opts.nr_numbers) {
		row->numbers = calloc(profile->opts.nr_numbers, sizeof(*row->numbers));
		row->shown.numbers = row->numbers;
		if (!row->numbers)
			return -ENOMEM;
	}
	if (!profile->leaders)
		return 0;
	row->members = calloc((size_t)profile->opts.nr_events - row->event, sizeof(*row->members));
	row->shown.members = row->members;
	return row->members ? 0 : -ENOMEM;
}

/* A row is called after the first sample it came with. */
static void claim_row(struct xp_profile *profile, uint32_t row_nr, uint32_t who_nr, char level,
		      uint64_t first_ns)
{
	struct row *row = &profile->rows[row_nr];
	const struct who *who = xp_table_at(&profile->whos, who_nr);

	if (first_ns >= row->first_ns)
		return;
	row->first_ns = first_ns;
	row->who = who_nr;
	row->shown.pid = who->pid;
	row->shown.tid = who->tid;
	row->shown.level = level;
}

/* Where it is; for branches where it goes to; and the parent in its chain. */
struct where {
	uint32_t place, target, parent; /* the last two plus 1; 0: none */
	char level;
	bool is_caller; /* the row is wanted because of what it called */
};

/* Rows are distinguished by somebody and a place, or by less than that. */
static int find_row(struct job *job, uint32_t who_nr, const struct where *where, uint32_t *ret_row)
{
	struct xp_profile *profile = job->profile;
	const struct who *who = xp_table_at(&profile->whos, who_nr);
	struct known_row known = { .who = who_nr,
				   .place = where->place << 1 | where->is_caller,
				   .target = where->target,
				   .parent = where->parent },
			 *at;
	uint32_t nr;
	int err = 0, is_new = xp_table_intern_sized(&job->rows, &known,
						    offsetof(struct known_row, row), &nr);

	if (is_new < 0)
		return is_new;
	at = xp_table_at(&job->rows, nr);
	if (is_new) {
		struct xp_profile_row row = { .comm = who->comm,
					      .pid = who->pid,
					      .tid = who->tid,
					      .cpu = who->cpu,
					      .tag = xp_profile_row_tag(profile, who->tag),
					      .level = where->level,
					      .location = profile->places[where->place] };

		if (where->target)
			row.target = profile->places[where->target - 1];
		if (where->parent)
			row.parent = profile->places[where->parent - 1];
		if (!where->is_caller && job->keep && !job->keep(&row, job->data))
			at->row = NO_ROW;
		else
			err = make_row(job, who_nr, &row, &at->row);
	}
	*ret_row = at->row;
	return err;
}

static int add_group(struct xp_profile *profile, const struct group *group, const struct raw *raw,
		     uint64_t latency)
{
	const struct sum *sum = &raw->sum;
	uint32_t nr;

	if (xp_table_intern_sized(&profile->groups, group, offsetof(struct group, sum), &nr) < 0)
		return -ENOMEM;
	struct group *known = xp_table_at(&profile->groups, nr);
	if (!known->sum.samples || sum->first_ns < known->sum.first_ns)
		known->who = raw->who;
	known->latency += latency;
	xp_sum_add(&known->sum, sum);
	return 0;
}

/* The parent in a chain, from the side where chains begin, plus 1; 0: none. */
static uint32_t find_parent(struct job *job, uint32_t call)
{
	const struct xp_profile *profile = job->profile;
	const struct xp_profile_opts *opts = &profile->opts;
	uint32_t parent = 0;

	if (!profile->has_key[XP_KEY_PARENT] || !opts->is_parent)
		return 0;
	while (call != NO_NODE) {
		const struct call *at = xp_table_at(&profile->calls, call);
		const struct xp_location *place = profile->places[at->place];

		call = at->parent;
		if (!place->frame.function.name || !opts->is_parent(place, opts->parent_data))
			continue;
		parent = at->place + 1;
		if (!opts->callers_first)
			break;
	}
	return parent;
}

/* The chain from the outermost place on that is a root, if one is. */
static uint32_t root_of(const struct job *job, uint32_t call)
{
	const struct xp_profile *profile = job->profile;
	uint32_t root = NO_NODE;

	for (uint32_t at = call; profile->opts.is_root && at != NO_NODE;) {
		const struct call *entry = xp_table_at(&profile->calls, at);
		const struct xp_location *place = profile->places[entry->place];

		if (place->frame.function.name &&
		    profile->opts.is_root(place, profile->opts.root_data))
			root = at;
		at = entry->parent;
	}
	return root;
}

static int group_raw(struct job *job, uint32_t nr)
{
	struct xp_profile *profile = job->profile;
	const struct raw *raw = xp_table_at(&profile->raws, nr);
	const struct who *who = xp_table_at(&profile->whos, raw->who);
	struct xp_profile_total *total = &profile->totals[who->event];
	struct group group = { .event = who->event };
	struct where where = { 0 };
	uint32_t place = xp_address_at(profile, job->nodes.raw_addresses[nr])->place;
	bool is_branch = raw->mode & MODE_ANY;
	int err = xp_nodes_call(&job->nodes, profile, nr, &group.chain);
	if (err)
		return err;
	uint32_t root = is_branch ? NO_NODE : root_of(job, group.chain);
	if (root != NO_NODE) {
		group.chain = root;
		place = ((const struct call *)xp_table_at(&profile->calls, root))->place;
	}
	where.place = place;
	where.level = profile->places[place]->level;
	if (is_branch) {
		where.target =
			((const struct call *)xp_table_at(&profile->calls, group.chain))->place + 1;
		where.level = profile->places[where.target - 1]->level;
		group.chain = NO_NODE;
	}
	profile->place_samples[place] += raw->sum.samples;
	if (!profile->places[place]->frame.function.name)
		total->unresolved_samples += raw->sum.samples;
	if (xp_place_is_hidden(profile, place) ||
	    (where.target && xp_place_is_hidden(profile, where.target - 1))) {
		total->samples -= raw->sum.samples;
		total->period -= raw->sum.period;
		total->hidden_samples += raw->sum.samples;
		return 0;
	}
	where.parent = find_parent(job, group.chain);
	err = find_row(job, raw->who, &where, &group.row);
	if (err)
		return err;
	uint64_t latency = xp_profile_latency(profile, who->tag, raw->sum.period);
	total->latency += latency;
	if (group.row == NO_ROW)
		return 0;
	total->kept_samples += raw->sum.samples;
	total->kept_period += raw->sum.period;
	total->kept_latency += latency;
	claim_row(profile, group.row, raw->who, where.level, raw->sum.first_ns);
	xp_row_charge(profile, &profile->rows[group.row], who->event, raw, latency);
	return add_group(profile, &group, raw, latency);
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
	const struct group *from = xp_table_at(&profile->groups, group);
	if (row->members)
		xp_sum_charge(&row->members[from->event - row->event], from);
	if (!xp_row_shows(profile, row, from->event))
		return 0;
	xp_sum_charge(&row->shown.sum, from);
	if (len - skip > row->depth)
		row->depth = len - skip;
	return profile->opts.with_chains ? add_item(row, group, skip) : 0;
}

/* The chain of a group. Returns 0 or -ENOMEM. */
static int read_chain(struct job *job, uint32_t call, uint32_t len)
{
	const struct call *calls = (const struct call *)job->profile->calls.entries;

	if (xp_array_grow(&job->chain, &job->cap_chain, len, sizeof(*job->chain)))
		return -ENOMEM;
	for (uint32_t i = len; i-- > 0; call = calls[call].parent)
		job->chain[i] = call;
	return 0;
}

/* What is known of a call of a group, with its row. */
static int know_call(struct job *job, uint32_t call, uint32_t who, struct where *where,
		     const struct known_call **ret_known)
{
	const struct xp_profile *profile = job->profile;
	struct known_call *known = &job->calls[call];
	bool is_new = known->who != who + 1 || known->parent != where->parent;

	*ret_known = known;
	if (is_new) {
		where->place = ((const struct call *)xp_table_at(&profile->calls, call))->place;
		const struct xp_location *place = profile->places[where->place];
		known->level = place->frame.map.dso ? place->level : '\0';
		known->parent = where->parent;
		known->who = who + 1;
	}
	if (known->level)
		where->level = known->level;
	return is_new ? find_row(job, who, where, &known->row) : 0;
}

/* Charges all callers of a group; those that the profile's order has first, first. What is not
 * known is taken for a part of what came before it, as with perf 6.1. */
static int charge_callers(struct job *job, uint32_t group_nr, uint32_t len)
{
	struct xp_profile *profile = job->profile;
	const struct group *group = xp_table_at(&profile->groups, group_nr);
	struct where where = { .level = profile->rows[group->row].shown.level,
			       .parent = find_parent(job, group->chain),
			       .is_caller = true };
	int err = read_chain(job, group->chain, len);

	for (uint32_t i = 0; !err && i < len; i++) {
		uint32_t at = profile->opts.callers_first ? i : len - 1 - i;
		const struct known_call *known;

		err = know_call(job, job->chain[at], group->who, &where, &known);
		if (err)
			return err;
		claim_row(profile, known->row, group->who, where.level, group->sum.first_ns);
		err = charge(profile, known->row, group_nr, i, len);
	}
	return err;
}

static int charge_group(struct job *job, uint32_t nr)
{
	struct xp_profile *profile = job->profile;
	const struct group *group = xp_table_at(&profile->groups, nr);
	uint32_t len = 0;

	if (group->chain != NO_NODE)
		len = ((const struct call *)xp_table_at(&profile->calls, group->chain))->depth;
	int err = charge(profile, group->row, nr, 0, len);
	return err || !profile->opts.children ? err : charge_callers(job, nr, len);
}

static void forget_kept(struct xp_profile_total *total, const struct xp_profile_sum *sum)
{
	total->kept_samples -= sum->samples;
	total->kept_period -= sum->period;
	total->kept_latency -= sum->latency;
}

/* Whether a row is one of the result; if not, its own samples are not kept. */
static bool check_shown(struct xp_profile *profile, const struct row *row)
{
	const struct xp_profile_opts *opts = &profile->opts;
	struct xp_profile_total *totals = &profile->totals[row->event];

	if (!opts->is_shown || opts->is_shown(&row->shown, opts->shown_data))
		return true;
	if (!row->members)
		forget_kept(totals, &row->shown.sum);
	for (uint32_t i = 0; row->members && i < (uint32_t)opts->nr_events - row->event; i++)
		forget_kept(&totals[i], &row->members[i]);
	return false;
}

static int sort_rows(struct xp_profile *profile)
{
	uint32_t nr = 0;
	size_t nr_events = (size_t)profile->opts.nr_events;

	profile->order = calloc((size_t)profile->row_keys.nr + 1, sizeof(*profile->order));
	profile->first = calloc(nr_events + 1, sizeof(*profile->first));
	if (!profile->order || !profile->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->row_keys.nr; i++) {
		if (!check_shown(profile, &profile->rows[i]))
			continue;
		profile->order[nr++] = i;
		profile->first[profile->rows[i].event + 1]++;
	}
	for (size_t i = 0; i < nr_events; i++)
		profile->first[i + 1] += profile->first[i];
	int err = xp_rows_lay(profile, profile->order, nr);
	for (size_t i = 0; !err && i < nr_events; i++)
		err = xp_rows_sort(profile, profile->order + profile->first[i],
				   profile->first[i + 1] - profile->first[i]);
	return err;
}

static int make_rows(struct job *job)
{
	struct xp_profile *profile = job->profile;
	int err = 0;

	for (uint32_t i = 0; !err && i < profile->raws.nr; i++)
		err = group_raw(job, i);
	job->calls = calloc((size_t)profile->calls.nr + 1, sizeof(*job->calls));
	if (!job->calls)
		err = -ENOMEM;
	for (uint32_t i = 0; !err && i < profile->groups.nr; i++)
		err = charge_group(job, i);
	free(job->calls);
	free(job->chain);
	return err ? err : sort_rows(profile);
}

int xp_profile_resolve(struct xp_profile *profile, struct xp_resolver *resolver,
		       xp_profile_keep_fn keep, void *data)
{
	struct job job = { .profile = profile, .keep = keep, .data = data };

	if (profile->is_resolved)
		return -EBUSY;
	if (xp_profile_flush(profile))
		return -ENOMEM;
	profile->is_resolved = true;
	profile->calls = xp_table(sizeof(struct call), sizeof(struct call));
	profile->groups = xp_table(offsetof(struct group, sum), sizeof(struct group));
	job.rows = xp_table(offsetof(struct known_row, row), sizeof(struct known_row));
	int err = xp_places_init(profile)
			  ?: xp_nodes_init(&job.nodes, profile)
			  ?: xp_profile_open_files(profile, resolver)
			  ?: xp_profile_look_up(profile, resolver);

	xp_table_fini(&profile->functions);
	if (!err)
		err = xp_nodes_make_calls(&job.nodes, profile);
	if (!err)
		err = make_rows(&job);
	if (err) { /* Not all of them have a place. */
		free(profile->node_addresses);
		profile->node_addresses = NULL;
	}
	xp_table_fini(&job.rows);
	xp_nodes_fini(&job.nodes);
	return err;
}

size_t xp_profile_nr_rows(const struct xp_profile *profile, int event)
{
	if (event < 0 || event >= profile->opts.nr_events || !profile->first)
		return 0;
	return profile->first[event + 1] - profile->first[event];
}

const struct xp_profile_row *xp_profile_row_at(const struct xp_profile *profile, int event,
					       size_t idx)
{
	if (idx >= xp_profile_nr_rows(profile, event))
		return NULL;
	return &profile->rows[profile->order[profile->first[event] + idx]].shown;
}

const struct xp_location *xp_profile_location(const struct xp_profile *profile, size_t idx,
					      uint64_t *ret_samples)
{
	if (idx >= profile->nr_places)
		return NULL;
	*ret_samples = profile->place_samples[idx];
	return profile->places[idx];
}
