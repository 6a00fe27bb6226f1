/* SPDX-License-Identifier: MIT */
/* What the user asked `xperf stat` for. */
#ifndef CLI_STAT_STAT_CONFIG_H
#define CLI_STAT_STAT_CONFIG_H

#include <string.h>
#include <xperf/stat.h>

#include "cli.h"
#include "control.h"
#include "events.h"
#include "target.h"

/* -D -1: the events stay off. */
#define DELAY_FOR_EVER (-1)

struct stat_config {
	/* what is counted */
	struct event_args events;
	const char *for_each_cgroup; /* NULL: not asked for */
	bool bpf_counters;
	const char *programs; /* of BPF, as -b names them; NULL: not asked for */
	uint32_t *program_ids;
	int nr_programs;
	const char *functions; /* patterns; NULL: not asked for */
	int detailed;
	bool null_run;
	bool all_user;
	bool all_kernel;
	bool group;
	const char **metrics; /* each -M */
	int nr_metrics;
	bool metric_no_group;
	bool metric_no_merge;
	bool metric_no_threshold;
	bool topdown;
	int td_level;         /* 0: not given */
	const char *cpu_type; /* of machines with several kinds of CPU; NULL: all */
	bool hybrid_merge;
	bool smi_cost;
	bool iostat;
	const char *iostat_ports; /* or "list"; NULL: all there are */

	/* where */
	struct target_args target;
	bool no_inherit;
	char **workload; /* NULL-terminated; NULL: none */

	/* when */
	int repeat; /* 0: for ever */
	int interval_ms;
	int interval_count;
	int timeout_ms;
	bool affinity;
	int delay_ms;
	struct control_place control;
	bool sync;
	const char *pre; /* commands around each run; NULL: none */
	const char *post;

	const char *record; /* the recording that is written; NULL: none */
	char **report;      /* "report" and what follows; NULL: counts are not read from a file */

	/* how it is shown */
	enum xp_aggr_mode aggr_mode;
	int cache_level; /* of rows per cache; 0: the last one */
	bool summary;
	bool interval_clear;
	bool run_table;
	bool hide_zero;
	bool no_csv_summary;
	bool json;             /* lines */
	bool document;         /* --json=v1 */
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
	bool metric_only;
	bool no_metric_only; /* as --no-metric-only says */
	bool perf7;          /* --compat=7: words, keys and default events of perf 7 */
};

/*
 * Parses and checks the command line; the strings stay in @argv. Returns true, or false if the
 * program ends with *ret_status; in any case stat_config_fini() follows.
 */
bool stat_config_init(struct stat_config *config, int argc, char **argv, int *ret_status);

/* What is wrong with the formats that were chosen, a sentence; NULL: nothing. */
const char *stat_format_contradiction(const struct stat_config *config);

void stat_config_fini(struct stat_config *config);

/* The counts are those of the command, not of what else was named. */
static inline bool stat_config_is_for_workload(const struct stat_config *config)
{
	return config->workload && !config->target.system_wide && !config->target.cpu_list &&
	       !config->target.pid_list && !config->target.tid_list;
}

/* Metrics were asked for by name. */
static inline bool stat_config_names_metrics(const struct stat_config *config)
{
	return config->nr_metrics || config->topdown || config->smi_cost;
}

/* The root ports are to be listed, and nothing counted. */
static inline bool stat_config_lists_ports(const struct stat_config *config)
{
	return config->iostat && config->iostat_ports && !strcmp(config->iostat_ports, "list");
}

/* The default events are those of perf 7's default metrics. */
static inline bool stat_config_has_default_metrics(const struct stat_config *config)
{
	return config->perf7 && !config->events.nr && !stat_config_names_metrics(config) &&
	       !config->iostat && !config->null_run && !config->report;
}

/* Metrics by name are counted. */
static inline bool stat_config_has_metrics(const struct stat_config *config)
{
	return stat_config_names_metrics(config) || stat_config_has_default_metrics(config);
}

/* Events that nobody has named, for people who look on: what cannot be counted needs no row of its
 * own. */
static inline bool stat_config_is_for_people(const struct stat_config *config)
{
	return !config->events.nr && !stat_config_names_metrics(config) && !config->json &&
	       !config->document && !config->separator && !config->perf7 && !config->verbose &&
	       !config->record && !config->output && !config->log_fd;
}

#endif
