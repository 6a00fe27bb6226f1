/* SPDX-License-Identifier: MIT */
/* What the options of `xperf record` mean together, and which of them contradict each other. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/sampling.h>

#include "options.h"
#include "picture.h"
#include "result.h"
#include "sched-events.h"
#include "sums.h"
#include "syscalls.h"

const struct command record_command = {
	.name = "record",
	.summary = "Record a profile of a command, of processes, or of CPUs into a file",
	.usage = "[<options>] [<command>]",
	.options = record_options,
	.runs_program = true,
	.run = record_main,
};

int record_stream_fd(const struct record_config *config)
{
	if (!config->output)
		return -1;
	return strcmp(config->output, "-") ? result_descriptor(config->output) : STDOUT_FILENO;
}

bool record_to_pipe(const struct record_config *config)
{
	return record_stream_fd(config) >= 0;
}

static bool has_flags(const struct record_config *config, uint64_t flags)
{
	return (config->sampling.flags & flags) == flags;
}

static const char *contradiction_of_targets(const struct record_config *c)
{
	const struct target_args *target = &c->target;
	bool tasks = target_names_tasks(target) ||
		     (c->workload && !target->system_wide && !target->cpu_list);

	if (!!target->pid_list + !!target->tid_list + !!target->user > 1)
		return "-p, -t and -u exclude each other";
	if (c->per_thread && c->inherit == CHOICE_YES)
		return "--per-thread cannot follow child tasks: leave out --inherit";
	if (c->events.nr_cgroups && tasks)
		return "-G needs -a or -C, without -p, -t and -u: cgroups are recorded by CPU";
	return NULL;
}

static const char *contradiction_of_samples(const struct record_config *c)
{
	if (has_flags(c, XP_SAMPLING_ALL_USER | XP_SAMPLING_ALL_KERNEL))
		return "--all-user and --all-kernel exclude each other";
	if (has_flags(c, XP_SAMPLING_NO_USER_CHAIN | XP_SAMPLING_NO_KERNEL_CHAIN))
		return "--user-callchains and --kernel-callchains exclude each other";
	if (c->sampling.callchain == XP_CALLCHAIN_LBR && c->sampling.branch_type)
		return "--call-graph lbr needs the branch records: leave out -b and -j";
	if (c->off_cpu && has_flags(c, XP_SAMPLING_OVERWRITE))
		return "--off-cpu follows all switches, --overwrite keeps the last ones: choose one";
	if (c->off_cpu && (has_flags(c, XP_SAMPLING_NO_TIME) || c->period_wanted == CHOICE_NO))
		return "--off-cpu needs the time and the period of samples: leave out --no-timestamp and --no-period";
	if (c->wakers && !c->off_cpu)
		return "--wakers shows who ends the waits of --off-cpu: add that";
	if (c->wakers && has_flags(c, XP_SAMPLING_ALL_USER))
		return "--wakers needs samples of the kernel, where tasks are woken: leave out --all-user";
	if (c->realtime < 0 || c->realtime > 99)
		return "-r needs a priority, 1 to 99";
	return NULL;
}

static const char *contradiction_of_output(const struct record_config *c)
{
	if (c->output && !*c->output)
		return "-o needs the name of a file";
	if (record_to_pipe(c) && (c->rule.when || c->timestamp_filename))
		return "-o - writes one stream; --switch-output and --timestamp-filename write files: choose one";
	if (record_to_pipe(c) && c->kcore)
		return "--kcore writes a directory, -o - a stream: choose one";
	if (record_to_pipe(c) && picture_is_wanted(c))
		return "--flamegraph and --open show a file, -o - writes a stream: choose one";
	if (c->rule.when && picture_is_wanted(c))
		return "--flamegraph and --open show one file, --switch-output writes many: 'xperf flamegraph -i FILE' draws one of them";
	if (c->flamegraph && !*c->flamegraph)
		return "--flamegraph needs the name of a file";
	if (c->flamegraph && !strcmp(c->flamegraph, c->output ? c->output : "perf.data"))
		return "--flamegraph and -o need different files";
	if (c->kcore && c->rule.when)
		return "--kcore writes one directory, --switch-output many files: choose one";
	if (c->max_cpu < 0 || c->max_cpu > 100)
		return "--max-cpu is a share of the machine's time, from 1 to 100 percent; 0: any";
	if (c->max_files < 0 || (c->max_files && !c->rule.when))
		return "--switch-max-files needs a number of files, 1 or more, and --switch-output";
	return NULL;
}

static const char *contradiction(const struct record_config *config)
{
	const char *sentence = contradiction_of_targets(config);

	if (!sentence)
		sentence = contradiction_of_samples(config);
	if (!sentence)
		sentence = sums_contradiction(config);
	if (!sentence)
		sentence = syscalls_contradiction(config) ?: sched_contradiction(config);
	return sentence ? sentence : contradiction_of_output(config);
}

static void note(const struct record_config *config, const char *sentence)
{
	if (!config->quiet)
		fprintf(stderr, "Warning: %s\n", sentence);
}

/* As perf: tasks that were named go before all that run, and CPUs before threads. */
static void finalize_target(struct record_config *config)
{
	struct target_args *target = &config->target;
	bool tasks = target_names_tasks(target);

	if (!config->workload && !tasks && !target->cpu_list)
		target->system_wide = true;
	if (target->system_wide && tasks) {
		target->system_wide = false;
		note(config, "-a is ignored: -p, -t or -u overrides it");
	}
	if (config->per_thread && (target->system_wide || target->cpu_list)) {
		config->per_thread = false;
		note(config, "--per-thread is ignored: -a or -C overrides it");
	}
	target->tasks_per_cpu = !config->per_thread && !target->cpu_list;
	/* As perf: a thread that was named is meant alone. */
	config->sampling.no_inherit = config->per_thread || config->inherit == CHOICE_NO ||
				      (target->tid_list && config->inherit != CHOICE_YES);
}

