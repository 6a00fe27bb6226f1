/* SPDX-License-Identifier: MIT */
/*
 * The rings of a list: one per CPU, or per thread where events follow one wherever it runs. The
 * first event maps it, the others are directed into it; those that overwrite have rings of their
 * own. Source: perf_event_open(2), "MMAP layout", PERF_EVENT_IOC_SET_OUTPUT.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/ring.h>

#include "opts.h"
#include "sampling-impl.h"
#include "sampling.h"
#include "uapi.h"

struct mapping {
	struct xp_evlist *evlist;
	const struct xp_rings_opts *opts;
	size_t pages;
	struct xp_diag *diag;
};

/* A cell's descriptor in the class of overwritten rings, or of the others; -1: none. */
static int fd_at(const struct xp_evsel *evsel, int cpu_idx, int thread, bool overwrite)
{
	return evsel->attr.write_backward == overwrite ? xp_evsel_fd(evsel, cpu_idx, thread) : -1;
}

/* The event that maps: one with an AUX area, for that is mapped with it, or the first. */
static const struct xp_evsel *owner_at(const struct xp_evlist *evlist, int cpu_idx, int thread,
				       bool overwrite)
{
	const struct xp_evsel *owner = NULL;

	for (int i = 0; i < evlist->nr; i++) {
		const struct xp_evsel *evsel = evlist->at[i];

		if (fd_at(evsel, cpu_idx, thread, overwrite) < 0)
			continue;
		if (xp_evsel_has_aux(evsel))
			return evsel;
		if (!owner)
			owner = evsel;
	}
	return owner;
}

static int map_ring(const struct mapping *m, struct xp_list_ring *ring,
		    const struct xp_evsel *owner)
{
	const struct xp_evlist *evlist = m->evlist;
	bool aux = m->opts->aux_pages && xp_evsel_has_aux(owner);
	const struct xp_ring_opts opts = {
		.size = sizeof(opts),
		.pages = m->pages,
		.overwrite = owner->attr.write_backward,
		.aux_pages = aux ? m->opts->aux_pages : 0,
		.aux_overwrite = m->opts->aux_snapshot,
	};
	int fd = xp_evsel_fd(owner, ring->cpu_idx, ring->thread);

	ring->place = (struct xp_ring_place){
		.fd = fd,
		.cpu = xp_cpus_at(evlist->cpus, ring->cpu_idx).nr,
		.tid = ring->nr_threads == 1 ? xp_threads_tid(evlist->threads, ring->thread) : -1,
		.overwrite = opts.overwrite,
		.aux = aux ? owner : NULL,
	};
	ring->aux_overwrite = opts.aux_overwrite;
	return xp_ring_map(evlist->ctx, fd, &opts, &ring->place.ring);
}

/* Directs what else is open at a place into the ring. */
static int direct(const struct xp_evlist *evlist, const struct xp_list_ring *ring, int thread)
{
	const struct xp_sys *sys = evlist->ctx->sys;

	for (int i = 0; i < evlist->nr; i++) {
		int fd = fd_at(evlist->at[i], ring->cpu_idx, thread, ring->place.overwrite);
		int err = fd < 0 || fd == ring->place.fd
				  ? 0
				  : sys->ioctl(sys, fd, PERF_EVENT_IOC_SET_OUTPUT,
					       (unsigned long)ring->place.fd);

		if (err < 0)
			return err;
	}
	return 0;
}

/* One ring for the threads [@first, @first + @nr) on a CPU; none where nothing is open. */
static int make_ring(const struct mapping *m, struct xp_list_ring *ring, int cpu_idx, int first,
		     int nr, bool overwrite)
{
	const struct xp_evlist *evlist = m->evlist;

	*ring = (struct xp_list_ring){ .cpu_idx = cpu_idx,
				       .first_thread = first,
				       .nr_threads = nr };
	for (int t = first; t < first + nr; t++) {
		const struct xp_evsel *owner = owner_at(evlist, cpu_idx, t, overwrite);

		if (!owner)
			continue;
		if (!ring->place.ring) {
			ring->thread = t;
			int err = map_ring(m, ring, owner);

			if (err)
				return err;
		}
		int err = direct(evlist, ring, t);
		if (err)
			return err;
	}
	return 0;
}

static int add_ring(const struct mapping *m, int cpu_idx, int first, int nr, bool overwrite)
{
	struct xp_list_ring *ring = &m->evlist->rings[m->evlist->nr_rings];
	int err = make_ring(m, ring, cpu_idx, first, nr, overwrite);

	m->evlist->nr_rings += ring->place.ring != NULL;
	return err;
}

