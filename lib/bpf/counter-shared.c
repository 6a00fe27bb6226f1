/* SPDX-License-Identifier: MIT */
/* The events that BPF reads: each different event of a list once on each CPU, in a list of its own;
 * other processes' where they count the same. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "counter-impl.h"
#include "shared-events.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool count_the_same(const struct xp_evsel *a, const struct xp_evsel *b)
{
	return !strcmp(a->name, b->name) && !memcmp(&a->attr, &b->attr, sizeof(a->attr)) &&
	       a->own_cpus == b->own_cpus && a->precise_max == b->precise_max &&
	       same_text(a->filter, b->filter) && a->exclude_self == b->exclude_self;
}

/* In groups, the leaders count the same, too, and the places are the same. */
static bool stand_for_each_other(const struct xp_evsel *a, const struct xp_evsel *b)
{
	return count_the_same(a, b) && count_the_same(a->leader, b->leader) &&
	       a->leader->group_size == b->leader->group_size &&
	       a->index - a->leader->index == b->index - b->leader->index;
}

/* The first event that is shared with that at @event; itself: there is none before it. */
static int find_same(const struct xp_bpf_counter *counter, int event)
{
	const struct xp_evsel *evsel = counter->events[event].evsel;
	int i = 0;

	while (i < event && (counter->events[i].evsel->cgroup == evsel->cgroup ||
			     !stand_for_each_other(counter->events[i].evsel, evsel)))
		i++;
	return i;
}

/* Members of a group of the list's that were copied one after the other become one. */
static int group_copies(struct xp_bpf_counter *counter)
{
	int err = 0;

	for (int i = 0; i < counter->nr_events && !err;) {
		const struct xp_bpf_counted *first = &counter->events[i];
		int nr = 1;

		while (i + nr < counter->nr_events &&
		       first[nr].evsel->leader == first->evsel->leader &&
		       first[nr].shared == first->shared + nr)
			nr++;
		if (nr > 1 && xp_evlist_at(counter->shared, first->shared)->group_size == 1 &&
		    xp_evlist_at(counter->shared, first->shared)->leader ==
			    xp_evlist_at(counter->shared, first->shared))
			err = xp_evlist_group(counter->shared, first->shared, nr);
		i += nr;
	}
	return err;
}

static int copy_events(struct xp_bpf_counter *counter, struct xp_ctx *ctx)
{
	int err = xp_evlist_new(ctx, &counter->shared);

	for (int i = 0; i < counter->nr_events && !err; i++) {
		struct xp_bpf_counted *event = &counter->events[i];
		int same = find_same(counter, i);
		struct xp_evsel *copy = NULL;

		event->shared =
			same < i ? counter->events[same].shared : xp_evlist_nr(counter->shared);
		if (same == i)
			err = xp_evsel_copy(event->evsel, &copy)
				      ?: xp_evlist_add(counter->shared, copy);
	}
	return err ?: group_copies(counter);
}

/*
 * One that happens at each switch. The kernel goes through events of a kind from the newest to the
 * oldest, so that being the first to be opened, it is the last to happen.
 */
static int add_switches(struct xp_bpf_counter *counter, const struct xp_evlist *evlist)
{
	struct xp_attr attr = {
		.type = XP_TYPE_SOFTWARE,
		.config = XP_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
	};
	struct xp_evsel *evsel = NULL;

	if (!counts_cgroups(counter) && !follows_tasks(evlist))
		return 0;
	return xp_evlist_new(counter->events[0].evsel->ctx, &counter->switches)
		       ?: xp_evsel_new(counter->events[0].evsel->ctx, &attr, "switches", &evsel)
				  ?: xp_evlist_add(counter->switches, evsel);
}

int xp_bpf_open_shared(struct xp_bpf_counter *counter, struct xp_evlist *evlist,
		       struct xp_diag *diag)
{
	struct xp_open_opts opts = {
		.size = sizeof(opts),
		.cpus = counts_cpus(evlist) ? xp_evlist_cpus(evlist) : NULL,
	};
	int err = add_switches(counter, evlist)
			  ?: copy_events(counter, counter->events[0].evsel->ctx);

	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	err = counter->switches ? xp_evlist_open(counter->switches, &opts, diag) : 0;
	if (err)
		return err;
	xp_shared_events_reuse(counter->shared);
	/* The kernel's events run all the time: what is counted when is decided by the programs. */
	return xp_evlist_open(counter->shared, &opts, diag) ?: xp_evlist_enable(counter->shared);
}

void xp_bpf_offer_shared(struct xp_bpf_counter *counter)
{
	struct xp_ctx *ctx = counter->events[0].evsel->ctx;

	if (counter->offer != NONE)
		ctx->sys->close(ctx->sys, counter->offer);
	counter->offer = xp_shared_events_offer(counter->shared, getpid());
	if (counter->offer >= 0)
		return;
	if (counter->offer != -ENOENT)
		xp_log(ctx, XP_LOG_INFO, "Events are not offered to other processes: %s",
		       strerror(-counter->offer));
	counter->offer = NONE;
}

void xp_bpf_copy_back(struct xp_bpf_counter *counter)
{
	for (int i = 0; i < counter->nr_events; i++) {
		struct xp_evsel *evsel = counter->events[i].evsel;
		const struct xp_evsel *shared =
			xp_evlist_at(counter->shared, counter->events[i].shared);

		evsel->support = shared->support;
		if (strcmp(evsel->name, shared->name) != 0)
			xp_evsel_rename(evsel, shared->name);
		if (shared->reason)
			xp_evsel_set_reason(evsel, "%s", shared->reason);
		else
			xp_evsel_forget_reason(evsel);
	}
}
