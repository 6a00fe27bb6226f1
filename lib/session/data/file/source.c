/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a recording. Memory grows with what has really been read, never with what a length
 * in the input says.
 *
 * A file is read through a window, not mapped: where someone cuts a mapped file, whoever looks at
 * it gets SIGBUS, which a library has no way to handle without meddling with its program's signals.
 * It is not slower, either: a window that stays in the cache saves the page faults, which cost as
 * much as the copy (measured: 200 MB of samples of 40 bytes, 36 ms mapped, 33 ms read; 320 MB of
 * call chains, 90 and 38 ms), and memory is that of the window.
 */
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "ahead.h"
#include "on-disk.h"

enum {
	STREAM_BYTES = 256 << 10,
	WINDOW_BYTES = 512 << 10,
	FOLLOWING = 4, /* windows, after which more of them are expected */
};

static void end(struct xp_source *source, int err)
{
	if (source->fd > STDIN_FILENO && !source->shared)
		source->sys->close(source->sys, source->fd);
	source->fd = -1;
	source->err = err;
}

/* Makes room behind what is there: as much again. */
static int grow(struct xp_source *source)
{
	size_t room = source->room ? source->room * 2 : STREAM_BYTES;
	uint8_t *bytes = realloc(source->bytes, room);

	if (!bytes)
		return -ENOMEM;
	source->bytes = bytes;
	source->room = room;
	return 0;
}

static bool stop(struct xp_source *source)
{
	bool is_stopped = source->is_stopped && source->is_stopped(source->stop_data);

	source->was_stopped |= is_stopped;
	return is_stopped;
}

/* Reads on until there are @need bytes in memory, or there is no more. */
static void fill(struct xp_source *source, uint64_t need)
{
	while (source->fd >= 0 && source->len < need) {
		int err = source->len == source->room ? grow(source) : 0;

		if (err || stop(source)) {
			end(source, err);
			return;
		}
		ssize_t n = source->sys->read(source->sys, source->fd, source->bytes + source->len,
					      source->room - source->len);
		if (n == -EINTR)
			continue;
		if (n <= 0) {
			end(source, (int)n);
			return;
		}
		source->len += (size_t)n;
	}
}

static void drop_before(struct xp_source *source, uint64_t offset)
{
	uint64_t gone = offset - source->start;

	while (gone > source->len && source->fd >= 0) {
		gone -= source->len;
		source->start += source->len;
		source->len = 0;
		fill(source, 1);
	}
	if (gone > source->len)
		gone = source->len;
	memmove(source->bytes, source->bytes + gone, source->len - gone);
	source->len -= gone;
	source->start += gone;
}

/* Room for a window of @len bytes; what was there is not needed any more. */
static int make_room(struct xp_source *source, size_t len)
{
	if (len <= source->room)
		return 0;
	free(source->bytes);
	source->bytes = malloc(len);
	source->room = source->bytes ? len : 0;
	source->len = 0;
	return source->bytes ? 0 : -ENOMEM;
}

static void stop_ahead(struct xp_source *source)
{
	source->nr_following = 0;
	if (!source->ahead)
		return;
	xp_ahead_stop(source->ahead);
	source->ahead = NULL;
	source->bytes = source->own;
	source->len = 0;
}

/* Moves the window on to the next one that was read ahead. Returns false: there is none that is
 * wanted here. */
static bool move_ahead(struct xp_source *source, uint64_t offset, uint64_t need)
{
	uint64_t end = source->start + source->len;
	size_t len = 0;
	bool is_next = offset > source->start && offset <= end && end - offset <= XP_AHEAD_TAIL;

	if (!is_next || end >= source->total) {
		stop_ahead(source);
		return false;
	}
	if (!source->ahead && source->nr_following++ < FOLLOWING)
		return false;
	if (!source->ahead) {
		source->own = source->bytes;
		if (xp_ahead_start(source->sys, source->fd, end, source->total, WINDOW_BYTES,
				   &source->ahead)) {
			source->reads_ahead = false;
			return false;
		}
	}
	uint8_t *at = xp_ahead_next(source->ahead, source->bytes + (offset - source->start),
				    (size_t)(end - offset), &len);
	if (!at || (len < need && offset + len < source->total)) {
		stop_ahead(source);
		return false;
	}
	source->bytes = at;
	source->start = offset;
	source->len = len;
	return true;
}

