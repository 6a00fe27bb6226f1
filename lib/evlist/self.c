/* SPDX-License-Identifier: MIT */
/*
 * Counting the calling thread: which events have a page that may answer, and reading group by
 * group, from the pages if they answer for the whole group, by read() otherwise. What a page says
 * is lib/mmap's.
 */
#include <xperf/self.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/arch.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/ring.h>
#include <xperf/sampling.h>

#include "fork-mark.h"
#include "host.h"
#include "list-impl.h"
#include "pmus.h"
#include "str.h"
#include "uapi.h"
#include "userpage.h"

/* What is kept per event of the list. */
struct slot {
	const volatile struct xp_userpage *page; /* NULL: read() only */
	const char *no_page;                     /* why */
	enum xp_self_path path;
	int page_err;     /* why the page did not answer the last time */
	int blamed;       /* the event whose page it was, of the group */
	uint64_t config1; /* of the attribute, before it was opened here */
};

struct xp_self {
	struct xp_evlist *evlist;
	uint64_t owner;
	const volatile uint32_t *here; /* 0 in a child by fork(), where no page is mapped */
	struct xp_counts *counts;      /* where a reading grows until it is complete */
	struct xp_str reason;          /* what xp_self_reason() said */
	struct xp_ctx *own_ctx;        /* made by xp_self_start(), as the list; else NULL */
	struct xp_count *begin;        /* of xp_self_start(), by event */
	struct slot slots[];
};

/*
 * Why no event is read from a page here; NULL: they may be. A counter of one kind of core may not
 * exist on the other, and the thread may be moved between looking at the page and reading the
 * counter: a fault.
 * Source: Intel SDM volume 2, RDPMC; the kernel's Documentation/arch/arm64/perf.rst, "Heterogeneous
 * PMUs".
 */
static const char *no_page_here(const struct xp_evlist *evlist)
{
	if (!evlist->ctx->arch->has_rdpmc)
		return "programs cannot read the counters of this kind of processor";
	if (xp_host_has_cpu_kinds(evlist->ctx))
		return "the machine has CPUs of two kinds, and not all of them have the counter";
	return NULL;
}

static bool is_on_processor(const struct xp_evsel *evsel)
{
	switch (evsel->attr.type) {
	case XP_TYPE_HARDWARE:
	case XP_TYPE_HW_CACHE:
	case XP_TYPE_RAW:
		return true;
	default:
		return evsel->pmu && xp_host_is_core_pmu(evsel->pmu->name);
	}
}

/* Some kernels let user space read a counter only if that was asked for. */
static void ask_for_user_reads(struct xp_evlist *evlist)
{
	if (no_page_here(evlist))
		return;
	for (int i = 0; i < evlist->nr; i++) {
		struct xp_attr *attr = &evlist->at[i]->attr;

		if (is_on_processor(evlist->at[i]))
			attr->config1 |= evlist->ctx->arch->user_read_config1;
	}
}

static void map_page(struct xp_self *self, const struct xp_evsel *evsel, const char *no_page)
{
	const struct xp_ctx *ctx = self->evlist->ctx;
	struct slot *slot = &self->slots[evsel->index];

	if (xp_evsel_is_software(evsel)) {
		slot->no_page = "the kernel counts it, not a counter of the processor";
		return;
	}
	slot->no_page = no_page;
	if (!no_page && xp_userpage_map(ctx->sys, xp_evsel_fd(evsel, 0, 0), &slot->page))
		slot->no_page = "its user page cannot be mapped";
	if (slot->no_page)
		xp_log(ctx, XP_LOG_INFO, "%s is read by system calls: %s", evsel->name,
		       slot->no_page);
}

static void map_pages(struct xp_self *self)
{
	struct xp_evlist *evlist = self->evlist;
	const char *no_page = no_page_here(evlist);

	for (int i = 0; i < evlist->nr; i++)
		if (xp_evsel_fd(evlist->at[i], 0, 0) >= 0)
			map_page(self, evlist->at[i], no_page);
}

static int open_on_self(struct xp_self *self, struct xp_diag *diag)
{
	struct xp_open_opts opts = { .size = sizeof(opts), .join_software = true };
	int err = xp_threads_one(self->evlist->ctx, 0, &opts.threads); /* 0: the caller */

	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	ask_for_user_reads(self->evlist);
	err = xp_evlist_open(self->evlist, &opts, diag);
	xp_threads_unref(opts.threads);
	if (err)
		return err;
	/* Mapped before it counts, so that the first time on a counter is published. */
	map_pages(self);
	err = xp_evlist_enable(self->evlist);
	return err ? xp_diag_set(diag, err, "Cannot start the events: %s", strerror(-err)) : 0;
}

/* A thread that was asked has a number that no other one gets, nor had: a pthread_t is given to the
 * next one. */
static _Atomic uint64_t nr_threads;
static _Thread_local uint64_t thread_nr;

