/* SPDX-License-Identifier: MIT */
/*
 * A child process held before its exec: it waits for a byte on a socket and reports a failed exec
 * as an errno on a pipe, which a successful exec closes. A socket because writing to a child that
 * was killed meanwhile must not raise SIGPIPE here (MSG_NOSIGNAL, send(2)).
 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "descriptor.h"

/*
 * What the kernel keeps once per process can only be remembered once per process, too: contexts
 * that change it meet in the kernel, whoever holds the notes. Set by the first
 * xp_spawn_block_signals(), dropped by xp_spawn_unblock_signals().
 */
static struct {
	bool saved;
	sigset_t mask;
	bool ignored_children;
} before;

/* Inherited "ignore" would have the kernel collect children behind our back. A handler stays. */
static bool stop_ignoring_children(void)
{
	struct sigaction action;

	if (sigaction(SIGCHLD, NULL, &action) < 0 || action.sa_handler != SIG_IGN)
		return false;
	signal(SIGCHLD, SIG_DFL);
	return true;
}

int xp_spawn_block_signals(const sigset_t *set)
{
	sigset_t old;

	if (sigprocmask(SIG_BLOCK, set, &old) < 0)
		return -errno;
	if (!before.saved) {
		before.mask = old;
		before.saved = true;
		before.ignored_children = stop_ignoring_children();
	}
	return 0;
}

int xp_spawn_unblock_signals(void)
{
	if (!before.saved)
		return 0;
	if (before.ignored_children)
		signal(SIGCHLD, SIG_IGN);
	before.saved = false;
	return sigprocmask(SIG_SETMASK, &before.mask, NULL) < 0 ? -errno : 0;
}

/* Runs in the child; does not return. */
static void wait_and_exec(int go_fd, int exec_fd, char *const argv[])
{
	char byte;
	ssize_t n;

	xp_spawn_unblock_signals();
	do
		n = read(go_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0); /* the parent gave up */

	execvp(argv[0], argv);
	int err = errno;
	while (write(exec_fd, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(127);
}

int xp_spawn_held(char *const argv[], struct xp_child *ret_child)
{
	int go[2], report[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0)
		return -errno;
	if (pipe2(report, O_CLOEXEC) < 0) {
		int err = -errno;
		close(go[0]);
		close(go[1]);
		return err;
	}

	pid_t pid = fork();
	int err = pid < 0 ? -errno : 0;
	if (!pid) {
		close(go[1]); /* or the end of the parent would never be seen */
		close(report[0]);
		wait_and_exec(go[0], report[1], argv);
	}
	close(go[0]);
	close(report[1]);
	if (err) {
		close(go[1]);
		close(report[0]);
		return err;
	}
	*ret_child = (struct xp_child){ .pid = pid,
					.go_fd = xp_above_standard(go[1]),
					.exec_fd = xp_above_standard(report[0]) };
	return 0;
}
