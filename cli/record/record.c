/* SPDX-License-Identifier: MIT */
/* `xperf record`: parse, plan, record, report. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/bpf-samples.h>
#include <xperf/chain-ends.h>
#include <xperf/ctx.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sampling.h>
#include <xperf/symtab.h>
#include <xperf/synth.h>
#include <xperf/sys.h>
#include <xperf/unwind.h>

#include "attr-text.h"
#include "call-graph.h"
#include "chains.h"
#include "escape.h"
#include "feature.h"
#include "kcore.h"
#include "picture.h"
#include "processes.h"
#include "recorder.h"
#include "sched-events.h"
#include "syscalls.h"

/* --- plan --- */

static int add_events(struct recorder *r, const struct event_args *args, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < args->nr && !err; i++)
		err = events_add(args, i, r->evlist, &r->input_label, diag);
	return err;
}

/* Each one that happens counts, if its text does not say otherwise, and is reported at once. */
static void prepare_switch_events(struct recorder *r)
{
	for (int i = 0; i < r->nr_switch_events; i++) {
		struct xp_evsel *evsel = xp_evlist_at(r->evlist, r->first_switch_event + i);
		struct xp_attr *attr = xp_evsel_attr(evsel);

		if (xp_evsel_is_software(evsel) && !attr->freq && !attr->sample_period)
			attr->sample_period = 1;
		attr->watermark = 0;
		attr->wakeup_events = 1;
	}
}

/* --no-period: also where the library finds it useful. */
static void drop_periods(struct recorder *r)
{

	if (r->config.period_wanted != CHOICE_NO)
		return;
	for (int i = 0; i < xp_evlist_nr(r->evlist); i++)
		xp_evsel_attr(xp_evlist_at(r->evlist, i))->sample_type &=
			~(uint64_t)XP_SAMPLE_PERIOD;
}