static int add_rings(const struct mapping *m)
{
	const struct xp_evlist *evlist = m->evlist;
	bool per_thread = xp_cpus_at(evlist->cpus, 0).nr < 0;
	int nr_threads = xp_threads_nr(evlist->threads);
	int per_ring = per_thread ? 1 : nr_threads;

	for (int cpu = 0; cpu < xp_cpus_nr(evlist->cpus); cpu++)
		for (int t = 0; t < nr_threads; t += per_ring)
			for (int overwrite = 0; overwrite < 2; overwrite++) {
				int err = add_ring(m, cpu, t, per_ring, overwrite);

				if (err)
					return err;
			}
	return 0;
}

/* One per CPU, or per thread that is followed wherever it runs. */
static size_t nr_wanted(const struct xp_evlist *evlist)
{
	bool per_thread = xp_cpus_at(evlist->cpus, 0).nr < 0;

	return (size_t)(per_thread ? xp_threads_nr(evlist->threads) : xp_cpus_nr(evlist->cpus));
}

/* As many again may be overwritten. */
static int alloc_rings(struct xp_evlist *evlist)
{
	evlist->rings = calloc(2 * nr_wanted(evlist), sizeof(*evlist->rings));
	return evlist->rings ? 0 : -ENOMEM;
}

/*
 * A reader that must wait for its CPU 10 ms now and then loses nothing at 200 MB/s with 2 MiB
 * behind the watermark, which is at half. Many rings share the memory of four such, but have 1 MiB
 * at least, and those of threads, most of which sleep, two of the largest records.
 */
static size_t default_pages(const struct xp_evlist *evlist)
{
	enum {
		ALL = 16 << 20,
		MOST = 4 << 20,
		LEAST_OF_CPU = 1 << 20,
		LEAST_OF_THREAD = 128 << 10
	};
	bool of_threads = xp_cpus_at(evlist->cpus, 0).nr < 0;
	size_t least = of_threads ? LEAST_OF_THREAD : LEAST_OF_CPU;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), each = MOST;

	while (each > least && each * nr_wanted(evlist) > ALL)
		each /= 2;
	return each > page ? each / page : 1;
}

/* The kernel has no ring for them: tasks on several CPUs would write into it at once. */
static bool follows_children_anywhere(const struct xp_evlist *evlist)
{
	bool inherits = false;

	for (int i = 0; i < evlist->nr; i++)
		inherits |= evlist->at[i]->attr.inherit;
	return inherits && xp_cpus_at(evlist->cpus, 0).nr < 0;
}

static int fail(const struct mapping *m, int err)
{
	long kb = (long)(m->pages + 1) * sysconf(_SC_PAGESIZE) / 1024;

	if (err == -EPERM) {
		size_t nr_cpus = (size_t)xp_cpus_nr(m->evlist->cpus);
		size_t of_cpu = (nr_wanted(m->evlist) + nr_cpus - 1) / nr_cpus;

		xp_diag_set(m->diag, err,
			    "No permission to lock %ld KiB for each of %zu rings: "
			    "kernel.perf_event_mlock_kb and `ulimit -l` allow less",
			    kb, nr_wanted(m->evlist));
		xp_diag_hint(m->diag,
			     "Use smaller rings, or: sudo sysctl kernel.perf_event_mlock_kb=%zu",
			     of_cpu * (size_t)kb);
		return err;
	}
	if (err == -EINVAL && follows_children_anywhere(m->evlist)) {
		xp_diag_set(m->diag, err,
			    "Events that record child tasks need a ring on each CPU, but are "
			    "open on threads only");
		xp_diag_hint(m->diag, "Open them on the CPUs that are online, or without inherit");
		return err;
	}
	return xp_diag_set(m->diag, err, "A ring of %ld KiB cannot be mapped: %s", kb,
			   strerror(-err));
}

int xp_evlist_map_rings(struct xp_evlist *evlist, const struct xp_rings_opts *opts,
			struct xp_diag *diag)
{
	struct xp_rings_opts o = { 0 };
	struct mapping m = { .evlist = evlist, .opts = &o, .diag = diag };
	int err = XP_OPTS_COPY(&o, opts, struct xp_rings_opts, aux_snapshot, diag);

