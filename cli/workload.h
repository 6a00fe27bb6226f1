/* SPDX-License-Identifier: MIT */
/*
 * Built-in workloads, `xperf test -w NAME`: small programs whose behaviour is known, with the
 * function names test scripts look for.
 */
#ifndef CLI_WORKLOAD_H
#define CLI_WORKLOAD_H

#include <signal.h>

/* One workload. */
struct workload {
	const char *name;
	const char *args;    /* for the list: "[seconds]" */
	const char *summary; /* one line */
	/* argv[0] is the workload's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

/* A function that stays one of its own, under its name. */
#define KEEP __attribute__((noinline, used))

/* The table, ended by a zero row. */
extern const struct workload workloads[];

/* Becomes 1 when the time given to workload_start_timer() is over. */
extern volatile sig_atomic_t workload_done;

/*
 * Starts the clock: argv[@index] seconds, fractions allowed, 1 if there is no such argument.
 * Returns 0, or -1 after one sentence.
 */
int workload_start_timer(int argc, char **argv, int index);

/*
 * Reads argv[@index] as a number from 1 to @max; *ret_number keeps its value if there is no such
 * argument. Returns 0, or -1 after one sentence.
 */
int workload_number(int argc, char **argv, int index, long max, long *ret_number);

/* The workloads, one file each. */
int noploop(int argc, char **argv);
int thloop(int argc, char **argv);
int leafloop(int argc, char **argv);
int inlineloop(int argc, char **argv);
int sqrtloop(int argc, char **argv);
int brstack(int argc, char **argv);
int callchain(int argc, char **argv);
int datasym(int argc, char **argv);
int deterministic_loop(int argc, char **argv);
int context_switch_loop(int argc, char **argv);
int named_threads(int argc, char **argv);

/* A fixed amount of work; the lines it runs are known (deterministic.c). */
void deterministic(void);

#endif