/* Whether switches, which happen in the kernel, may be sampled. */
static bool may_sample_switches(const struct recorder *r)
{
	const struct xp_sys *sys = xp_ctx_sys(r->ctx);
	const struct xp_attr attr = {
		.type = XP_TYPE_SOFTWARE,
		.config = XP_SW_CONTEXT_SWITCHES,
		.size = sizeof(attr),
		.sample_period = 1,
		.disabled = 1,
	};
	int fd = r->config.sampling.flags & XP_SAMPLING_ALL_USER
			 ? -EACCES
			 : sys->perf_event_open(sys, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		sys->close(sys, fd);
	return fd >= 0;
}

/* Its samples show where tasks leave their CPUs, or there are none; the recorder makes samples of
 * waits. With --bpf, the kernel sums waits where they begin. */
static int plan_off_cpu(struct recorder *r, const struct cli *cli, struct xp_diag *diag)
{
	struct record_config *config = &r->config;
	bool is_summed = config->sums_ns, samples = is_summed || may_sample_switches(r);
	/* All waits end in schedule(): without call chains, the kernel's part says which system
	 * call waited for what. It costs no copy of a stack. */
	bool has_kernel_part = samples && !is_summed && !config->events.nr && !cli_is_perf(cli) &&
			       config->sampling.callchain == XP_CALLCHAIN_NONE;
	int err = xp_evlist_parse(
		r->evlist,
		!samples          ? "dummy/period=1,name=offcpu-time/u"
		: has_kernel_part ? "context-switches/period=1,name=offcpu-time,call-graph=fp/"
				  : "context-switches/period=1,name=offcpu-time/",
		diag);

	if (err)
		return err;
	if (has_kernel_part)
		config->sampling.flags |= XP_SAMPLING_NO_USER_CHAIN;
	r->off_cpu = xp_evlist_at(r->evlist, xp_evlist_nr(r->evlist) - 1);
	r->config.sampling.flags |= XP_SAMPLING_PERIOD | XP_SAMPLING_TIME;
	if (!is_summed)
		r->config.sampling.flags |= XP_SAMPLING_SWITCHES;
	return 0;
}

/* Its samples come from the kernel, or, with --bpf, are made with the sums. */
static int plan_wakers(struct recorder *r, struct xp_diag *diag)
{
	bool is_summed = r->config.sums_ns;
	const char *event = is_summed ? "sched:sched_waking/period=1/"
				      : "sched:sched_waking/call-graph=no,period=1/";
	int err = xp_evlist_parse(r->evlist, event, diag);

	if (err || !is_summed)
		return err;
	r->waking = xp_evlist_at(r->evlist, xp_evlist_nr(r->evlist) - 1);
	return xp_evsel_add_filter(r->waking, "common_pid < 0", diag);
}

/* Waits are times, and so is what is shown beside them. */
static int add_clock(struct recorder *r, struct xp_diag *diag)
{
	bool all = r->config.sampling.system_wide;

	return xp_evlist_parse(r->evlist, all ? "cpu-clock" : "task-clock", diag);
}

/* Without -e. */
static int add_default(struct recorder *r, const struct cli *cli, struct xp_diag *diag)
{
	if (r->config.off_cpu && !cli_is_perf(cli))
		return add_clock(r, diag);
	if (r->config.no_fallback)
		return xp_evlist_parse(r->evlist, "cycles:P", diag);
	return xp_evlist_add_default_sampling(r->evlist);
}

/* perf refuses a filter whose fields no option adds to samples; here the kernel is asked for them,
 * and who called perf is told. Before events are configured, their samples have what filters need.
 */
static void note_filters(const struct recorder *r)
{
	const uint64_t usual = XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_PERIOD;

	for (int i = 0; i < xp_evlist_nr(r->evlist); i++) {
		const struct xp_evsel *evsel = xp_evlist_at(r->evlist, i);
		uint64_t more = xp_evsel_attr_const(evsel)->sample_type & ~usual;

		if (!more)
			continue;
		fputs("Note: samples of '", stderr);
		escape_print(stderr, xp_evsel_name(evsel));
		fputs("' have ", stderr);
		attr_print_sample_type(stderr, more);
		fputs(", which --filter needs\n", stderr);
	}
}

static int plan_events(struct recorder *r, const struct cli *cli, struct xp_diag *diag)
{
	struct record_config *config = &r->config;
	int err = xp_evlist_new(r->ctx, &r->evlist);

	if (!err && config->events.nr)
		err = add_events(r, &config->events, diag);
	else if (!err && !config->syscalls && !config->sched)
		err = add_default(r, cli, diag);
	if (!err)
		err = syscalls_add(r->evlist, config->syscalls, diag)
			      ?: sched_add(r->ctx, config, r->evlist, diag);
	if (!err && config->group)
		err = xp_evlist_group(r->evlist, 0, xp_evlist_nr(r->evlist));
	if (!err && config->off_cpu)
		err = plan_off_cpu(r, cli, diag);
	if (!err && config->wakers)
		err = plan_wakers(r, diag);
	r->first_switch_event = err ? 0 : xp_evlist_nr(r->evlist);
	if (!err)
		err = add_events(r, &config->switch_events, diag);
	if (err == -ENOMEM)
		return xp_diag_set(diag, err, "Out of memory");
	if (err)
		return err;
	r->nr_switch_events = xp_evlist_nr(r->evlist) - r->first_switch_event;
	r->input_label = NULL;
	prepare_switch_events(r);
	if (cli_is_perf(cli) && !config->quiet)
		note_filters(r);
	if (config->period_wanted == CHOICE_YES)
		config->sampling.flags |= XP_SAMPLING_PERIOD;
	err = xp_evlist_config_sampling(r->evlist, &config->sampling, diag);
	drop_periods(r);
	return err;
}

/*
 * Whether copies of stacks become call chains while recording. Programs that call perf may read the
 * stacks; without libdw, and on machines whose registers are unknown, they are stored.
 */
static bool can_unwind(const struct recorder *r, const struct cli *cli)
{
	return r->config.sampling.unwinds && feature_is_on("dwarf-unwind") && !cli_is_perf(cli);
}

static int plan_unwinding(struct recorder *r, struct xp_diag *diag)
{
	struct xp_sampling_opts *sampling = &r->config.sampling;

	sampling->unwinds = sampling->unwinds && sampling->callchain == XP_CALLCHAIN_DWARF;
	if (!sampling->unwinds)
		return 0;
	int err = xp_symbols_new(r->ctx, NULL, &r->symbols)
			  ?: xp_unwind_new(r->symbols, NULL, &r->unwind);
	return err ? xp_diag_set(diag, err, "Cannot unwind stacks: %s", strerror(-err)) : 0;
}

static int plan(struct recorder *r, const struct cli *cli, struct xp_diag *diag)
{
	const struct record_config *config = &r->config;

	r->ctx = cli_ctx_new(cli, config->verbose);
	if (!r->ctx)
		return -ENOMEM;
	session_init(&r->session, r->ctx);
	r->is_pumped = cli->seam;
	say_before(r->ctx, config);
	r->config.sampling.unwinds = can_unwind(r, cli);
	call_graph_choose(cli, &r->config);
	int err = plan_unwinding(r, diag);

	if (err)
		return err;
	walks_plan(r);
	return plan_events(r, cli, diag)
		       ?: target_init(&r->target, r->ctx, &r->config.target, diag);
}

/* --- record --- */

/* What fails here leaves a file that holds what came before. */
static int record(struct recorder *r, const struct cli *cli, int argc, char **argv,
		  struct xp_diag *diag)
{
	const struct record_config *config = &r->config;
	int err = picture_check(config, diag) ?: (config->kcore ? kcore_check(diag) : 0);

	if (err)
		return err;
	err = control_open(&r->control, r->ctx, &config->control, diag)
		      ?: output_init(&r->output, r->ctx, config, cli, argc, argv, diag);
	if (err)
		return err;
	err = recorder_open(r, diag) ?: recorder_run(r, diag);
	if (err && session_is_called_off(&r->session))
		err = 0;
	struct xp_diag close_diag = { 0 };
	int close_err = recorder_close(r, &close_diag);
	if (!err && close_err)
		*diag = close_diag;
	return err ? err : close_err;
}

/* --- report --- */

/* Frame pointers are followed by the kernel, which does not say whether it got to the end. */
static bool judges_chains(const struct recorder *r, const struct cli *cli)
{
	const struct record_config *config = &r->config;

	return config->sampling.callchain == XP_CALLCHAIN_FP && !config->quiet &&
	       !cli_is_perf(cli) && !record_to_pipe(config) && r->file.name;
}

/* Fewer samples say too little of where the cost is. */
static bool says_found(const struct recorder *r, const struct cli *cli,
		       const struct xp_recorder_stats *stats)
{
	enum { LEAST_SAMPLES = 20 };
	const struct record_config *config = &r->config;

	return config->sampling.callchain != XP_CALLCHAIN_NONE && stats->samples >= LEAST_SAMPLES &&
	       (config->sampling.callchain != XP_CALLCHAIN_DWARF || config->sampling.unwinds) &&
	       !config->quiet && !config->off_cpu && !cli_is_perf(cli) && !record_to_pipe(config) &&
	       r->file.name;
}

/* Names --off-cpu after a command whose time was sampled, not one that says how long others are. */
static void say_waits(const struct recorder *r, const struct cli *cli, uint64_t elapsed_ns)
{
	const struct record_config *config = &r->config;
	const struct xp_exit *exit = &r->session.exit;

	if (r->session.ended && config->sampling.has_workload && !config->target.cpu_list &&
	    !config->off_cpu && !config->events.nr && !config->syscalls && !config->sched &&
	    !config->quiet && !cli_is_perf(cli))
		session_say_waits(config->workload[0],
				  (double)(exit->user_ns + exit->system_ns) / 1e9,
				  (double)elapsed_ns / 1e9);
}

static void report(const struct recorder *r, const struct cli *cli)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct xp_stack_sums_stats sums;

	if (!r->begun) {
		if (r->session.stop_signal && !r->config.quiet)
			fprintf(stderr,
				"Stopped before recording began (%s): nothing was written\n",
				strsignal(r->session.stop_signal));
		return;
	}
	if (r->file.is_gone)
		return;
	xp_recorder_get_stats(r->recorder, &stats);
	sums_complete(r, &stats, &sums);
	struct closing closing = {
		.config = &r->config,
		.evlist = r->evlist,
		.program = cli->name,
		.file = &r->file,
		.stats = &stats,
		.file_samples = stats.samples - r->at_switch.samples,
		.file_bytes = stats.bytes - r->at_switch.bytes,
		.elapsed_ns = r->end_ns - r->start_ns,
		.tally.size = sizeof(closing.tally),
		.sums = r->sums ? &sums : NULL,
		.files_beyond = r->sums ? xp_stack_sums_files_beyond(r->sums) : 0,
		.has_late = r->target.nr_late,
	};
	if (!stats.samples && r->config.target.pid_list)
		processes_of_children(r->ctx, r->config.target.pid_list, &closing.children);
	if (r->filters)
		xp_sample_filters_tally(r->filters, &closing.tally);
	if (r->unwind && xp_recorder_chain_ends(r->recorder, &closing.chain_ends) == 0)
		closing.has_all_chains = true;
	else if (r->sums && xp_stack_sums_chain_ends(r->sums, &closing.chain_ends) == 0)
		closing.has_all_chains = closing.is_by_rules = true;
	else if (judges_chains(r, cli))
		chains_judge(r->ctx, r->file.name, &closing.chain_ends, &closing.has_all_chains);
	say_closing(&closing);
	if (says_found(r, cli, &stats))
		chains_say_found(r->ctx, r->file.name,
				 closing.is_by_rules ||
					 r->config.sampling.callchain != XP_CALLCHAIN_FP);
	say_waits(r, cli, closing.elapsed_ns);
	xp_chain_ends_free(closing.chain_ends);
	free(closing.children);
}

