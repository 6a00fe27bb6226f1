/* SPDX-License-Identifier: MIT */
/*
 * The workload and the signals of a command. What the terminal sends goes to the workload as well;
 * what is sent to us alone is handed on to it, and it then gets some time to end.
 */
#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

#include "cli.h"
#include "escape.h"

/* A workload that was asked to end with us gets this long before we go on without it. */
#define GRACE_NS 2000000000ULL

/*
 * Signals that end, as close together as this, are one request: timeout(1) sends one to its child
 * and one to its process group, in which that child is as well.
 */
#define ONE_REQUEST_NS 100000000ULL

void session_init(struct session *session, struct xp_ctx *ctx)
{
	*session = (struct session){ .ctx = ctx, .signal_fd = -1, .grace_at_ns = NEVER };
}

int session_catch_signals(struct session *session, bool with_usr2, struct xp_diag *diag)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 };
	const struct xp_sys *sys = xp_ctx_sys(session->ctx);
	size_t nr = sizeof(signals) / sizeof(signals[0]);

	session->signal_fd = sys->signal_fd(sys, signals, with_usr2 ? nr : nr - 1);
	if (session->signal_fd < 0)
		return xp_diag_set(diag, session->signal_fd, "Signals cannot be received: %s",
				   strerror(-session->signal_fd));
	return 0;
}

void session_release_signals(struct session *session)
{
	if (session->signal_fd < 0)
		return;
	const struct xp_sys *sys = xp_ctx_sys(session->ctx);
	sys->close(sys, session->signal_fd);
	sys->signal_fd(sys, NULL, 0);
	session->signal_fd = -1;
}

int session_prepare(struct session *session, char *const *argv, struct xp_diag *diag)
{
	session->started = session->ended = session->over = false;
	session->exec_status = 0;
	session->exit = (struct xp_exit){ 0 };
	session->grace_at_ns = NEVER;
	return xp_workload_prepare(session->ctx, argv, &session->workload, diag);
}

/* A signal that came before found no workload to end. */
int session_start(struct session *session, struct xp_diag *diag)
{
	int err = session_handle_signals(session, diag);

	if (!err && session->stop_signal)
		err = -EINTR;
	if (err)
		return err;
	err = xp_workload_start(session->workload, diag);
	session->started = !err;
	/* As env(1) and shells have it. */
	session->exec_status = !err ? 0 : err == -ENOENT ? 127 : 126;
	return err;
}

static void begin_grace(struct session *session)
{
	session->grace_at_ns = xp_ctx_now(session->ctx) + GRACE_NS;
}

void session_terminate(struct session *session)
{
	xp_workload_kill(session->workload, SIGTERM);
	begin_grace(session);
}

/* Some child has ended: the workload, or one that does something behind our back. */
static int handle_child(struct session *session, struct xp_diag *diag)
{
	int got =
		session->workload ? xp_workload_wait(session->workload, false, &session->exit) : 0;

	if (got < 0)
		return xp_diag_set(diag, got, "The end of the command cannot be watched: %s",
				   strerror(-got));
	if (got)
		session->ended = session->over = true;
	return 0;
}

int session_give_up(struct session *session, struct xp_diag *diag)
{
	session->over = true;
	return handle_child(session, diag);
}

static int handle_stop(struct session *session, const struct signalfd_siginfo *info,
		       struct xp_diag *diag)
{
	int sig = (int)info->ssi_signo;
	bool again = session->stop_signal;
	bool sent_to_us = info->ssi_code <= 0;
	uint64_t now = xp_ctx_now(session->ctx);

	if (again && now - session->stop_at_ns < ONE_REQUEST_NS)
		return 0;
	session->stop_signal = sig;
	session->stop_at_ns = now;
	if (!session->workload || again)
		return session_give_up(session, diag);
	if (sent_to_us)
		xp_workload_kill(session->workload, sig);
	if (sent_to_us || sig != SIGINT)
		begin_grace(session);
	return 0;
}

static int handle_signal(struct session *session, const struct signalfd_siginfo *info,
			 struct xp_diag *diag)
{
	if (info->ssi_signo == SIGCHLD)
		return handle_child(session, diag);
	if (info->ssi_signo != SIGUSR2)
		return handle_stop(session, info, diag);
	session->nr_usr2++;
	return 0;
}

int session_handle_signals(struct session *session, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(session->ctx);
	struct signalfd_siginfo info;
	ssize_t n;

	while ((n = sys->read(sys, session->signal_fd, &info, sizeof(info))) == sizeof(info)) {
		int err = handle_signal(session, &info, diag);

		if (err || session->over)
			return err;
	}
	if (n == -EAGAIN || n == -EINTR)
		return 0;
	return xp_diag_set(diag, n < 0 ? (int)n : -EIO, "Signals cannot be received: %s",
			   strerror(n < 0 ? (int)-n : EIO));
}

void session_say_waits(const char *command, double cpu_s, double wall_s)
{
	if (wall_s < 1 || cpu_s > wall_s / 4)
		return;
	fputs("Note: '", stderr);
	escape_print(stderr, command);
	fprintf(stderr,
		"' used CPUs for %.2f of %.2f s and mostly waited: xperf record --off-cpu shows "
		"where\n",
		cpu_s, wall_s);
}

bool session_is_called_off(struct session *session)
{
	struct xp_diag unheard = { 0 };

	if (!session->workload || session->started)
		return false;
	if (!session->stop_signal)
		session_handle_signals(session, &unheard);
	return session->stop_signal;
}

int session_failure_status(const struct session *session, const struct xp_diag *diag)
{
	if (session->exec_status)
		return session->exec_status;
	return diag->pos >= 0 ? EXIT_USAGE : EXIT_FAILED;
}

static int ended_by;

int session_end_by_signal(const struct session *session)
{
	ended_by = session->stop_signal;
	return ended_by ? 128 + ended_by : 0;
}

void session_raise(void)
{
	if (!ended_by)
		return;
	signal(ended_by, SIG_DFL);
	raise(ended_by);
}

void session_drop_workload(struct session *session)
{
	xp_workload_free(session->workload);
	session->workload = NULL;
}

void session_fini(struct session *session, bool failed)
{
	struct xp_exit end;

	session_release_signals(session);
	if (failed && session->workload && session->started && !session->ended)
		xp_workload_wait(session->workload, true, &end);
	session_drop_workload(session);
}
