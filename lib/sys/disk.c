/* SPDX-License-Identifier: MIT */
/*
 * Files that are written, on the real kernel.
 *
 * Source: open(2), pwritev2(2) (offset -1), signal(7): a write to a pipe without reader raises
 * SIGPIPE, one beyond RLIMIT_FSIZE SIGXFSZ, in the thread that writes.
 */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "descriptor.h"

int xp_disk_create(const struct xp_sys *sys, const char *path, int flags)
{
	int fd;

	(void)sys;
	do
		fd = open(path,
			  O_WRONLY | O_CLOEXEC | O_NOCTTY | flags |
				  (flags & O_TRUNC ? 0 : O_NOFOLLOW),
			  0600);
	while (fd < 0 && errno == EINTR);
	fd = xp_above_standard(fd);
	return fd < 0 ? -errno : fd;
}

/* The mask of this thread, and what waited, before the signals of a write were held back. */
struct held {
	sigset_t before;
	sigset_t pending;
};

static void hold_signals(struct held *held)
{
	sigset_t raised;

	sigemptyset(&raised);
	sigaddset(&raised, SIGPIPE);
	sigaddset(&raised, SIGXFSZ);
	sigemptyset(&held->pending);
	sigpending(&held->pending);
	pthread_sigmask(SIG_BLOCK, &raised, &held->before);
}

/* The one that this write has raised goes, what was pending before stays. */
static void release_signals(const struct held *held, int err)
{
	static const struct timespec at_once;
	int sig = err == EPIPE ? SIGPIPE : err == EFBIG ? SIGXFSZ : 0;

	if (sig && !sigismember(&held->pending, sig)) {
		sigset_t raised;

		sigemptyset(&raised);
		sigaddset(&raised, sig);
		sigtimedwait(&raised, NULL, &at_once);
	}
	pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

ssize_t xp_disk_pwritev(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
			int64_t offset)
{
	struct held held;
	ssize_t n;

	(void)sys;
	hold_signals(&held);
	do
		n = offset < 0 ? writev(fd, pieces, nr) : pwritev(fd, pieces, nr, offset);
	while (n < 0 && errno == EINTR);
	int err = n < 0 ? errno : 0;
	release_signals(&held, err);
	return err ? -err : n;
}

int xp_disk_truncate(const struct xp_sys *sys, int fd, uint64_t len)
{
	(void)sys;
	return ftruncate(fd, (off_t)len) ? -errno : 0;
}

int xp_disk_rename(const struct xp_sys *sys, const char *from, const char *to)
{
	(void)sys;
	return rename(from, to) ? -errno : 0;
}

int xp_disk_remove(const struct xp_sys *sys, const char *path)
{
	(void)sys;
	return remove(path) ? -errno : 0;
}

int xp_disk_mkdir(const struct xp_sys *sys, const char *path)
{
	(void)sys;
	return mkdir(path, 0700) ? -errno : 0;
}

int xp_disk_lstat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	(void)sys;
	return lstat(path, ret_stat) ? -errno : 0;
}
