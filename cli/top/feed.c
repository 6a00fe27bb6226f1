/* SPDX-License-Identifier: MIT */
#include "feed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "cli.h"
#include "window.h"

/* The same program, also where another one of its name is installed. */
#define PROGRAM "/proc/self/exe"

enum { READ_BYTES = 1 << 18, MS_PER_S = 1000, NS_PER_MS = 1000000 };

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

int64_t feed_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * MS_PER_S + now.tv_nsec / NS_PER_MS;
}

/* --- the window, under the lock --- */

/* After a stop, all intervals that are kept may be over. */
static void turn_when_due(struct feed *feed)
{
	int64_t length_ms = (int64_t)feed->interval_s * MS_PER_S, now_ms = feed_now_ms();

	for (; feed->next_ms <= now_ms; feed->next_ms += length_ms) {
		window_turn(feed->window);
		feed->nr_intervals++;
	}
}

int feed_state(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	int state = feed->state;
	pthread_mutex_unlock(&feed->lock);
	return state;
}

uint64_t feed_samples(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	turn_when_due(feed);
	uint64_t nr = window_samples(feed->window);
	pthread_mutex_unlock(&feed->lock);
	return nr;
}

int feed_write(struct feed *feed, int fd, struct feed_written *ret)
{
	pthread_mutex_lock(&feed->lock);
	turn_when_due(feed);
	int err = window_write(feed->window, fd);
	*ret = (struct feed_written){ window_samples(feed->window), feed->nr_intervals };
	pthread_mutex_unlock(&feed->lock);
	return err;
}

/* --- the thread --- */

/* Returns the new state. */
static int add(struct feed *feed, const char *buf, ssize_t nr)
{
	pthread_mutex_lock(&feed->lock);
	turn_when_due(feed);
	feed->state = nr > 0 ? window_add(feed->window, buf, (size_t)nr) : !nr ? 1 : (int)nr;
	int state = feed->state;
	pthread_mutex_unlock(&feed->lock);
	return state;
}

/* Returns how many bytes have come, 0: no more will, or a negative errno; -ECANCELED: it has to
 * end. */
static ssize_t read_more(const struct feed *feed, char *buf)
{
	struct pollfd fds[] = { { .fd = feed->fd, .events = POLLIN },
				{ .fd = feed->quit, .events = POLLIN } };
	ssize_t nr = -1;

	do {
		if (poll(fds, 2, -1) > 0 && fds[1].revents)
			return -ECANCELED;
		nr = read(feed->fd, buf, READ_BYTES);
	} while (nr < 0 && (errno == EINTR || errno == EAGAIN));
	return nr < 0 ? -errno : nr;
}

static void *read_all(void *data)
{
	struct feed *feed = data;
	char *buf = malloc(READ_BYTES);
	int state = buf ? 0 : add(feed, NULL, -ENOMEM);

	while (!state) {
		ssize_t nr = read_more(feed, buf);

		state = nr == -ECANCELED ? -ECANCELED : add(feed, buf, nr);
	}
	free(buf);
	eventfd_write(feed->end, 1);
	return NULL;
}

/* Signals are for the others. */
static int start_thread(struct feed *feed)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = -pthread_create(&feed->thread, NULL, read_all, feed);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	feed->has_thread = !err;
	return err;
}

/* --- both --- */

int feed_open(struct feed *feed, char *const *argv, struct window *window, int interval_s,
	      struct xp_diag *diag)
{
	int ends[2];

	*feed = (struct feed){ .fd = -1, .window = window, .interval_s = interval_s };
	pthread_mutex_init(&feed->lock, NULL);
	feed->end = eventfd(0, EFD_CLOEXEC);
	feed->quit = eventfd(0, EFD_CLOEXEC);
	feed->errors = memfd_create("errors", MFD_CLOEXEC);
	if (feed->end < 0 || feed->quit < 0 || feed->errors < 0 || pipe2(ends, O_CLOEXEC))
		return xp_diag_set(diag, -errno, "No pipe can be made: %s", strerror(errno));
	fcntl(ends[0], F_SETPIPE_SZ, 1 << 20); /* as far as it is allowed */
	feed->fd = ends[0];
	feed->next_ms = feed_now_ms() + (int64_t)interval_s * MS_PER_S;
	int err = spawn(argv, ends[1], feed->errors, &feed->pid);
	close(ends[1]);
	err = err ?: start_thread(feed);
	return err ? xp_diag_set(diag, err, "The recorder cannot be started: %s", strerror(-err))
		   : 0;
}

/* Without how the recorder is used, of which the user knows nothing. */
static void print_errors(int fd)
{
	FILE *errors = fdopen(fd, "r");
	char line[4096];

	if (!errors)
		return;
	rewind(errors);
	while (fgets(line, sizeof(line), errors))
		if (strncmp(line, "Usage: ", 7) != 0)
			fputs(line, stderr);
	fclose(errors);
}

static void close_all(const int *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int feed_close(struct feed *feed)
{
	if (feed->has_thread) {
		eventfd_write(feed->quit, 1);
		pthread_join(feed->thread, NULL);
	}
	/* Without a reader it ends where it would wait for one. */
	close_all(&feed->fd, 1);
	if (feed->pid && feed->state != 1)
		kill(feed->pid, SIGTERM);
	if (feed->pid)
		waitpid(feed->pid, &feed->status, 0);
	bool failed = feed->state == 1 && feed->status;
	if (failed)
		print_errors(dup(feed->errors));
	close_all((const int[]){ feed->end, feed->quit, feed->errors }, 3);
	pthread_mutex_destroy(&feed->lock);
	return !failed ? 0 : WIFEXITED(feed->status) ? WEXITSTATUS(feed->status) : EXIT_FAILED;
}
