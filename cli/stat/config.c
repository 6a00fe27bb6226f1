/* SPDX-License-Identifier: MIT */
/* The options of `xperf stat`: the table, and which of them contradict each other. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "options.h"
#include "stat.h"

static const struct aggr_option {
	const char *name;
	enum xp_aggr_mode mode;
} aggr_options[] = {
	{ "no-aggr", XP_AGGR_CPU },   { "per-socket", XP_AGGR_SOCKET },
	{ "per-die", XP_AGGR_DIE },   { "per-core", XP_AGGR_CORE },
	{ "per-node", XP_AGGR_NODE }, { "per-thread", XP_AGGR_THREAD },
};

static int take_aggr(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	(void)arg;
	for (size_t i = 0; i < sizeof(aggr_options) / sizeof(aggr_options[0]); i++)
		if (!strcmp(aggr_options[i].name, option->name))
			config->aggr_mode = negated ? XP_AGGR_GLOBAL : aggr_options[i].mode;
	return 0;
}

static int take_separator(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	if (!negated && !*arg)
		return option_error(option, "the separator is empty");
	config->separator = negated ? NULL : !strcmp(arg, "\\t") ? "\t" : arg;
	return 0;
}

#define AT(member) offsetof(struct stat_config, member)

/* clang-format off: one row, one line */
static const struct option options[] = {
	{ 'e', "event", OPTION_CALL, AT(events), "EVENT",
	  "events to count, separated by commas; {a,b} are counted together", events_take },
	{ 0, "pfm-events", OPTION_CALL, AT(events), "EVENT",
	  "the same, by the names of libpfm4: skx::INST_RETIRED:ANY_P", events_take },
	{ 0, "filter", OPTION_CALL, AT(events), "FILTER",
	  "count the tracepoints and probes of the -e before it where this holds: 'prev_pid != 0'",
	  events_take_filter },
	{ 0, "exclude-perf", OPTION_CALL, AT(events),
	  .help = "leave xperf itself out of the tracepoints of the -e before it",
	  .call = events_take_exclude_perf },
	{ 'G', "cgroup", OPTION_CALL, AT(events), "NAME[,NAME]",
	  "count the events before it in these cgroups, one each; a single name is for all",
	  events_take_cgroups },
	{ 0, "for-each-cgroup", OPTION_STRING, AT(for_each_cgroup), "NAME[,NAME]",
	  "count all events in each of these cgroups; a NAME may be a regular expression" },
	{ 'a', "all-cpus", OPTION_FLAG, AT(target.system_wide),
	  .help = "count all tasks on all CPUs" },
	{ 'C', "cpu", OPTION_STRING, AT(target.cpu_list), "LIST", "count on these CPUs: 0,2-3" },
	{ 'p', "pid", OPTION_STRING, AT(target.pid_list), "LIST", "count running processes" },
	{ 't', "tid", OPTION_STRING, AT(target.tid_list), "LIST", "count running threads" },
	{ 'i', "no-inherit", OPTION_FLAG, AT(no_inherit), .help = "do not count child tasks" },
	{ 'r', "repeat", OPTION_INT, AT(repeat), "N",
	  "run the command N times, print mean and standard error; 0: until ^C" },
	{ 'n', "null", OPTION_FLAG, AT(null_run), .help = "count nothing, only take the time" },
	{ 'd', "detailed", OPTION_COUNT, AT(detailed),
	  .help = "add cache events; twice and three times add more" },
	{ 'D', "delay", OPTION_INT, AT(delay_ms), "MS",
	  "start counting MS milliseconds after the command; -1: never" },
	{ 'I', "interval-print", OPTION_POSITIVE, AT(interval_ms), "MS",
	  "print counts every MS milliseconds" },
	{ 0, "interval-count", OPTION_INT, AT(interval_count), "N", "stop after N intervals" },
	{ 0, "summary", OPTION_FLAG, AT(summary), .help = "print the totals behind the intervals" },
	{ 0, "no-csv-summary", OPTION_FLAG, AT(no_csv_summary),
	  .help = "do not begin the totals' lines with \"summary\" in CSV" },
	{ 0, "timeout", OPTION_INT, AT(timeout_ms), "MS",
	  "stop after MS milliseconds, 10 or more" },
	{ 'A', "no-aggr", OPTION_CALL, 0, .help = "one line per CPU; needs -a or -C",
	  .call = take_aggr },
	{ 0, "per-socket", OPTION_CALL, 0, .help = "one line per processor socket; needs -a or -C",
	  .call = take_aggr },
	{ 0, "per-die", OPTION_CALL, 0, .help = "one line per die; needs -a or -C",
	  .call = take_aggr },
	{ 0, "per-core", OPTION_CALL, 0, .help = "one line per core; needs -a or -C",
	  .call = take_aggr },
	{ 0, "per-node", OPTION_CALL, 0, .help = "one line per NUMA node; needs -a or -C",
	  .call = take_aggr },
	{ 0, "per-thread", OPTION_CALL, 0, .help = "one line per thread; needs -p, -t or -a",
	  .call = take_aggr },
	{ 0, "all-user", OPTION_FLAG, AT(all_user),
	  .help = "count user space only, in all events" },
	{ 0, "all-kernel", OPTION_FLAG, AT(all_kernel),
	  .help = "count the kernel only, in all events" },
	{ 'x', "field-separator", OPTION_CALL, 0, "SEP", "print CSV with this separator",
	  take_separator },
	{ 'j', "json-output", OPTION_FLAG, AT(json), .help = "print one JSON object per line" },
	{ 'o', "output", OPTION_STRING, AT(output), "FILE", "print to FILE instead of stderr" },
	{ 0, "append", OPTION_FLAG, AT(append), .help = "append to FILE" },
	{ 0, "log-fd", OPTION_INT, AT(log_fd), "FD", "print to an open descriptor" },
	{ 'B', "big-num", OPTION_FLAG, AT(big_num),
	  .help = "group digits as the locale does; the default" },
	{ 'c', "scale", OPTION_FLAG, AT(scale),
	  .help = "scale events that shared a counter; the default" },
	{ 'S', "sync", OPTION_FLAG, AT(sync), .help = "call sync() before each run" },
	{ 'v', "verbose", OPTION_COUNT, AT(verbose),
	  .help = "print raw counts and times; twice: what the kernel is asked" },
	{ 0, "no-merge", OPTION_FLAG, AT(no_merge),
	  .help = "one line per PMU for events of several (uncore_imc_0, uncore_imc_1)" },
	{ 0, "percore-show-thread", OPTION_FLAG, AT(percore_show_thread),
	  .help = "with -A, show percore events on each CPU, with the count of its core" },
	{ 'q', "quiet", OPTION_FLAG, AT(quiet), .help = "print errors only" },
	{ 0 },
};
/* clang-format on */

