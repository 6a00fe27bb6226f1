/* SPDX-License-Identifier: MIT */
/* The recorder of `xperf top`: `xperf record -o -` in a process of its own, so that samples are
 * collected whatever is looked up or drawn. */
#ifndef TOP_FEED_H
#define TOP_FEED_H

#include <stdbool.h>
#include <sys/types.h>
#include <xperf/diag.h>

struct window;

struct feed {
	int fd;     /* what it writes; does not block */
	int errors; /* what it has to say */
	pid_t pid;  /* 0: there is none */
	bool has_ended;
	int status; /* as of waitpid(2), after feed_close() */
};

/* @argv: of the command record, with "record" first. Returns 0 or a negative errno. */
int feed_open(struct feed *feed, char *const *argv, struct xp_diag *diag);
/* Adds what has come. Returns 1: it is all, 0: more may come, or a negative errno. */
int feed_read(struct feed *feed, struct window *window);
/* Ends it. Returns whether it had failed before; then what it said is printed. */
bool feed_close(struct feed *feed);

#endif
