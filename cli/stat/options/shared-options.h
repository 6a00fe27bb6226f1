/* SPDX-License-Identifier: MIT */
/*
 * Rows that the option tables of stat, stat report and compare share. What each of them parses into
 * begins with a struct stat_config.
 */
#ifndef CLI_STAT_SHARED_OPTIONS_H
#define CLI_STAT_SHARED_OPTIONS_H

#include "options.h"
#include "stat-config.h"

int stat_parse_aggr(const struct option *option, const char *arg, bool negated, void *values);
int stat_parse_cache(const struct option *option, const char *arg, bool negated, void *values);
int stat_parse_metrics(const struct option *option, const char *arg, bool negated, void *values);
int stat_parse_separator(const struct option *option, const char *arg, bool negated, void *values);
int stat_parse_compat(const struct option *option, const char *arg, bool negated, void *values);
int stat_parse_json(const struct option *option, const char *arg, bool negated, void *values);

#define STAT_AT(member) offsetof(struct stat_config, member)

/* All of stat. */
extern const struct option stat_options[];

/* clang-format off */
/* What is counted. */
#define STAT_OPTIONS_OF_EVENTS                                                                     \
	{ 'e', "event", OPTION_CALL, STAT_AT(events), "EVENT",                                     \
	  "count these events, separated by commas; {a,b} are counted at the same time",           \
	  events_parse },                                                                          \
	{ 0, "pfm-events", OPTION_CALL, STAT_AT(events), "EVENT",                                  \
	  "count these events, by their libpfm4 names: skx::INST_RETIRED:ANY_P", events_parse },   \
	{ 0, "filter", OPTION_CALL, STAT_AT(events), "FILTER",                                     \
	  "count the preceding tracepoints and probes only where this condition holds: 'prev_pid " \
	  "!= 0'",                                                                                 \
	  events_parse_filter },                                                                   \
	{ 'M', "metrics", OPTION_CALL, 0, "NAME[,NAME]",                                           \
	  "count the events of these metrics and show them; NAME is a metric, a group, a pattern, " \
	  "or all",                                                                                \
	  stat_parse_metrics },                                                                    \
	{ 'd', "detailed", OPTION_COUNT, STAT_AT(detailed),                                        \
	  .help = "add cache events; twice and three times add more" },                            \
	{ 0, "all-user", OPTION_FLAG, STAT_AT(all_user),                                           \
	  .help = "count user space only, in all events" },                                        \
	{ 0, "all-kernel", OPTION_FLAG, STAT_AT(all_kernel),                                       \
	  .help = "count the kernel only, in all events" }

/* What a row is of. @cpus, @threads: what such rows need, behind the help; "": nothing. */
#define STAT_OPTIONS_OF_ROWS(cpus, threads)                                                        \
	{ 'A', "no-aggr", OPTION_CALL, 0, .help = "print one line per CPU" cpus,                   \
	  .call = stat_parse_aggr },                                                               \
	{ 0, "per-socket", OPTION_CALL, 0, .help = "print one line per processor socket" cpus,     \
	  .call = stat_parse_aggr },                                                               \
	{ 0, "per-die", OPTION_CALL, 0, .help = "print one line per die" cpus,                     \
	  .call = stat_parse_aggr },                                                               \
	{ 0, "per-core", OPTION_CALL, 0, .help = "print one line per core" cpus,                   \
	  .call = stat_parse_aggr },                                                               \
	{ 0, "per-node", OPTION_CALL, 0, .help = "print one line per NUMA node" cpus,              \
	  .call = stat_parse_aggr },                                                               \
	{ 0, "per-cluster", OPTION_CALL, 0, .help = "print one line per cluster of CPUs" cpus,     \
	  .call = stat_parse_aggr },                                                               \
	{ 0, "per-cache", OPTION_CALL, 0, "LEVEL",                                                 \
	  "print one line per cache of this level, L1 to L4 (default: the last level)" cpus,       \
	  stat_parse_cache, .optional = true },                                                    \
	{ 0, "per-thread", OPTION_CALL, 0, .help = "print one line per thread" threads,            \
	  .call = stat_parse_aggr }

/* How it is printed. */
#define STAT_OPTIONS_OF_FORMAT                                                                     \
	{ 'x', "field-separator", OPTION_CALL, 0, "SEP", "print CSV with this separator",          \
	  stat_parse_separator },                                                                  \
	{ 'j', "json-output", OPTION_FLAG, STAT_AT(json),                                          \
	  .help = "print one JSON object per line" },                                              \
	{ 0, "json", OPTION_CALL, 0, "VERSION",                                                    \
	  "v1: print one JSON document of all runs; without a version, the same as -j",            \
	  stat_parse_json, .optional = true },                                                     \
	{ 0, "compat", OPTION_CALL, 0, "VERSION",                                                  \
	  "7: count and print as perf 7 does; 6: as perf 6.1 (default)", stat_parse_compat },      \
	{ 'o', "output", OPTION_STRING, STAT_AT(output), "FILE",                                   \
	  "print to FILE instead of stderr" },                                                     \
	{ 'B', "big-num", OPTION_FLAG, STAT_AT(big_num),                                           \
	  .help = "group the digits of large numbers as the locale does (default)" },              \
	{ 0, "hide-zero-events", OPTION_FLAG, STAT_AT(hide_zero),                                  \
	  .help = "leave out rows whose count is 0" }
/* clang-format on */

#endif
