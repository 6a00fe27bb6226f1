/* SPDX-License-Identifier: MIT */
/* Where a command measures: the sets of CPUs and threads, and when the tasks are all gone. */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include <poll.h>
#include <sys/types.h>
#include <xperf/api.h>

struct xp_cpus;
struct xp_ctx;
struct xp_diag;
struct xp_evlist;
struct xp_threads;

/* What a command line says about it. */
struct target_args {
	bool system_wide;
	const char *cpu_list;
	const char *pid_list; /* numbers and names; numbers alone after target_init() */
	char *named_list;     /* target_init()'s, free with free(3); NULL: no names were given */
	const char *tid_list;
	const char *user;   /* name or number */
	bool threads_apart; /* threads are distinguished: all there are, where none were named */
	bool tasks_per_cpu; /* tasks that were named are followed by one event on each CPU */
};

struct target {
	struct xp_ctx *ctx;
	struct xp_cpus *cpus;       /* NULL: wherever the threads run */
	struct xp_threads *threads; /* NULL: every task, or the workload, known when it is made */

	/* for -p and -t: how the end of each process or thread is noticed */
	int nr_watched;
	int nr_gone;
	pid_t *watched;        /* 0: gone */
	struct pollfd *pidfds; /* .fd -1: looked for by number at intervals */
	bool looks_by_number;

	int nr_late; /* threads of -p, -u or --per-thread that began while the events were opened,
			to the last */
};

/* True if processes, threads or a user were named. */
bool target_names_tasks(const struct target_args *args);

/* Returns 0 or a negative errno with @diag filled. */
int target_init(struct target *target, struct xp_ctx *ctx, struct target_args *args,
		struct xp_diag *diag);
void target_fini(struct target *target);

/*
 * Opens @evlist by @open, again and again until no thread of -p, -u or --per-thread began
 * meanwhile: such a one counts only if the thread that made it was opened before. After a second,
 * it is left at that and nr_late is set. Returns what @open returned.
 */
int target_open(struct target *target, const struct target_args *args, struct xp_evlist *evlist,
		int (*open)(void *data, struct xp_diag *diag), void *data, struct xp_diag *diag);
/* Prints what is to be said about nr_late to stderr. @done: "counted" */
void target_say_late(const struct target *target, const char *done);

/* True if CPUs were named and none of them is online. */
bool target_is_offline(const struct target *target, const struct target_args *args);

/* Begins to watch the processes or threads of -p and -t. Returns likewise. */
int target_watch(struct target *target, const struct target_args *args, struct xp_diag *diag);

/* Notices which of them have ended. Returns true when there were some and all have. */
bool target_is_gone(struct target *target);

#endif
