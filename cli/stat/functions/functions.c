/* SPDX-License-Identifier: MIT */
/*
 * `xperf stat --functions`: the run is that of a command that counts nothing by itself; beside it,
 * BPF programs count calls of functions.
 */
#include "functions.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sys.h>

#include "function-table.h"
#include "output.h"
#include "run.h"

/* One invocation. */
struct functions_state {
	struct stat_job job; /* first */
	struct stat_config *config;
	struct stat_config run_config; /* the same, and nothing is counted by itself */
	struct xp_evlist *events;      /* of -e; NULL: none */
	struct xp_functions *functions;
	FILE *out;
	const char *label; /* what a position in the diag is a position in; NULL: no events */
	char *program;     /* the file of patterns that name none; NULL: there is none */
	char *title;
	uint64_t left_out; /* calls that are not counted */
};

/* --- plan --- */

/* Each on all CPUs, all the time: which calls are counted is decided by the programs. */
static int open_events(struct functions_state *state, struct xp_diag *diag)
{
	const struct stat_config *config = state->config;
	struct xp_cpus *cpus = NULL;
	struct xp_open_opts opts = { .size = sizeof(opts) };
	int err = config->events.nr ? xp_evlist_new(state->job.ctx, &state->events) : 0;

	if (!config->events.nr)
		return 0;
	state->label = "event";
	for (int i = 0; i < config->events.nr && !err; i++)
		err = events_add(&config->events, i, state->events, &state->label, diag);
	if (err)
		return err;
	state->label = NULL;
	for (int i = 0; i < xp_evlist_nr(state->events); i++) {
		struct xp_attr *attr = xp_evsel_attr(xp_evlist_at(state->events, i));

		attr->exclude_kernel |= config->all_user;
		attr->exclude_user |= config->all_kernel;
	}
	err = xp_cpus_online(state->job.ctx, &cpus, diag);
	opts.cpus = cpus;
	err = err ?: xp_evlist_open(state->events, &opts, diag);
	xp_cpus_unref(cpus);
	return err ?: xp_evlist_enable(state->events);
}

