/* SPDX-License-Identifier: MIT */
/*
 * Ranges of maps have sizes of powers of two. One that no process has any more may still be read by
 * the kernel, and a child that xperf has not read of yet may have it: it is used again when all
 * that happened up to then is known.
 */
#include "rule-tables.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/diag.h>

#include "bpf.h"
#include "vec.h"

static const _Alignas(8) unsigned char bytes[] = {
#include "stack-rules.bpf.hex"
};

static const char *const shared[] = { "rows", "maps", "files", "control", "processes", "changes" };

/* --- the object --- */

static int map_memory(struct rule_tables *t)
{
	t->rows = xp_bpf_memory(t->bpf, "rows", RULE_ROWS_MAX * sizeof(*t->rows));
	t->maps = xp_bpf_memory(t->bpf, "maps", RULE_MAPS_MAX * sizeof(*t->maps));
	t->files = xp_bpf_memory(t->bpf, "files", RULE_FILES_MAX * sizeof(*t->files));
	t->control = xp_bpf_memory(t->bpf, "control", sizeof(*t->control));
	t->processes = xp_bpf_map_fd(t->bpf, "processes");
	t->range_of = calloc(RULE_PIDS, sizeof(*t->range_of));
	return t->rows && t->maps && t->files && t->control && t->range_of ? 0 : -ENOMEM;
}

int xp_rule_tables_open(struct rule_tables *tables, struct xp_diag *diag)
{
	static const struct xp_bpf_code code = { "stack rules", bytes, sizeof(bytes) };
	int err = xp_bpf_open(&code, &tables->bpf, diag) ?: xp_bpf_load(tables->bpf, diag);

	if (!err && map_memory(tables))
		err = xp_diag_set(diag, -ENOMEM, "There is no memory for rules of stacks");
	if (!err)
		err = xp_bpf_attach(tables->bpf, "on_fork", diag)
			      ?: xp_bpf_attach(tables->bpf, "on_exec", diag);
	if (err) {
		xp_rule_tables_close(tables);
		return err;
	}
	tables->files[RULE_NO_FILE].state = RULE_FILE_POINTERS;
	return 0;
}

void xp_rule_tables_close(struct rule_tables *tables)
{
	xp_bpf_close(tables->bpf);
	free(tables->ranges);
	free(tables->range_of);
	*tables = (struct rule_tables){ 0 };
}

int xp_rule_tables_share(const struct rule_tables *tables, struct xp_bpf *other)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]) && !err; i++)
		err = xp_bpf_share(other, shared[i], xp_bpf_map_fd(tables->bpf, shared[i]));
	return err;
}

int xp_rule_tables_leave_out(struct xp_bpf *other)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]) && !err; i++)
		err = xp_bpf_resize(other, shared[i], 1);
	return err;
}

/* --- ranges --- */

static uint32_t order_of(uint32_t nr)
{
	enum { LEAST = 2 };
	uint32_t order = LEAST;

	while (1U << order < nr)
		order++;
	return order;
}

/* A new range at the end of what is used. */
static uint32_t add_range(struct rule_tables *t, uint32_t order)
{
	if (RULE_MAPS_MAX - t->nr_maps < 1U << order ||
	    vec_add(&t->ranges, t->nr_ranges, sizeof(*t->ranges)))
		return NO_RANGE;
	t->ranges[t->nr_ranges++] = (struct rule_range){ .first = t->nr_maps, .order = order };
	t->nr_maps += 1U << order;
	return (uint32_t)t->nr_ranges;
}

/* One that is free, also a larger one. */
static uint32_t reuse_range(struct rule_tables *t, uint32_t order)
{
	for (; order < RANGE_ORDERS; order++) {
		uint32_t range = t->free[order];

		if (!range)
			continue;
		t->free[order] = t->ranges[range - 1].next;
		return range;
	}
	return NO_RANGE;
}

