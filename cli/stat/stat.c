/* SPDX-License-Identifier: MIT */
/* `xperf stat`: parse, plan, run, render. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/stat.h>
#include <xperf/sys.h>

#include "absent.h"
#include "document.h"
#include "functions.h"
#include "hook.h"
#include "iostat.h"
#include "named.h"
#include "options.h"
#include "output.h"
#include "plan.h"
#include "report.h"
#include "rss.h"
#include "run.h"
#include "save.h"
#include "shared-options.h"
#include "smi.h"
#include "stat-table.h"

/* One invocation. */
struct stat_command_state {
	struct stat_config config;
	struct stat_job job;
	struct stat_style style;
	struct named_metrics metrics;
	struct iostat iostat;
	bool froze;           /* what smi_thaw() undoes */
	bool shows_supported; /* rows of what cannot be counted here are left out */
	struct xp_aggr *aggr;
	struct xp_aggr *cores;      /* of percore events with -A; NULL: there are none */
	struct stat_table table;    /* of all runs */
	struct stat_table interval; /* with -I, of the interval that has just ended; of one run */
	bool has_rows;
	struct stat_save *save; /* NULL: nothing is recorded */
	struct stat_about about;
	struct document document; /* with --json=v1 */
	char *title;
	int nr_intervals;
	const char *input_label; /* what a position in the diag is a position in; NULL: no events */
	struct xp_exit exit;     /* of the last workload */
	bool has_exit;
	bool left_running; /* a workload that was asked to end */
};

static struct stat_command_state *state_of(struct stat_job *job)
{
	return (struct stat_command_state *)((char *)job -
					     offsetof(struct stat_command_state, job));
}

/* --- plan --- */

static int open_save(struct stat_command_state *state, int argc, char **argv, struct xp_diag *diag)
{
	if (!state->config.record)
		return 0;
	return stat_save_open(&state->config, state->job.ctx, argc, argv, &state->save, diag);
}

static int open_document(struct stat_command_state *state, int argc, char **argv,
			 struct xp_diag *diag)
{
	const struct stat_config *config = &state->config;

	if (!config->document)
		return 0;
	if (stat_about_here(&state->about, config, state->job.ctx, argc, argv))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	document_init(&state->document, &state->about, state->style.out);
	if (config->workload)
		state->document.least_rss_bytes = state->job.least_rss_bytes;
	return 0;
}

static bool needs_least_rss(const struct stat_command_state *state)
{
	return state->config.workload &&
	       (state->config.document || stat_counts_tool(state->job.evlist, XP_TOOL_MAX_RSS));
}

static int plan(struct stat_command_state *state, const struct cli *cli, int argc, char **argv,
		struct xp_diag *diag)
{
	struct stat_job *job = &state->job;

	state->shows_supported = !cli_is_perf(cli) && stat_config_is_for_people(&state->config);
	job->ctx = cli_ctx_new(cli, state->config.verbose);
	if (!job->ctx)
		return -ENOMEM;
	session_init(&job->session, job->ctx);
	int err = stat_refuse_absent(&state->config, job->ctx, diag)
			  ?: stat_choose_kinds(&state->config, job->ctx, diag);
	if (!err && stat_config_has_metrics(&state->config)) {
		job->metrics = &state->metrics;
		err = named_metrics_init(job->metrics, job->ctx, &state->config, diag);
	}
	job->iostat = state->config.iostat ? &state->iostat : NULL;
	if (!err)
		err = stat_plan_events(job, &state->input_label, diag);
	if (err)
		return err;
	state->input_label = NULL;
	err = target_init(&job->target, job->ctx, &state->config.target, diag)
		      ?: target_watch(&job->target, &state->config.target, diag);
	if (!err)
		err = stat_output_open(&state->config, &state->style.out, diag);
	if (!err && needs_least_rss(state)) /* makes a process, whose end is no signal yet */
		job->least_rss_bytes = stat_least_rss_bytes(job->ctx);
	if (!err)
		err = open_document(state, argc, argv, diag);
	if (!err)
		err = open_save(state, argc, argv, diag);
	if (!err)
		err = control_open(&job->control, job->ctx, &state->config.control, diag);
	if (!err)
		err = session_catch_signals(&job->session, false, diag);
	if (err)
		return err;
	stat_style_init(&state->style, &state->config, state->style.out);
	state->title = stat_make_title(&state->config);
	return state->title ? 0 : xp_diag_set(diag, -ENOMEM, "Out of memory");
}

/* --- run --- */

