/* SPDX-License-Identifier: MIT */
/*
 * What rows are distinguished by, and in which order they are shown: one row of a table per key.
 *
 * Source of the order: perf 6.1, measured. Rows are laid in an order of their own first; of those
 * that are equal to the eye the one that was first there is shown first.
 */
#include <string.h>

#include "places.h"

/* Less than 0: @a is first. */
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

/* By how far they are apart, which has a sign: kernel addresses come before those of users. */
static int near_first(uint64_t a, uint64_t b)
{
	return less_first((int64_t)(a - b), 0);
}

/* What has none is last. */
static int text_first(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static int by_tgid(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return less_first(a->pid, b->pid);
}

static uint64_t size_of(const struct xp_profile_row *row)
{
	const struct xp_function *function = &xp_profile_row_location(row)->frame.function;

	return function->name ? function->size : 0;
}

static int by_symbol_size(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return near_first(size_of(a), size_of(b));
}

static uint64_t mapped(const struct xp_profile_row *row)
{
	const struct xp_map *map = &xp_profile_row_location(row)->frame.map;

	return map->end - map->start;
}

static int by_dso_size(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return near_first(mapped(a), mapped(b));
}

static int by_children(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->sum.children_period, b->sum.children_period);
}

static int by_period(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->sum.period, b->sum.period);
}

static int by_samples(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->sum.samples, b->sum.samples);
}

#define BY_PART(name, part)                                                                        \
	static int name(const struct xp_profile_row *a, const struct xp_profile_row *b)            \
	{                                                                                          \
		return more_first(a->sum.parts[part], b->sum.parts[part]);                         \
	}
BY_PART(by_sys, XP_PART_SYS)
BY_PART(by_user, XP_PART_USER)
BY_PART(by_guest_sys, XP_PART_GUEST_SYS)
BY_PART(by_guest_user, XP_PART_GUEST_USER)
#undef BY_PART

static int by_latency(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->sum.latency, b->sum.latency);
}

