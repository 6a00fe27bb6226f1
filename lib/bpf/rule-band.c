/* SPDX-License-Identifier: MIT */
/*
 * From records of maps and tasks to ranges of maps. A child shares the range of its parent until
 * one of them changes its maps. What was lost could be a change: then the maps of all processes
 * are forgotten, and read from /proc for those whose stacks the kernel is to walk.
 */
#include "rule-band.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <xperf/cpus.h>
#include <xperf/synth.h>

#include "each-rule.h"
#include "live-space.h"
#include "vec.h"

/* The clock of records and of the kernel's programs. */
static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- records --- */

static void forget_all(struct rule_band *band)
{
	xp_rule_tables_forget(band->tables, now_ns());
	xp_live_fini(&band->maps);
	band->nr_changes = 0;
}

/* A process whose change is not known must not keep its old maps. */
static void add_change(struct rule_band *band, uint32_t pid, uint32_t parent)
{
	/* Maps come one after the other. */
	if (band->nr_changes && band->changes[band->nr_changes - 1].pid == pid && !parent)
		return;
	if (vec_reserve(&band->changes, band->nr_changes, &band->room, sizeof(*band->changes)))
		forget_all(band);
	else
		band->changes[band->nr_changes++] = (struct band_change){ pid, parent };
}

static void note_change(struct rule_band *band, const struct xp_record *record)
{
	const struct xp_record_task *task = (const void *)record;

	/* All begin with the process. */
	if (record->type == XP_RECORD_FORK && task->pid != task->parent_pid)
		add_change(band, task->pid, task->parent_pid);
	else if (record->type != XP_RECORD_FORK)
		add_change(band, task->pid, 0);
}

void xp_rule_band_note(struct rule_band *band, const struct xp_record *record, uint64_t time_ns)
{
	int err = xp_live_wants(record->type) ? xp_live_add(&band->maps, record, time_ns) : -ENOENT;

	if (record->type == XP_RECORD_LOST || err == -ENOMEM)
		forget_all(band);
	else if (!err)
		note_change(band, record);
}

/* --- maps --- */

/* Number and code of a map's file. */
static void describe(struct rule_band *band, const struct xp_live_map *from, int32_t pid,
		     struct rule_map *to)
{
	struct xp_live_file *file = xp_live_file(&band->maps, from->file);
	uint64_t address = 0;

	*to = (struct rule_map){ .start = from->start, .end = from->end, .file = RULE_NO_FILE };
	if (!file)
		return;
	if (!file->data) {
		const struct xp_unwind_mapped mapped = xp_live_mapped(file, from, pid);
		struct xp_unwind_file *found;

		if (xp_unwind_open_mapped(band->unwind, &mapped, &found))
			return;
		file->data = found;
	}
	if (xp_unwind_file_place(file->data, from->offset, &address) &&
	    (address > UINT32_MAX || from->end - from->start > UINT32_MAX - address))
		return;
	to->bias = from->start - address;
	to->file = xp_rule_files_use(band->files, file->data);
}

static uint32_t nr_of(const struct xp_live_space *space)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < space->nr; i++)
		nr += space->at[i].is_executable;
	return nr;
}

static uint32_t write_range(struct rule_band *band, const struct xp_live_space *space, uint32_t pid)
{
	uint32_t nr = nr_of(space), range = NO_RANGE;
	struct rule_map *maps;

	if (nr && nr <= RULE_MAPS_OF_PROCESS)
		range = xp_rule_range_new(band->tables, nr, &maps);
	if (!range)
		return NO_RANGE;
	for (size_t i = 0; i < space->nr; i++)
		if (space->at[i].is_executable)
			describe(band, &space->at[i], (int32_t)pid, maps++);
	band->tables->ranges[range - 1].state = space->state;
	return range;
}

static bool has_state(const struct rule_band *band, uint32_t pid, uint64_t state)
{
	uint32_t range = xp_rule_range_of(band->tables, pid);

	return range && band->tables->ranges[range - 1].state == state;
}

static void apply(struct rule_band *band, const struct band_change *change)
{
	uint64_t state;
	const struct xp_live_space *space =
		xp_live_space(&band->maps, change->pid, UINT64_MAX, &state);

	if (!space || xp_live_has_ended(&band->maps, change->pid))
		xp_rule_range_give(band->tables, change->pid, NO_RANGE, now_ns());
	else if (has_state(band, change->pid, space->state))
		return;
	else if (change->parent && has_state(band, change->parent, space->state))
		xp_rule_range_give(band->tables, change->pid,
				   xp_rule_range_of(band->tables, change->parent), now_ns());
	else
		xp_rule_range_give(band->tables, change->pid, write_range(band, space, change->pid),
				   now_ns());
}

static void apply_changes(struct rule_band *band)
{
	for (size_t i = 0; i < band->nr_changes; i++)
		apply(band, &band->changes[i]);
	band->nr_changes = 0;
}

void xp_rule_band_known(struct rule_band *band, uint64_t until_ns)
{
	enum { PRUNE_NS = 1000000000 };

	apply_changes(band);
	xp_rule_tables_known(band->tables, until_ns);
	if (until_ns < band->pruned_ns + PRUNE_NS)
		return;
	band->pruned_ns = until_ns;
	xp_live_prune(&band->maps, until_ns);
}

/* --- after a loss --- */

static int note_described(const struct xp_record *record, void *data)
{
	xp_rule_band_note(data, record, 0);
	return 0;
}

/* One that gets no maps by that is not read again at once: it can have too many. */
static bool was_described(struct rule_band *band, uint32_t pid)
{
	enum { AGAIN_NS = 1000000000 };
	struct band_unknown *last = &band->described[pid % RULE_UNKNOWN];
	uint64_t now = now_ns();

	if (last->pid == pid && now < last->described_ns + AGAIN_NS)
		return true;
	*last = (struct band_unknown){ pid, now };
	return false;
}

void xp_rule_band_describe(struct rule_band *band, uint32_t pid)
{
	const struct xp_synth_opts opts = { .size = sizeof(opts), .build_ids = band->build_ids };
	struct xp_threads *process;

	if (xp_rule_range_of(band->tables, pid) || was_described(band, pid) ||
	    xp_threads_one(band->ctx, (pid_t)pid, &process))
		return;
	band->tables->described_ns = now_ns();
	xp_synth_threads(band->ctx, process, &opts, note_described, band);
	xp_threads_unref(process);
	apply_changes(band);
	band->tables->described_ns = 0;
}

void xp_rule_band_fini(struct rule_band *band)
{
	xp_live_fini(&band->maps);
	free(band->changes);
	*band = (struct rule_band){ 0 };
}
