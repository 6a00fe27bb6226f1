/* SPDX-License-Identifier: MIT */
/* The options of `xperf stat`: the table, and which of them contradict each other. */
#include "stat-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option-parse.h"
#include "options.h"
#include "shared-options.h"
#include "vec.h"

/* "17,254"; the last list is the one that counts. */
static int parse_programs(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;
	const char *at = negated ? "" : arg;

	config->programs = negated ? NULL : arg;
	config->nr_programs = 0;
	while (!negated && (!config->nr_programs || *at++ == ',')) {
		char *end;
		unsigned long long id = strtoull(at, &end, 10);

		if (*at < '0' || *at > '9' || !id || id > UINT32_MAX || (*end && *end != ','))
			return option_error(option,
					    "'%s' is no list of ids of BPF programs, such as "
					    "17,254: bpftool prog list shows those that are loaded",
					    arg);
		if (vec_add(&config->program_ids, (size_t)config->nr_programs, sizeof(uint32_t)))
			return option_error(option, "out of memory");
		config->program_ids[config->nr_programs++] = (uint32_t)id;
		at = end;
	}
	return 0;
}

static int parse_metric_only(const struct option *option, const char *arg, bool negated,
			     void *values)
{
	struct stat_config *config = values;

	(void)option;
	(void)arg;
	config->metric_only = !negated;
	config->no_metric_only = negated;
	return 0;
}

static int parse_iostat(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	(void)option;
	config->iostat = !negated;
	config->iostat_ports = arg;
	return 0;
}

/* The command finds it where it may be. */
static int refuse_compare(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)arg;
	(void)values;
	return negated ? 0
		       : option_error(option,
				      "with it, the other options are those of xperf compare: "
				      "put it first");
}

#define AT(member) offsetof(struct stat_config, member)

