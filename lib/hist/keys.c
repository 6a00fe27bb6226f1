/* SPDX-License-Identifier: MIT */
/*
 * What rows are told apart by, and in which order they are shown: one row of a table per key.
 *
 * Source of the order: perf 6.1, measured; of equal rows the one with the lower address is first
 * where the command is a key, else that with the higher one.
 */
#include <string.h>

#include "profile.h"

typedef int (*compare_fn)(const struct xp_profile_row *a, const struct xp_profile_row *b);

/* Of the same share, the outer function is first. */
static int outer_first(const struct xp_profile *profile, const struct row *a, const struct row *b)
{
	if (!profile->opts.with_chains || a->shown.pid != b->shown.pid ||
	    a->shown.tid != b->shown.tid || a->depth == b->depth)
		return 0;
	return (a->depth > b->depth) == profile->opts.callers_first ? -1 : 1;
}

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int less_first(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* What has none is last. */
static int text_first(const char *a, const char *b)
{
	if (!a || !b)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static int by_children(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->children_period, b->children_period);
}

static int by_period(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->period, b->period);
}

static int by_samples(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->samples, b->samples);
}

static int by_tid(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return less_first(a->tid, b->tid);
}

static int by_cpu(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return less_first(a->cpu, b->cpu);
}

static int by_comm(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(a->comm, b->comm);
}

static const char *file_of(const struct xp_profile_row *row)
{
	const struct xp_dso *dso = row->place->frame.map.dso;

	return dso ? dso->short_name : NULL;
}

static int by_dso(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(file_of(a), file_of(b));
}

static int by_symbol(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(a->place->frame.function.name, b->place->frame.function.name);
}

static const struct {
	const char *name, *alias;
	compare_fn compare;
} keys[XP_NR_KEYS] = {
	[XP_KEY_OVERHEAD_CHILDREN] = { "overhead_children", NULL, by_children },
	[XP_KEY_OVERHEAD] = { "overhead", NULL, by_period },
	[XP_KEY_SAMPLES] = { "sample", NULL, by_samples },
	[XP_KEY_PERIOD] = { "period", NULL, by_period },
	[XP_KEY_PID] = { "pid", "tid", by_tid },
	[XP_KEY_COMM] = { "comm", NULL, by_comm },
	[XP_KEY_DSO] = { "dso", NULL, by_dso },
	[XP_KEY_SYMBOL] = { "symbol", NULL, by_symbol },
	[XP_KEY_CPU] = { "cpu", NULL, by_cpu },
};

int xp_key_find(const char *name, size_t len)
{
	for (int i = 0; len && i < XP_NR_KEYS; i++)
		if ((strlen(keys[i].name) == len && !memcmp(keys[i].name, name, len)) ||
		    (keys[i].alias && strlen(keys[i].alias) == len &&
		     !memcmp(keys[i].alias, name, len)))
			return i;
	/* As perf has it, the beginning of a name will do. */
	for (int i = XP_NR_KEYS; len && i-- > 0;)
		if (!strncmp(keys[i].name, name, len))
			return i;
	return -1;
}

const char *xp_key_name(enum xp_key key)
{
	return (unsigned int)key < XP_NR_KEYS ? keys[key].name : NULL;
}

static int by_address(const struct xp_profile *profile, const struct xp_spot *a,
		      const struct xp_spot *b)
{
	uint64_t left = a->frame.function.name ? a->frame.function.start : a->ip;
	uint64_t right = b->frame.function.name ? b->frame.function.start : b->ip;
	int order = (left > right) - (left < right);

	return profile->has_key[XP_KEY_COMM] ? order : -order;
}

int xp_row_compare(const struct xp_profile *profile, const struct row *a, const struct row *b)
{
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	for (int i = 0; i < profile->opts.nr_keys; i++) {
		int order = keys[profile->keys[i]].compare(&a->shown, &b->shown);

		if (!order && profile->keys[i] == XP_KEY_OVERHEAD_CHILDREN)
			order = outer_first(profile, a, b);
		if (order)
			return order;
	}
	return by_address(profile, a->shown.place, b->shown.place);
}

void xp_row_key(const struct xp_profile *profile, const struct xp_profile_row *row,
		uint64_t words[ROW_KEY_WORDS])
{
	const struct xp_frame *frame = &row->place->frame;
	bool has_symbol = profile->has_key[XP_KEY_SYMBOL];
	bool has_function = has_symbol && frame->function.name;

	memset(words, 0, ROW_KEY_WORDS * sizeof(*words));
	if (profile->has_key[XP_KEY_COMM])
		words[1] = (uintptr_t)row->comm;
	if (profile->has_key[XP_KEY_PID])
		words[2] = (uint32_t)row->tid;
	if (profile->has_key[XP_KEY_CPU])
		words[3] = (uint32_t)row->cpu;
	if (profile->has_key[XP_KEY_DSO] || has_function)
		words[4] = frame->map.dso ? profile->file_names[frame->map.dso->index] + 1U : 0;
	if (has_symbol)
		words[5] = has_function ? frame->function.start : row->place->ip;
	if (has_function)
		words[6] = frame->function.size + 1;
}
