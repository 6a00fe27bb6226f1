/* SPDX-License-Identifier: MIT */
/* The commands of such options are workloads that nothing is counted of. */
#include "hook.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

/* Until it has ended, or is waited for no longer. */
static int wait_until_over(struct session *session, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(session->ctx);
	int err = 0;

	while (!session->over && !err) {
		struct pollfd fd = { .fd = session->signal_fd, .events = POLLIN };
		uint64_t now = xp_ctx_now(session->ctx), end = session->grace_at_ns;
		int64_t timeout = end == NEVER ? -1 : end > now ? (int64_t)(end - now) : 0;
		int n = sys->poll(sys, &fd, 1, timeout);

		if (n < 0 && n != -EINTR)
			return xp_diag_set(diag, n, "Waiting failed: %s", strerror(-n));
		if (n > 0)
			err = session_handle_signals(session, diag);
		if (!err && !session->over && xp_ctx_now(session->ctx) >= session->grace_at_ns)
			err = session_give_up(session, diag);
	}
	return err;
}

/*
 * Nothing else is run by @session meanwhile. Returns the exit status, or a negative errno with
 * @diag filled; where a signal has ended the waiting, session->stop_signal is set.
 */
static int run(struct session *session, const char *command, struct xp_diag *diag)
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *const argv[] = { shell, option, (char *)command, NULL };
	int err = session_prepare(session, argv, diag)
			  ?: session_start(session, diag)
			  ?: wait_until_over(session, diag);

	if (err && session_is_called_off(session))
		err = 0;
	if (err)
		return err;
	session_drop_workload(session);
	session->started = session->ended = session->over = false;
	session->grace_at_ns = NEVER;
	return session->exit.status;
}

int hook_before(struct session *session, const char *option, const char *command,
		struct xp_diag *diag)
{
	int status = run(session, command, diag);

	if (status <= 0 || session->stop_signal)
		return status < 0 ? status : 0;
	return xp_diag_set(diag, -ECANCELED,
			   "The command of %s failed with exit status %d, and nothing was run: %s",
			   option, status, command);
}

int hook_after(struct session *session, const char *option, const char *command, bool quiet,
	       struct xp_diag *diag)
{
	int stop_signal = session->stop_signal;

	session->stop_signal = 0; /* it ended the run, not what follows */
	int status = run(session, command, diag);
	if (stop_signal)
		session->stop_signal = stop_signal;
	if (status > 0 && !quiet)
		fprintf(stderr, "Warning: The command of %s failed with exit status %d: %s\n",
			option, status, command);
	return status < 0 ? status : 0;
}