static int start_table(struct stat_command_state *state, struct stat_table *table,
		       struct xp_diag *diag)
{
	if (stat_table_init(table, state->job.evlist, state->aggr))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	table->title = state->title;
	table->cores = state->cores;
	table->cores_by_cpu = state->config.percore_show_thread;
	table->no_merge = state->config.no_merge || state->config.aggr_mode == XP_AGGR_CPU;
	table->counted_only = state->config.aggr_mode == XP_AGGR_THREAD &&
			      !target_names_tasks(&state->config.target);
	table->hides_zero = state->config.hide_zero || table->counted_only;
	table->supported_only = state->shows_supported;
	table->no_own_metrics = state->config.perf7;
	table->rows_of_metrics = stat_config_has_default_metrics(&state->config);
	table->iostat = state->job.iostat;
	if (stat_table_set_metrics(table, state->job.metrics) ||
	    (state->config.metric_only && stat_table_metric_columns(table)))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	return 0;
}

static int new_aggr(struct stat_command_state *state, enum xp_aggr_mode mode, struct xp_cpus *cpus,
		    struct xp_threads *threads)
{
	struct xp_ctx *ctx = state->job.ctx;

	if (mode == XP_AGGR_CACHE)
		return xp_aggr_new_by_cache(ctx, state->config.cache_level, cpus, threads,
					    &state->aggr);
	return xp_aggr_new(ctx, mode, cpus, threads, &state->aggr);
}

/* The rows are known when the sets of CPUs and threads are: at the first run. */
static int plan_rows(struct stat_command_state *state, struct xp_cpus *cpus,
		     struct xp_threads *threads, struct xp_diag *diag)
{
	if (state->has_rows)
		return 0;
	enum xp_aggr_mode mode = state->config.null_run ? XP_AGGR_GLOBAL : state->config.aggr_mode;
	int err = new_aggr(state, mode, cpus, threads);
	if (!err && mode == XP_AGGR_CPU && stat_has_percore(state->job.evlist))
		err = xp_aggr_new(state->job.ctx, XP_AGGR_CORE, cpus, threads, &state->cores);
	if (err == -ENODATA)
		return stat_refuse_no_caches(state->config.cache_level, diag);
	if (err)
		return xp_diag_set(diag, err, "The table cannot be prepared: %s", strerror(-err));
	state->has_rows = true;
	state->job.rows_are_fixed = mode == XP_AGGR_THREAD;
	err = start_table(state, &state->table, diag);
	if (!err && state->config.metric_only && !state->table.nr_columns && !state->config.quiet)
		fputs("Note: these events have no metrics of their own; -M names others\n", stderr);
	if (!err && (state->config.interval_ms || state->config.document))
		err = start_table(state, &state->interval, diag);
	return err;
}

static int on_open(struct stat_job *job, struct xp_diag *diag)
{
	struct stat_save *save = state_of(job)->save;
	int err = stat_refuse_dead_groups(job->evlist, diag)
			  ?: plan_rows(state_of(job), xp_evlist_cpus(job->evlist),
				       xp_evlist_threads(job->evlist), diag);

	return err || !save ? err : stat_save_start(save, job->evlist, diag);
}

static void forget_rows(struct stat_command_state *state)
{
	stat_table_fini(&state->table);
	stat_table_fini(&state->interval);
	xp_aggr_free(state->aggr);
	xp_aggr_free(state->cores);
	state->aggr = state->cores = NULL;
	state->has_rows = false;
}

/* Nothing is summed up before the run ends, so that other rows can be planned meanwhile. */
static int on_new_cpus(struct stat_job *job, struct xp_diag *diag)
{
	forget_rows(state_of(job));
	return plan_rows(state_of(job), xp_evlist_cpus(job->evlist), xp_evlist_threads(job->evlist),
			 diag);
}

/* With --null nothing is opened, and the table has no rows. */
static int plan_no_rows(struct stat_command_state *state, struct xp_diag *diag)
{
	struct xp_cpus *cpus = NULL;
	struct xp_threads *threads = NULL;
	int err = xp_cpus_any(&cpus) ?: xp_threads_any(&threads);

	if (err)
		xp_diag_set(diag, err, "Out of memory");
	else
		err = plan_rows(state, cpus, threads, diag);
	xp_cpus_unref(cpus);
	xp_threads_unref(threads);
	return err;
}

static void add_counts(struct stat_command_state *state, struct stat_table *table,
		       const struct xp_counts *counts, uint64_t wall_ns)
{
	if (state->config.verbose && counts)
		stat_print_raw(&state->style, state->job.evlist, counts);
	stat_table_add(table, counts, wall_ns, state->config.scale);
}

