/* SPDX-License-Identifier: MIT */
/* Regions from inside the library: one tree per thread, which the summary adds up. */
#ifndef EVLIST_REGIONS_IMPL_H
#define EVLIST_REGIONS_IMPL_H

#include <pthread.h>
#include <sys/types.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>

struct xp_count;
struct xp_ctx;
struct xp_diag;
struct xp_evlist;
struct xp_self;

/* One event's part. The thread that counts stores, whoever writes the summary loads: see add(). */
struct xp_region_sum {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t without_call; /* readings that took no system call */
};

/* A region within its parent. Children are appended, never taken away. */
struct xp_region {
	struct xp_region *parent; /* NULL: the thread itself */
	struct xp_region *first, *last, *next;
	char *name;
	uint64_t calls;
	uint64_t wall_ns;
	struct xp_region_sum sums[];
};

/* What was when a region began. */
struct xp_region_frame {
	struct xp_region *region;
	uint64_t began_ns;
	struct xp_count *counts;
};

struct xp_region_thread {
	struct xp_regions *regions;
	struct xp_region_thread *next;
	pid_t tid;
	struct xp_ctx *ctx; /* with what it counts; NULL: it has ended */
	struct xp_evlist *evlist;
	struct xp_self *self;
	struct xp_region *root;
	struct xp_region_frame *frames;
	int nr_frames, cap_frames;
	struct xp_count *now;
	uint64_t misused; /* ends without a begin, begins without an end */
	int err;          /* why it cannot count, found once; 0: it can */
};

struct xp_regions {
	struct xp_ctx_opts ctx_opts;
	char *events;
	char *path;
	const volatile uint32_t *here; /* 0 in a child by fork() */
	bool is_over;                  /* the process ends */
	pthread_key_t key;             /* the calling thread's struct xp_region_thread */
	pthread_mutex_t lock;          /* of what follows */
	struct xp_region_thread *threads;
	char **names;   /* of the events, when the first thread has opened them */
	char **reasons; /* why they are not counted; NULL: they are */
	int nr_events;
	int nr_failed;         /* threads that cannot count */
	struct xp_diag failed; /* why the first of them cannot */
};

/* Writes to stderr why there is no summary: nobody is left to return an error to. */
void xp_regions_report(const struct xp_regions *regions, const struct xp_diag *diag);

/* From now on no thread counts, and none comes back here when it ends. */
void xp_regions_stop_threads(struct xp_regions *regions);

/* Finds the region of a name within @parent, or makes one. Returns NULL if there is no memory. */
struct xp_region *xp_region_within(struct xp_region *parent, const char *name, int nr_events);

/* A region without a name, for others to be within. Returns NULL if there is no memory. */
struct xp_region *xp_region_root(int nr_events);

void xp_region_free(struct xp_region *region);

/* The region after this one, parents before children; NULL: it was the last. */
struct xp_region *xp_region_next_in_order(const struct xp_region *region);

/* The first thread from here on that can count; NULL: none. */
const struct xp_region_thread *xp_region_counting(const struct xp_region_thread *thread);

/* All threads together, under the lock; the caller frees it. Returns NULL on out of memory. */
struct xp_region *xp_regions_total(const struct xp_regions *regions);

/* Only one thread stores a number; any may load it. */
static inline void xp_region_add(uint64_t *number, uint64_t more)
{
	__atomic_store_n(number, *number + more, __ATOMIC_RELAXED);
}

static inline uint64_t xp_region_load(const uint64_t *number)
{
	return __atomic_load_n(number, __ATOMIC_RELAXED);
}

/* The first child, and the next: complete, whatever their thread does meanwhile. */
static inline struct xp_region *xp_region_next(struct xp_region *const *place)
{
	return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

#endif