static void finalize_sampling(struct record_config *config)
{
	struct xp_sampling_opts *sampling = &config->sampling;
	const struct target_args *target = &config->target;
	bool tasks = target_names_tasks(target);

	sampling->system_wide = !tasks && (target->system_wide || target->cpu_list);
	sampling->cpu_list = target->cpu_list;
	sampling->has_workload = config->workload && !tasks && !sampling->system_wide;
	sampling->initial_delay = config->delay.given;
	if (!config->no_fallback)
		sampling->flags |= XP_SAMPLING_FALLBACK;
	if (!sampling->period)
		return;
	if (config->has_freq)
		note(config, "-F is ignored: -c overrides it");
	config->has_freq = config->freq_is_max = false;
	sampling->freq_hz = 0;
}

void record_config_watch_all(struct record_config *config)
{
	config->target.system_wide = true;
	config->sampling.system_wide = true;
	config->sampling.has_workload = false;
}

static void finalize_output(struct record_config *config)
{
	if (config->switch_events.nr && !config->rule.when)
		config->rule.when = SWITCH_ON_SIGNAL;
	if (config->rule.when)
		config->timestamp_filename = true;
	if (config->pages_rounded)
		note(config, "-m is rounded up to a power of two pages");
	if (has_flags(config, XP_SAMPLING_OVERWRITE))
		config->tail_synthesize = true;
	if (config->build_ids == CHOICE_NO)
		config->sampling.flags |= XP_SAMPLING_NO_BUILD_IDS;
}

bool record_config_init(struct record_config *config, int argc, char **argv, int *ret_status)
{
	int first;

	*config = (struct record_config){ .synth = SYNTH_ALL,
					  .sampling.size = sizeof(config->sampling),
					  .sampling.unwinds = true,
					  .events.filters_samples = true,
					  .max_cpu = 25 }; /* as kernel.perf_cpu_time_max_percent */
	if (!options_parse(&record_command, argc, argv, config, &first, ret_status))
		return false;
	if (first < argc)
		config->workload = argv + first;
	finalize_output(config);
	const char *sentence = contradiction(config);
	if (sentence) {
		*ret_status = options_misused(&record_command, "%s", sentence);
		return false;
	}
	picture_add_chains(config);
	finalize_target(config);
	finalize_sampling(config);
	sums_finalize(config);
	return true;
}

void record_config_fini(struct record_config *config)
{
	events_fini(&config->events);
	events_fini(&config->switch_events);
	free(config->target.named_list);
	free(config->delay.ranges);
	control_place_fini(&config->control);
}
