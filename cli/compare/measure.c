/* SPDX-License-Identifier: MIT */
/*
 * The rounds: in each, every command runs once, in an order drawn by lot. Whatever the machine does
 * over time meets all commands alike. Why the environment is padded: T. Mytkowicz, A. Diwan,
 * M. Hauswirth, P. F. Sweeney, "Producing wrong data without doing anything obviously wrong!",
 * ASPLOS 2009: its size moves the stack, and with it what shares a cache line or a page.
 */
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sys.h>

#include "stat/run/hook.h"
#include "stat/run/rss.h"
#include "vec.h"

#define PADDING_NAME "XPERF_COMPARE_PADDING"

enum { PADDING_MAX = 4096 };

/* --- what the commands inherit --- */

/* The descriptors of this process while a command is made, which inherits them. */
struct hidden {
	int saved[3]; /* -1: as it was */
};

/* Nothing to read, and nobody who reads: as hyperfine. */
static void hide(const struct measurement *m, struct hidden *hidden)
{
	int null = m->config->show_output ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);

	fflush(stdout);
	for (int fd = 0; fd < 3; fd++) {
		hidden->saved[fd] = null < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (hidden->saved[fd] >= 0)
			dup2(null, fd);
	}
	if (null >= 0)
		close(null);
}

static void restore(const struct hidden *hidden)
{
	for (int fd = 0; fd < 3; fd++) {
		if (hidden->saved[fd] < 0)
			continue;
		dup2(hidden->saved[fd], fd);
		close(hidden->saved[fd]);
	}
}

static void pad(struct measurement *m)
{
	char text[PADDING_MAX];
	size_t len = random_below(&m->random, PADDING_MAX);

	memset(text, 'x', len);
	text[len] = '\0';
	if (!m->config->no_padding)
		setenv(PADDING_NAME, text, true);
}

/* stat_job.prepare */
static int prepare_run(struct stat_job *job, struct xp_diag *diag)
{
	struct measurement *m =
		(struct measurement *)((char *)job - offsetof(struct measurement, job));
	struct hidden hidden;

	pad(m);
	hide(m, &hidden);
	int err = session_prepare(&job->session, m->run.workload, diag);
	restore(&hidden);
	unsetenv(PADDING_NAME);
	return err;
}

/* --- hooks --- */

static int run_hook(struct measurement *m, const char *option, const char *command,
		    struct xp_diag *diag)
{
	struct session *session = &m->job.session;
	struct hidden hidden;

	if (!command || session->stop_signal)
		return 0;
	hide(m, &hidden);
	int err = hook_before(session, option, command, diag);
	restore(&hidden);
	return err;
}

static int set_up(struct measurement *m, struct xp_diag *diag)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->contenders.nr; i++)
		err = run_hook(m, "--setup", m->contenders.at[i].setup, diag);
	return err;
}

/* What was set up is cleaned up whatever has happened since. */
static void clean_up(struct measurement *m)
{
	struct xp_diag unheard = { 0 };

	for (size_t i = 0; i < m->contenders.nr; i++)
		if (m->contenders.at[i].cleanup)
			hook_after(&m->job.session, "--cleanup", m->contenders.at[i].cleanup,
				   m->config->stat.quiet, &unheard);
}

/* --- one run --- */

static int keep(struct measurement *m, struct contender *c, const struct stat_result *result,
		struct xp_diag *diag)
{
	size_t nr = m->metrics.nr;
	double *values = reallocarray(c->values, c->nr_runs + 1, nr * sizeof(*values));

	if (values)
		c->values = values;
	if (!values || vec_add(&c->statuses, c->nr_runs, sizeof(*c->statuses)))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	metrics_read(&m->metrics, result, c->values + c->nr_runs * nr);
	c->statuses[c->nr_runs++] = result->exit.status;
	return 0;
}

static int refuse_failure(struct measurement *m, const struct contender *c,
			  const struct stat_result *result, struct xp_diag *diag)
{
	m->failed_status = result->exit.status;
	if (result->exit.signal)
		xp_diag_set(diag, -ECANCELED, "The command '%s' was killed by signal %d", c->name,
			    result->exit.signal);
	else
		xp_diag_set(diag, -ECANCELED, "The command '%s' failed with exit status %d",
			    c->name, result->exit.status);
	xp_diag_hint(diag, "--show-output prints what it has to say, --ignore-failure goes on");
	return -ECANCELED;
}

