/* SPDX-License-Identifier: MIT */
/* What the commands of --control do to a recording. Source: perf-record(1) of perf 6.1. */
#include <string.h>
#include <xperf/diag.h>

#include "recorder.h"

static int enable_or_disable(struct recorder *r, const char *name, bool on, struct xp_diag *diag)
{
	int err = control_switch(r->evlist, name, on, r->config.quiet, diag);

	if (!err && !*name)
		r->enabled = on;
	return err;
}

static int enable(void *data, const char *arg, struct xp_diag *diag)
{
	return enable_or_disable(data, arg, true, diag);
}

static int disable(void *data, const char *arg, struct xp_diag *diag)
{
	return enable_or_disable(data, arg, false, diag);
}

static int snapshot(void *data, const char *arg, struct xp_diag *diag)
{
	const struct recorder *r = data;
	int err = xp_recorder_snapshot(r->recorder);

	(void)arg;
	return err ? xp_diag_set(diag, err, "A snapshot cannot be recorded: %s", strerror(-err))
		   : 0;
}

static int stop(void *data, const char *arg, struct xp_diag *diag)
{
	(void)arg;
	(void)diag;
	recorder_stop(data);
	return 0;
}

static int list(void *data, const char *arg, struct xp_diag *diag)
{
	const struct recorder *r = data;

	(void)diag;
	control_list(r->evlist, arg);
	return 0;
}

const struct control_ops recorder_control = {
	.enable = enable,
	.disable = disable,
	.snapshot = snapshot,
	.stop = stop,
	.list = list,
};
