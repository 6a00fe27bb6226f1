/* SPDX-License-Identifier: MIT */
/* Commands of options like --pre and --post, which the shell runs around each run. */
#ifndef CLI_STAT_HOOK_H
#define CLI_STAT_HOOK_H

#include "session.h"

/*
 * Runs the command of @option ("--pre"). If it fails, so does this: without what it was to prepare,
 * the run would measure something else. After a signal session->stop_signal is set.
 * Returns 0 or a negative errno with @diag filled.
 */
int hook_before(struct session *session, const char *option, const char *command,
		struct xp_diag *diag);

/* Runs the command of @option ("--post"), after a run that a signal has ended, too. If it fails, a
 * warning is printed, unless @quiet. Returns likewise. */
int hook_after(struct session *session, const char *option, const char *command, bool quiet,
	       struct xp_diag *diag);

#endif
