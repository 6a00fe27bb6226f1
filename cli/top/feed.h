/* SPDX-License-Identifier: MIT */
/*
 * The recorder of `xperf top`: `xperf record -o -` in a process of its own, so that samples are
 * collected whatever is looked up or drawn. A thread reads what it writes into a window, so that it
 * never waits for a refresh, and no sample waits in it.
 */
#ifndef TOP_FEED_H
#define TOP_FEED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct window;
struct xp_diag;

struct feed {
	int end;    /* can be read once nothing more comes; -1: it is not open */
	int errors; /* what the recorder has to say */
	pid_t pid;  /* 0: there is none */
	int status; /* as of waitpid(2), after feed_close() */

	/* of the thread */
	int fd;   /* what the recorder writes */
	int quit; /* can be read when the thread is to end */
	pthread_t thread;
	bool has_thread;

	/* of both, under @lock */
	pthread_mutex_t lock;
	struct window *window;        /* borrowed */
	int state;                    /* 1: all has come, 0: more may come, or a negative errno */
	int interval_s, nr_intervals; /* that are over */
	int64_t next_ms;              /* when the interval is over */
};

/* A moment of CLOCK_MONOTONIC. */
int64_t feed_now_ms(void);

/*
 * @argv: of the command record, with "record" first; @window: borrowed until feed_close();
 * @interval_s: of the window. Returns 0 or a negative errno; feed_close() follows in any case.
 */
int feed_open(struct feed *feed, char *const *argv, struct window *window, int interval_s,
	      struct xp_diag *diag);
/* Returns 1: all has come, 0: more may come, or a negative errno: nothing more does. */
int feed_state(struct feed *feed);
/* Samples that the window has; the next moment may have fewer. */
uint64_t feed_samples(struct feed *feed);
/* What was written: samples, and how many intervals were over. */
struct feed_written {
	uint64_t nr_samples;
	int nr_intervals;
};

/* Writes what the window has. Returns 0 or a negative errno. */
int feed_write(struct feed *feed, int fd, struct feed_written *ret);
/* Ends it. Returns 0, or what the recorder had failed with before; then what it said is printed. */
int feed_close(struct feed *feed);

#endif
