/* SPDX-License-Identifier: MIT */
#include "feed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "window.h"

/* The same program, also where another one of its name is installed. */
#define PROGRAM "/proc/self/exe"

enum { READ_BYTES = 1 << 18 };

/* A group of its own: keys that stop or interrupt this program are no business of the recorder. */
static int spawn(char *const *argv, int out, int errors, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attr, &none);
	int err = -posix_spawn(ret_pid, PROGRAM, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

int feed_open(struct feed *feed, char *const *argv, struct xp_diag *diag)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return xp_diag_set(diag, -errno, "No pipe can be made: %s", strerror(errno));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETPIPE_SZ, 1 << 20); /* as far as it is allowed */
	feed->fd = ends[0];
	feed->errors = memfd_create("errors", MFD_CLOEXEC);
	int err = feed->errors < 0 ? -errno : spawn(argv, ends[1], feed->errors, &feed->pid);
	close(ends[1]);
	return err ? xp_diag_set(diag, err, "The recorder cannot be started: %s", strerror(-err))
		   : 0;
}

int feed_read(struct feed *feed, struct window *window)
{
	char *buf = malloc(READ_BYTES);
	ssize_t nr = buf ? 1 : -1;
	int err = buf ? 0 : -ENOMEM;

	while (!err && nr > 0) {
		nr = read(feed->fd, buf, READ_BYTES);
		if (nr > 0)
			err = window_add(window, buf, (size_t)nr);
	}
	if (!err && nr < 0 && errno != EAGAIN && errno != EINTR)
		err = -errno;
	free(buf);
	feed->has_ended = !err && !nr;
	return err ? err : feed->has_ended;
}

static void print_errors(int fd)
{
	char buf[4096];
	ssize_t nr;

	lseek(fd, 0, SEEK_SET);
	while ((nr = read(fd, buf, sizeof(buf))) > 0)
		if (write(STDERR_FILENO, buf, (size_t)nr) < nr)
			break;
}

bool feed_close(struct feed *feed)
{
	/* Without a reader it ends where it would wait for one. */
	if (feed->fd >= 0)
		close(feed->fd);
	if (feed->pid && !feed->has_ended)
		kill(feed->pid, SIGTERM);
	if (feed->pid)
		waitpid(feed->pid, &feed->status, 0);
	bool failed = feed->has_ended && feed->status;
	if (failed)
		print_errors(feed->errors);
	if (feed->errors >= 0)
		close(feed->errors);
	*feed = (struct feed){ .fd = -1, .errors = -1, .status = feed->status };
	return failed;
}
