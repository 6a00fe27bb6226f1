/* SPDX-License-Identifier: MIT */
/*
 * What the commands of --control do while events are counted. Source: perf-stat(1) of perf 6.1, in
 * which "stop" does nothing.
 */
#include "run.h"

static int switch_events(const struct stat_job *job, const char *name, bool on,
			 struct xp_diag *diag)
{
	return control_switch(job->evlist, name, on, job->config->quiet, diag);
}

static int enable(void *data, const char *arg, struct xp_diag *diag)
{
	return switch_events(data, arg, true, diag);
}

static int disable(void *data, const char *arg, struct xp_diag *diag)
{
	return switch_events(data, arg, false, diag);
}

static int stop(void *data, const char *arg, struct xp_diag *diag)
{
	struct session *session = &((struct stat_job *)data)->session;

	(void)arg;
	(void)diag;
	if (session->workload)
		session_terminate(session);
	else
		session->over = true;
	return 0;
}

static int list(void *data, const char *arg, struct xp_diag *diag)
{
	const struct stat_job *job = data;

	(void)diag;
	control_list(job->evlist, arg);
	return 0;
}

const struct control_ops stat_control = {
	.enable = enable,
	.disable = disable,
	.stop = stop,
	.list = list,
};
