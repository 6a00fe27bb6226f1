/* SPDX-License-Identifier: MIT */
/* Counting regions: a thread's events, what was when a region began, what is added when it ends. */
#include "regions-impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/regions.h>
#include <xperf/self.h>

#include "fork-mark.h"
#include "opts.h"

#define DEFAULT_EVENTS "cycles:u,instructions:u,branches:u,branch-misses:u,task-clock"

/* What it counts with; its regions stay for the summary. */
static void stop_counting(struct xp_region_thread *thread)
{
	xp_self_close(thread->self);
	xp_evlist_free(thread->evlist);
	xp_ctx_free(thread->ctx);
	for (int i = 0; i < thread->cap_frames; i++)
		free(thread->frames[i].counts);
	free(thread->frames);
	free(thread->now);
	thread->self = NULL;
	thread->evlist = NULL;
	thread->ctx = NULL;
	thread->frames = NULL;
	thread->now = NULL;
	thread->nr_frames = thread->cap_frames = 0;
}

static void thread_ends(void *data)
{
	struct xp_region_thread *thread = data;

	xp_region_add(&thread->misused, (uint64_t)thread->nr_frames);
	stop_counting(thread);
}

static void free_names(struct xp_regions *regions)
{
	for (int i = 0; i < regions->nr_events; i++) {
		if (regions->names)
			free(regions->names[i]);
		if (regions->reasons)
			free(regions->reasons[i]);
	}
	free(regions->names);
	free(regions->reasons);
	regions->names = regions->reasons = NULL;
	regions->nr_events = 0;
}

/* What the first thread finds holds for all: they run on the same machine. */
static int keep_names(struct xp_regions *regions, const struct xp_evlist *evlist)
{
	size_t nr = (size_t)xp_evlist_nr(evlist);

	regions->nr_events = (int)nr;
	regions->names = calloc(nr, sizeof(*regions->names));
	regions->reasons = calloc(nr, sizeof(*regions->reasons));
	for (size_t i = 0; regions->names && regions->reasons && i < nr; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, (int)i);

		regions->names[i] = strdup(xp_evsel_name(evsel));
		if (xp_evsel_support(evsel) == XP_NOT_SUPPORTED)
			regions->reasons[i] = strdup(xp_evsel_reason(evsel));
		if (!regions->names[i])
			break;
		if (i + 1 == nr)
			return 0;
	}
	free_names(regions);
	return -ENOMEM;
}

static int start_counting(struct xp_region_thread *thread, struct xp_diag *diag)
{
	struct xp_regions *regions = thread->regions;
	int err = xp_ctx_new(&regions->ctx_opts, &thread->ctx)
			  ?: xp_evlist_new(thread->ctx, &thread->evlist)
			  ?: xp_evlist_parse(thread->evlist, regions->events, diag)
			  ?: xp_self_open(thread->evlist, &thread->self, diag);

	if (err)
		return err;
	thread->now = calloc((size_t)xp_evlist_nr(thread->evlist), sizeof(*thread->now));
	thread->root = xp_region_root(xp_evlist_nr(thread->evlist));
	return thread->now && thread->root ? 0 : -ENOMEM;
}

static void free_thread(struct xp_region_thread *thread)
{
	stop_counting(thread);
	xp_region_free(thread->root);
	free(thread);
}

/* The thread is asked once, not at each region; the summary reports it. */
static int give_up(struct xp_region_thread *thread, int err, const struct xp_diag *diag)
{
	struct xp_regions *regions = thread->regions;

	stop_counting(thread);
	thread->err = err;
	pthread_mutex_lock(&regions->lock);
	if (!regions->nr_failed++)
		regions->failed = *diag;
	pthread_setspecific(regions->key, thread);
	thread->next = regions->threads;
	regions->threads = thread;
	pthread_mutex_unlock(&regions->lock);
	return err;
}

