/* SPDX-License-Identifier: MIT */
/*
 * CPUs that come online while they are recorded, and those that come back, whose events the kernel
 * has taken off them for good. The reader opens their events again between two rounds, when nothing
 * that was in their rings is left; meanwhile the caller's thread waits. Before the events are
 * started, all who look up ids know the new ones: the reader itself, the writer, by tables that are
 * replaced and kept until the end, and the file, by a block that precedes the samples.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "event.h"
#include "record.h"
#include "recorder-impl.h"
#include "sampling.h"
#include "uapi.h"
#include "writer.h"

/* --- the reader --- */

static void record_lost(struct xp_recorder *r, int cpu_idx)
{
	for (int i = 0; i < xp_evlist_nr(r->opts.evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(r->opts.evlist, i);
		int nr_threads = xp_threads_nr(evsel->threads);

		for (int t = 0; t < nr_threads; t++) {
			_Alignas(8) char buf[XP_LOST_RECORD_BYTES];
			size_t len = xp_recorder_lost_record(r, evsel, cpu_idx * nr_threads + t,
							     buf, &r->lost_before);

			xp_reader_add_record(r, buf, len);
		}
	}
}

/*
 * The ids of a CPU's events. Each is what its event is known by from now on: every file has it,
 * this one and later ones, whose description names what is open. Returns how many, or -ENOMEM.
 */
static int new_ids(struct xp_recorder *r, int cpu_idx, struct xp_new_id **ret_ids)
{
	int nr_threads = xp_threads_nr(xp_evlist_threads(r->opts.evlist)), nr = 0;
	size_t room = (size_t)r->shed.nr_events * (size_t)nr_threads;
	struct xp_new_id *ids = calloc(room, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	for (int i = 0; i < r->shed.nr_events; i++)
		for (int t = 0; t < nr_threads; t++) {
			int fd = xp_evsel_fd(xp_evlist_at(r->opts.evlist, i), cpu_idx, t);

			ids[nr].event = i;
			ids[nr].known = r->shed.events[i].id;
			if (fd < 0 || r->sys->ioctl(r->sys, fd, PERF_EVENT_IOC_ID,
						    (unsigned long)&ids[nr].id) < 0)
				continue;
			r->shed.events[i].id = ids[nr++].id;
		}
	*ret_ids = ids;
	return nr;
}

/* To the writer, for the file. */
static int push_ids(struct xp_recorder *r, const struct xp_new_id *ids, size_t nr)
{
	struct xp_block *block = xp_blocks_get(&r->queue, XP_BLOCK_IDS, nr * sizeof(*ids));

	if (!block)
		return -ENOMEM;
	memcpy(block->bytes, ids, nr * sizeof(*ids));
	block->len = nr * sizeof(*ids);
	xp_blocks_push(&r->queue, block);
	return 0;
}

static int reopen_cpu(struct xp_recorder *r, int cpu_idx)
{
	struct xp_new_id *ids = NULL;

	record_lost(r, cpu_idx);
	int err = xp_evlist_reopen_cpu(r->opts.evlist, cpu_idx);
	int nr = err ? err : new_ids(r, cpu_idx, &ids);

	if (nr >= 0)
		err = xp_shed_add_ids(&r->shed, ids, (size_t)nr)
				      ?: xp_scan_watch(&r->scan, ids, (size_t)nr)
				      ?: push_ids(r, ids, (size_t)nr);
	else
		err = nr;
	free(ids);
	if (!err)
		xp_evlist_start_cpu(r->opts.evlist, cpu_idx);
	return err;
}

int xp_reader_reopen_cpus(struct xp_recorder *r)
{
	struct xp_evlist *evlist = r->opts.evlist;
	int cpu_idx;

	xp_reader_pass(r, true);
	int err = xp_evlist_add_new_cpus(evlist)
			  ?: xp_reader_reserve_rings(r, xp_cpus_nr(xp_evlist_cpus(evlist)));
	bool has_room = !err;
	while (has_room && (cpu_idx = xp_evlist_next_back(evlist)) >= 0)
		err = reopen_cpu(r, cpu_idx) ?: err;
	xp_reader_plan_rings(r);
	return err;
}

/* --- the writer --- */

int xp_files_add_ids(struct xp_recorder *r, const struct xp_block *block)
{
	const struct xp_new_id *ids = (const void *)block->bytes;
	int err = 0;

	for (size_t i = 0; i < block->len / sizeof(*ids) && !err; i++)
		err = xp_data_writer_add_id(r->writer, ids[i].known, ids[i].id);
	return err;
}

/* --- the caller --- */

int xp_recorder_update_cpus(struct xp_recorder *recorder)
{
	struct xp_recorder *r = recorder;
	struct xp_evlist *evlist = r->opts.evlist;
	struct xp_request request = { .kind = XP_REQUEST_CPUS };
	int changes = xp_evlist_update(evlist);

	if (changes <= 0)
		return changes;
	if (!r->can_reopen)
		return -EOPNOTSUPP;
	int err = xp_evlist_any_back(evlist) ? xp_recorder_ask(r, &request) : 0;
	return err ? err : changes;
}
