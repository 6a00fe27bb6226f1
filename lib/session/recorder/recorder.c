/* SPDX-License-Identifier: MIT */
/* The recorder from outside: made, started, watched, asked for things, stopped. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/chain-ends.h>
#include <xperf/cpus.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>

#include "add-walked.h"
#include "build-ids.h"
#include "ctx.h"
#include "event.h"
#include "off-cpu.h"
#include "opts.h"
#include "record.h"
#include "recorder-impl.h"
#include "sampling.h"
#include "uapi.h"
#include "unwinding.h"
#include "writer.h"

/* @SAVED_SECONDS: for how long a share of a CPU is saved up */
enum { DEFAULT_BACKLOG = 64 << 20, NS_PER_S = 1000000000, SAVED_SECONDS = 200 };

/* --- new and free --- */

static int open_notify_fds(struct xp_recorder *r)
{
	r->notify_fd = r->sys->event_fd(r->sys);
	r->news_fd = r->notify_fd < 0 ? r->notify_fd : r->sys->event_fd(r->sys);
	return r->news_fd < 0 ? r->news_fd : 0;
}

static int init(struct xp_recorder *r)
{
	struct xp_evlist *evlist = r->opts.evlist;
	int err = open_notify_fds(r)
			  ?: xp_reader_reserve_rings(r, xp_evlist_nr_rings(evlist))
			  ?: xp_shed_init(&r->shed, evlist);

	if (!err)
		xp_reader_plan_rings(r);
	if (!err && r->opts.unwind)
		err = xp_unwinding_new(&r->opts, &r->shed, r->has_overwritten, &r->unwinding);
	if (!err && r->opts.off_cpu)
		err = xp_off_cpu_new(r, &r->off_cpu);
	if (err)
		return err;
	r->can_reopen =
		xp_evlist_can_reopen(r->opts.evlist) && xp_data_writer_can_add_ids(r->writer);
	xp_scan_init(&r->scan, r->opts.evlist, &r->shed);
	r->end = xp_block_new(XP_BLOCK_END, 0);
	if (!r->end)
		return -ENOMEM;
	r->last_flush = r->sys->now(r->sys);
	r->next_flush = r->last_flush + r->opts.flush_ns;
	return 0;
}

int xp_recorder_new(struct xp_ctx *ctx, const struct xp_recorder_opts *opts,
		    struct xp_recorder **ret_recorder)
{
	struct xp_recorder_opts o = { 0 };

	int err = XP_OPTS_COPY(&o, opts, struct xp_recorder_opts, realtime_priority, NULL);

	if (err)
		return err;
	if (!o.evlist || !o.writer || !xp_evlist_nr_rings(o.evlist) || o.realtime_priority < 0 ||
	    o.band_cpu_ppm > CPU_SHARE_WHOLE_PPM || o.cpu_ppm > CPU_SHARE_WHOLE_PPM)
		return -EINVAL;
	if (!o.backlog_bytes)
		o.backlog_bytes = DEFAULT_BACKLOG;
	if (!o.flush_ns)
		o.flush_ns = NS_PER_S;

	struct xp_recorder *r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->ctx = ctx;
	r->sys = ctx->sys;
	r->opts = o;
	r->writer = o.writer;
	if (o.band)
		r->band = (struct xp_band_pass){
			.listener = *o.band,
			.share = { .ppm = o.band_cpu_ppm, .seconds = SAVED_SECONDS },
		};
	bool is_slowed = !o.no_threads && !o.own_rounds && xp_evlist_has_slow_clocks(o.evlist);
	xp_rate_init(&r->rate, is_slowed ? o.cpu_ppm : 0, xp_evlist_nr_rings(o.evlist));
	r->notify_fd = r->news_fd = -1;
	pthread_mutex_init(&r->inbox_lock, NULL);
	sem_init(&r->started, 0, 0);
	xp_blocks_init(&r->queue);
	err = init(r);
	if (err) {
		xp_recorder_free(r);
		return err;
	}
	*ret_recorder = r;
	return 0;
}

static void free_inbox(struct xp_recorder *r)
{
	while (r->inbox) {
		struct xp_block *next = r->inbox->next;

		free(r->inbox);
		r->inbox = next;
	}
}

