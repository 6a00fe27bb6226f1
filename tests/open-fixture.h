/* SPDX-License-Identifier: MIT */
/* The machines of tests/data/roots with a kernel that opens every event. */
#ifndef TESTS_OPEN_FIXTURE_H
#define TESTS_OPEN_FIXTURE_H

#include "parse-fixture.h"

enum { FIRST_FD = 1000000 };

static int nr_opened, nr_open;

static int open_any(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
		    int group_fd, unsigned long flags)
{
	(void)sys, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	nr_open++;
	return FIRST_FD + nr_opened++;
}

static int close_any(const struct xp_sys *sys, int fd)
{
	if (fd < FIRST_FD)
		return xp_sys_linux()->close(sys, fd);
	nr_open--;
	return 0;
}

static void setup_machine(struct parsing *f, const char *tree)
{
	static struct xp_sys sys;

	sys = *xp_sys_linux();
	sys.perf_event_open = open_any;
	sys.close = close_any;
	setup_tree(f, &sys, tree);
}

static void teardown_machine(struct parsing *f)
{
	xp_evlist_free(f->evlist);
	assert_int_equal(nr_open, 0);
	xp_ctx_free(f->ctx);
}

/* Opens on some CPUs; NULL: those that are online. */
static void open_on(struct parsing *f, const char *cpus)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };

	if (cpus)
		assert_int_equal(xp_cpus_parse(cpus, &opts.cpus, NULL), 0);
	else
		assert_int_equal(xp_cpus_online(f->ctx, &opts.cpus, NULL), 0);
	assert_int_equal(xp_evlist_open(f->evlist, &opts, &f->diag), 0);
	xp_cpus_unref(opts.cpus);
}

/* "0,4": where an event is open. */
static inline const char *opened_on(const struct xp_evsel *evsel)
{
	static char list[256];
	size_t len = 0;

	list[0] = '\0';
	for (int i = 0; evsel->fds && i < xp_cpus_nr(evsel->cpus); i++)
		if (xp_evsel_fd(evsel, i, 0) >= 0)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%d",
						len ? "," : "", xp_cpus_at(evsel->cpus, i).nr);
	return list;
}

#endif
