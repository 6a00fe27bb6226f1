/* SPDX-License-Identifier: MIT */
/* What the options of `xperf record` mean together, and which of them contradict each other. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "result.h"

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

static bool two_kinds_of_tasks(const struct record_config *c)
{
	return !!c->target.pid_list + !!c->target.tid_list + !!c->target.user > 1;
}

static bool user_and_kernel(const struct record_config *c)
{
	return has_flags(c, XP_SAMPLING_ALL_USER | XP_SAMPLING_ALL_KERNEL);
}

static bool no_callers(const struct record_config *c)
{
	return has_flags(c, XP_SAMPLING_NO_USER_CHAIN | XP_SAMPLING_NO_KERNEL_CHAIN);
}

static bool lbr_and_branches(const struct record_config *c)
{
	return c->sampling.callchain == XP_CALLCHAIN_LBR && c->sampling.branch_type;
}

static bool stream_in_pieces(const struct record_config *c)
{
	return record_to_pipe(c) && (c->rule.when || c->timestamp_filename);
}

static bool stream_of_kcore(const struct record_config *c)
{
	return record_to_pipe(c) && c->kcore;
}

static bool kcore_in_pieces(const struct record_config *c)
{
	return c->kcore && c->rule.when;
}

static bool bad_max_files(const struct record_config *c)
{
	return c->max_files < 0 || (c->max_files && !c->rule.when);
}

static bool bad_priority(const struct record_config *c)
{
	return c->realtime < 0 || c->realtime > 99;
}

static bool inherited_per_thread(const struct record_config *c)
{
	return c->per_thread && c->inherit == CHOICE_YES;
}

static bool cgroups_of_tasks(const struct record_config *c)
{
	const struct target_args *target = &c->target;
	bool tasks = target_names_tasks(target) ||
		     (c->workload && !target->system_wide && !target->cpu_list);

	return c->events.nr_cgroups && tasks;
}

static bool empty_output(const struct record_config *c)
{
	return c->output && !*c->output;
}

/* What cannot be meant: the first row that holds is printed. */
static const struct contradiction {
	bool (*holds)(const struct record_config *config);
	const char *sentence;
} contradictions[] = {
	{ two_kinds_of_tasks, "-p, -t and -u: name processes, threads or a user, one of them" },
	{ user_and_kernel, "--all-user and --all-kernel leave nothing to record" },
	{ no_callers, "--user-callchains and --kernel-callchains leave no callers" },
	{ lbr_and_branches,
	  "--call-graph lbr takes the branch records for itself: leave out -b and -j" },
	{ stream_in_pieces,
	  "-o - is one stream; --switch-output and --timestamp-filename name files" },
	{ stream_of_kcore, "--kcore writes a directory, -o - a stream: choose one" },
	{ kcore_in_pieces, "--kcore writes one directory, --switch-output many files: choose one" },
	{ bad_max_files,
	  "--switch-max-files takes a number of files, 1 or more, and needs --switch-output" },
	{ bad_priority, "-r takes a priority, 1 to 99" },
	{ inherited_per_thread, "--per-thread cannot follow child tasks: leave out --inherit" },
	{ cgroups_of_tasks,
	  "-G needs -a or -C, without -p, -t and -u: cgroups are recorded by CPU" },
	{ empty_output, "-o takes the name of a file" },
};

static int check(const struct record_config *config)
{
	for (size_t i = 0; i < sizeof(contradictions) / sizeof(contradictions[0]); i++)
		if (contradictions[i].holds(config))
			return 1 +
			       options_misused(&record_command, "%s", contradictions[i].sentence);
	return 0;
}

static void note(const struct record_config *config, const char *sentence)
{
	if (!config->quiet)
		fprintf(stderr, "Warning: %s\n", sentence);
}

/* As perf: tasks that were named go before all that run, and CPUs before threads. */
static void settle_target(struct record_config *config)
{
	struct target_args *target = &config->target;
	bool tasks = target_names_tasks(target);

	if (!config->workload && !tasks && !target->cpu_list)
		target->system_wide = true;
	if (target->system_wide && tasks) {
		target->system_wide = false;
		note(config, "-a is left aside, -p, -t or -u says what is recorded");
	}
	if (config->per_thread && (target->system_wide || target->cpu_list)) {
		config->per_thread = false;
		note(config, "--per-thread is left aside, -a or -C says where is recorded");
	}
	target->tasks_per_cpu = !config->per_thread && !target->cpu_list;
	/* As perf: a thread that was named is meant alone. */
	config->sampling.no_inherit = config->per_thread || config->inherit == CHOICE_NO ||
				      (target->tid_list && config->inherit != CHOICE_YES);
}

static void settle_sampling(struct record_config *config)
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
		note(config, "-F is left aside, -c says how often");
	config->has_freq = config->freq_is_max = false;
	sampling->freq_hz = 0;
}

static void settle_output(struct record_config *config)
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

int record_config_init(struct record_config *config, int argc, char **argv)
{
	int first;

	*config = (struct record_config){ .synth = SYNTH_ALL,
					  .sampling.size = sizeof(config->sampling) };
	int leave = options_parse(&record_command, argc, argv, config, &first);
	if (leave)
		return leave;
	if (first < argc)
		config->workload = argv + first;
	settle_output(config);
	leave = check(config);
	if (leave)
		return leave;
	settle_target(config);
	settle_sampling(config);
	return 0;
}

void record_config_fini(struct record_config *config)
{
	events_fini(&config->events);
	events_fini(&config->switch_events);
	free(config->delay.ranges);
	free(config->control.fifo);
	free(config->control.ack_fifo);
}
