/* SPDX-License-Identifier: MIT */
/* Windows of a file that are read one after the other, by a thread, before they are asked for. */
#ifndef SESSION_AHEAD_H
#define SESSION_AHEAD_H

#include <xperf/api.h>

/* As much of the window before can be put in front of one. */
enum { XP_AHEAD_TAIL = 64 << 10 };

struct xp_ahead;
struct xp_sys;

/* Begins at @offset of a file of @total bytes; each window has @bytes, but for the last. @sys and
 * @fd are used by the thread until the end. Returns 0, or a negative errno: there is no thread. */
int xp_ahead_start(const struct xp_sys *sys, int fd, uint64_t offset, uint64_t total, size_t bytes,
		   struct xp_ahead **ret_ahead);
/*
 * The next window, with the @tail_len bytes at @tail, up to XP_AHEAD_TAIL, in front of it. The one
 * before it, of which they may be the end, is gone afterwards. Returns it with its length, the tail
 * included; NULL: the file has ended, or cannot be read.
 */
uint8_t *xp_ahead_next(struct xp_ahead *ahead, const uint8_t *tail, size_t tail_len,
		       size_t *ret_len);
/* Ends the thread; all windows are gone. NULL is allowed. */
void xp_ahead_stop(struct xp_ahead *ahead);

#endif