void xp_recorder_free(struct xp_recorder *recorder)
{
	struct xp_recorder *r = recorder;

	if (!r)
		return;
	/* What the threads had in their hands at a fork(2) is left alone: it may be half done. */
	bool is_left = r->has_threads && !xp_ctx_is_here(r->ctx);
	if (r->has_threads && !is_left)
		xp_recorder_stop(r, NULL);
	if (r->notify_fd >= 0)
		r->sys->close(r->sys, r->notify_fd);
	if (r->news_fd >= 0)
		r->sys->close(r->sys, r->news_fd);
	if (!is_left) {
		free_inbox(r);
		free(r->block);
		free(r->end);
		xp_blocks_fini(&r->queue);
		xp_unwinding_free(r->unwinding);
		xp_off_cpu_free(r->off_cpu);
		xp_shed_fini(&r->shed);
		xp_band_fini(&r->band);
		sem_destroy(&r->started);
		pthread_mutex_destroy(&r->inbox_lock);
	}
	xp_scan_fini(&r->scan);
	xp_str_fini(&r->names);
	free(r->polled);
	free(r->gone);
	free(r);
}

/* --- start and stop --- */

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

/* Threads that see no signal: those are the caller's. */
static int start_threads(struct xp_recorder *r)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* Threads of this process are excluded later. Without it, one thread unwinds. */
	if (r->unwinding)
		xp_unwinding_start_thread(r->unwinding);
	/* The writer would start it with the first file, which can be after they are excluded. */
	if (r->opts.build_ids)
		xp_build_ids_start_thread(r->opts.build_ids);
	int err = pthread_create(&r->writing, NULL, xp_writer_thread, r);
	if (!err) {
		err = pthread_create(&r->reader, NULL, xp_reader_thread, r);
		if (err) {
			xp_blocks_push(&r->queue, r->end);
			r->end = NULL;
			pthread_join(r->writing, NULL);
		}
	}
	if (err && r->unwinding)
		xp_unwinding_end_thread(r->unwinding);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

static void join_threads(struct xp_recorder *r)
{
	atomic_store(&r->stopping, true);
	xp_recorder_notify(r, r->notify_fd);
	pthread_join(r->reader, NULL);
	pthread_join(r->writing, NULL);
	if (r->unwinding)
		xp_unwinding_end_thread(r->unwinding);
	r->has_threads = false;
}

int xp_recorder_start(struct xp_recorder *recorder, struct xp_diag *diag)
{
	struct xp_recorder *r = recorder;

	if (r->opts.no_threads)
		return xp_evlist_exclude_self(r->opts.evlist, diag);
	xp_reader_begin_rate(r);
	int err = start_threads(r);
	if (err)
		return xp_diag_set(diag, err, "The threads of the recorder cannot be started: %s",
				   strerror(-err));
	r->has_threads = true;
	wait_for(&r->started);
	if (!r->start_err) {
		err = xp_evlist_exclude_self(r->opts.evlist, diag);
		if (err)
			join_threads(r);
		return err;
	}
	join_threads(r);
	xp_diag_set(diag, r->start_err, "The real-time priority %d cannot be set: %s",
		    r->opts.realtime_priority, strerror(-r->start_err));
	xp_diag_hint(diag, "Run it as root, or without a real-time priority");
	return r->start_err;
}

size_t xp_recorder_lost_record(struct xp_recorder *r, struct xp_evsel *evsel, int cell, void *buf,
			       uint64_t *lost)
{
	uint64_t its = xp_evsel_lost_at(evsel, cell);
	int nr_threads = xp_threads_nr(evsel->threads);
	struct xp_sample_id id = {
		.cpu = xp_cpus_at(evsel->cpus, cell / nr_threads).nr,
		.tid = xp_threads_tid(evsel->threads, cell % nr_threads),
	};

	if (!its ||
	    r->sys->ioctl(r->sys, evsel->fds[cell], PERF_EVENT_IOC_ID, (unsigned long)&id.id) < 0)
		return 0;
	id.pid = id.tid;
	*lost += its;
	return xp_lost_samples_encode(&evsel->attr, &id, its, buf);
}