static uint64_t this_thread(void)
{
	if (!thread_nr)
		thread_nr = ++nr_threads;
	return thread_nr;
}

int xp_self_open(struct xp_evlist *evlist, struct xp_self **ret_self, struct xp_diag *diag)
{
	struct xp_self *self;
	int err;

	if (!evlist->nr)
		return xp_diag_set(diag, -EINVAL, "The list has no events");
	if (evlist->is_open)
		return xp_diag_set(diag, -EALREADY, "The events are open");
	self = calloc(1, sizeof(*self) + (size_t)evlist->nr * sizeof(self->slots[0]));
	if (!self)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	self->evlist = evlist;
	self->owner = this_thread();
	for (int i = 0; i < evlist->nr; i++)
		self->slots[i].config1 = evlist->at[i]->attr.config1;
	err = xp_counts_new(evlist->nr, 1, 1, &self->counts) ?: xp_fork_mark_new(&self->here);
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

/* True if its page answered. */
static bool read_page(const struct xp_self *self, struct slot *slot, struct xp_count *ret_count)
{
	if (!slot->page)
		return false;
	slot->page_err = xp_userpage_read(slot->page, self->evlist->ctx->arch, ret_count);
	return !slot->page_err;
}

/* The event of the group whose page did not answer; -1: all did. */
static int read_pages(struct xp_self *self, const struct xp_read_group *group)
{
	for (int i = 0; i < group->nr; i++) {
		int idx = group->members[i]->index;

		if (!read_page(self, &self->slots[idx], xp_counts_at(self->counts, idx, 0, 0)))
			return idx;
	}
	return -1;
}

static int read_group(struct xp_self *self, const struct xp_read_group *group)
{
	enum xp_self_path path = XP_PATH_RDPMC;
	int blamed = read_pages(self, group);

	if (blamed >= 0) {
		int err = xp_group_read_counts(self->evlist, group, 0, 0, self->counts);

		if (err)
			return err;
		path = XP_PATH_READ;
	}
	for (int i = 0; i < group->nr; i++) {
		struct slot *slot = &self->slots[group->members[i]->index];

		slot->path = path;
		slot->blamed = blamed;
	}
	return 0;
}

/* Only the thread that opened it, and in the process that did. */
static int may_read(const struct xp_self *self)
{
	if (!*self->here || self->owner != this_thread())
		return -EPERM;
	return self->evlist->is_open ? 0 : -ENOTCONN;
}

int xp_self_read(struct xp_self *self, struct xp_count *ret_counts)
{
	const struct xp_evlist *evlist = self->evlist;
	int err = may_read(self);

	for (int g = 0; !err && g < evlist->nr_groups; g++)
		err = read_group(self, &evlist->groups[g]);
	if (err)
		return err;
	memcpy(ret_counts, xp_counts_at(self->counts, 0, 0, 0),
	       (size_t)evlist->nr * sizeof(*ret_counts));
	return 0;
}

static const struct xp_read_group *group_of(const struct xp_evlist *evlist, int idx)
{
	for (int g = 0; g < evlist->nr_groups; g++)
		for (int i = 0; i < evlist->groups[g].nr; i++)
			if (evlist->groups[g].members[i]->index == idx)
				return &evlist->groups[g];
	return NULL;
}

int xp_self_read_event(struct xp_self *self, int idx, struct xp_count *ret_count)
{
	const struct xp_read_group *group;
	struct slot *slot;
	int err = may_read(self);

	if (err)
		return err;
	if (idx < 0 || idx >= self->evlist->nr)
		return -EINVAL;
	slot = &self->slots[idx];
	if (read_page(self, slot, ret_count))
		return slot->path = XP_PATH_RDPMC;
	group = group_of(self->evlist, idx);
	if (group) {
		err = xp_group_read_counts(self->evlist, group, 0, 0, self->counts);
		if (err)
			return err;
		slot->path = XP_PATH_READ;
		slot->blamed = idx;
	}
	*ret_count = *xp_counts_at(self->counts, idx, 0, 0);
	return slot->path;
}

int xp_self_event_init(struct xp_self *self, int idx, struct xp_self_event *ret_event)
{
	if (idx < 0 || idx >= self->evlist->nr)
		return -EINVAL;
	*ret_event = (struct xp_self_event){ self, self->slots[idx].page, self->here, idx };
	return 0;
}

enum xp_self_path xp_self_path_at(const struct xp_self *self, int idx)
{
	return idx >= 0 && idx < self->evlist->nr ? self->slots[idx].path : XP_PATH_NONE;
}

/* What the page of an event that was read by read() says of it. */
static void add_page_reason(struct xp_self *self, const struct slot *slot)
{
	struct xp_ctx *ctx = self->evlist->ctx;
	const char *gate = ctx->arch->user_read_gate;
	int64_t is_open = 1;

	if (slot->no_page)
		xp_str_addf(&self->reason, "%s", slot->no_page);
	else if (gate && !xp_file_read_int(ctx, &is_open, "%s", gate) && !is_open)
		xp_str_addf(&self->reason, "%s is 0: programs may not read counters", gate);
	else if (slot->page_err == -EAGAIN)
		xp_str_addf(&self->reason, "it was not on a counter");
	else
		xp_str_addf(&self->reason, "its user page does not allow programs to read the "
					   "counter");
}

const char *xp_self_reason(struct xp_self *self, int idx)
{
	const struct xp_evlist *evlist = self->evlist;
	const struct slot *slot;

	if (idx < 0 || idx >= evlist->nr)
		return "";
	slot = &self->slots[idx];
	if (slot->path != XP_PATH_READ)
		return slot->path == XP_PATH_NONE ? xp_evsel_reason(evlist->at[idx]) : "";
	xp_str_fini(&self->reason);
	self->reason = (struct xp_str){ 0 };
	if (slot->blamed != idx)
		xp_str_addf(&self->reason, "%s of its group: ", evlist->at[slot->blamed]->name);
	add_page_reason(self, &self->slots[slot->blamed]);
	return xp_str_text(&self->reason);
}

void xp_self_close(struct xp_self *self)
{
	struct xp_evlist *own_list;
	struct xp_ctx *own_ctx;

	if (!self)
		return;
	own_ctx = self->own_ctx;
	own_list = own_ctx ? self->evlist : NULL;
	for (int i = 0; i < self->evlist->nr; i++) {
		/* In a child by fork() something else may lie where the page was. */
		if (self->here && *self->here)
			xp_userpage_unmap(self->evlist->ctx->sys, self->slots[i].page);
		self->evlist->at[i]->attr.config1 = self->slots[i].config1;
	}
	xp_evlist_close(self->evlist);
	xp_fork_mark_free(self->here);
	xp_counts_free(self->counts);
	xp_str_fini(&self->reason);
	free(self->begin);
	free(self);
	xp_evlist_free(own_list);
	xp_ctx_free(own_ctx);
}

/* Where one number is asked for, a 0 that was never counted would be believed. */
static int check_all_count(const struct xp_evlist *evlist, struct xp_diag *diag)
{
	for (int i = 0; i < evlist->nr; i++) {
		const struct xp_evsel *evsel = evlist->at[i];

		if (evsel->tool != XP_TOOL_NONE)
			return xp_diag_set(diag, -EOPNOTSUPP, "A thread cannot count %s",
					   evsel->name);
		if (evsel->support != XP_SUPPORTED)
			return xp_diag_set(diag, -EOPNOTSUPP, "%s cannot be counted: %s",
					   evsel->name, xp_evsel_reason(evsel));
	}
	return 0;
}

int xp_self_start_in(struct xp_ctx *ctx, const char *events, struct xp_self **ret_self,
		     struct xp_diag *diag)
{
	struct xp_evlist *evlist = NULL;
	struct xp_self *self = NULL;
	int err = xp_evlist_new(ctx, &evlist);

	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	err = xp_evlist_parse(evlist, events, diag) ?: xp_self_open(evlist, &self, diag);
	if (err)
		goto fail;
	err = check_all_count(evlist, diag);
	if (err)
		goto fail;
	self->begin = calloc((size_t)evlist->nr, sizeof(*self->begin));
	err = self->begin ? xp_self_read(self, self->begin) : -ENOMEM;
	if (err) {
		xp_diag_set(diag, err, "Cannot read the events: %s", strerror(-err));
		goto fail;
	}
	self->own_ctx = ctx;
	*ret_self = self;
	return 0;
fail:
	xp_self_close(self);
	xp_evlist_free(evlist);
	return err;
}

int xp_self_start(const char *events, struct xp_self **ret_self, struct xp_diag *diag)
{
	struct xp_ctx *ctx = NULL;
	int err = xp_ctx_new(NULL, &ctx);

	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	err = xp_self_start_in(ctx, events, ret_self, diag);
	if (err)
		xp_ctx_free(ctx);
	return err;
}

int xp_self_stop(struct xp_self *self, struct xp_count *ret_counts)
{
	int err;

	if (!self->begin)
		return -EINVAL;
	err = xp_self_read(self, ret_counts);
	if (err)
		return err;
	for (int i = 0; i < self->evlist->nr; i++) {
		ret_counts[i].value -= self->begin[i].value;
		ret_counts[i].enabled_ns -= self->begin[i].enabled_ns;
		ret_counts[i].running_ns -= self->begin[i].running_ns;
	}
	return xp_evlist_disable(self->evlist);
}

int xp_self_nr(const struct xp_self *self)
{
	return self->evlist->nr;
}

struct xp_evlist *xp_self_evlist(const struct xp_self *self)
{
	return self->evlist;
}
