/* SPDX-License-Identifier: MIT */
/*
 * Closing descriptors without waiting: a child process inherits them, so closing them here is not
 * the last close, and exits, which is. It is forked twice, so that nobody has to collect it.
 *
 * The child lets go of all other descriptors first: a reader of our output must not wait for it.
 */
#include "close-behind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Closes everything but @fds, which are sorted. Before Linux 5.9: the standard descriptors only. */
static void close_others(const int *fds, size_t nr)
{
	unsigned int first = 0;

	for (size_t i = 0; i < nr; i++) {
		if ((unsigned int)fds[i] > first &&
		    syscall(SYS_close_range, first, fds[i] - 1, 0) < 0)
			for (int fd = 0; fd <= 2; fd++)
				close(fd);
		first = (unsigned int)fds[i] + 1;
	}
	syscall(SYS_close_range, first, ~0U, 0);
}

/* Runs in the grandchild; does not return. The exit closes what is left. */
static void outlive(const int *fds, size_t nr)
{
	setsid(); /* a ^C meant for the program is not for us */
	close_others(fds, nr);
	_exit(0);
}

/* Starts the process that outlives us. Returns the one to wait for, or a negative errno. */
static pid_t hand_over(const int *fds, size_t nr)
{
	int *sorted = malloc(nr * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, fds, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_number);

	pid_t pid = fork();
	int err = pid < 0 ? -errno : 0;
	if (!pid) {
		if (!fork())
			outlive(sorted, nr);
		_exit(0);
	}
	free(sorted);
	return err ? err : pid;
}

int xp_close_behind(const int *fds, size_t nr)
{
	pid_t pid = nr ? hand_over(fds, nr) : 0;

	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	return pid < 0 ? pid : 0;
}
