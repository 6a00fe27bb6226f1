/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a recording. Memory grows with what has really been read, never with what a length
 * in the input says.
 */
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STREAM_BYTES = 256 << 10 };

static void end(struct xp_source *source, int err)
{
	if (source->fd > STDIN_FILENO)
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

/* Reads on until there are @need bytes in memory, or there is no more. */
static void fill(struct xp_source *source, uint64_t need)
{
	while (source->fd >= 0 && source->len < need) {
		int err = source->len == source->room ? grow(source) : 0;

		if (err) {
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

const uint8_t *xp_source_at(struct xp_source *source, uint64_t offset, uint64_t len,
			    size_t *ret_len)
{
	uint64_t skip = offset - source->start;

	*ret_len = 0;
	if (!len)
		return NULL;
	if (source->stream && (skip > source->len || len > source->len - skip)) {
		if (source->bytes)
			drop_before(source, offset);
		skip = offset - source->start;
		fill(source, len);
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
	void *addr;

	if (fd < 0)
		return fd;
	*source = (struct xp_source){ .sys = sys, .fd = fd, .stream = true };
	if (sys->stat(sys, standard_input ? "/dev/stdin" : path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (st.st_size > 0 && !sys->mmap(sys, (size_t)st.st_size, PROT_READ, fd, 0, &addr)) {
		source->bytes = addr;
		source->len = (size_t)st.st_size;
		source->mapped = true;
		source->stream = false;
		end(source, 0);
		return 0;
	}
	return xp_source_slurp(source);
}

void xp_source_close(struct xp_source *source)
{
	end(source, 0);
	if (source->mapped)
		source->sys->munmap(source->sys, source->bytes, source->len);
	else
		free(source->bytes);
	*source = (struct xp_source){ .fd = -1 };
}
