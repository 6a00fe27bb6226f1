/* SPDX-License-Identifier: MIT */
/* `xperf compare`: parse, plan, measure, conclude, render. */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "live.h"
#include "options.h"
#include "render.h"
#include "result.h"
#include "stat/plan/plan.h"
#include "stop.h"

/* What has no seed gets one that differs each time, and is printed. Small ones are typed easily. */
static uint64_t choose_seed(const struct compare_config *config)
{
	struct timespec now;

	if (config->has_seed)
		return config->seed;
	clock_gettime(CLOCK_REALTIME, &now);
	struct random random = { (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^
				 (uint64_t)getpid() << 50 };
	return random_below(&random, 1000000000);
}

static int plan(struct measurement *m, const struct cli *cli, const char **ret_label,
		struct xp_diag *diag)
{
	struct stat_job *job = &m->job;

	m->run = m->config->stat;
	m->seed = choose_seed(m->config);
	uname(&m->uts);
	job->config = &m->run;
	job->ctx = cli_ctx_new(cli, m->config->stat.verbose);
	if (!job->ctx)
		return -ENOMEM;
	session_init(&job->session, job->ctx);
	int err = contenders_init(&m->contenders, m->config, diag);
	if (!err && stat_config_has_metrics(&m->run)) {
		job->metrics = &m->named;
		err = named_metrics_init(job->metrics, job->ctx, &m->run, diag);
	}
	if (!err)
		err = stat_plan_events(job, ret_label, diag);
	if (err)
		return err;
	*ret_label = NULL;
	return target_init(&job->target, job->ctx, &m->run.target, diag)
		       ?: session_catch_signals(&job->session, false, diag);
}

/* --- what is written --- */

typedef void (*render_fn)(const struct findings *f, struct sink *out);

static int write_file(const struct findings *f, const char *path, render_fn render,
		      struct xp_diag *diag)
{
	struct result result = { 0 };
	int err = path ? result_open(&result, path, NULL, false, diag) : 0;

	if (!path || err)
		return err;
	struct sink out = SINK_TO_FILE(result.file);
	render(f, &out);
	err = sink_flush(&out);
	if (err)
		xp_diag_set(diag, err, "%s cannot be written: %s", path, strerror(-err));
	sink_fini(&out);
	return result_close(&result, err, diag);
}

static int print(const struct findings *f)
{
	struct sink out = SINK_TO_FILE(stdout);

	if (f->m->config->stat.quiet)
		return 0;
	render_text(f, &out);
	int err = sink_flush(&out);
	sink_fini(&out);
	return err;
}

static int write_all(const struct findings *f, struct xp_diag *diag)
{
	const struct compare_config *config = f->m->config;
	const struct {
		const char *path;
		render_fn render;
	} files[] = {
		{ config->json, render_json },
		{ config->csv, render_csv },
		{ config->markdown, render_markdown },
	};
	int err = print(f);

	for (size_t i = 0; !err && i < sizeof(files) / sizeof(files[0]); i++)
		err = write_file(f, files[i].path, files[i].render, diag);
	return err;
}

/* --- the exit status --- */

/* Of --fail-if-slower: any command that was run and is slower, or else any that may be. */
static int judge(const struct findings *f)
{
	const struct compare_config *config = f->m->config;
	size_t metric = (size_t)metrics_find(&f->m->metrics, config->judge);
	int status = 0;

	for (size_t i = contenders_first_judged(&f->m->contenders); i < f->m->contenders.nr; i++) {
		const struct finding *finding = findings_at(f, i, metric);
		const struct change *change = &finding->change;
		double limit = config->fail_if_slower;

		if (!change->is_ratio)
			limit *= findings_summary(f, 0, metric)->median;
		if (finding->is_known && change->low > limit)
			return EXIT_SLOWER;
		if (!finding->is_known || change->high > limit)
			status = EXIT_UNCLEAR;
	}
	return status;
}

static int exit_status(const struct findings *f)
{
	int status = session_end_by_signal(&f->m->job.session);

	if (status)
		return status;
	return f->m->config->fail_if_slower < 0 ? 0 : judge(f);
}

static int conclude(const struct measurement *m, int *ret_status, struct xp_diag *diag)
{
	struct findings findings = { 0 };
	int err = findings_init(&findings, m, stop_rate(m));

	*ret_status = exit_status(&findings);
	if (err)
		xp_diag_set(diag, err, "Out of memory");
	else if (m->nr_rounds)
		err = write_all(&findings, diag);
	findings_fini(&findings);
	return err;
}

static int on_round(struct measurement *m, struct xp_diag *diag)
{
	live_show(m->data, m);
	return stop_if_enough(m, diag);
}

static void fini(struct measurement *m, bool failed)
{
	struct stat_job *job = &m->job;

	metrics_fini(&m->metrics);
	named_metrics_fini(&m->named);
	contenders_fini(&m->contenders);
	target_fini(&job->target);
	xp_evlist_free(job->evlist);
	if (job->ctx) {
		session_fini(&job->session, failed);
		cli_ctx_free(job->ctx);
	}
}

int compare_main(const struct cli *cli, int argc, char **argv)
{
	struct compare_config config;
	struct live live = { 0 };
	struct measurement m = {
		.config = &config,
		.job.control = { .fd = -1, .ack_fd = -1 },
		.on_round = on_round,
		.data = &live,
	};
	struct xp_diag diag = { 0 };
	const char *label = NULL;
	int status = 0;

	if (!compare_config_init(&config, argc, argv, &status)) {
		compare_config_fini(&config);
		return status;
	}
	int err = plan(&m, cli, &label, &diag);
	if (!err) {
		live_begin(&live, &config);
		err = measure_all(&m, &diag);
		live_end(&live);
	}
	if (!err)
		err = conclude(&m, &status, &diag);
	if (err && diag.err)
		cli_print_diag(&diag, label);
	if (err)
		status = session_failure_status(&m.job.session, &diag);
	fini(&m, err);
	compare_config_fini(&config);
	return status;
}
