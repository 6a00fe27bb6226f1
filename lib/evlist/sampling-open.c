/* SPDX-License-Identifier: MIT */
/*
 * Opening a list for recording, and what its descriptors tell: ids, and samples that were lost.
 * Source: perf_event_open(2), PERF_EVENT_IOC_ID, "read_format".
 */
#include <errno.h>
#include <stdlib.h>

#include "filter.h"
#include "open.h"
#include "opts.h"
#include "sampling.h"
#include "uapi.h"

static int nr_cells(const struct xp_evsel *evsel)
{
	return xp_cpus_nr(evsel->cpus) * xp_threads_nr(evsel->threads);
}

/* Would the bare event open, with a period of @period? */
static bool opens_bare(struct xp_evsel *evsel, const struct xp_open_opts *opts, uint64_t period)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	struct xp_attr attr = evsel->attr;

	attr.freq = 0;
	attr.precise_ip = 0;
	attr.sample_period = period;
	attr.sample_type = 0;
	attr.read_format = 0;
	attr.branch_sample_type = 0;
	int fd = sys->perf_event_open(sys, &attr,
				      opts->threads ? xp_threads_tid(opts->threads, 0) : -1,
				      opts->cpus ? xp_cpus_at(opts->cpus, 0).nr : -1, -1, 0);
	if (fd >= 0)
		sys->close(sys, fd);
	return fd >= 0;
}

/* Is it the event, that it is sampled, or what else was asked for? */
static int fail_support(struct xp_evsel *evsel, const struct xp_open_opts *opts,
			struct xp_diag *diag)
{
	enum { SOME_PERIOD = 1 << 20 };
	const char *name = evsel->name, *reason = xp_evsel_reason(evsel);

	if (!evsel->foreign && opens_bare(evsel, opts, SOME_PERIOD)) {
		xp_diag_set(diag, -EOPNOTSUPP,
			    "%s cannot be recorded with all that is asked of it: %s", name, reason);
		xp_diag_hint(diag, "It can be without options that ask for more in samples");
		return -EOPNOTSUPP;
	}
	if (!evsel->foreign && opens_bare(evsel, opts, 0)) {
		xp_diag_set(diag, -EOPNOTSUPP, "%s can be counted here, but not sampled: %s", name,
			    reason);
		xp_diag_hint(diag, "Try `xperf stat -e %s`", name);
		return -EOPNOTSUPP;
	}
	xp_diag_set(diag, -ENOENT, "%s cannot be recorded: %s", name, reason);
	if (evsel->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		xp_diag_hint(diag, "Branches need a PMU; call chains do not: --call-graph fp");
	else
		xp_diag_hint(diag, "Events that can be: `xperf list`; cpu-clock is everywhere");
	return -ENOENT;
}

static int check_support(struct xp_evlist *evlist, const struct xp_open_opts *opts,
			 struct xp_diag *diag)
{
	for (int i = 0; i < evlist->nr; i++)
		if (evlist->at[i]->support == XP_NOT_SUPPORTED)
			return fail_support(evlist->at[i], opts, diag);
	return 0;
}

/*
 * Where only some CPUs are recorded, tasks that were started on others come there, too: the side
 * band is taken from all CPUs, samples from those that were asked for.
 */
static int spread_side_band(struct xp_evlist *evlist, const struct xp_open_opts *opts,
			    struct xp_cpus **ret_all)
{
	bool has_dummy = false;

