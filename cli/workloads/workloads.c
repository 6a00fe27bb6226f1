/* SPDX-License-Identifier: MIT */
/* The table of workloads, and what they share: the clock and numbers from the command line. */
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

const struct workload workloads[] = {
	{ "noploop", "[seconds]", "an empty loop", noploop },
	{ "thloop", "[seconds] [threads]", "test_loop() in several threads", thloop },
	{ "leafloop", "[seconds]", "a loop in leaf(), called by parent()", leafloop },
	{ "inlineloop", "[seconds]", "a loop in leaf(), inlined into parent()", inlineloop },
	{ "sqrtloop", "[seconds]", "square roots in a child process", sqrtloop },
	{ "brstack", "[rounds]", "calls, returns and jumps of every kind", brstack },
	{ "callchain", "[calls]", "system calls at the end of a chain of calls", callchain },
	{ "datasym", "[seconds]", "stores to two members of buf1", datasym },
	{ "deterministic", "[rounds]", "the same instructions and page faults every time",
	  deterministic_loop },
	{ "context_switch_loop", "[rounds]", "two processes on one CPU take turns",
	  context_switch_loop },
	{ "named_threads", "[threads] [seconds]", "threads with names of their own",
	  named_threads },
	{ 0 },
};

volatile sig_atomic_t workload_done;

static void on_alarm(int signal_nr)
{
	(void)signal_nr;
	workload_done = 1;
}

int workload_start_timer(int argc, char **argv, int index)
{
	double seconds = 1;

	if (index < argc) {
		char *end;

		seconds = strtod(argv[index], &end);
		if (end == argv[index] || *end || !(seconds >= 1e-6 && seconds < 1e6)) {
			fprintf(stderr, "Error: %s: '%s' is not a number of seconds\n", argv[0],
				argv[index]);
			return -1;
		}
	}
	time_t whole = (time_t)seconds;
	struct itimerval timer = {
		.it_value = { .tv_sec = whole,
			      .tv_usec = (suseconds_t)((seconds - (double)whole) * 1e6) },
	};

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	return 0;
}

int workload_number(int argc, char **argv, int index, long max, long *ret_number)
{
	char *end;

	if (index >= argc)
		return 0;
	long number = strtol(argv[index], &end, 10);
	if (end == argv[index] || *end || number < 1 || number > max) {
		fprintf(stderr, "Error: %s: '%s' is not a number from 1 to %ld\n", argv[0],
			argv[index], max);
		return -1;
	}
	*ret_number = number;
	return 0;
}
