/* SPDX-License-Identifier: MIT */
/*
 * Half of what it costs to walk over samples is that the kernel copies them: a thread of its own
 * does that, a few windows ahead. It sleeps until half of them have been used, so that it is not
 * woken for each.
 */
#include "ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/sys.h>

enum { WINDOWS = 4 };

/* @bytes: room for a tail, then the window */
struct window {
	uint8_t *bytes;
	size_t len;
};

struct xp_ahead {
	const struct xp_sys *sys;
	int fd;
	uint64_t at, total;
	size_t bytes;
	pthread_t thread;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t is_read, is_free;
	struct window windows[WINDOWS];
	unsigned int nr_read, nr_used; /* the second: that nobody looks at any more */
	bool has_ended, is_stopped;

	unsigned int nr_given; /* only of who asks for them */
};

/* Returns bytes: fewer than are there, if it cannot be read. */
static size_t read_window(const struct xp_ahead *ahead, uint8_t *to, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = ahead->sys->pread(ahead->sys, ahead->fd, to + done, len - done,
					      ahead->at + done);

		if (n <= 0 && n != -EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return done;
}

/* Waits for room. Returns false: no more is wanted. */
static bool wait_free(struct xp_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	if (ahead->nr_read - ahead->nr_used == WINDOWS)
		while (!ahead->is_stopped && ahead->nr_read - ahead->nr_used > WINDOWS / 2)
			pthread_cond_wait(&ahead->is_free, &ahead->lock);
	bool is_wanted = !ahead->is_stopped;
	pthread_mutex_unlock(&ahead->lock);
	return is_wanted;
}

static void *read_ahead(void *arg)
{
	struct xp_ahead *ahead = arg;
	bool has_ended = false;

	while (!has_ended && wait_free(ahead)) {
		struct window *window = &ahead->windows[ahead->nr_read % WINDOWS];
		uint64_t left = ahead->total - ahead->at;
		size_t want = left < ahead->bytes ? (size_t)left : ahead->bytes;
		size_t len = read_window(ahead, window->bytes + XP_AHEAD_TAIL, want);

		ahead->at += len;
		has_ended = len < ahead->bytes;
		pthread_mutex_lock(&ahead->lock);
		window->len = len;
		ahead->nr_read += len > 0;
		ahead->has_ended = has_ended;
		pthread_cond_signal(&ahead->is_read);
		pthread_mutex_unlock(&ahead->lock);
	}
	return NULL;
}

static void ahead_free(struct xp_ahead *ahead)
{
	for (int i = 0; i < WINDOWS; i++)
		free(ahead->windows[i].bytes);
	pthread_cond_destroy(&ahead->is_read);
	pthread_cond_destroy(&ahead->is_free);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

int xp_ahead_start(const struct xp_sys *sys, int fd, uint64_t offset, uint64_t total, size_t bytes,
		   struct xp_ahead **ret_ahead)
{
	struct xp_ahead *ahead = calloc(1, sizeof(*ahead));
	bool has_room = true;

	if (!ahead)
		return -ENOMEM;
	ahead->sys = sys;
	ahead->fd = fd;
	ahead->at = offset;
	ahead->total = total;
	ahead->bytes = bytes;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->is_read, NULL);
	pthread_cond_init(&ahead->is_free, NULL);
	for (int i = 0; i < WINDOWS; i++) {
		ahead->windows[i].bytes = malloc(XP_AHEAD_TAIL + bytes);
		has_room &= ahead->windows[i].bytes != NULL;
	}
	int err = has_room ? -pthread_create(&ahead->thread, NULL, read_ahead, ahead) : -ENOMEM;
	if (err)
		ahead_free(ahead);
	else
		*ret_ahead = ahead;
	return err;
}

uint8_t *xp_ahead_next(struct xp_ahead *ahead, const uint8_t *tail, size_t tail_len,
		       size_t *ret_len)
{
	pthread_mutex_lock(&ahead->lock);
	while (ahead->nr_read == ahead->nr_given && !ahead->has_ended)
		pthread_cond_wait(&ahead->is_read, &ahead->lock);
	bool is_there = ahead->nr_read != ahead->nr_given;
	pthread_mutex_unlock(&ahead->lock);
	if (!is_there)
		return NULL;
	struct window *window = &ahead->windows[ahead->nr_given % WINDOWS];
	uint8_t *at = window->bytes + XP_AHEAD_TAIL - tail_len;
	memcpy(at, tail, tail_len);
	*ret_len = tail_len + window->len;
	pthread_mutex_lock(&ahead->lock);
	ahead->nr_used = ahead->nr_given++;
	if (ahead->nr_read - ahead->nr_used <= WINDOWS / 2)
		pthread_cond_signal(&ahead->is_free);
	pthread_mutex_unlock(&ahead->lock);
	return at;
}

void xp_ahead_stop(struct xp_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->is_stopped = true;
	pthread_cond_signal(&ahead->is_free);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	ahead_free(ahead);
}