/* What has ended without a sample may have been out of our reach. */
static void say_privileged(const struct recorder *r)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };

	if (!r->begun || r->config.quiet || !r->config.sampling.has_workload)
		return;
	xp_recorder_get_stats(r->recorder, &stats);
	if (!stats.samples && xp_workload_is_privileged(r->session.workload))
		fprintf(stderr,
			"Warning: only root may sample '%s': it is setuid, setgid, has "
			"capabilities or is unreadable\n",
			r->config.workload[0]);
}

static void say_left_running(const struct recorder *r)
{
	if (r->session.started && !r->session.ended && !r->config.quiet)
		fprintf(stderr, "Warning: '%s' is still running, but no longer recorded\n",
			r->config.workload[0]);
}

static void fini(struct recorder *r, bool failed)
{
	xp_recorder_free(r->recorder);
	xp_data_writer_free(r->writer);
	xp_build_ids_free(r->build_ids);
	if (r->evlist)
		xp_evlist_close_behind(r->evlist);
	xp_sample_filters_free(r->filters);
	xp_stack_walks_free(r->walks);
	xp_unwind_free(r->unwind);
	xp_stack_sums_free(r->sums);
	xp_unwind_free(r->rules);
	xp_symbols_free(r->symbols);
	xp_evlist_free(r->evlist);
	target_fini(&r->target);
	control_close(&r->control);
	output_fini(&r->output);
	free(r->file.name);
	if (r->ctx) {
		session_fini(&r->session, failed);
		cli_ctx_free(r->ctx);
	}
	record_config_fini(&r->config);
}

