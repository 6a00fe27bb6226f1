/* SPDX-License-Identifier: MIT */
/*
 * Switches of tasks and wake-ups -> how long each task ran, waited and slept. Knows no recording. A
 * time is counted where it ends, if its beginning is known, too; of it, what is within --time.
 */
#ifndef SCHED_SUMS_H
#define SCHED_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "times.h"

/* What a task is when it leaves its CPU. */
enum sched_off {
	SCHED_RUNNABLE, /* it was preempted */
	SCHED_ASLEEP,   /* can be woken by a signal, or is stopped */
	SCHED_BLOCKED,  /* cannot: most often it waits for a disk */
	SCHED_AWAY,     /* one of the two; which is not known */
	SCHED_ENDED,
};

/* Something that happens to a task. */
struct sched_event {
	int32_t tid;
	int32_t pid;      /* -1: not known here */
	const char *comm; /* NULL: not known here; borrowed as long as the sums */
	int cpu;
	uint64_t time_ns;
	bool counts; /* passes the filters but --time */
	bool is_new; /* of a wake-up: the task has not run before */
};

/* Who wakes a task. */
struct sched_waker {
	int32_t tid;      /* SCHED_INTERRUPT, SCHED_NOBODY */
	const char *comm; /* borrowed likewise */
};
enum { SCHED_INTERRUPT = -1, SCHED_NOBODY = -2 };

/* A chain of wake-ups: who woke a task, who had woken that one before, and so on, as far as that is
 * known. It ends before who is in it already. */
enum { SCHED_CHAIN = 4 };
struct sched_chain {
	int nr;
	struct sched_waker by[SCHED_CHAIN];
};

/* Waits of one kind for a CPU. */
struct sched_waits {
	uint64_t nr, total_ns, max_ns;
	uint64_t max_from_ns; /* when the longest began */
};

struct sched_task {
	int32_t tid, pid; /* pid -1: not known */
	const char *comm; /* NULL: not known */
	uint64_t run_ns, nr_runs, max_run_ns;
	uint64_t nr_preempted;
	uint64_t nr_migrations; /* runs that began on another CPU than the last one was on */
	struct sched_waits woken, preempted; /* from wake-up, or preemption, until it ran */
	uint64_t asleep_ns, blocked_ns;
	uint64_t away_ns;         /* not on a CPU: asleep, blocked, or waiting for one after that */
	uint64_t nr_wakes;        /* whose waker is known */
	struct sched_waker waker; /* the one that woke it most often; SCHED_NOBODY: not known */
	uint64_t nr_by_waker;
	struct sched_chain chain; /* that most of these wake-ups end: it begins with the waker */
	uint64_t nr_by_chain;
	uint64_t open_run_ns; /* of a run that had not ended */
	uint64_t nr_unsure;   /* times that something was lost in */
};

struct losses;
struct sched_sums;

/* @times: what counts of all times; @losses: when records are missing; both are borrowed until
 * sched_sums_free(). Returns NULL without memory. */
struct sched_sums *sched_sums_new(const struct time_spans *times, const struct losses *losses);
void sched_sums_free(struct sched_sums *sums);

/* In the order of time. Return 0 or -ENOMEM. */
int sched_sums_leave(struct sched_sums *sums, const struct sched_event *event, enum sched_off why);
int sched_sums_run(struct sched_sums *sums, const struct sched_event *event);
int sched_sums_wake(struct sched_sums *sums, const struct sched_event *event,
		    struct sched_waker waker);

/* After the last: sorts tasks by the time they ran. @keep: completes what is not known of a task,
 * and returns whether it is kept. */
void sched_sums_finish(struct sched_sums *sums, bool (*keep)(struct sched_task *task, void *data),
		       void *data);
/* Then. Returns NULL after the last; valid as long as @sums. */
const struct sched_task *sched_sums_at(const struct sched_sums *sums, size_t idx);
/* From the first event to the last, within the times that count. */
uint64_t sched_sums_elapsed_ns(const struct sched_sums *sums);

/* What the prev_state of sched:sched_switch means. */
enum sched_off sched_off_of(int64_t prev_state);

#endif
