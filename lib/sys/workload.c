/* SPDX-License-Identifier: MIT */
/* The measured command as an object over the held child of the kernel table. */
#include <xperf/workload.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "ctx.h"
#include "privileged.h"

struct xp_workload {
	struct xp_ctx *ctx;
	struct xp_child child; /* descriptors -1 once closed */
	char *command;
	bool started;
	bool collected;
	struct rusage usage; /* once it is collected */
};

int xp_workload_prepare(struct xp_ctx *ctx, char *const argv[], struct xp_workload **ret_workload,
			struct xp_diag *diag)
{
	struct xp_workload *workload;

	if (!argv[0])
		return xp_diag_set(diag, -EINVAL, "No command is given to run");
	workload = calloc(1, sizeof(*workload));
	if (workload)
		workload->command = strdup(argv[0]);
	if (!workload || !workload->command) {
		free(workload);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	workload->ctx = ctx;
	int err = ctx->sys->spawn(ctx->sys, argv, &workload->child);
	if (err) {
		free(workload->command);
		free(workload);
		return xp_diag_set(diag, err, "No process can be created for '%s': %s", argv[0],
				   strerror(-err));
	}
	/* It waits, and opens nothing before its exec. */
	if (ctx->nofile_raised)
		ctx->sys->rlimit(ctx->sys, workload->child.pid, RLIMIT_NOFILE, &ctx->nofile, NULL);
	*ret_workload = workload;
	return 0;
}

pid_t xp_workload_pid(const struct xp_workload *workload)
{
	return workload->child.pid;
}

static void close_end(struct xp_workload *workload, int *fd)
{
	if (*fd >= 0)
		workload->ctx->sys->close(workload->ctx->sys, *fd);
	*fd = -1;
}

/* Waits until the exec has succeeded (end of file) or failed (an errno). */
static int exec_result(struct xp_workload *workload)
{
	const struct xp_sys *sys = workload->ctx->sys;
	int err = 0;
	ssize_t n;

	do
		n = sys->read(sys, workload->child.exec_fd, &err, sizeof(err));
	while (n == -EINTR);
	if (n < 0)
		return (int)n;
	return n == sizeof(err) ? -err : 0;
}

/* A whole shell command in one word is the name of no file. */
static void hint_at_shell(const struct xp_workload *workload, struct xp_diag *diag)
{
	const char *command = workload->command;

	if (!strpbrk(command, " \t\n|&;<>()$`*?[\"'"))
		return;
	xp_diag_hint(diag, "The command is not passed to a shell; to use one, run: sh -c %s%s%s",
		     strchr(command, '\'') ? "\"" : "'", command,
		     strchr(command, '\'') ? "\"" : "'");
}

int xp_workload_start(struct xp_workload *workload, struct xp_diag *diag)
{
	const struct xp_sys *sys = workload->ctx->sys;

	if (workload->child.go_fd < 0)
		return xp_diag_set(diag, -EALREADY, "%s was started before", workload->command);
	ssize_t n = sys->write(sys, workload->child.go_fd, "", 1);
	int err = n < 0 ? (int)n : 0;
	if (!err)
		err = exec_result(workload);
	close_end(workload, &workload->child.go_fd);
	close_end(workload, &workload->child.exec_fd);
	if (err) { /* it has ended, or nobody would watch it: xp_workload_free() collects it */
		sys->kill(sys, workload->child.pid, SIGKILL);
		xp_diag_set(diag, err, "Workload failed: %s: %s", workload->command,
			    err == -EPIPE ? "it ended before it was executed" : strerror(-err));
		if (err == -ENOENT)
			hint_at_shell(workload, diag);
		return err;
	}
	workload->started = true;
	return 0;
}

static uint64_t ns_of(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000000 + (uint64_t)tv->tv_usec * 1000;
}

int xp_workload_wait(struct xp_workload *workload, bool block, struct xp_exit *ret_exit)
{
	const struct xp_sys *sys = workload->ctx->sys;
	struct rusage *usage = &workload->usage;
	int status;

	if (workload->collected)
		return -ECHILD;
	int got = sys->wait(sys, workload->child.pid, block ? 0 : WNOHANG, &status, usage);
	if (got <= 0)
		return got;
	workload->collected = true;
	ret_exit->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	ret_exit->status = ret_exit->signal ? 128 + ret_exit->signal : WEXITSTATUS(status);
	ret_exit->user_ns = ns_of(&usage->ru_utime);
	ret_exit->system_ns = ns_of(&usage->ru_stime);
	return 1;
}

int xp_workload_usage(const struct xp_workload *workload, struct rusage *ret_usage)
{
	if (!workload->collected)
		return -ENODATA;
	*ret_usage = workload->usage;
	return 0;
}

bool xp_workload_is_privileged(const struct xp_workload *workload)
{
	return xp_command_is_privileged(workload->ctx, workload->command);
}

int xp_workload_kill(struct xp_workload *workload, int sig)
{
	if (workload->collected)
		return -ESRCH;
	return workload->ctx->sys->kill(workload->ctx->sys, workload->child.pid, sig);
}

void xp_workload_free(struct xp_workload *workload)
{
	struct xp_exit end;

	if (!workload)
		return;
	close_end(workload, &workload->child.go_fd);
	close_end(workload, &workload->child.exec_fd);
	/* Other children of the program may hold the other end, too. */
	if (!workload->started && !workload->collected) {
		workload->ctx->sys->kill(workload->ctx->sys, workload->child.pid, SIGKILL);
		xp_workload_wait(workload, true, &end);
	}
	free(workload->command);
	free(workload);
}