static void record_lost(struct xp_recorder *r)
{
	uint64_t recorded = xp_scan_get(&r->scan, XP_NR_LOST), lost = r->lost_before;

	for (int i = 0; i < xp_evlist_nr(r->opts.evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(r->opts.evlist, i);
		int nr_cells =
			evsel->fds ? xp_cpus_nr(evsel->cpus) * xp_threads_nr(evsel->threads) : 0;

		for (int cell = 0; cell < nr_cells; cell++) {
			_Alignas(8) char buf[XP_LOST_RECORD_BYTES];
			size_t len = xp_recorder_lost_record(r, evsel, cell, buf, &lost);

			if (!atomic_load(&r->failed))
				xp_data_writer_write(r->writer, buf, len, false);
		}
	}
	/* Losses that no record came after are in none. */
	if (lost > recorded)
		xp_scan_add(&r->scan, XP_NR_LOST, lost - recorded);
}

int xp_recorder_stop(struct xp_recorder *recorder, struct xp_diag *diag)
{
	struct xp_recorder *r = recorder;

	if (r->has_threads)
		join_threads(r);
	if (r->end) { /* there was no thread that could */
		xp_reader_end(r);
		xp_writer_drain(r);
	}
	if (!r->has_stopped)
		record_lost(r);
	r->has_stopped = true;
	return xp_recorder_state(r, diag) < 0 ? atomic_load(&r->failed) : 0;
}

/* --- how it goes --- */

int xp_recorder_fd(const struct xp_recorder *recorder)
{
	return recorder->news_fd;
}

int xp_recorder_state(struct xp_recorder *recorder, struct xp_diag *diag)
{
	struct xp_recorder *r = recorder;
	uint64_t count;

	r->sys->read(r->sys, r->news_fd, &count, sizeof(count));
	int err = atomic_load(&r->failed);
	if (err)
		return xp_diag_set(diag, err, "The recording cannot be written: %s",
				   strerror(-err));
	return atomic_load(&r->all_ended);
}

int xp_recorder_pump(struct xp_recorder *recorder)
{
	struct xp_recorder *r = recorder;

	if (r->has_threads)
		return -EBUSY;
	if (r->sys->poll(r->sys, r->polled, (size_t)r->nr_rings, 0) > 0) {
		xp_scan_add(&r->scan, XP_NR_WAKEUPS, 1);
		xp_reader_see_hangups(r);
	}
	uint64_t now = r->sys->now(r->sys);
	bool due = now >= r->next_flush;
	xp_reader_pass(r, due);
	if (due)
		r->next_flush = now + r->opts.flush_ns;
	xp_writer_drain(r);
	return xp_recorder_state(r, NULL);
}

int xp_recorder_get_stats(const struct xp_recorder *recorder, struct xp_recorder_stats *ret_stats)
{
	const struct xp_scan *scan = &recorder->scan;
	uint64_t unwritten = xp_scan_get(scan, XP_NR_UNWRITTEN);
	uint64_t beyond = xp_scan_get(scan, XP_NR_BEYOND);
	uint64_t held = xp_scan_get(scan, XP_NR_HELD), made = xp_scan_get(scan, XP_NR_MADE);
	uint64_t bytes_beyond = xp_scan_get(scan, XP_BYTES_BEYOND);

	uint64_t bytes_unwound = xp_scan_get(scan, XP_BYTES_UNWOUND);
	uint64_t bad = xp_scan_get(scan, XP_NR_BAD);

	const struct xp_recorder_stats stats = {
		.samples =
			xp_scan_get(scan, XP_NR_SAMPLES) - unwritten - beyond - bad - held + made,
		.records = xp_scan_get(scan, XP_NR_RECORDS),
		.bytes = xp_scan_get(scan, XP_NR_BYTES) - bytes_beyond - bytes_unwound,
		.unwritten_samples = unwritten,
		.file_bytes = xp_scan_get(scan, XP_FILE_BYTES),
		.is_full = xp_scan_get(scan, XP_IS_FULL),
		.lost = xp_scan_get(scan, XP_NR_LOST),
		.shed_samples = xp_scan_get(scan, XP_NR_SHED) + bad,
		.cut_stacks = xp_scan_get(scan, XP_NR_CUT),
		.short_chains = xp_scan_get(scan, XP_NR_SHORT),
		.throttled = xp_scan_get(scan, XP_NR_THROTTLED),
		.wakeups = xp_scan_get(scan, XP_NR_WAKEUPS),
		.first_time_ns = xp_scan_get(scan, XP_FIRST_TIME),
		.last_time_ns = xp_scan_get(scan, XP_LAST_TIME),
		.rings_gone = (int)xp_scan_get(scan, XP_NR_RINGS_GONE),
		.slowest = atomic_load(&recorder->rate.slowest),
		.slowed_ns = atomic_load(&recorder->rate.slowed_ns),
	};

	return XP_OUTPUT_COPY(ret_stats, &stats, struct xp_recorder_stats, is_full);
}

void xp_recorder_watch(struct xp_recorder *recorder, const struct xp_evsel *evsel)
{
	struct xp_event_id *ids;
	int nr = xp_evsel_ids((struct xp_evsel *)evsel, &ids);
	size_t room = nr < 0 ? 0 : (size_t)nr + 1;
	struct xp_watched *watched = calloc(1, sizeof(*watched) + room * sizeof(*watched->ids));

	for (int i = 0; watched && i < nr; i++)
		watched->ids[i] = ids[i].id;
	if (nr >= 0)
		free(ids);
	/* One event for ever: the reader may be looking at it. */
	struct xp_watched *none = NULL;
	if (!watched || nr < 0 ||
	    !atomic_compare_exchange_strong(&recorder->scan.watched, &none, watched))
		free(watched);
}

int xp_recorder_chain_ends(const struct xp_recorder *recorder, struct xp_chain_ends **ret_ends)
{
	struct xp_chain_ends *ends;

	if (!recorder->has_stopped)
		return -EBUSY;
	int err = recorder->unwinding ? xp_chain_ends_new(&ends) : -ENODATA;

	if (err)
		return err;
	err = xp_unwinding_ends(recorder->unwinding, ends);
	if (!err && !xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS))
		err = -ENODATA;
	if (err)
		xp_chain_ends_free(ends);
	else
		*ret_ends = ends;
	return err;
}