/* As execvp(3) finds it; NULL: it does not, or there is no memory. */
static char *find_program(const char *name)
{
	const char *dirs = getenv("PATH");
	char *path;

	if (strchr(name, '/') || !dirs)
		return strdup(name);
	for (; *dirs; dirs += strcspn(dirs, ":"), dirs += *dirs == ':') {
		if (asprintf(&path, "%.*s/%s", (int)strcspn(dirs, ":"), dirs, name) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* The command's, or that of a process that is named alone. */
static void choose_program(struct functions_state *state)
{
	const struct stat_config *config = state->config;
	const char *pids = config->target.pid_list;

	if (stat_config_is_for_workload(config))
		state->program = find_program(config->workload[0]);
	else if (pids && !strchr(pids, ',') && asprintf(&state->program, "/proc/%s/exe", pids) < 0)
		state->program = NULL;
}

static int count_functions(struct functions_state *state, struct xp_diag *diag)
{
	struct session *session = &state->job.session;
	bool follows = stat_follows_workload(&state->job);
	pid_t workload = follows ? xp_workload_pid(session->workload) : 0;
	const struct target *target = &state->job.target;
	const struct xp_functions_opts opts = {
		.size = sizeof(opts),
		.patterns = state->config->functions,
		.program = state->program,
		.pids = follows              ? &workload
			: target->nr_watched ? target->watched
					     : NULL,
		.nr_pids = follows ? 1 : target->nr_watched,
		.at_exec = follows,
		.inherit = !state->config->no_inherit,
		.evlist = state->events,
	};

	return xp_functions_new(state->job.ctx, &opts, &state->functions, diag);
}

/* The process has to be there before it is followed. */
static int prepare(struct stat_job *job, struct xp_diag *diag)
{
	return session_prepare(&job->session, job->config->workload, diag)
		       ?: count_functions((struct functions_state *)job, diag);
}

static int plan(struct functions_state *state, const struct cli *cli, struct xp_diag *diag)
{
	struct stat_job *job = &state->job;
	int err;

	job->ctx = cli_ctx_new(cli, state->config->verbose);
	if (!job->ctx)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	session_init(&job->session, job->ctx);
	state->run_config = *state->config;
	state->run_config.null_run = true;
	job->config = &state->run_config;
	job->prepare = prepare;
	state->title = stat_make_title(state->config);
	err = state->title ? xp_evlist_new(job->ctx, &job->evlist) : -ENOMEM;
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	err = target_init(&job->target, job->ctx, &state->config->target, diag);
	if (err)
		return err;
	choose_program(state);
	err = target_watch(&job->target, &state->config->target, diag) ?: open_events(state, diag);
	err = err ?: stat_output_open(state->config, &state->out, diag)
			      ?: session_catch_signals(&job->session, false, diag);
	if (!err && !state->config->workload)
		err = count_functions(state, diag);
	return err;
}

/* --- render --- */

static int render(struct functions_state *state, const struct stat_result *result,
		  struct xp_diag *diag)
{
	const struct stat_config *config = state->config;
	struct function_table table = {
		.evlist = state->events,
		.nr_events = state->events ? xp_evlist_nr(state->events) : 0,
		.title = state->title,
		.elapsed_s = (double)result->wall_ns / 1e9,
		.verbose = config->verbose,
		.big_num = config->big_num,
		.separator = config->separator,
	};
	int err = function_table_read(&table, state->functions);

	if (err) {
		xp_diag_set(diag, err, "The calls cannot be read: %s", strerror(-err));
	} else {
		err = (config->document    ? function_document
		       : config->json      ? function_json
		       : config->separator ? function_csv
					   : function_text)(&table, state->out);
		if (err)
			xp_diag_set(diag, err, "The calls could not be written: %s",
				    strerror(-err));
	}
	state->left_out = table.left_out;
	function_table_fini(&table);
	return err;
}

static void warn(const struct functions_state *state, const struct stat_result *result)
{
	uint64_t missed = state->functions ? xp_functions_missed(state->functions) : 0;

	if (missed && !state->config->quiet)
		fprintf(stderr,
			"Warning: calls of %llu processes are missing: too many were started\n",
			(unsigned long long)missed);
	uint64_t unseen = state->functions ? xp_functions_unseen(state->functions) : 0;
	if (unseen && !state->config->quiet)
		fprintf(stderr,
			"Warning: calls can be missing: %llu times, a CPU that was in the program that "
			"counts did not run it for another task\n",
			(unsigned long long)unseen);
	if (state->left_out && !state->config->quiet)
		fprintf(stderr,
			"Warning: %llu calls are left out: they came while the CPU counted another "
			"one, most of them because of that\n",
			(unsigned long long)state->left_out);
	if (result->left_running)
		stat_say_left_running(state->config);
}

static int exit_status(const struct functions_state *state, const struct stat_result *result)
{
	if (result->has_exit && !result->exit.signal)
		return result->exit.status;
	int status = session_end_by_signal(&state->job.session);
	if (status || result->has_exit)
		return status ?: result->exit.status;
	return result->left_running ? 128 + SIGTERM : 0; /* by --timeout */
}

static void fini(struct functions_state *state, bool failed)
{
	struct stat_job *job = &state->job;

	xp_functions_free(state->functions);
	xp_evlist_free(state->events);
	xp_evlist_free(job->evlist);
	target_fini(&job->target);
	free(state->program);
	free(state->title);
	if (job->ctx) {
		session_fini(&job->session, failed);
		cli_ctx_free(job->ctx);
	}
}

int stat_functions(const struct cli *cli, struct stat_config *config)
{
	struct functions_state state = { .config = config,
					 .job.control = { .fd = -1, .ack_fd = -1 } };
	struct stat_result result = { 0 };
	struct xp_diag diag = { 0 };
	int err = plan(&state, cli, &diag) ?: stat_run(&state.job, &result, &diag);

	if (!err && result.ran)
		err = render(&state, &result, &diag);
	int close_err = stat_output_close(state.out, err ? NULL : &diag);
	if ((err || close_err) && diag.err)
		cli_print_diag(&diag, state.label);
	warn(&state, &result);
	int status = err || close_err ? session_failure_status(&state.job.session, &diag)
				      : exit_status(&state, &result);
	fini(&state, err);
	stat_config_fini(config);
	return status;
}