const struct command stat_command = {
	.name = "stat",
	.summary = "Count events while a command runs, in processes, or on CPUs",
	.usage = "[<options>] [<command>]",
	.options = options,
	.runs_program = true,
	.run = stat_main,
};

static bool has_cpu_target(const struct stat_config *config)
{
	return config->target.system_wide || config->target.cpu_list;
}

static bool has_task_target(const struct stat_config *config)
{
	return config->target.pid_list || config->target.tid_list;
}

static bool needs_cpus(const struct stat_config *config)
{
	return config->aggr_mode != XP_AGGR_GLOBAL && config->aggr_mode != XP_AGGR_THREAD;
}

/* What cannot be meant: the first row that holds is printed. */
static bool per_place_without_cpus(const struct stat_config *c)
{
	return needs_cpus(c) && !has_cpu_target(c);
}

static bool per_place_of_tasks(const struct stat_config *c)
{
	return needs_cpus(c) && has_task_target(c);
}

static bool per_thread_of_command(const struct stat_config *c)
{
	return c->aggr_mode == XP_AGGR_THREAD && c->workload && !has_task_target(c) &&
	       !has_cpu_target(c);
}

static bool counts_cgroups(const struct stat_config *c)
{
	return c->events.nr_cgroups || c->for_each_cgroup;
}

static bool cgroups_without_cpus(const struct stat_config *c)
{
	return counts_cgroups(c) && (!has_cpu_target(c) || has_task_target(c));
}

static bool cgroups_by_thread(const struct stat_config *c)
{
	return counts_cgroups(c) && c->aggr_mode == XP_AGGR_THREAD;
}

static bool two_ways_of_cgroups(const struct stat_config *c)
{
	return c->events.nr_cgroups && c->for_each_cgroup;
}

static bool two_outputs(const struct stat_config *c)
{
	return c->output && c->log_fd;
}

static bool two_formats(const struct stat_config *c)
{
	return c->json && c->separator;
}

static bool null_of_events(const struct stat_config *c)
{
	return c->null_run && c->events.nr;
}

static bool pids_and_tids(const struct stat_config *c)
{
	return c->target.pid_list && c->target.tid_list;
}

static bool repeat_nothing(const struct stat_config *c)
{
	return c->repeat != 1 && !c->workload;
}