static int written(const struct stat_command_state *state, int err, struct xp_diag *diag)
{
	if (err)
		xp_diag_set(diag, err, "The counts could not be written%s%s: %s",
			    state->config.output ? " to " : "",
			    state->config.output ? state->config.output : "", strerror(-err));
	return err;
}

static int print(const struct stat_command_state *state, struct stat_table *table,
		 struct xp_diag *diag)
{
	stat_table_finish(table);
	return written(state, stat_render(&state->style, table), diag);
}

static int print_interval(struct stat_command_state *state, uint64_t length_ns,
			  struct xp_diag *diag)
{
	struct stat_table *table = &state->interval;

	if (!state->config.document)
		return print(state, table, diag);
	stat_table_finish(table);
	return written(state, document_interval(&state->document, table, length_ns), diag);
}

/* With --json=v1, each run has its own rows. */
static int print_run(struct stat_command_state *state, const struct stat_result *result,
		     struct xp_diag *diag)
{
	struct stat_table *table = &state->interval;

	if (!state->config.document)
		return 0;
	stat_table_reset(table);
	stat_table_add(table, result->counts, result->wall_ns, state->config.scale);
	stat_table_finish(table);
	return written(state, document_run(&state->document, table, result), diag);
}

static int on_interval(struct stat_job *job, const struct xp_counts *counts,
		       uint64_t since_start_ns, uint64_t length_ns, struct xp_diag *diag)
{
	/* As perf: so that the heading stays on the screen. */
	enum { INTERVALS_PER_HEADING = 25 };
	struct stat_command_state *state = state_of(job);
	struct stat_table *table = &state->interval;

	stat_table_reset(table);
	table->is_interval = true;
	table->first_interval =
		state->config.interval_clear || state->nr_intervals % INTERVALS_PER_HEADING == 0;
	state->nr_intervals++;
	table->interval_ns = since_start_ns;
	add_counts(state, table, counts, length_ns);
	int err = state->save ? stat_save_interval(state->save, counts, since_start_ns, diag) : 0;
	return err ? err : print_interval(state, length_ns, diag);
}

static int add_result(struct stat_command_state *state, const struct stat_result *result,
		      struct xp_diag *diag)
{
	struct stat_table *table = &state->table;

	if (result->counts)
		xp_evlist_explain(state->job.evlist, result->counts);
	if (state->save && !state->config.interval_ms) {
		int err = stat_save_run(state->save, result->counts, result->wall_ns, diag);

		if (err)
			return err;
	}
	add_counts(state, table, result->counts, result->wall_ns);
	state->left_running |= result->left_running;
	state->has_exit = result->has_exit;
	state->exit = result->exit;
	/* The workload's times say nothing about other targets. */
	if (result->has_exit && stat_config_is_for_workload(&state->config)) {
		double n = (double)table->elapsed.n;

		table->has_times = true;
		table->user_s += ((double)result->exit.user_ns / 1e9 - table->user_s) / n;
		table->system_s += ((double)result->exit.system_ns / 1e9 - table->system_s) / n;
	}
	if (state->config.run_table && stat_table_keep_run(table, result->wall_ns))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	return print_run(state, result, diag);
}

static bool more_runs(const struct stat_command_state *state, int nr_done)
{
	return !state->job.session.stop_signal &&
	       (!state->config.repeat || nr_done < state->config.repeat);
}

/* By itself: not by a signal. */
static bool has_failed(const struct stat_result *result)
{
	return result->has_exit && result->exit.status && !result->exit.signal;
}

static int run_once(struct stat_command_state *state, struct xp_diag *diag)
{
	const struct stat_config *config = &state->config;
	struct stat_result result = { 0 };
	struct session *session = &state->job.session;
	int err = config->pre ? hook_before(session, "--pre", config->pre, diag) : 0;

	if (!err && !session->stop_signal)
		err = stat_run(&state->job, &result, diag);
	if (!err && result.ran)
		err = add_result(state, &result, diag);
	if (!err && result.ran && config->post && !has_failed(&result))
		err = hook_after(session, "--post", config->post, config->quiet, diag);
	xp_counts_free(result.counts);
	return err;
}

static int run_all(struct stat_command_state *state, struct xp_diag *diag)
{
	int nr_done = 0;
	int err = state->config.null_run ? plan_no_rows(state, diag) : 0;

	if (state->config.smi_cost)
		err = smi_freeze(state->job.ctx, &state->froze, diag);
	while (!err && more_runs(state, nr_done)) {
		err = run_once(state, diag);
		nr_done++;
	}
	return err;
}

