/* SPDX-License-Identifier: MIT */
#include "window.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/data.h>
#include <xperf/record.h>

struct bytes {
	char *at;
	size_t len, room;
};

/* @samples: and what else is true of one moment only. @nr_before: bytes of the side band that were
 * there when it began */
struct interval {
	struct bytes samples;
	uint64_t nr_samples;
	size_t nr_before;
};

struct window {
	struct bytes pending;   /* the beginning of a record */
	struct bytes beginning; /* the stream's header, events, formats of tracepoints */
	struct bytes side_band;
	size_t nr_living; /* bytes of the side band after the last cleaning */
	size_t outside;   /* bytes outside of records that are still to come */
	bool has_header;
	bool (*lives)(pid_t pid);
	int nr_intervals, now;
	struct interval intervals[];
};

enum { HEADER_BYTES = 16, CLEANED_FROM = 1 << 20 };

static bool is_alive(pid_t pid)
{
	return !kill(pid, 0) || errno != ESRCH;
}

struct window *window_new(int nr_intervals, bool (*lives)(pid_t pid))
{
	struct window *window =
		calloc(1, sizeof(*window) + (size_t)nr_intervals * sizeof(window->intervals[0]));

	if (!window)
		return NULL;
	window->nr_intervals = nr_intervals;
	window->lives = lives ? lives : is_alive;
	return window;
}

void window_free(struct window *window)
{
	if (!window)
		return;
	for (int i = 0; i < window->nr_intervals; i++)
		free(window->intervals[i].samples.at);
	free(window->pending.at);
	free(window->beginning.at);
	free(window->side_band.at);
	free(window);
}

static int append(struct bytes *to, const void *bytes, size_t len)
{
	if (to->room - to->len < len) {
		size_t room = 2 * (to->len + len);
		char *at = realloc(to->at, room);

		if (!at)
			return -ENOMEM;
		to->at = at;
		to->room = room;
	}
	if (len)
		memcpy(to->at + to->len, bytes, len);
	to->len += len;
	return 0;
}

/* --- records --- */

/* What is true of a moment, and of none after it. */
static bool is_momentary(uint32_t type)
{
	switch (type) {
	case XP_RECORD_LOST:
	case XP_RECORD_THROTTLE:
	case XP_RECORD_UNTHROTTLE:
	case XP_RECORD_READ:
	case XP_RECORD_SAMPLE:
	case XP_RECORD_LOST_SAMPLES:
	case XP_RECORD_SWITCH:
	case XP_RECORD_SWITCH_CPU_WIDE:
	case XP_RECORD_CALLCHAIN_DEFERRED:
	case XP_RECORD_FINISHED_ROUND:
		return true;
	default:
		return false;
	}
}

/* The times of the first and the last sample, which are not known before the stream ends: what is
 * kept is complete without. */
static bool is_left_out(const char *at, const struct xp_record *record)
{
	uint64_t feature;

	if (record->type != XP_RECORD_HEADER_FEATURE ||
	    record->size < sizeof(*record) + sizeof(feature))
		return false;
	memcpy(&feature, at + sizeof(*record), sizeof(feature));
	return feature == XP_FEATURE_SAMPLE_TIME;
}

static struct bytes *home_of(struct window *window, uint32_t type)
{
	struct interval *now = &window->intervals[window->now];

	if (is_momentary(type)) {
		now->nr_samples += type == XP_RECORD_SAMPLE;
		return &now->samples;
	}
	return type < XP_RECORD_HEADER_ATTR ? &window->side_band : &window->beginning;
}

/* Formats of tracepoints follow a record that has only their size. */
static size_t bytes_outside(const char *at, const struct xp_record *record)
{
	uint32_t size;

	if (record->type != XP_RECORD_HEADER_TRACING_DATA || record->size < sizeof(*record) + 4)
		return 0;
	memcpy(&size, at + sizeof(*record), sizeof(size));
	return ((size_t)size + 7) & ~(size_t)7;
}