/* Moves the window so that it begins at @offset, and holds @need bytes if the file does. */
static void move_window(struct xp_source *source, uint64_t offset, uint64_t need)
{
	uint64_t left = offset < source->total ? source->total - offset : 0;
	size_t want = (size_t)(need > WINDOW_BYTES ? need : WINDOW_BYTES);

	if (source->reads_ahead && move_ahead(source, offset, need))
		return;
	if (want > left)
		want = (size_t)left;
	int err = make_room(source, want);
	source->start = offset;
	source->len = 0;
	while (!err && source->len < want) {
		ssize_t n = source->sys->pread(source->sys, source->fd, source->bytes + source->len,
					       want - source->len, offset + source->len);

		if (n == -EINTR)
			continue;
		if (n <= 0) {
			err = (int)n;
			break;
		}
		source->len += (size_t)n;
	}
	if (err)
		source->err = err;
	else if (source->len < want) {
		source->shrank = true;
		source->total = offset + source->len;
	}
}

const uint8_t *xp_source_at(struct xp_source *source, uint64_t offset, uint64_t len,
			    size_t *ret_len)
{
	uint64_t skip = offset - source->start;

	*ret_len = 0;
	if (!len)
		return NULL;
	bool here = skip <= source->len && len <= source->len - skip;
	if (source->file && !here) {
		/* Backwards, what was read before is read again. */
		if (offset >= source->start && stop(source)) {
			uint64_t end = source->start + source->len;

			source->total = end < source->total ? end : source->total;
		} else {
			move_window(source, offset, len < source->total ? len : source->total);
			skip = 0;
		}
	}
	if (source->stream && !here) {
		if (source->bytes && !source->kept)
			drop_before(source, offset);
		skip = offset - source->start;
		fill(source, source->kept ? skip + len : len);
	}
	if (skip > source->len)
		return NULL;
	*ret_len = len < source->len - skip ? (size_t)len : source->len - (size_t)skip;
	return source->bytes ? source->bytes + skip : NULL;
}

int xp_source_slurp(struct xp_source *source)
{
	fill(source, UINT64_MAX);
	source->stream = false;
	return source->err;
}

int xp_source_open(struct xp_source *source, const struct xp_sys *sys, const char *path)
{
	bool standard_input = !strcmp(path, "-");
	int fd = standard_input ? STDIN_FILENO : sys->open(sys, path);
	struct stat st;

	if (fd < 0)
		return fd;
	*source = (struct xp_source){ .sys = sys, .fd = fd, .stream = true, .limit = UINT64_MAX };
	if (sys->stat(sys, standard_input ? "/dev/stdin" : path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (st.st_size <= 0)
		return xp_source_slurp(source);
	source->file = true;
	source->stream = false;
	source->total = (uint64_t)st.st_size;
	source->disk_bytes = (uint64_t)st.st_blocks * 512;
	source->limit = xp_on_disk_limit(&st);
	return 0;
}

void xp_source_keep(struct xp_source *source)
{
	source->kept = source->stream;
}

struct xp_source xp_source_share(const struct xp_source *source)
{
	if (source->kept)
		return (struct xp_source){ .sys = source->sys,
					   .fd = -1,
					   .kept = true,
					   .shared = true,
					   .bytes = source->bytes,
					   .len = source->len,
					   .limit = source->limit };
	return (struct xp_source){ .sys = source->sys,
				   .fd = source->fd,
				   .file = true,
				   .shared = true,
				   .total = source->total,
				   .limit = source->limit };
}

void xp_source_close(struct xp_source *source)
{
	stop_ahead(source);
	end(source, 0);
	if (!source->kept || !source->shared)
		free(source->bytes);
	*source = (struct xp_source){ .fd = -1 };
}