static int by_latency_children(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return more_first(a->sum.children_latency, b->sum.children_latency);
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

static const char *file_of(const struct xp_location *location)
{
	return location && location->frame.map.dso ? location->frame.map.dso->short_name : NULL;
}

static const char *name_of(const struct xp_location *location)
{
	return location ? location->frame.function.name : NULL;
}

static int by_dso(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(file_of(xp_profile_row_location(a)), file_of(xp_profile_row_location(b)));
}

static int by_name(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(name_of(xp_profile_row_location(a)), name_of(xp_profile_row_location(b)));
}

/* Functions by their beginning, then what is in none, by its address. */
static int by_function(const struct xp_location *a, const struct xp_location *b, uint64_t a_ip,
		       uint64_t b_ip)
{
	const struct xp_function *left = &a->frame.function, *right = &b->frame.function;

	if (!left->name && !right->name)
		return near_first(a_ip, b_ip);
	if (!left->name || !right->name)
		return !left->name - !right->name;
	int order = near_first(left->start, right->start);
	if (!order)
		order = near_first(left->size, right->size);
	return order || !(a->is_inlined || b->is_inlined) ? order : strcmp(left->name, right->name);
}

/* What stands for a location outside of known functions: of branches, the address as it ran. */
static uint64_t ip_of(const struct xp_profile_row *row)
{
	return row->target ? row->target->frame.ip : row->location->ip;
}

static int by_symbol(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	const struct xp_location *left = xp_profile_row_location(a),
				 *right = xp_profile_row_location(b);
	int order = name_of(left) || name_of(right) ? text_first(file_of(left), file_of(right)) : 0;

	return order ? order : by_function(left, right, ip_of(a), ip_of(b));
}

static int by_offset(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	int order = by_name(a, b);

	return order ? order
		     : near_first(xp_profile_row_location(a)->frame.address,
				  xp_profile_row_location(b)->frame.address);
}

static int by_address(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return near_first(xp_profile_row_location(a)->frame.ip,
			  xp_profile_row_location(b)->frame.ip);
}

static const char *line_of(const struct xp_location *location)
{
	return location ? location->line : NULL;
}

static int by_srcline(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(line_of(xp_profile_row_location(a)), line_of(xp_profile_row_location(b)));
}

static int by_srcline_from(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(line_of(a->location), line_of(b->location));
}

static int by_srcline_to(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(line_of(a->target), line_of(b->target));
}

static int by_srcfile(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(xp_profile_row_location(a)->file, xp_profile_row_location(b)->file);
}

/* Of branches files come the other way round, and addresses as they ran. */
static int by_dso_from(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return -text_first(file_of(a->location), file_of(b->location));
}

static int by_dso_to(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return -text_first(file_of(a->target), file_of(b->target));
}

static int by_symbol_from(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return by_function(a->location, b->location, a->location->frame.ip, b->location->frame.ip);
}

static int by_symbol_to(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	if (!a->target || !b->target)
		return 0;
	return by_function(a->target, b->target, a->target->frame.ip, b->target->frame.ip);
}

static int by_parent(const struct xp_profile_row *a, const struct xp_profile_row *b)
{
	return text_first(name_of(a->parent), name_of(b->parent));
}

/* @lay: the order in which rows are laid; NULL: as they are shown. */
static const struct {
	const char *name, *alias;
	compare_fn show, lay;
} keys[XP_NR_KEYS] = {
	[XP_KEY_OVERHEAD_CHILDREN] = { "overhead_children", NULL, by_children, NULL },
	[XP_KEY_OVERHEAD] = { "overhead", NULL, by_period, NULL },
	[XP_KEY_SAMPLES] = { "sample", NULL, by_samples, NULL },
	[XP_KEY_PERIOD] = { "period", NULL, by_period, NULL },
	[XP_KEY_OVERHEAD_SYS] = { "overhead_sys", NULL, by_sys, NULL },
	[XP_KEY_OVERHEAD_USER] = { "overhead_us", NULL, by_user, NULL },
	[XP_KEY_OVERHEAD_GUEST_SYS] = { "overhead_guest_sys", NULL, by_guest_sys, NULL },
	[XP_KEY_OVERHEAD_GUEST_USER] = { "overhead_guest_us", NULL, by_guest_user, NULL },
	[XP_KEY_LATENCY] = { "latency", NULL, by_latency, NULL },
	[XP_KEY_LATENCY_CHILDREN] = { "latency_children", NULL, by_latency_children, NULL },
	[XP_KEY_PID] = { "pid", "tid", by_tid, NULL },
	[XP_KEY_COMM] = { "comm", NULL, by_comm, NULL },
	[XP_KEY_DSO] = { "dso", NULL, by_dso, NULL },
	[XP_KEY_SYMBOL] = { "symbol", NULL, by_name, by_symbol },
	[XP_KEY_CPU] = { "cpu", NULL, by_cpu, NULL },
	[XP_KEY_TGID] = { "tgid", NULL, by_tgid, NULL },
	[XP_KEY_SYMBOL_SIZE] = { "symbol_size", NULL, by_symbol_size, NULL },
	[XP_KEY_DSO_SIZE] = { "dso_size", NULL, by_dso_size, NULL },
	[XP_KEY_DSO_FROM] = { "dso_from", NULL, by_dso_from, NULL },
	[XP_KEY_DSO_TO] = { "dso_to", NULL, by_dso_to, NULL },
	[XP_KEY_SYMBOL_FROM] = { "symbol_from", NULL, by_symbol_from, NULL },
	[XP_KEY_SYMBOL_TO] = { "symbol_to", NULL, by_symbol_to, NULL },
	[XP_KEY_SYMOFF] = { "symoff", NULL, by_offset, NULL },
	[XP_KEY_ADDRESS] = { "addr", NULL, by_address, NULL },
	[XP_KEY_SRCLINE] = { "srcline", NULL, by_srcline, NULL },
	[XP_KEY_SRCFILE] = { "srcfile", NULL, by_srcfile, NULL },
	[XP_KEY_SRCLINE_FROM] = { "srcline_from", NULL, by_srcline_from, NULL },
	[XP_KEY_SRCLINE_TO] = { "srcline_to", NULL, by_srcline_to, NULL },
	[XP_KEY_PARENT] = { "parent", NULL, by_parent, NULL },
	[XP_KEY_TAG] = { "tag", NULL, NULL, NULL }, /* the caller's: see by_tag() */
};

int xp_key_find(const char *name, size_t len)
{
	static const enum xp_key by_beginning[] = {
		XP_KEY_PID,    XP_KEY_COMM,     XP_KEY_DSO,     XP_KEY_SYMBOL,    XP_KEY_PARENT,
		XP_KEY_CPU,    XP_KEY_SRCLINE,  XP_KEY_SRCFILE, XP_KEY_OVERHEAD,  XP_KEY_SAMPLES,
		XP_KEY_PERIOD, XP_KEY_DSO_FROM, XP_KEY_DSO_TO,  XP_KEY_SYMBOL_TO,
	};

	for (int i = 0; len && i < XP_KEY_TAG; i++)
		if ((strlen(keys[i].name) == len && !memcmp(keys[i].name, name, len)) ||
		    (keys[i].alias && strlen(keys[i].alias) == len &&
		     !memcmp(keys[i].alias, name, len)))
			return i;
	/* As perf has it, the beginning of a name will do. */
	for (size_t i = 0; len && i < sizeof(by_beginning) / sizeof(by_beginning[0]); i++)
		if (!strncmp(keys[by_beginning[i]].name, name, len))
			return by_beginning[i];
	return -1;
}

const char *xp_key_name(enum xp_key key)
{
	return (unsigned int)key < XP_NR_KEYS ? keys[key].name : NULL;
}

static int by_member(const struct row *a, const struct row *b, int member)
{
	return more_first(a->members[member].period, b->members[member].period);
}

/* Of a group, the members decide where the one that leads does not. */
static int by_group(const struct row *a, const struct row *b, const struct xp_profile *profile)
{
	int nr = profile->opts.nr_events - (int)a->event, leader = profile->opts.group_leader;
	int order = by_member(a, b, leader < nr ? leader : 0);

	for (int i = 0; !order && i < nr; i++)
		order = by_member(a, b, i);
	return order;
}

static int by_tag(const struct xp_profile *profile, uint32_t a, uint32_t b)
{
	return profile->opts.compare_tags ? profile->opts.compare_tags(a, b, profile->opts.tag_data)
					  : less_first(a, b);
}

static bool is_sum(enum xp_key key)
{
	return key <= XP_KEY_LATENCY_CHILDREN;
}

static int by_key(const struct xp_profile *profile, enum xp_key key, const struct row *a,
		  const struct row *b)
{
	bool children = key == XP_KEY_OVERHEAD_CHILDREN || key == XP_KEY_LATENCY_CHILDREN;
	bool by_members =
		key == XP_KEY_OVERHEAD && a->members && profile->opts.group_leader != XP_GROUP_SUM;
	int order = key == XP_KEY_TAG ? by_tag(profile, a->shown.tag, b->shown.tag)
		    : by_members      ? by_group(a, b, profile)
				      : keys[key].show(&a->shown, &b->shown);

	return order || !children ? order : outer_first(profile, a, b);
}

int xp_row_compare(const struct xp_profile *profile, const struct row *a, const struct row *b)
{
	int order = 0;

	for (int i = 0; !order && i < profile->opts.nr_keys; i++)
		order = by_key(profile, profile->keys[i], a, b);
	return order;
}

uint64_t xp_row_weight(const struct xp_profile *profile, const struct row *row)
{
	bool has_members = row->members && profile->opts.group_leader != XP_GROUP_SUM;

	if (profile->keys[0] == XP_KEY_OVERHEAD_CHILDREN)
		return row->shown.sum.children_period;
	return profile->keys[0] == XP_KEY_OVERHEAD && !has_members ? row->shown.sum.period : 0;
}

int xp_profile_compare(enum xp_key key, const struct xp_profile_row *a,
		       const struct xp_profile_row *b)
{
	if ((unsigned int)key >= XP_KEY_TAG || is_sum(key))
		return 0;
	int order = keys[key].show(a, b);
	return order || !keys[key].lay ? order : keys[key].lay(a, b);
}

int xp_row_lay(const struct xp_profile *profile, const struct row *a, const struct row *b)
{
	int order = less_first(a->event, b->event);

	for (int i = 0; !order && i < profile->opts.nr_keys; i++) {
		enum xp_key key = profile->keys[i];

		if (key == XP_KEY_TAG)
			order = by_tag(profile, a->shown.tag, b->shown.tag);
		else if (!is_sum(key))
			order = (keys[key].lay ? keys[key].lay : keys[key].show)(&a->shown,
										 &b->shown);
	}
	return order;
}

/* The numbers by which locations are distinguished: file, function or address. */
static void location_key(const struct xp_profile *profile, const struct xp_location *location,
			 bool has_dso, bool has_symbol, bool is_branch, uint64_t words[3])
{
	const struct xp_frame *frame = &location->frame;
	bool has_function = has_symbol && frame->function.name;
	bool is_merged = has_symbol && !has_function && profile->opts.merge_unknown;

	memset(words, 0, 3 * sizeof(*words));
	if (has_dso || has_function || is_merged)
		words[0] = frame->map.dso ? profile->file_names[frame->map.dso->index] + 1U : 0;
	if (has_symbol)
		words[1] = has_function ? frame->function.start
			   : is_merged  ? (unsigned char)location->level
			   : is_branch  ? frame->ip
					: xp_place_ip(frame);
	if (has_function)
		words[2] = frame->function.size + 1;
}

uint32_t xp_row_key(const struct xp_profile *profile, uint32_t event,
		    const struct xp_profile_row *row, uint64_t words[ROW_KEY_WORDS])
{
	const bool *has = profile->has_key;
	const struct xp_location *location = xp_profile_row_location(row);
	bool dso = has[XP_KEY_DSO], symbol = has[XP_KEY_SYMBOL] || has[XP_KEY_SYMOFF];
	bool dso_from = has[XP_KEY_DSO_FROM], symbol_from = has[XP_KEY_SYMBOL_FROM];
	uint32_t nr = 0;

	words[nr++] = event;
	if (has[XP_KEY_COMM])
		words[nr++] = (uintptr_t)row->comm;
	if (has[XP_KEY_PID])
		words[nr++] = (uint32_t)row->tid;
	if (has[XP_KEY_TGID])
		words[nr++] = (uint32_t)row->pid;
	if (has[XP_KEY_CPU])
		words[nr++] = (uint32_t)row->cpu;
	if (has[XP_KEY_TAG])
		words[nr++] = row->tag;
	uint64_t *place = &words[nr];
	nr += 3;
	if (row->target)
		location_key(profile, location, dso || has[XP_KEY_DSO_TO],
			     symbol || has[XP_KEY_SYMBOL_TO], true, place);
	else
		location_key(profile, location, dso || dso_from, symbol || symbol_from, false,
			     place);
	if (has[XP_KEY_SYMOFF])
		place[1] = location->frame.address;
	if (dso_from || symbol_from) {
		location_key(profile, row->location, row->target && dso_from,
			     row->target && symbol_from, true, &words[nr]);
		nr += 3;
	}
	if (symbol)
		words[nr++] = location->is_inlined ? (uintptr_t)location->frame.function.name : 0;
	if (has[XP_KEY_ADDRESS])
		words[nr++] = location->frame.ip;
	if (has[XP_KEY_SYMBOL_SIZE])
		words[nr++] = size_of(row);
	if (has[XP_KEY_DSO_SIZE])
		words[nr++] = mapped(row);
	if (has[XP_KEY_PARENT])
		words[nr++] = (uintptr_t)row->parent;
	if (has[XP_KEY_SRCLINE])
		words[nr++] = (uintptr_t)location->line;
	if (has[XP_KEY_SRCFILE])
		words[nr++] = (uintptr_t)location->file;
	if (has[XP_KEY_SRCLINE_FROM])
		words[nr++] = (uintptr_t)row->location->line;
	if (has[XP_KEY_SRCLINE_TO])
		words[nr++] = row->target ? (uintptr_t)row->target->line : 0;
	return nr;
}
