/* SPDX-License-Identifier: MIT */
/*
 * A child process held before its exec: it waits for a byte on one pipe and reports a failed exec
 * as an errno on another, which a successful exec closes.
 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

static struct {
	bool saved;
	sigset_t mask;
} before;

/* A parent that ignored its children's ends would have us never learn of ours: wait4(2), ECHILD. */
static int heed_children(const sigset_t *set)
{
	struct sigaction action;

	if (!sigismember(set, SIGCHLD))
		return 0;
	if (sigaction(SIGCHLD, NULL, &action) < 0)
		return -errno;
	if (action.sa_handler != SIG_IGN && !(action.sa_flags & SA_NOCLDWAIT))
		return 0;
	action.sa_handler = SIG_DFL;
	action.sa_flags = 0;
	return sigaction(SIGCHLD, &action, NULL) < 0 ? -errno : 0;
}

int spawn_block_signals(const sigset_t *set)
{
	sigset_t old;
	int err = heed_children(set);

	if (err)
		return err;

	if (sigprocmask(SIG_BLOCK, set, &old) < 0)
		return -errno;
	if (!before.saved) {
		before.mask = old;
		before.saved = true;
	}
	return 0;
}

/* Runs in the child; does not return. */
static void wait_and_exec(int go_fd, int exec_fd, char *const argv[])
{
	char byte;
	ssize_t n;

	if (before.saved)
		sigprocmask(SIG_SETMASK, &before.mask, NULL);
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

int spawn_held(char *const argv[], struct xp_child *ret_child)
{
	int go[2], report[2];

	if (pipe2(go, O_CLOEXEC) < 0)
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
	*ret_child = (struct xp_child){ .pid = pid, .go_fd = go[1], .exec_fd = report[0] };
	return 0;
}
