/* SPDX-License-Identifier: MIT */
/*
 * What xperf relies on in a kernel, as checks against struct xp_sys that hold for the simulated
 * kernel (tests/unit/test-sim-promises.c) and the real one (tests/live/test-kernel-promises.c).
 */
#ifndef SIM_PROMISES_H
#define SIM_PROMISES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/types.h>

struct xp_sys;

/* The kernel that is asked, and commands it can run. */
struct promise_env {
	const struct xp_sys *sys;
	pid_t self;
	int nr_cpus;
	bool has_pmu;
	bool forgets_children; /* "inherit_stat" does nothing (measured: Linux 6.1, not 6.18) */
	int nr_counters;       /* that count branches; 0: not known */
	char *const *work;     /* runs some milliseconds on CPU 0 if it may, exits with 3 */
	char *const *family;  /* forks two that fault pages and run, waits for them, exits with 0 */
	char *const *hold;    /* sleeps until it is killed */
	char *const *missing; /* no such command */
	/* Directories: of a cgroup in which something runs again and again, and of one in which
	 * nothing is; NULL: there are none. */
	const char *busy_cgroup, *empty_cgroup;
	void (*begin)(void); /* before each check; may be NULL */
	void (*end)(void);   /* after each check; may be NULL */
};

extern struct promise_env promise_env;

extern const struct CMUnitTest promises[];
extern const size_t nr_promises;

/* Runs all of them. Returns the number that were broken. */
int promises_run(const char *name);

#endif