/* Makes the thread known; events that another thread opened differently are none of ours. */
static int join(struct xp_regions *regions, struct xp_region_thread *thread)
{
	int err = 0;

	pthread_mutex_lock(&regions->lock);
	if (!regions->names)
		err = keep_names(regions, thread->evlist);
	if (!err && regions->nr_events != xp_evlist_nr(thread->evlist))
		err = -EBUSY; /* the machine changed meanwhile */
	if (!err)
		err = -pthread_setspecific(regions->key, thread);
	if (!err) {
		thread->next = regions->threads;
		regions->threads = thread;
	}
	pthread_mutex_unlock(&regions->lock);
	return err;
}

/* The calling thread, which counts from its first region on. */
static int this_thread(struct xp_regions *regions, struct xp_region_thread **ret_thread)
{
	struct xp_region_thread *thread;
	struct xp_diag diag = { 0 };
	int err;

	if (!*regions->here || __atomic_load_n(&regions->is_over, __ATOMIC_RELAXED))
		return -EPERM;
	*ret_thread = pthread_getspecific(regions->key);
	if (*ret_thread)
		return (*ret_thread)->err;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return -ENOMEM;
	thread->regions = regions;
	thread->tid = (pid_t)syscall(SYS_gettid);
	err = start_counting(thread, &diag) ?: join(regions, thread);
	if (err) {
		if (!diag.err)
			xp_diag_set(&diag, err, "%s", strerror(-err));
		return give_up(thread, err, &diag);
	}
	*ret_thread = thread;
	return 0;
}