/* A command that caught the signal and failed says more than the signal. */
static int exit_status(const struct recorder *r)
{
	const struct session *session = &r->session;

	if (session->ended && session->exit.status && !session->exit.signal)
		return session->exit.status;
	return session_end_by_signal(session) ?: session->ended ? session->exit.status : 0;
}

/* As perf does: into a pipe, if no file is named and no option asks for one. */
static void choose_stream(struct record_config *config, const struct cli *cli)
{
	struct stat st;

	if (config->output || config->timestamp_filename || config->kcore || config->dry_run ||
	    picture_is_wanted(config) || fstat(STDOUT_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return;
	config->output = "-";
	if (!config->quiet && !cli_is_perf(cli))
		fputs("Note: the recording goes into the pipe on standard output; -o FILE writes a "
		      "file\n",
		      stderr);
}

/* Scripts that give perf --buildid-all find copies of the files afterwards. */
static void choose_cache(struct record_config *config, const struct cli *cli)
{
	if (config->cache_build_ids == CHOICE_DEFAULT && config->all_build_ids && cli_is_perf(cli))
		config->cache_build_ids = CHOICE_YES;
}

int record_main(const struct cli *cli, int argc, char **argv)
{
	struct recorder r = { .output.stream_fd = -1, .control = { .fd = -1, .ack_fd = -1 } };
	struct xp_diag diag = { .pos = -1 };
	int status;

	if (!record_config_init(&r.config, argc, argv, &status)) {
		record_config_fini(&r.config);
		return status;
	}
	choose_stream(&r.config, cli);
	choose_cache(&r.config, cli);
	int err = plan(&r, cli, &diag);
	if (!err && !r.config.dry_run)
		err = record(&r, cli, argc, argv, &diag);
	struct xp_sampling_opts tried = { .size = sizeof(tried) };
	if (err && r.session.exec_status && value_callchain(r.config.workload[0], &tried))
		xp_diag_hint(&diag, "-g takes no value: --call-graph %s", r.config.workload[0]);
	if (err && diag.err)
		cli_print_diag(&diag, r.input_label);
	report(&r, cli);
	say_privileged(&r);
	if (r.has_changed)
		say_changed(&r.config, r.reopen_err);
	if (!r.config.quiet)
		target_say_late(&r.target, "recorded");
	say_left_running(&r);
	status = err ? session_failure_status(&r.session, &diag) : exit_status(&r);
	/* Of a file that is complete, when nothing else is left to be done. */
	char *name = err ? NULL : r.file.name;
	r.file.name = name ? NULL : r.file.name;
	fini(&r, err);
	int failed = name ? picture_show(cli, &r.config, name) : 0;
	free(name);
	return status ? status : failed;
}
