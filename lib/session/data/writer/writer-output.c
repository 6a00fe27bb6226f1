/* SPDX-License-Identifier: MIT */
/* Bytes to their descriptor, and records as bytes: where they end. */
#include "writer-impl.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>
#include <xperf/sys.h>

size_t xp_pieces_len(const struct iovec *pieces, int nr)
{
	size_t len = 0;

	for (int i = 0; i < nr; i++)
		len += pieces[i].iov_len;
	return len;
}

static void advance(struct iovec **pieces, int *nr, size_t done)
{
	while (*nr && done >= (*pieces)->iov_len) {
		done -= (*pieces)->iov_len;
		++*pieces;
		--*nr;
	}
	if (done) {
		(*pieces)->iov_base = (char *)(*pieces)->iov_base + done;
		(*pieces)->iov_len -= done;
	}
}

/* A stream's other end may have made it non-blocking. */
static int wait_for_room(const struct xp_data_writer *w)
{
	struct pollfd room = { .fd = w->output.fd, .events = POLLOUT };
	int n = w->sys->poll(w->sys, &room, 1, -1);

	return n < 0 && n != -EINTR ? n : 0;
}

int xp_writer_put(const struct xp_data_writer *w, struct iovec *pieces, int nr, int64_t offset,
		  uint64_t *ret_done)
{
	*ret_done = 0;
	advance(&pieces, &nr, 0);
	while (nr) {
		ssize_t n = w->sys->pwritev(w->sys, w->output.fd, pieces, nr,
					    offset < 0 ? -1 : offset + (int64_t)*ret_done);

		if (n == -EAGAIN && offset < 0)
			n = wait_for_room(w);
		else if (!n)
			n = -ENOSPC; /* nothing goes, and no reason is given */
		if (n < 0)
			return (int)n;
		*ret_done += (uint64_t)n;
		advance(&pieces, &nr, (size_t)n);
	}
	return 0;
}

uint64_t xp_record_outside(const struct xp_record *record)
{
	uint32_t tracing_bytes;

	if (record->type == XP_RECORD_AUXTRACE && record->size >= sizeof(struct xp_record_auxtrace))
		return ((const struct xp_record_auxtrace *)record)->size;
	if (record->type == XP_RECORD_HEADER_TRACING_DATA && record->size >= 12) {
		memcpy(&tracing_bytes, record + 1, sizeof(tracing_bytes));
		return ((uint64_t)tracing_bytes + 7) / 8 * 8;
	}
	return 0;
}

/*
 * Walks records and what follows them outside, as far as they fit into @limit bytes. A piece begins
 * inside of one only where it is what follows a record outside.
 */
static uint64_t walk(const struct iovec *pieces, int nr, uint64_t from, uint64_t limit,
		     uint64_t *nr_samples)
{
	uint64_t whole = from, start = 0;

	for (int i = 0; i < nr; start += pieces[i++].iov_len) {
		while (whole >= start && whole - start < pieces[i].iov_len) {
			const struct xp_record *record =
				(const void *)((const char *)pieces[i].iov_base + (whole - start));
			uint64_t size = record->size + xp_record_outside(record);

			if (record->size < sizeof(*record) || size > limit - whole)
				return whole;
			*nr_samples += record->type == XP_RECORD_SAMPLE;
			whole += size;
		}
	}
	return whole;
}

uint64_t xp_pieces_whole(const struct iovec *pieces, int nr, uint64_t limit)
{
	uint64_t nr_samples = 0;

	return walk(pieces, nr, 0, limit, &nr_samples);
}

uint64_t xp_pieces_samples(const struct iovec *pieces, int nr, uint64_t from)
{
	uint64_t nr_samples = 0;

	walk(pieces, nr, from, xp_pieces_len(pieces, nr), &nr_samples);
	return nr_samples;
}