static int grow(struct xp_region_thread *thread)
{
	enum { STEP = 8 };
	struct xp_region_frame *more =
		realloc(thread->frames, ((size_t)thread->cap_frames + STEP) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	thread->frames = more;
	for (int i = 0; i < STEP; i++) {
		more[thread->cap_frames].counts =
			calloc((size_t)xp_evlist_nr(thread->evlist), sizeof(struct xp_count));
		if (!more[thread->cap_frames].counts)
			return -ENOMEM;
		thread->cap_frames++;
	}
	return 0;
}

int xp_region_begin(struct xp_regions *regions, const char *name)
{
	struct xp_region_thread *thread;
	struct xp_region_frame *frame;
	struct xp_region *within;
	int err = this_thread(regions, &thread);

	if (!err && thread->nr_frames == thread->cap_frames)
		err = grow(thread);
	if (err)
		return err;
	within = thread->nr_frames ? thread->frames[thread->nr_frames - 1].region : thread->root;
	frame = &thread->frames[thread->nr_frames];
	frame->region = xp_region_within(within, name, xp_evlist_nr(thread->evlist));
	if (!frame->region)
		return -ENOMEM;
	frame->began_ns = xp_ctx_now(thread->ctx);
	/* Last of all, so that the region counts itself and little else. */
	err = xp_self_read(thread->self, frame->counts);
	if (!err)
		thread->nr_frames++;
	return err;
}

static void add_up(const struct xp_region_thread *thread, const struct xp_region_frame *frame)
{
	struct xp_region *region = frame->region;

	for (int i = 0; i < xp_evlist_nr(thread->evlist); i++) {
		struct xp_region_sum *sum = &region->sums[i];
		const struct xp_count *now = &thread->now[i], *then = &frame->counts[i];

		xp_region_add(&sum->value, now->value - then->value);
		xp_region_add(&sum->enabled_ns, now->enabled_ns - then->enabled_ns);
		xp_region_add(&sum->running_ns, now->running_ns - then->running_ns);
		xp_region_add(&sum->without_call,
			      xp_self_path_at(thread->self, i) == XP_PATH_RDPMC);
	}
	xp_region_add(&region->wall_ns, xp_ctx_now(thread->ctx) - frame->began_ns);
	xp_region_add(&region->calls, 1);
}

int xp_region_end(struct xp_regions *regions, const char *name)
{
	struct xp_region_thread *thread;
	int err = this_thread(regions, &thread);

	/* First of all, as above. */
	if (!err)
		err = xp_self_read(thread->self, thread->now);
	if (err)
		return err;
	for (int i = thread->nr_frames - 1; i >= 0; i--) {
		if (strcmp(thread->frames[i].region->name, name) != 0)
			continue;
		add_up(thread, &thread->frames[i]);
		xp_region_add(&thread->misused, (uint64_t)(thread->nr_frames - 1 - i));
		thread->nr_frames = i;
		return 0;
	}
	xp_region_add(&thread->misused, 1);
	return -EINVAL;
}

/* Whether the events can be understood is found out before the first region. */
static int check_events(const struct xp_regions *regions, struct xp_diag *diag)
{
	struct xp_evlist *evlist = NULL;
	struct xp_ctx *ctx = NULL;
	int err = xp_ctx_new(&regions->ctx_opts, &ctx) ?: xp_evlist_new(ctx, &evlist);

	if (err)
		xp_diag_set(diag, err, "Out of memory");
	else
		err = xp_evlist_parse(evlist, regions->events, diag);
	if (!err && !xp_evlist_nr(evlist))
		err = xp_diag_set(diag, -EINVAL, "The list has no events");
	xp_evlist_free(evlist);
	xp_ctx_free(ctx);
	return err;
}

int xp_regions_new(const struct xp_regions_opts *opts, struct xp_regions **ret_regions,
		   struct xp_diag *diag)
{
	struct xp_regions_opts o = { .size = sizeof(o) };
	struct xp_regions *regions = NULL;
	struct xp_ctx_opts ctx_opts;
	int err = XP_OPTS_COPY(&o, opts, struct xp_regions_opts, ctx, diag)
			  ?: XP_OPTS_COPY(&ctx_opts, o.ctx, struct xp_ctx_opts, raise_limits, diag);

	if (err)
		return err;
	regions = calloc(1, sizeof(*regions));
	if (!regions)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	regions->ctx_opts = ctx_opts;
	pthread_mutex_init(&regions->lock, NULL);
	regions->events = strdup(o.events ? o.events : DEFAULT_EVENTS);
	if (!regions->events || xp_fork_mark_new(&regions->here))
		err = xp_diag_set(diag, -ENOMEM, "Out of memory");
	else
		err = check_events(regions, diag);
	if (!err) {
		err = -pthread_key_create(&regions->key, thread_ends);
		if (!err) {
			*ret_regions = regions;
			return 0;
		}
		xp_diag_set(diag, err, "The process has too many thread-specific keys");
	}
	xp_fork_mark_free(regions->here);
	free(regions->events);
	free(regions);
	return err;
}

void xp_regions_stop_threads(struct xp_regions *regions)
{
	__atomic_store_n(&regions->is_over, true, __ATOMIC_RELAXED);
	pthread_key_delete(regions->key);
}

void xp_regions_free(struct xp_regions *regions)
{
	if (!regions)
		return;
	pthread_key_delete(regions->key);
	while (regions->threads) {
		struct xp_region_thread *thread = regions->threads;

		regions->threads = thread->next;
		free_thread(thread);
	}
	free_names(regions);
	pthread_mutex_destroy(&regions->lock);
	xp_fork_mark_free(regions->here);
	free(regions->events);
	free(regions->path);
	free(regions);
}

int xp_regions_from_env(struct xp_regions **ret_regions, struct xp_diag *diag)
{
	const char *path = secure_getenv("XPERF_REGIONS"), *events = secure_getenv("XPERF_EVENTS");
	struct xp_regions_opts opts = { .size = sizeof(opts) };
	struct xp_regions *regions = NULL;
	int err;

	if (!path || !*path) {
		*ret_regions = NULL;
		return 0;
	}
	opts.events = events && *events ? events : NULL;
	err = xp_regions_new(&opts, &regions, diag);
	if (err && err != -ENOMEM && opts.events && diag) {
		struct xp_diag said = *diag;

		snprintf(diag->what, sizeof(diag->what), "XPERF_EVENTS: %.*s",
			 (int)sizeof(said.what) - 32, said.what);
	}
	if (err)
		return err;
	regions->path = strdup(path);
	if (!regions->path) {
		xp_regions_free(regions);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	*ret_regions = regions;
	return 0;
}
