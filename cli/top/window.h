/* SPDX-License-Identifier: MIT */
/*
 * What is kept of a recording that never ends: how it began, who runs and what is mapped, and the
 * samples of the last few intervals. The rest is forgotten, so that memory does not grow.
 *
 * The stream is that of `record -o -`; what is kept is a stream, too, which any command can read.
 */
#ifndef TOP_WINDOW_H
#define TOP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct window;

/* @nr_intervals: whose samples are kept, at least 1. @lives: whether a process still runs; NULL:
 * asks the kernel. Returns NULL without memory. */
struct window *window_new(int nr_intervals, bool (*lives)(pid_t pid));
void window_free(struct window *window);

/* Adds the next bytes of the stream, in pieces of any size. Returns 0, -ENOMEM, or -EBADMSG: it is
 * no such stream. */
int window_add(struct window *window, const void *bytes, size_t len);
/* An interval is over: a new one begins, and the oldest is forgotten. */
void window_turn(struct window *window);

/* Writes what is kept. Returns 0 or a negative errno. */
int window_write(const struct window *window, int fd);
/* Samples of the intervals that are kept; bytes of memory. */
uint64_t window_samples(const struct window *window);
size_t window_bytes(const struct window *window);

#endif
