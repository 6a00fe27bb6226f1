/* SPDX-License-Identifier: MIT */
/* What the user asked `xperf stat` for. */
#ifndef CLI_STAT_CONFIG_H
#define CLI_STAT_CONFIG_H

#include <xperf/stat.h>

#include "cli.h"

/* -D -1: the events stay off. */
#define DELAY_FOR_EVER (-1)

struct stat_filter;

/* One -G. */
struct stat_cgroups {
	int event; /* the last -e before it */
	const char *names;
};

/* One -e or --pfm-events. */
struct stat_events {
	const char *text;
	bool is_vendor;
};

struct stat_config {
	/* what is counted */
	struct stat_events *events; /* each -e and --pfm-events, in order */
	int nr_events;
	struct stat_filter *filters; /* in order */
	int nr_filters;
	struct stat_cgroups *cgroups; /* each -G, in order */
	int nr_cgroups;
	const char *for_each_cgroup; /* NULL: not asked for */
	int detailed;
	bool null_run;
	bool all_user;
	bool all_kernel;

	/* where */
	bool system_wide;
	const char *cpu_list;
	const char *pid_list;
	const char *tid_list;
	bool no_inherit;
	char **workload; /* NULL-terminated; NULL: none */

	/* when */
	int repeat; /* 0: for ever */
	int interval_ms;
	int interval_count;
	int timeout_ms;
	int delay_ms;
	bool sync;

	/* how it is shown */
	enum xp_aggr_mode aggr_mode;
	bool summary;
	bool no_csv_summary;
	bool json;
	const char *separator; /* NULL: text */
	bool big_num;
	bool scale;
	const char *output; /* NULL: stderr, or log_fd */
	bool append;
	int log_fd; /* 0: none */
	int verbose;
	bool quiet;
	bool no_merge;
	bool percore_show_thread;
};

/*
 * Parses and checks the command line. Returns 0, or the exit status plus one (see options_parse()).
 * The strings stay in @argv.
 */
int stat_config_init(struct stat_config *config, int argc, char **argv);
void stat_config_fini(struct stat_config *config);

#endif
