/* SPDX-License-Identifier: MIT */
/*
 * A process in a container has a number and a /tmp of its own. Anybody can write to a /tmp: a link
 * there, or a file of another user, is not what the process wrote.
 *
 * Source: proc(5), /proc/PID/status, NSpid and Uid; pid_namespaces(7); proc_pid_root(5).
 */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "ctx.h"

/* The last number of a line of /proc/PID/status; the @at-th, from 0, if it is not negative. */
static bool number_of(const char *status, const char *key, int at, unsigned long *ret_number)
{
	const char *line = strstr(status, key);
	char *end;
	bool is_found = false;

	if (!line)
		return false;
	line += strlen(key);
	for (int i = 0; *line && *line != '\n' && (at < 0 || i <= at); i++) {
		unsigned long number = strtoul(line, &end, 10);

		if (end == line || memchr(line, '\n', (size_t)(end - line)))
			break;
		*ret_number = number;
		is_found = at < 0 || i == at;
		line = end;
	}
	return is_found;
}

/* Returns false: it is the same, or not known. */
static bool differs(const struct xp_ctx *ctx, int32_t pid, const char *what)
{
	char path[PATH_MAX];
	struct stat its, ours;

	return snprintf(path, sizeof(path), "%s/proc/%d/%s", ctx->root, pid, what) < PATH_MAX &&
	       !ctx->sys->stat(ctx->sys, path, &its) &&
	       snprintf(path, sizeof(path), "%s/proc/self/%s", ctx->root, what) < PATH_MAX &&
	       !ctx->sys->stat(ctx->sys, path, &ours) &&
	       (its.st_dev != ours.st_dev || its.st_ino != ours.st_ino);
}

int xp_inside_of(struct xp_ctx *ctx, int32_t pid, struct xp_inside *ret_inside)
{
	enum { EFFECTIVE = 1 };
	xp_auto_free char *status = NULL;
	unsigned long own = (unsigned long)pid, user;
	size_t len;
	int err = xp_file_read(ctx, &status, &len, "/proc/%d/status", pid);

	if (err)
		return err;
	if (!number_of(status, "\nUid:", EFFECTIVE, &user))
		return -ENODATA;
	number_of(status, "\nNSpid:", -1, &own);
	*ret_inside = (struct xp_inside){
		.pid = (int32_t)own,
		.user = (uid_t)user,
		.is_elsewhere = own != (unsigned long)pid || differs(ctx, pid, "ns/mnt") ||
				differs(ctx, pid, "root"),
	};
	return 0;
}

int xp_inside_tmp(const struct xp_ctx *ctx, int32_t pid)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/%d/root/tmp", ctx->root, pid) >= PATH_MAX)
		return -ENAMETOOLONG;
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int xp_inside_map(int tmp, const struct xp_inside *inside)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "perf-%d.map", inside->pid);
	int fd = openat(tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int err = fstat(fd, &st)                           ? -errno
		  : !S_ISREG(st.st_mode)                   ? -ENOEXEC
		  : st.st_uid && st.st_uid != inside->user ? -EPERM
							   : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}