static void print_run(const struct measurement *m, const struct contender *c,
		      const struct stat_result *result)
{
	if (m->config->stat.verbose)
		fprintf(stderr, "%.6f s, exit status %d: %s\n", (double)result->wall_ns / 1e9,
			result->exit.status, c->name);
}

static int run_one(struct measurement *m, struct contender *c, bool is_warmup, struct xp_diag *diag)
{
	struct session *session = &m->job.session;
	struct stat_result result = { 0 };
	int err = run_hook(m, "--prepare", c->prepare, diag);

	if (err || session->stop_signal)
		return err;
	m->run.workload = c->argv;
	err = stat_run(&m->job, &result, diag);
	if (!err && result.ran && !session->stop_signal) {
		print_run(m, c, &result);
		m->nr_failed += result.exit.status != 0;
		if (result.exit.status && !m->config->ignore_failure)
			err = refuse_failure(m, c, &result, diag);
		else if (!is_warmup)
			err = keep(m, c, &result, diag);
	}
	xp_counts_free(result.counts);
	return err ? err : run_hook(m, "--conclude", c->conclude, diag);
}

/* --- rounds --- */

static int run_round(struct measurement *m, bool is_warmup, struct xp_diag *diag)
{
	struct contender *first = m->contenders.at + m->contenders.nr_stored;
	int nr = (int)(m->contenders.nr - m->contenders.nr_stored), err = 0;

	random_order(&m->random, m->order, nr);
	for (int i = 0; !err && i < nr && !m->job.session.stop_signal; i++)
		err = run_one(m, &first[m->order[i]], is_warmup, diag);
	if (err || is_warmup || m->job.session.stop_signal)
		return err;
	m->nr_rounds++;
	m->ended_ns = xp_ctx_now(m->job.ctx);
	return m->on_round(m, diag);
}

static int plan_metrics(struct measurement *m, struct xp_diag *diag)
{
	int err = metrics_plan(&m->metrics, &m->job, diag);

	if (!err && import_values(m))
		err = xp_diag_set(diag, -ENOMEM, "Out of memory");
	return err;
}

static int on_open(struct stat_job *job, struct xp_diag *diag)
{
	struct measurement *m =
		(struct measurement *)((char *)job - offsetof(struct measurement, job));

	return plan_metrics(m, diag);
}

static int run_rounds(struct measurement *m, struct xp_diag *diag)
{
	int err = m->config->stat.null_run ? plan_metrics(m, diag) : 0;

	for (int i = 0; !err && i < m->config->warmup && !m->job.session.stop_signal; i++)
		err = run_round(m, true, diag);
	m->before.size = m->after.size = sizeof(m->before);
	xp_disturbance_read(m->job.ctx, &m->before);
	m->began_ns = m->ended_ns = xp_ctx_now(m->job.ctx);
	while (!err && !m->over && !m->job.session.stop_signal)
		err = run_round(m, false, diag);
	xp_disturbance_read(m->job.ctx, &m->after);
	return err;
}

int measure_all(struct measurement *m, struct xp_diag *diag)
{
	m->job.config = &m->run;
	m->job.prepare = prepare_run;
	m->job.on_open = on_open;
	m->random.state = m->seed;
	m->job.least_rss_bytes = m->metrics.least_rss_bytes = stat_least_rss_bytes(m->job.ctx);
	m->order = calloc(m->contenders.nr, sizeof(*m->order));
	if (!m->order)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	int err = set_up(m, diag) ?: run_rounds(m, diag);
	clean_up(m);
	free(m->order);
	return err;
}

size_t measured_runs(const struct measurement *m, size_t contender)
{
	const struct contender *c = &m->contenders.at[contender];

	return c->stored ? c->nr_runs : m->nr_rounds;
}

bool measured_in_turns(const struct measurement *m, size_t a, size_t b)
{
	const struct stored_run *of_a = m->contenders.at[a].stored;
	const struct stored_run *of_b = m->contenders.at[b].stored;

	return of_a && of_b ? of_a->in_turns && of_b->in_turns : !of_a && !of_b;
}

void measured_values(const struct measurement *m, size_t contender, size_t metric, double *values)
{
	const struct contender *c = &m->contenders.at[contender];

	for (size_t i = 0; i < measured_runs(m, contender); i++)
		values[i] = c->values[i * m->metrics.nr + metric];
}