	if (err)
		return err;
	if (!evlist->is_open)
		return xp_diag_set(diag, -ENOTCONN, "The events are not open");
	if (evlist->nr_rings)
		return xp_diag_set(diag, -EALREADY, "The rings are mapped");
	if (o.aux_snapshot && !xp_evlist_has_aux(evlist)) {
		xp_diag_set(diag, -EINVAL, "No event has an AUX area for snapshots");
		xp_diag_hint(diag, "Add an event with an AUX area, such as intel_pt//, cs_etm// "
				   "or arm_spe_0//");
		return -EINVAL;
	}
	m.pages = o.pages ? o.pages : default_pages(evlist);
	for (;; m.pages /= 2) {
		err = alloc_rings(evlist) ?: add_rings(&m);
		if (!err)
			return 0;
		bool may_be_less = (err == -EPERM || err == -ENOMEM) && !o.pages && m.pages > 1;
		if (!may_be_less)
			fail(&m, err);
		xp_evlist_unmap_rings(evlist);
		if (!may_be_less)
			return err;
	}
}

/* --- CPUs that come --- */

void xp_evlist_move_rings(struct xp_evlist *evlist, const struct xp_cpus *before)
{
	for (int i = 0; i < evlist->nr_rings; i++) {
		int *idx = &evlist->rings[i].cpu_idx;

		*idx = xp_cpus_find(evlist->cpus, xp_cpus_at(before, *idx));
	}
}

/* The lock limit may have room for one ring of a CPU only. */
static void drop_ring(struct xp_evlist *evlist, int cpu_idx)
{
	for (int i = 0; i < evlist->nr_rings; i++)
		if (evlist->rings[i].cpu_idx == cpu_idx) {
			xp_ring_unmap(evlist->rings[i].place.ring);
			evlist->rings[i] = evlist->rings[--evlist->nr_rings];
			return;
		}
}

int xp_evlist_map_cpu(struct xp_evlist *evlist, int cpu_idx, size_t pages)
{
	const struct xp_rings_opts opts = { .size = sizeof(opts) };
	const struct mapping m = { .evlist = evlist, .opts = &opts, .pages = pages };
	struct xp_list_ring *rings;

	drop_ring(evlist, cpu_idx);
	rings = reallocarray(evlist->rings, (size_t)evlist->nr_rings + 1, sizeof(*rings));
	if (!rings)
		return -ENOMEM;
	evlist->rings = rings;
	int err = add_ring(&m, cpu_idx, 0, xp_threads_nr(evlist->threads), false);
	if (err)
		drop_ring(evlist, cpu_idx);
	return err;
}

void xp_evlist_unmap_rings(struct xp_evlist *evlist)
{
	for (int i = 0; i < evlist->nr_rings; i++)
		xp_ring_unmap(evlist->rings[i].place.ring);
	free(evlist->rings);
	evlist->rings = NULL;
	evlist->nr_rings = 0;
	free(evlist->polled);
	evlist->polled = NULL;
	xp_event_ids_free(evlist->ids);
	evlist->ids = NULL;
}

bool xp_evlist_next_ring_fd(struct xp_evlist *evlist, int idx)
{
	const struct xp_sys *sys = evlist->ctx->sys;
	struct xp_list_ring *ring = &evlist->rings[idx];

	while (++ring->thread < ring->first_thread + ring->nr_threads) {
		const struct xp_evsel *owner =
			owner_at(evlist, ring->cpu_idx, ring->thread, ring->place.overwrite);

		if (!owner)
			continue;
		struct pollfd pollfd = { .fd = xp_evsel_fd(owner, ring->cpu_idx, ring->thread) };
		sys->poll(sys, &pollfd, 1, 0);
		if (pollfd.revents & (POLLHUP | POLLERR | POLLNVAL))
			continue;
		ring->place.fd = pollfd.fd;
		return true;
	}
	return false;
}

bool xp_evlist_ring_has_aux(const struct xp_evlist *evlist, int idx, bool snapshot)
{
	const struct xp_list_ring *ring = &evlist->rings[idx];

	return ring->place.aux && ring->aux_overwrite == snapshot;
}

int xp_evlist_nr_rings(const struct xp_evlist *evlist)
{
	return evlist->nr_rings;
}

const struct xp_ring_place *xp_evlist_ring(const struct xp_evlist *evlist, int idx)
{
	return idx >= 0 && idx < evlist->nr_rings ? &evlist->rings[idx].place : NULL;
}

size_t xp_evlist_ring_pages(const struct xp_evlist *evlist)
{
	if (!evlist->nr_rings)
		return 0;
	return xp_ring_bytes(evlist->rings[0].place.ring) / (size_t)sysconf(_SC_PAGESIZE);
}

int xp_evlist_pause_overwritten(struct xp_evlist *evlist, bool pause)
{
	const struct xp_sys *sys = evlist->ctx->sys;

	for (int i = 0; i < evlist->nr_rings; i++) {
		const struct xp_ring_place *place = &evlist->rings[i].place;
		int err = place->overwrite
				  ? sys->ioctl(sys, place->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause)
				  : 0;

		if (err < 0)
			return err;
	}
	return 0;
}
