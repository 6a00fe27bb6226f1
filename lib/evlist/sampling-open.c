/* SPDX-License-Identifier: MIT */
/*
 * Opening a list for recording, and what its descriptors give: ids, and samples that were lost.
 * Source: perf_event_open(2), PERF_EVENT_IOC_ID, "read_format".
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "filter.h"
#include "open.h"
#include "opts.h"
#include "sampling-impl.h"
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

	bool opens = !evsel->foreign && opens_bare(evsel, opts, SOME_PERIOD);

	if (opens && evsel->attr.sample_type & XP_SAMPLE_BRANCH_STACK) {
		xp_diag_set(diag, -EOPNOTSUPP, "%s cannot record branches: %s", name, reason);
		xp_diag_hint(diag, "Record call chains by frame pointers instead");
		return -EOPNOTSUPP;
	}
	if (opens) {
		xp_diag_set(diag, -EOPNOTSUPP, "%s cannot be recorded with these options: %s", name,
			    reason);
		xp_diag_hint(diag, "It can be recorded without the options that add to samples");
		return -EOPNOTSUPP;
	}
	if (!evsel->foreign && opens_bare(evsel, opts, 0)) {
		xp_diag_set(diag, -EOPNOTSUPP, "%s can be counted here, but not sampled: %s", name,
			    reason);
		xp_diag_hint(diag, "Count %s instead of sampling it", name);
		return -EOPNOTSUPP;
	}
	xp_diag_set(diag, -ENOENT, "%s cannot be recorded: %s", name, reason);
	if (evsel->attr.sample_type & XP_SAMPLE_BRANCH_STACK)
		xp_diag_hint(diag, "Branches need a PMU; call chains by frame pointers do not");
	else
		xp_diag_hint(diag, "cpu-clock can be sampled everywhere");
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
		has_dummy |= evlist->at[i]->tracks && evlist->at[i]->attr.config == XP_SW_DUMMY &&
			     evlist->at[i]->attr.type == XP_TYPE_SOFTWARE;
	if (!has_dummy || !opts->cpus || xp_cpus_at(opts->cpus, 0).nr < 0 || opts->threads)
		return 0;
	int err = xp_cpus_online(evlist->ctx, ret_all, NULL);
	if (err)
		return err == -ENOMEM ? err : 0;
	bool is_part = xp_cpus_nr(opts->cpus) < xp_cpus_nr(*ret_all);
	/* Opening says what is wrong with one that is not online. */
	for (int i = 0; is_part && i < xp_cpus_nr(opts->cpus); i++)
		is_part = xp_cpus_find(*ret_all, xp_cpus_at(opts->cpus, i)) >= 0;
	if (!is_part) {
		xp_cpus_unref(*ret_all);
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
	struct xp_cpus *online = NULL, *all = NULL;
	struct xp_open_opts o;
	int err = XP_OPTS_COPY(&o, opts, struct xp_open_opts, join_software, diag);

	if (err)
		return err;
	if (evlist->nr_configured != evlist->nr) {
		xp_diag_set(diag, -EINVAL, "The events are not configured for sampling");
		xp_diag_hint(diag, "Call xp_evlist_config_sampling() before they are opened");
		return -EINVAL;
	}
	o.join_software = false;
	if (!o.cpus && !o.threads) {
		err = xp_cpus_online(evlist->ctx, &online, diag);
		if (err)
			return err;
		o.cpus = online;
	}
	err = spread_side_band(evlist, &o, &all);
	if (all)
		o.cpus = all;
	if (err)
		xp_diag_set(diag, err, "Out of memory");
	else
		err = xp_evlist_open_as(evlist, &o, true, diag);
	if (!err) {
		err = check_support(evlist, &o, diag);
		if (err)
			xp_evlist_close(evlist);
	}
	xp_cpus_unref(online);
	xp_cpus_unref(all);
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

/*
 * What one descriptor says of its event. Alone: value, times, id, lost. In a group that is read
 * together: how many, times, and value, id, lost of each in its order; all but the values only if
 * the attribute asks for them. Returns false if it cannot be read.
 */
static bool read_cell(const struct xp_evsel *evsel, int cell, uint64_t *ret_value,
		      uint64_t *ret_lost)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	uint64_t format = evsel->attr.read_format;
	bool group = format & XP_FORMAT_GROUP;
	size_t nr_members = group ? (size_t)xp_evsel_group_size(evsel) : 1;
	size_t times = (size_t) !!(format & XP_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & XP_FORMAT_TOTAL_TIME_RUNNING);
	size_t others = (size_t) !!(format & XP_FORMAT_ID) + !!(format & XP_FORMAT_LOST);
	size_t member = group ? (size_t)(evsel->index - evsel->leader->index) : 0;
	size_t nr = 1 + times + (group ? 1 + others : others) * nr_members;
	size_t value_at = group ? 1 + times + member * (1 + others) : 0;
	size_t last_at = group ? value_at + others : times + others;
	bool good = false;

	if (!evsel->fds || evsel->fds[cell] < 0)
		return false;
	uint64_t *words = calloc(nr, sizeof(*words));
	ssize_t n = words ? sys->read(sys, evsel->fds[cell], words, nr * sizeof(*words)) : -1;
	if (n > 0 && (last_at + 1) * sizeof(*words) <= (size_t)n) {
		*ret_value = words[value_at];
		*ret_lost = format & XP_FORMAT_LOST ? words[last_at] : 0;
		good = true;
	}
	free(words);
	return good;
}

uint64_t xp_evsel_lost_at(const struct xp_evsel *evsel, int cell)
{
	uint64_t value, lost;

	return read_cell(evsel, cell, &value, &lost) ? lost : 0;
}

uint64_t xp_evsel_lost(struct xp_evsel *evsel)
{
	uint64_t lost = 0;

	for (int cell = 0; evsel->fds && cell < nr_cells(evsel); cell++)
		lost += xp_evsel_lost_at(evsel, cell);
	return lost;
}

uint64_t xp_evsel_counted(struct xp_evsel *evsel)
{
	uint64_t sum = 0, value, lost;

	for (int cell = 0; evsel->fds && cell < nr_cells(evsel); cell++)
		sum += read_cell(evsel, cell, &value, &lost) ? value : 0;
	return sum;
}

int xp_evlist_exclude_self(struct xp_evlist *evlist, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < evlist->nr && !err; i++)
		err = xp_filter_exclude_self(evlist->at[i], diag);
	return err;
}