static bool bad_repeat(const struct stat_config *c)
{
	return c->repeat < 0;
}

static bool bad_interval_count(const struct stat_config *c)
{
	return c->interval_count < 0 || (c->interval_count && !c->interval_ms);
}

static bool bad_timeout(const struct stat_config *c)
{
	return c->timeout_ms && c->timeout_ms < 10;
}

static bool timeout_and_interval(const struct stat_config *c)
{
	return c->timeout_ms && c->interval_ms;
}

static bool bad_delay(const struct stat_config *c)
{
	return c->delay_ms < DELAY_FOR_EVER;
}

static bool user_and_kernel(const struct stat_config *c)
{
	return c->all_user && c->all_kernel;
}

static bool bad_log_fd(const struct stat_config *c)
{
	return c->log_fd < 0;
}

static const struct contradiction {
	bool (*holds)(const struct stat_config *config);
	const char *sentence;
} contradictions[] = {
	{ per_place_without_cpus,
	  "-A and --per-socket, -die, -core, -node need -a or -C: a task's counters follow it from CPU to CPU" },
	{ per_place_of_tasks,
	  "-A and --per-socket, -die, -core, -node count CPUs, -p and -t tasks: choose one" },
	{ per_thread_of_command, "--per-thread needs -p, -t or -a" },
	{ cgroups_without_cpus,
	  "-G and --for-each-cgroup need -a or -C, without -p and -t: cgroups are counted by CPU" },
	{ cgroups_by_thread,
	  "--per-thread counts threads, -G and --for-each-cgroup cgroups: choose one" },
	{ two_ways_of_cgroups,
	  "-G names cgroups for single events, --for-each-cgroup for all: choose one" },
	{ two_outputs, "-o and --log-fd name two outputs: choose one" },
	{ two_formats, "-x and -j are two formats: choose one" },
	{ null_of_events, "-n counts nothing, -e names events to count: choose one" },
	{ pids_and_tids, "-p and -t: name either processes or threads" },
	{ repeat_nothing, "-r repeats a command, and there is none" },
	{ bad_repeat, "-r takes a number of runs, 0 or more" },
	{ bad_interval_count,
	  "--interval-count takes a number of intervals, 1 or more, and needs -I" },
	{ bad_timeout, "--timeout takes milliseconds, 10 or more" },
	{ timeout_and_interval, "--timeout does not go with -I: use --interval-count" },
	{ bad_delay, "-D takes milliseconds, 0 or more, or -1" },
	{ user_and_kernel, "--all-user and --all-kernel leave nothing to count" },
	{ bad_log_fd, "--log-fd takes the number of an open descriptor" },
};

static int check(const struct stat_config *config)
{
	for (size_t i = 0; i < sizeof(contradictions) / sizeof(contradictions[0]); i++)
		if (contradictions[i].holds(config))
			return 1 + options_misused(&stat_command, "%s", contradictions[i].sentence);
	return 0;
}

/* As perf: tasks that were named go before all that run. */
static void drop_system_wide(struct stat_config *config)
{
	config->target.system_wide = false;
	if (!config->quiet)
		fputs("Warning: -a is left aside, -p or -t says what is counted\n", stderr);
}

/* perf's subcommands, which are not there yet: whoever types one does not mean a program. */
static int refuse_subcommand(char **argv, int first)
{
	const char *word = argv[first];

	if ((strcmp(word, "record") && strcmp(word, "report")) || !strcmp(argv[first - 1], "--"))
		return 0;
	return 1 + options_misused(&stat_command,
				   "xperf stat %s does not exist yet: save counts with -o, -x or "
				   "-j; to run a program of this name: xperf stat -- %s",
				   word, word);
}

int stat_config_init(struct stat_config *config, int argc, char **argv)
{
	int first;

	*config = (struct stat_config){ .repeat = 1, .big_num = true, .scale = true };
	int leave = options_parse(&stat_command, argc, argv, config, &first);
	if (!leave && first < argc)
		leave = refuse_subcommand(argv, first);
	if (leave)
		return leave;
	if (first < argc)
		config->workload = argv + first;
	config->target.threads_apart = config->aggr_mode == XP_AGGR_THREAD;
	if (!config->workload && !has_task_target(config) && !config->target.cpu_list)
		config->target.system_wide = true;
	leave = check(config);
	if (!leave && config->target.system_wide && has_task_target(config))
		drop_system_wide(config);
	return leave;
}

void stat_config_fini(struct stat_config *config)
{
	events_fini(&config->events);
}