uint64_t xp_recorder_watched(const struct xp_recorder *recorder)
{
	return xp_scan_get(&recorder->scan, XP_NR_WATCHED);
}

int xp_recorder_add_walked(struct xp_recorder *recorder, const struct xp_attr *attr,
			   const uint64_t *ids, size_t nr)
{
	return recorder->unwinding ? xp_shed_add_walked(&recorder->shed, attr, ids, nr)
				   : -EOPNOTSUPP;
}

/* --- what is asked of it --- */

static struct xp_block *inbox_block(struct xp_recorder *r, size_t len)
{
	struct xp_block *last = r->inbox_last;

	if (last && last->room - last->len >= len)
		return last;
	struct xp_block *block =
		xp_block_new(XP_BLOCK_OWN, len > XP_BLOCK_BYTES ? len : XP_BLOCK_BYTES);
	if (!block)
		return NULL;
	if (last)
		last->next = block;
	else
		r->inbox = block;
	r->inbox_last = block;
	return block;
}

int xp_recorder_inject(struct xp_recorder *recorder, const struct xp_record *records, size_t len)
{
	struct xp_recorder *r = recorder;

	pthread_mutex_lock(&r->inbox_lock);
	struct xp_block *block = inbox_block(r, len);
	bool is_next = block && !block->len && block != r->inbox;
	if (block) {
		memcpy(block->bytes + block->len, records, len);
		block->len += len;
		block->has_maps = true;
	}
	pthread_mutex_unlock(&r->inbox_lock);
	if (!block)
		return -ENOMEM;
	if (is_next && r->has_threads)
		xp_recorder_notify(r, r->notify_fd);
	return 0;
}

int xp_recorder_ask(struct xp_recorder *r, struct xp_request *request)
{
	sem_init(&request->answered, 0, 0);
	if (r->has_threads) {
		atomic_store(&r->request, request);
		xp_recorder_notify(r, r->notify_fd);
	} else {
		xp_reader_serve(r, request);
		xp_writer_drain(r);
	}
	wait_for(&request->answered);
	sem_destroy(&request->answered);
	return request->err;
}

int xp_recorder_snapshot(struct xp_recorder *recorder)
{
	return xp_recorder_ask(recorder, &(struct xp_request){ .kind = XP_REQUEST_SNAPSHOT });
}

void xp_recorder_prepare_switch(struct xp_recorder *recorder)
{
	struct xp_request request = { .kind = XP_REQUEST_PREPARE };

	atomic_store(&recorder->keeps_names, true);
	xp_recorder_ask(recorder, &request);
	atomic_store(&recorder->names_ns, request.names_ns);
}

int xp_recorder_switch(struct xp_recorder *recorder, struct xp_data_writer *writer)
{
	return xp_recorder_ask(recorder,
			       &(struct xp_request){ .kind = XP_REQUEST_SWITCH, .writer = writer });
}