/* clang-format off: one row, one line */
const struct option stat_options[] = {
	STAT_OPTIONS_OF_EVENTS,
	{ 0, "exclude-perf", OPTION_CALL, AT(events),
	  .help = "do not count xperf itself for the preceding tracepoints",
	  .call = events_parse_exclude_perf },
	{ 'G', "cgroup", OPTION_CALL, AT(events), "NAME[,NAME]",
	  "count the preceding events in these cgroups, one each; a single name applies to all",
	  events_parse_cgroups },
	{ 0, "for-each-cgroup", OPTION_STRING, AT(for_each_cgroup), "NAME[,NAME]",
	  "count all events in each of these cgroups; a NAME may be a regular expression" },
	{ 0, "bpf-counters", OPTION_FLAG, AT(bpf_counters),
	  .help = "count in the kernel by BPF: one set of events for all cgroups and tasks" },
	{ 'b', "bpf-prog", OPTION_CALL, 0, "ID[,ID]",
	  "count while these BPF programs run: ids, as bpftool prog list shows them",
	  parse_programs },
	{ 0, "functions", OPTION_STRING, AT(functions), "PATTERN[,PATTERN]",
	  "count and time calls of functions, FILE:GLOB or GLOB in the command, by BPF at uprobes" },
	{ 'a', "all-cpus", OPTION_FLAG, AT(target.system_wide),
	  .help = "count all tasks on all CPUs" },
	{ 'C', "cpu", OPTION_STRING, AT(target.cpu_list), "LIST", "count on these CPUs: 0,2-3" },
	{ 'p', "pid", OPTION_STRING, AT(target.pid_list), "LIST",
	  "count running processes, by number or name" },
	{ 't', "tid", OPTION_STRING, AT(target.tid_list), "LIST", "count running threads" },
	{ 'i', "no-inherit", OPTION_FLAG, AT(no_inherit), .help = "do not count child tasks" },
	{ 'r', "repeat", OPTION_INT, AT(repeat), "N",
	  "run the command N times, print mean and standard error; 0: until ^C" },
	{ 0, "compare", OPTION_CALL, 0,
	  .help = "compare commands, with the options of xperf compare", .call = refuse_compare },
	{ 'n', "null", OPTION_FLAG, AT(null_run), .help = "count nothing, only measure the time" },
	{ 'D', "delay", OPTION_INT, AT(delay_ms), "MS",
	  "start counting MS milliseconds after the command; -1: never" },
	{ 0, "control", OPTION_CALL, AT(control), "PLACE",
	  "read commands from fd:N[,N] or fifo:PATH[,PATH], and acknowledge them", control_parse },
	{ 'I', "interval-print", OPTION_POSITIVE, AT(interval_ms), "MS",
	  "print counts every MS milliseconds" },
	{ 0, "interval-count", OPTION_INT, AT(interval_count), "N", "stop after N intervals" },
	{ 0, "summary", OPTION_FLAG, AT(summary),
	  .help = "with -I: also print the totals at the end" },
	{ 0, "interval-clear", OPTION_FLAG, AT(interval_clear),
	  .help = "with -I: clear the screen before each interval" },
	{ 0, "no-csv-summary", OPTION_FLAG, AT(no_csv_summary),
	  .help = "do not mark the lines of --summary with \"summary\" in CSV" },
	{ 0, "timeout", OPTION_INT, AT(timeout_ms), "MS",
	  "stop after MS milliseconds, 10 or more" },
	STAT_OPTIONS_OF_ROWS("; needs -a or -C", "; needs -p, -t or -a"),
	{ 'g', "group", OPTION_FLAG, AT(group),
	  .help = "make all events of -e one group, as -e '{a,b}'" },
	STAT_OPTIONS_OF_FORMAT,
	{ 0, "append", OPTION_FLAG, AT(append), .help = "append to FILE" },
	{ 0, "log-fd", OPTION_INT, AT(log_fd), "FD", "print to an open descriptor" },
	{ 'c', "scale", OPTION_FLAG, AT(scale),
	  .help = "scale multiplexed events to the whole time (default)" },
	{ 'S', "sync", OPTION_FLAG, AT(sync), .help = "call sync() before each run" },
	{ 0, "pre", OPTION_STRING, AT(pre), "COMMAND", "run this in a shell before each run" },
	{ 0, "post", OPTION_STRING, AT(post), "COMMAND",
	  "run this in a shell after each run, unless the run failed" },
	{ 0, "table", OPTION_FLAG, AT(run_table),
	  .help = "with -r: also print the time of each run" },
	{ 'v', "verbose", OPTION_COUNT, AT(verbose),
	  .help = "print raw counts and times; twice: also the attributes each event was opened "
		  "with" },
	{ 0, "no-merge", OPTION_FLAG, AT(no_merge),
	  .help = "print one line per PMU for events of several PMUs (uncore_imc_0, uncore_imc_1)" },
	{ 0, "cputype", OPTION_STRING, AT(cpu_type), "TYPE",
	  "where CPUs are of several kinds, count on one of them only: core, atom" },
	{ 0, "hybrid-merge", OPTION_FLAG, AT(hybrid_merge),
	  .help = "where CPUs are of several kinds, print the sum over all of them" },
	{ 0, "percore-show-thread", OPTION_FLAG, AT(percore_show_thread),
	  .help = "with -A, show percore events on each CPU, with the count of its core" },
	{ 0, "affinity", OPTION_FLAG, AT(affinity),
	  .help = "move to each CPU whose counters are read, which is faster (default)" },
	{ 'q', "quiet", OPTION_FLAG, AT(quiet), .help = "print errors only" },
	{ 0, "metric-only", OPTION_CALL, 0, .help = "print metrics, without counts",
	  .call = parse_metric_only },
	{ 0, "metric-no-group", OPTION_FLAG, AT(metric_no_group),
	  .help = "with -M: do not count the events of a metric at the same time" },
	{ 0, "metric-no-merge", OPTION_FLAG, AT(metric_no_merge),
	  .help = "with -M: metrics do not share a group" },
	{ 0, "metric-no-threshold", OPTION_FLAG, AT(metric_no_threshold),
	  .help = "with -M: do not show which metrics are beyond their thresholds" },
	{ 0, "topdown", OPTION_FLAG, AT(topdown),
	  .help = "print where the slots of the processors go, as -M TopdownL1 --metric-only" },
	{ 0, "td-level", OPTION_POSITIVE, AT(td_level), "N",
	  "with --topdown: 1, or 2 with details (-M TopdownL1,TopdownL2)" },
	{ 0, "smi-cost", OPTION_FLAG, AT(smi_cost),
	  .help = "print what interrupts of the firmware cost; sets freeze_on_smi meanwhile" },
	{ 0, "iostat", OPTION_CALL, 0, "PORTS",
	  "print what goes through PCIe root ports: 0000:17,0:3a; list: which there are",
	  parse_iostat, .optional = true },
	/* perf's, which are refused: the help is the reason */
	{ 'T', "transaction", OPTION_CALL, 0, NULL,
	  "there is no such set of events; where the PMU has them, name them: {instructions,cycles,cpu/cycles-t/,cpu/tx-start/}",
	  option_refuse, .hidden = true },
	{ 0, "pmu-filter", OPTION_CALL, 0, "PMU", "name the PMU in the event: cpu_core/cycles/",
	  option_refuse, .hidden = true },
	{ 0, "bpf-attr-map", OPTION_CALL, 0, "PATH", "counters are shared without a pinned map",
	  option_refuse, .hidden = true },
	{ 0, "record-tpebs", OPTION_CALL, 0, NULL, "retire latencies (:R) are not measured",
	  option_refuse, .hidden = true },
	{ 0, "tpebs-mode", OPTION_CALL, 0, "MODE", "retire latencies (:R) are not measured",
	  option_refuse, .hidden = true },
	{ 0 },
};
/* clang-format on */

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