/* Returns the bytes of what stands at @at, 0: it is not whole yet; or a negative errno. */
static ssize_t add_one(struct window *window, const char *at, size_t len)
{
	struct xp_record record;

	if (window->outside) {
		size_t nr = len < window->outside ? len : window->outside;
		int err = append(&window->beginning, at, nr);

		window->outside -= err ? 0 : nr;
		return err ? err : (ssize_t)nr;
	}
	if (!window->has_header) {
		if (len < HEADER_BYTES)
			return 0;
		if (memcmp(at, "PERFILE2", 8) != 0)
			return -EBADMSG;
		window->has_header = true;
		return append(&window->beginning, at, HEADER_BYTES) ?: HEADER_BYTES;
	}
	if (len < sizeof(record))
		return 0;
	memcpy(&record, at, sizeof(record));
	if (record.size < sizeof(record))
		return -EBADMSG;
	if (len < record.size)
		return 0;
	if (is_left_out(at, &record))
		return record.size;
	int err = append(home_of(window, record.type), at, record.size);
	window->outside = err ? 0 : bytes_outside(at, &record);
	return err ? err : record.size;
}

int window_add(struct window *window, const void *bytes, size_t len)
{
	struct bytes *pending = &window->pending;
	size_t done = 0;
	ssize_t nr = 1;
	int err = append(pending, bytes, len);

	while (!err && nr > 0 && done < pending->len) {
		nr = add_one(window, pending->at + done, pending->len - done);
		done += nr > 0 ? (size_t)nr : 0;
	}
	if (done) {
		memmove(pending->at, pending->at + done, pending->len - done);
		pending->len -= done;
	}
	return err ? err : nr < 0 ? (int)nr : 0;
}

/* --- forgetting --- */

/* Whether a record of the side band is about a process that has ended: the process comes first in
 * those that have one. */
static bool is_about_the_dead(const struct window *window, const char *at, uint32_t type)
{
	int32_t pid;

	if (type != XP_RECORD_MMAP && type != XP_RECORD_MMAP2 && type != XP_RECORD_COMM &&
	    type != XP_RECORD_FORK && type != XP_RECORD_EXIT && type != XP_RECORD_NAMESPACES)
		return false;
	memcpy(&pid, at + sizeof(struct xp_record), sizeof(pid));
	return pid > 0 && !window->lives(pid);
}

/* Removes them from the first @len bytes. Returns how many bytes are left of those. */
static size_t clean(struct window *window, size_t len)
{
	struct bytes *side_band = &window->side_band;
	struct xp_record record;
	size_t kept = 0;

	for (size_t i = 0; i < len; i += record.size) {
		memcpy(&record, side_band->at + i, sizeof(record));
		if (is_about_the_dead(window, side_band->at + i, record.type))
			continue;
		memmove(side_band->at + kept, side_band->at + i, record.size);
		kept += record.size;
	}
	memmove(side_band->at + kept, side_band->at + len, side_band->len - len);
	side_band->len -= len - kept;
	return kept;
}

/* Samples that are kept may be of processes that have ended since: what is as new as they are
 * stays. */
static void forget_the_dead(struct window *window)
{
	size_t old = window->side_band.len;

	for (int i = 0; i < window->nr_intervals; i++)
		if (window->intervals[i].nr_before < old)
			old = window->intervals[i].nr_before;
	size_t removed = old - clean(window, old);
	for (int i = 0; i < window->nr_intervals; i++)
		window->intervals[i].nr_before -= removed;
	window->nr_living = window->side_band.len;
}

void window_turn(struct window *window)
{
	window->now = (window->now + 1) % window->nr_intervals;
	struct interval *now = &window->intervals[window->now];
	now->samples.len = 0;
	now->nr_samples = 0;
	now->nr_before = window->side_band.len;
	if (window->side_band.len > 2 * window->nr_living + CLEANED_FROM)
		forget_the_dead(window);
}

/* --- what is kept --- */

static int write_bytes(const struct bytes *bytes, int fd)
{
	size_t done = 0;

	while (done < bytes->len) {
		ssize_t nr = write(fd, bytes->at + done, bytes->len - done);

		if (nr < 0)
			return -errno;
		done += (size_t)nr;
	}
	return 0;
}

int window_write(const struct window *window, int fd)
{
	int err = write_bytes(&window->beginning, fd) ?: write_bytes(&window->side_band, fd);

	/* From the oldest to the newest. */
	for (int i = 1; !err && i <= window->nr_intervals; i++)
		err = write_bytes(
			&window->intervals[(window->now + i) % window->nr_intervals].samples, fd);
	return err;
}

uint64_t window_samples(const struct window *window)
{
	uint64_t nr = 0;

	for (int i = 0; i < window->nr_intervals; i++)
		nr += window->intervals[i].nr_samples;
	return nr;
}

size_t window_bytes(const struct window *window)
{
	size_t nr = window->pending.room + window->beginning.room + window->side_band.room;

	for (int i = 0; i < window->nr_intervals; i++)
		nr += window->intervals[i].samples.room;
	return nr;
}
