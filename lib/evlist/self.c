/* SPDX-License-Identifier: MIT */
/*
 * Counting the calling thread: which events have a page that may answer, and reading group by
 * group, from the pages if they answer for the whole group, by read() otherwise. What a page says
 * is lib/mmap's.
 */
#include <xperf/self.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "userpage.h"

/* What is kept per event of the list. */
struct slot {
	const volatile struct xp_userpage *page; /* NULL: read() only */
	enum xp_self_path path;
};

struct xp_self {
	struct xp_evlist *evlist;
	pthread_t owner;
	struct xp_counts *counts; /* where a reading grows until it is complete */
	struct slot slots[];
};

/*
 * A counter of one kind of core may not exist on the other, and the thread may be moved between
 * looking at the page and reading the counter: a general protection fault.
 * Source: Intel SDM volume 2, RDPMC; the folder is there on hybrid processors only.
 */
static bool counters_differ_by_core(struct xp_ctx *ctx)
{
	return xp_file_exists(ctx, "/sys/bus/event_source/devices/cpu_atom");
}

/* Software events are never on a counter. An event whose page cannot be had is read by read(). */
static void map_pages(struct xp_self *self)
{
	struct xp_evlist *evlist = self->evlist;
	const struct xp_ctx *ctx = evlist->ctx;

	if (!ctx->arch->has_rdpmc || counters_differ_by_core(evlist->ctx))
		return;
	for (int i = 0; i < evlist->nr; i++) {
		int fd = xp_evsel_fd(evlist->at[i], 0, 0);

		if (fd >= 0 && !xp_evsel_is_software(evlist->at[i]))
			xp_userpage_map(ctx->sys, fd, &self->slots[i].page);
	}
}

static int open_on_self(struct xp_self *self, struct xp_diag *diag)
{
	struct xp_open_opts opts = { .size = sizeof(opts), .join_software = true };
	int err = xp_threads_one(self->evlist->ctx, 0, &opts.threads); /* 0: the caller */

	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	err = xp_evlist_open(self->evlist, &opts, diag);
	xp_threads_unref(opts.threads);
	if (err)
		return err;
	/* Mapped before it counts, so that the first time on a counter is published. */
	map_pages(self);
	err = xp_evlist_enable(self->evlist);
	return err ? xp_diag_set(diag, err, "Cannot start the events: %s", strerror(-err)) : 0;
}

int xp_self_open(struct xp_evlist *evlist, struct xp_self **ret_self, struct xp_diag *diag)
{
	struct xp_self *self;
	int err;

	if (!evlist->nr)
		return xp_diag_set(diag, -EINVAL, "There is no event in the list");
	if (evlist->is_open)
		return xp_diag_set(diag, -EALREADY, "The events are open");
	self = calloc(1, sizeof(*self) + (size_t)evlist->nr * sizeof(self->slots[0]));
	if (!self)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	self->evlist = evlist;
	self->owner = pthread_self();
	err = xp_counts_new(evlist->nr, 1, 1, &self->counts);
	if (err)
		xp_diag_set(diag, err, "Out of memory");
	else
		err = open_on_self(self, diag);
	if (err) {
		xp_self_close(self);
		return err;
	}
	*ret_self = self;
	return 0;
}

/* True if the pages answered for the whole group. */
static bool read_pages(struct xp_self *self, const struct xp_read_group *group)
{
	const struct xp_arch *arch = self->evlist->ctx->arch;

	for (int i = 0; i < group->nr; i++) {
		int idx = group->members[i]->index;
		const volatile struct xp_userpage *page = self->slots[idx].page;

		if (!page || xp_userpage_read(page, arch, xp_counts_at(self->counts, idx, 0, 0)))
			return false;
	}
	return true;
}

static int read_group(struct xp_self *self, const struct xp_read_group *group)
{
	enum xp_self_path path = XP_PATH_RDPMC;

	if (!read_pages(self, group)) {
		int err = xp_group_read_counts(self->evlist, group, 0, 0, self->counts);

		if (err)
			return err;
		path = XP_PATH_READ;
	}
	for (int i = 0; i < group->nr; i++)
		self->slots[group->members[i]->index].path = path;
	return 0;
}

int xp_self_read(struct xp_self *self, struct xp_count *ret_counts)
{
	const struct xp_evlist *evlist = self->evlist;

	if (!pthread_equal(self->owner, pthread_self()))
		return -EPERM;
	if (!evlist->is_open)
		return -ENOTCONN;
	for (int g = 0; g < evlist->nr_groups; g++) {
		int err = read_group(self, &evlist->groups[g]);

		if (err)
			return err;
	}
	memcpy(ret_counts, xp_counts_at(self->counts, 0, 0, 0),
	       (size_t)evlist->nr * sizeof(*ret_counts));
	return 0;
}

enum xp_self_path xp_self_path(const struct xp_self *self, int idx)
{
	return idx >= 0 && idx < self->evlist->nr ? self->slots[idx].path : XP_PATH_NONE;
}

void xp_self_close(struct xp_self *self)
{
	if (!self)
		return;
	for (int i = 0; i < self->evlist->nr; i++)
		xp_userpage_unmap(self->evlist->ctx->sys, self->slots[i].page);
	xp_evlist_close(self->evlist);
	xp_counts_free(self->counts);
	free(self);
}