static const char *contradiction_of_targets(const struct stat_config *c)
{
	bool cpus = has_cpu_target(c), tasks = has_task_target(c);
	bool cgroups = c->events.nr_cgroups || c->for_each_cgroup;

	if (needs_cpus(c) && !cpus)
		return "-A and --per-socket, -die, -core, -node, -cluster, -cache need -a or -C: a task's counters follow it from CPU to CPU";
	if (needs_cpus(c) && tasks)
		return "-A and --per-socket, -die, -core, -node, -cluster, -cache count CPUs, -p and -t tasks: choose one";
	if (c->aggr_mode == XP_AGGR_THREAD && c->workload && !tasks && !cpus)
		return "--per-thread needs -p, -t or -a";
	if (cgroups && (!cpus || tasks))
		return "-G and --for-each-cgroup need -a or -C, without -p and -t: cgroups are counted by CPU";
	if (cgroups && c->aggr_mode == XP_AGGR_THREAD)
		return "--per-thread counts threads, -G and --for-each-cgroup cgroups: choose one";
	if (c->events.nr_cgroups && c->for_each_cgroup)
		return "-G names cgroups for single events, --for-each-cgroup for all: choose one";
	if (c->target.pid_list && c->target.tid_list)
		return "-p and -t exclude each other: choose processes or threads";
	return NULL;
}

static const char *contradiction_of_runs(const struct stat_config *c)
{
	if (c->repeat != 1 && !c->workload)
		return "-r needs a command to repeat";
	if (c->repeat < 0)
		return "-r needs a number of runs, 0 or more";
	if (c->record && c->repeat != 1)
		return "-r cannot be combined with record: a recording is of one run";
	if (c->record && c->null_run)
		return "-n counts nothing, record records counts: choose one";
	if (c->record && c->append)
		return "--append cannot be combined with record";
	if (c->run_table && c->repeat == 1)
		return "--table needs -r with two or more runs";
	if (c->interval_count < 0 || (c->interval_count && !c->interval_ms))
		return "--interval-count needs a number of intervals, 1 or more, and -I";
	if (c->timeout_ms && c->timeout_ms < 10)
		return "--timeout needs milliseconds, 10 or more";
	if (c->timeout_ms && c->interval_ms)
		return "--timeout cannot be combined with -I: use --interval-count";
	if (c->delay_ms < DELAY_FOR_EVER)
		return "-D needs milliseconds, 0 or more, or -1";
	return NULL;
}