	*ret_all = NULL;
	for (int i = 0; i < evlist->nr; i++)
		has_dummy |= evlist->at[i]->tracks &&
			     evlist->at[i]->attr.config == PERF_COUNT_SW_DUMMY &&
			     evlist->at[i]->attr.type == PERF_TYPE_SOFTWARE;
	if (!has_dummy || !opts->cpus || xp_cpus_at(opts->cpus, 0).nr < 0 || opts->threads)
		return 0;
	int err = xp_cpus_online(evlist->ctx, ret_all, NULL);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (int i = 0; i < xp_cpus_nr(opts->cpus); i++)
		if (xp_cpus_find(*ret_all, xp_cpus_at(opts->cpus, i)) < 0) {
			xp_cpus_unref(*ret_all); /* opening says what is wrong with it */
			*ret_all = NULL;
			return 0;
		}
	for (int i = 0; i < evlist->nr; i++) {
		struct xp_evsel *evsel = evlist->at[i];

		xp_cpus_unref(evsel->recorded_on);
		evsel->recorded_on = evsel->tracks ? NULL : xp_cpus_ref(opts->cpus);
	}
	return 0;
}

int xp_evlist_open_sampling(struct xp_evlist *evlist, const struct xp_open_opts *opts,
			    struct xp_diag *diag)
{
	struct xp_open_opts o;
	struct xp_cpus *all;
	int err = XP_OPTS_COPY(&o, opts, struct xp_open_opts, join_software, diag);

	if (err)
		return err;
	o.join_software = false;
	err = spread_side_band(evlist, &o, &all);
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	if (all)
		o.cpus = all;
	err = xp_evlist_open_as(evlist, &o, true, diag);
	xp_cpus_unref(all);
	if (err)
		return err;
	err = check_support(evlist, &o, diag);
	if (err)
		xp_evlist_close(evlist);
	return err;
}

int xp_evsel_ids(struct xp_evsel *evsel, struct xp_event_id **ret_ids)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	int nr = 0, nr_threads;

	if (!evsel->fds)
		return -ENOTCONN;
	nr_threads = xp_threads_nr(evsel->threads);
	struct xp_event_id *ids = calloc((size_t)nr_cells(evsel), sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (int cell = 0; cell < nr_cells(evsel); cell++) {
		if (evsel->fds[cell] < 0)
			continue;
		int err = sys->ioctl(sys, evsel->fds[cell], PERF_EVENT_IOC_ID,
				     (unsigned long)&ids[nr].id);
		if (err < 0) {
			free(ids);
			return err;
		}
		ids[nr].cpu = xp_cpus_at(evsel->cpus, cell / nr_threads).nr;
		ids[nr++].tid = xp_threads_tid(evsel->threads, cell % nr_threads);
	}
	*ret_ids = ids;
	return nr;
}

/* Words before the last in a reading of an event that leads no group, or is not read as one. */
static size_t words_of(const struct xp_attr *attr)
{
	return 2 + !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING) +
	       !!(attr->read_format & PERF_FORMAT_ID);
}

uint64_t xp_evsel_lost_at(const struct xp_evsel *evsel, int cell)
{
	enum { TIMES = 2, PER_MEMBER = 3 };
	const struct xp_sys *sys = evsel->ctx->sys;
	const struct xp_attr *attr = &evsel->attr;
	bool group = attr->read_format & PERF_FORMAT_GROUP;
	size_t nr_members = group ? (size_t)xp_evsel_group_size(evsel) : 1;
	size_t bytes = (1 + TIMES + PER_MEMBER * nr_members) * sizeof(uint64_t);
	uint64_t lost = 0, *words;

	if (!evsel->fds || evsel->fds[cell] < 0 || !(attr->read_format & XP_FORMAT_LOST))
		return 0;
	words = calloc(1, bytes);
	ssize_t n = words ? sys->read(sys, evsel->fds[cell], words, bytes) : -1;
	/* In a group: nr, times, and value, id, lost of each, in its order. */
	size_t at = words_of(attr) - 1;
	if (group)
		at += PER_MEMBER * (size_t)(evsel->index - evsel->leader->index) + 1;
	if (n > 0 && (at + 1) * sizeof(*words) <= (size_t)n)
		lost = words[at];
	free(words);
	return lost;
}

uint64_t xp_evsel_lost(struct xp_evsel *evsel)
{
	uint64_t lost = 0;

	for (int cell = 0; evsel->fds && cell < nr_cells(evsel); cell++)
		lost += xp_evsel_lost_at(evsel, cell);
	return lost;
}
