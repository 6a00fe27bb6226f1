/* SPDX-License-Identifier: MIT */
/*
 * The simulated kernel: a model of a machine whose true counts are known, behind struct xp_sys.
 *
 * A scenario (scenario.c has the format) says what the machine is and what its tasks do. Time is
 * virtual: it passes inside calls only, so every run of a scenario is the same to the last bit.
 */
#ifndef SIM_H
#define SIM_H

#include <stdio.h>
#include <sys/types.h>
#include <xperf/ctx.h>

struct sim;
struct xp_arch;
struct xp_sys;

/* What xperf asked of the kernel. */
struct sim_stats {
	uint64_t calls;         /* numbered calls: all but now() and euid(), which cannot fail */
	uint64_t opened;        /* perf events */
	uint64_t reads;         /* read() on perf events */
	uint64_t ipis;          /* reads of an event counting on another CPU than the caller's */
	uint64_t hops;          /* run_on() */
	uint64_t closed_behind; /* descriptors given to close_behind() */
};

/*
 * Makes a machine. @text is the scenario, @origin names it in messages.
 * Returns NULL after printing what is wrong to stderr.
 */
struct sim *sim_new(const char *text, const char *origin);
/* The same from a file. */
struct sim *sim_load(const char *path);
void sim_free(struct sim *sim);

/* The seams. All live as long as @sim. */
const struct xp_sys *sim_sys(struct sim *sim);
const struct xp_arch *sim_arch(struct sim *sim);
const char *sim_root(const struct sim *sim);
struct xp_ctx_opts sim_ctx_opts(struct sim *sim);

/* Lets virtual time pass. */
void sim_advance(struct sim *sim, uint64_t ns);

/* Which modes of the processor a truth is about. */
enum sim_mode { SIM_USER = 1, SIM_KERNEL = 2, SIM_ANY_MODE = 3 };

/*
 * What truly happened since the start, whoever counted it: @event by its name in the scenario,
 * @tid -1 for all tasks (idle ones included), @cpu -1 for all CPUs.
 */
uint64_t sim_truth(const struct sim *sim, const char *event, pid_t tid, int cpu,
		   enum sim_mode mode);
/* The same for a process and everything it and its children forked. */
uint64_t sim_truth_below(const struct sim *sim, const char *event, pid_t pid, enum sim_mode mode);
/* What was written into rings, and what found no room in one. */
struct sim_output {
	uint64_t written;
	uint64_t lost;
};

/* Samples of all events of a name that had a ring. */
struct sim_output sim_samples(const struct sim *sim, const char *event);
/* Records of a type, enum xp_record_type. */
struct sim_output sim_records(const struct sim *sim, uint32_t type);

/*
 * Writes all that is true, one line each:
 *   task EVENT TID|all CPU|all COUNT
 *   event EVENT PID CPU true=N value=N enabled=NS running=NS
 *   wrote PATH TEXT
 *   samples EVENT written=N lost=N
 *   records TYPE written=N lost=N
 * "wrote" lines are files of the machine that were written, in order among those of the events.
 * An event's "true" is what it would have counted with a counter all the time up to its last read.
 */
void sim_write_truth(struct sim *sim, FILE *out);

const struct sim_stats *sim_stats(const struct sim *sim);
/* The process the program under test is in the model. */
pid_t sim_self(const struct sim *sim);

/* The @n-th numbered call (from 1) answers @err (positive) without effect; close() has its effect.
 */
void sim_fail_call(struct sim *sim, uint64_t n, int err);
/* The same, counting only calls of one name: "perf_event_open". */
void sim_fail_named(struct sim *sim, const char *name, uint64_t n, int err);
/* Writes each call with its number, arguments and answer. @out is borrowed. */
void sim_log_to(struct sim *sim, FILE *out);
/* A situation no real program survives (waiting for what never comes) ends the process, 98. */
void sim_exit_when_stuck(struct sim *sim);
/* The signal that would have ended the program under test; 0: none. */
int sim_killed_by(const struct sim *sim);

/*
 * Everything the program left behind, one line each: open descriptors, descriptors closed twice,
 * children nobody waited for. Returns the number of lines.
 */
int sim_leaks(struct sim *sim, FILE *out);

#endif