uint32_t xp_rule_range_new(struct rule_tables *tables, uint32_t nr, struct rule_map **ret_maps)
{
	uint32_t order = order_of(nr), range = NO_RANGE;

	if (order < RANGE_ORDERS && tables->free[order])
		range = reuse_range(tables, order);
	else if (order < RANGE_ORDERS)
		range = add_range(tables, order) ?: reuse_range(tables, order);
	if (!range)
		return NO_RANGE;
	tables->ranges[range - 1].nr = nr;
	tables->ranges[range - 1].refs = 0;
	*ret_maps = tables->maps + tables->ranges[range - 1].first;
	return range;
}

static void leave(struct rule_tables *t, uint32_t number, uint64_t now_ns)
{
	struct rule_range *range = number ? &t->ranges[number - 1] : NULL;

	if (!range || --range->refs)
		return;
	range->left_ns = now_ns;
	range->next = 0;
	if (t->left)
		t->ranges[t->left_last - 1].next = number;
	else
		t->left = number;
	t->left_last = number;
}

void xp_rule_range_give(struct rule_tables *tables, uint32_t pid, uint32_t range, uint64_t now_ns)
{
	struct rule_range *to = range ? &tables->ranges[range - 1] : NULL;

	if (pid >= RULE_PIDS)
		return;
	uint32_t before = tables->range_of[pid];

	if (to)
		to->refs++;
	if (pid >= tables->pids_end)
		tables->pids_end = pid + 1;
	tables->range_of[pid] = range;
	const struct rule_process process = {
		.maps = to ? (uint64_t)to->first << 32 | to->nr : 0,
		.known_ns = tables->described_ns,
	};

	/* A process that does not fit into the map has no maps that the kernel knows. */
	if (to)
		xp_bpf_update(tables->bpf, tables->processes, &pid, &process);
	else
		xp_bpf_delete(tables->bpf, tables->processes, &pid);
	leave(tables, before, now_ns);
}

void xp_rule_tables_forget(struct rule_tables *tables, uint64_t now_ns)
{
	enum { MOST = 2 * RULE_PROCESSES_MAX }; /* forks add while this takes away */
	uint32_t pid, next;
	int err = xp_bpf_next_key(tables->bpf, tables->processes, NULL, &pid);

	for (int i = 0; i < MOST && !err; i++, pid = next) {
		err = xp_bpf_next_key(tables->bpf, tables->processes, &pid, &next);
		/* Also children that xperf has not read of: they have no range to give back. */
		xp_rule_range_give(tables, pid, NO_RANGE, now_ns);
	}
	/* For which the kernel's map had no room. */
	for (pid = 0; pid < tables->pids_end; pid++)
		if (tables->range_of[pid])
			xp_rule_range_give(tables, pid, NO_RANGE, now_ns);
}

uint32_t xp_rule_tables_unknown(struct rule_tables *tables, uint32_t *at)
{
	uint32_t pid = 0;

	while (!pid && *at < RULE_UNKNOWN)
		pid = __atomic_exchange_n(&tables->control->unknown[(*at)++], 0, __ATOMIC_RELAXED);
	return pid;
}

uint32_t xp_rule_range_of(const struct rule_tables *tables, uint32_t pid)
{
	return pid < RULE_PIDS ? tables->range_of[pid] : NO_RANGE;
}

void xp_rule_tables_known(struct rule_tables *tables, uint64_t until_ns)
{
	enum { LATE_NS = 1000000 }; /* what a record may come later than its time */

	__atomic_store_n(&tables->control->known_ns, until_ns, __ATOMIC_RELEASE);
	while (tables->left && tables->ranges[tables->left - 1].left_ns + LATE_NS < until_ns) {
		uint32_t number = tables->left;
		struct rule_range *range = &tables->ranges[number - 1];

		tables->left = range->next;
		range->next = tables->free[range->order];
		tables->free[range->order] = number;
		if (tables->gone)
			tables->gone(tables->gone_data, tables->maps + range->first, range->nr);
	}
}