const char *stat_format_contradiction(const struct stat_config *c)
{
	if (c->json && c->separator)
		return "-x and -j are two formats: choose one";
	if (c->document && c->separator)
		return "-x and --json=v1 are two formats: choose one";
	if (c->document && c->json)
		return "-j and --json=v1 are two formats: choose one";
	if (c->document && c->append)
		return "--append cannot be combined with --json=v1: a file has one document";
	if (c->document && c->perf7)
		return "--json=v1 is no format of perf, --compat=7 prints those of perf 7: choose one";
	return NULL;
}

static const char *contradiction_of_output(const struct stat_config *c)
{
	if (c->output && c->log_fd)
		return "-o and --log-fd name two outputs: choose one";
	if (c->log_fd < 0)
		return "--log-fd needs the number of an open descriptor";
	if (c->null_run && c->control.given)
		return "-n counts nothing, --control switches events: choose one";
	if (c->all_user && c->all_kernel)
		return "--all-user and --all-kernel exclude each other";
	return NULL;
}

static const char *contradiction_of_metrics(const struct stat_config *c)
{
	bool named = stat_config_names_metrics(c);

	if (c->td_level && !c->topdown)
		return "--td-level belongs to --topdown, which is missing";
	if (c->td_level > 2)
		return "--td-level is 1 or 2: the metrics of further levels have events of their processor alone";
	if (c->null_run && (named || c->metric_only || c->iostat))
		return "-n counts nothing, -M, --topdown, --smi-cost, --iostat and --metric-only need counts: choose one";
	if (c->group && named)
		return "-g makes one group of all events, -M chooses its own groups: choose one";
	return NULL;
}

static const char *contradiction_of_iostat(const struct stat_config *c)
{
	bool targets = c->target.cpu_list || has_task_target(c);
	bool cgroups = c->events.nr_cgroups || c->for_each_cgroup;

	if (!c->iostat)
		return NULL;
	if (c->events.nr || c->detailed || c->group || stat_config_names_metrics(c))
		return "--iostat has events of its own: -e, -d, -g, -M, --topdown and --smi-cost cannot be combined with it";
	if (targets || cgroups || c->aggr_mode != XP_AGGR_GLOBAL)
		return "--iostat has a row for each root port of the machine: -C, -p, -t, -G, --for-each-cgroup and rows of other things cannot be combined with it";
	if (c->record || c->document)
		return "--iostat has rows of root ports, which record and --json=v1 have not: use -x or -j";
	return NULL;
}

static const char *contradiction_of_functions(const struct stat_config *c)
{
	bool other_events = c->detailed || c->group || c->null_run || c->iostat ||
			    stat_config_names_metrics(c) || c->metric_only || c->bpf_counters;
	bool cgroups = c->events.nr_cgroups || c->for_each_cgroup;

	if (!c->functions)
		return NULL;
	if (other_events)
		return "--functions counts calls, and the events of -e in them: -d, -g, -n, -M, --topdown, --smi-cost, --iostat and --bpf-counters cannot be combined with it";
	if (c->target.cpu_list || c->target.tid_list || cgroups)
		return "--functions counts calls of a command, of processes or of all: -C, -t, -G and --for-each-cgroup cannot be combined with it";
	if (c->aggr_mode != XP_AGGR_GLOBAL)
		return "--functions has a row for each function: rows of other things cannot be combined with it";
	if (c->repeat != 1 || c->interval_ms || c->delay_ms || c->control.given || c->record)
		return "--functions counts one run from its beginning to its end: -r, -I, -D, --control and record cannot be combined with it";
	if (c->pre || c->post || c->sync)
		return "--functions runs the command alone: --pre, --post and -S cannot be combined with it";
	return NULL;
}