/* --- render --- */

static int render(struct stat_command_state *state, struct xp_diag *diag)
{
	const struct stat_config *config = &state->config;
	struct stat_table *table = &state->table;

	if (!table->elapsed.n || (config->interval_ms && !config->summary))
		return 0;
	table->nr_runs = (int)table->elapsed.n;
	table->is_summary = config->interval_ms;
	return print(state, table, diag);
}

/* @err: what ended the runs, perhaps in the middle of one; @diag has it. */
static int end_document(struct stat_command_state *state, int err, struct xp_diag *diag)
{
	struct wording buf;
	const struct document_end end = {
		.table = state->has_rows ? &state->table : NULL,
		.signal = state->job.session.stop_signal,
		.error = err ? cli_words(diag->what, &buf) : NULL,
	};

	if (!state->document.about)
		return 0;
	state->table.nr_runs = (int)state->table.elapsed.n;
	stat_table_finish(&state->table);
	return written(state, document_end(&state->document, &end), err ? NULL : diag);
}

static void fini(struct stat_command_state *state, bool failed)
{
	struct stat_job *job = &state->job;

	forget_rows(state);
	stat_save_free(state->save);
	document_fini(&state->document);
	stat_about_fini(&state->about);
	free(state->title);
	target_fini(&job->target);
	control_close(&job->control);
	xp_evlist_free(job->evlist);
	named_metrics_fini(&state->metrics);
	iostat_fini(&state->iostat);
	if (job->ctx) {
		session_fini(&job->session, failed);
		cli_ctx_free(job->ctx);
	}
	stat_config_fini(&state->config);
}

/* A repetition cut short is no success, whether or not the signal met a run. */
static int exit_status(const struct stat_command_state *state)
{
	bool cut_short = state->job.session.stop_signal && state->config.repeat != 1;

	if (state->has_exit && !state->exit.signal && (state->exit.status || !cut_short))
		return state->exit.status;
	int by_timeout = state->left_running ? 128 + SIGTERM : 0;
	int other = state->has_exit ? state->exit.status : by_timeout;
	return session_end_by_signal(&state->job.session) ?: other;
}

static int stat_main(const struct cli *cli, int argc, char **argv)
{
	int at = options_find(&compare_command, argc, argv, "compare");
	struct stat_command_state state = { .job.control = { .fd = -1, .ack_fd = -1 } };
	struct xp_diag diag = { 0 };
	int status;

	if (at) { /* "stat --compare" is "compare" */
		memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof(*argv));
		return compare_command.run(cli, argc - 1, argv);
	}
	if (!stat_config_init(&state.config, argc, argv, &status)) {
		stat_config_fini(&state.config);
		return status;
	}
	if (state.config.report)
		return stat_report(cli, &state.config);
	if (stat_config_lists_ports(&state.config))
		return iostat_list(cli, &state.config);
	if (state.config.functions)
		return stat_functions(cli, &state.config);
	state.job.config = &state.config;
	state.job.on_open = on_open;
	state.job.on_new_cpus = on_new_cpus;
	state.job.on_interval = on_interval;
	state.job.as_perf = cli_is_perf(cli);

	int err = plan(&state, cli, argc, argv, &diag) ?: run_all(&state, &diag)
			  ?: state.save ? stat_save_finish(state.save, &diag) : 0;
	/* Runs that were counted are shown, though a later one failed. */
	int render_err = state.config.document ? end_document(&state, err, &diag)
					       : render(&state, err ? NULL : &diag);
	err = smi_thaw(state.job.ctx, &state.froze, err ?: render_err, &diag);
	int close_err = stat_output_close(state.style.out, err ? NULL : &diag);
	if ((err || close_err) && diag.err)
		cli_print_diag(&diag, state.input_label);
	if (state.left_running)
		stat_say_left_running(&state.config);
	else if (!err && !cli_is_perf(cli))
		stat_say_waits(&state.config, &state.table);
	if (!state.config.quiet)
		target_say_late(&state.job.target, "counted");
	status = err || close_err ? session_failure_status(&state.job.session, &diag)
				  : exit_status(&state);
	fini(&state, err);
	return status;
}

const struct command stat_command = {
	.name = "stat",
	.summary = "Count events while a command runs, in processes, or on CPUs",
	.usage = "[record | report] [<options>] [<command>]",
	.options = stat_options,
	.runs_program = true,
	.run = stat_main,
};
