/* SPDX-License-Identifier: MIT */
/* What those who read a recording in parts need of its reader, besides <xperf/data.h>. */
#ifndef SESSION_READER_H
#define SESSION_READER_H

#include <xperf/data.h>

/* Damages that are kept as text; more are counted only. */
enum { XP_DAMAGES_SHOWN = 100 };

/* Bytes from the first record to the end of the last, as far as it is known. */
uint64_t xp_reader_bytes(const struct xp_data *data);

/* Remembers damage at an offset that no reading before can have seen; @fmt says what. */
void xp_reader_tell_now(struct xp_data *data, uint64_t offset, const char *fmt, ...)
	XP_PRINTF(3, 4);

/* Takes over the damages that a reader of a range of @data has found. */
void xp_reader_adopt(struct xp_data *data, const struct xp_data *range);

#endif