static const char *contradiction_of_programs(const struct stat_config *c)
{
	bool cgroups = c->events.nr_cgroups || c->for_each_cgroup;

	if (!c->programs)
		return NULL;
	if (has_task_target(c) || cgroups || c->aggr_mode == XP_AGGR_THREAD)
		return "-b counts BPF programs wherever they run: -p, -t, -G, --for-each-cgroup and --per-thread cannot be combined with it";
	if (c->bpf_counters || c->functions || c->iostat || c->smi_cost || c->null_run)
		return "-b counts events while BPF programs run: --bpf-counters, --functions, --iostat, --smi-cost and -n cannot be combined with it";
	return NULL;
}

static const char *contradiction(const struct stat_config *config)
{
	const char *sentence = contradiction_of_targets(config);

	if (!sentence)
		sentence = contradiction_of_output(config);
	if (!sentence)
		sentence = stat_format_contradiction(config);
	if (!sentence)
		sentence = contradiction_of_metrics(config);
	if (!sentence)
		sentence = contradiction_of_iostat(config);
	if (!sentence)
		sentence = contradiction_of_programs(config);
	if (!sentence)
		sentence = contradiction_of_functions(config);
	return sentence ? sentence : contradiction_of_runs(config);
}

/* As perf: tasks that were named go before all that run. */
static void drop_system_wide(struct stat_config *config)
{
	config->target.system_wide = false;
	if (!config->quiet)
		fputs("Warning: -a is ignored: -p or -t overrides it\n", stderr);
}

/* perf's subcommands; after "--" a word is a program. */
static bool is_subcommand(char **argv, int first, const char *name)
{
	return !strcmp(argv[first], name) && strcmp(argv[first - 1], "--") != 0;
}

/* The rest of a command line that begins with "record". -o names the recording then. */
static bool parse_record(struct stat_config *config, int argc, char **argv, int *first,
			 int *ret_status)
{
	int before = *first;

	if (!options_parse(&stat_command, argc - before, argv + before, config, first, ret_status))
		return false;
	*first += before;
	config->record = config->output ? config->output : "perf.data";
	config->output = NULL;
	return true;
}

bool stat_config_init(struct stat_config *config, int argc, char **argv, int *ret_status)
{
	int first;

	*config = (struct stat_config){
		.repeat = 1, .big_num = true, .scale = true, .affinity = true
	};
	if (!options_parse(&stat_command, argc, argv, config, &first, ret_status))
		return false;
	if (first < argc && is_subcommand(argv, first, "report")) {
		config->report = argv + first;
		return true;
	}
	if (first < argc && is_subcommand(argv, first, "record") &&
	    !parse_record(config, argc, argv, &first, ret_status))
		return false;
	if (first < argc)
		config->workload = argv + first;
	if ((config->topdown || config->smi_cost || config->iostat) && !config->no_metric_only)
		config->metric_only = true;
	config->target.threads_apart = config->aggr_mode == XP_AGGR_THREAD;
	if (config->iostat || (config->programs && !config->target.cpu_list) ||
	    (!config->workload && !has_task_target(config) && !config->target.cpu_list))
		config->target.system_wide = true;
	/* As perf: events that were named are counted. */
	if (config->null_run && config->events.nr && !config->quiet)
		fputs("Note: -n has no effect: -e names events to count\n", stderr);
	config->null_run &= !config->events.nr;
	const char *sentence = contradiction(config);
	if (sentence) {
		*ret_status = options_misused(&stat_command, "%s", sentence);
		return false;
	}
	if (config->target.system_wide && has_task_target(config))
		drop_system_wide(config);
	return true;
}

void stat_config_fini(struct stat_config *config)
{
	events_fini(&config->events);
	control_place_fini(&config->control);
	free(config->target.named_list);
	free(config->program_ids);
	free(config->metrics);
}
