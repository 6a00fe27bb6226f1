/* SPDX-License-Identifier: MIT */
/* What those who read a recording in parts need of its reader, besides <xperf/data.h>. */
#ifndef SESSION_READER_H
#define SESSION_READER_H

#include <xperf/api.h>

struct xp_data;

/* Damages that are kept as text; more are counted only. */
enum { XP_DAMAGES_SHOWN = 100 };

/* Bytes from the first record to the end of the last, as far as it is known. */
uint64_t xp_reader_bytes(const struct xp_data *data);

/* Remembers damage at an offset that no reading before can have seen; @fmt says what. */
void xp_reader_report_now(struct xp_data *data, uint64_t offset, const char *fmt, ...)
	XP_PRINTF(3, 4);

/* Adds the damages that a reader of a range of @data has found. */
void xp_reader_adopt(struct xp_data *data, const struct xp_data *range);

/*
 * Where a recording that has been read to its end can be cut.
 * @nr: into how many parts of about the same length, at most
 * @ret_offsets: room for @nr + 1: where they begin, and where the last one ends
 *
 * Returns their number: 1 where it cannot be cut (a stream, a directory, or compressed).
 */
int xp_data_split(const struct xp_data *data, int nr, uint64_t *ret_offsets);

/*
 * Reads a part of a recording, as another thread.
 * @from, @to: as xp_data_split() gave them, next to each other
 * @ret_range: to be closed before @data, of which only other ranges are read meanwhile
 *
 * What the part contains about the recording itself, and its damage, was already reported. Returns
 * 0, -EINVAL (it cannot be cut there), -ENOMEM.
 */
int xp_data_range(const struct xp_data *data, uint64_t from, uint64_t to,
		  struct xp_data **ret_range);

#endif
