/* SPDX-License-Identifier: MIT */
/*
 * Commands that get privileges by their exec: the kernel takes the events of ordinary users off
 * them.
 *
 * Source: execve(2), "Effect on process dumpable" in prctl(2), PR_SET_DUMPABLE; begin_new_exec() of
 * fs/exec.c, "Disable monitoring for regular users"; xattr(7), capabilities(7), "File
 * capabilities".
 */
#include "privileged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "ctx.h"
#include "str.h"

/* Mount options and no_new_privs can take all this back: the caller looks at the counts, too. */
static bool is_privileged(const struct xp_sys *sys, const char *path, const struct stat *st)
{
	mode_t set_group = S_ISGID | S_IXGRP;
	char capability[64];

	if (st->st_mode & S_ISUID && st->st_uid != sys->euid(sys))
		return true;
	if ((st->st_mode & set_group) == set_group)
		return true;
	if (sys->getxattr(sys, path, "security.capability", capability, sizeof(capability)) > 0)
		return true;
	int fd = sys->open(sys, path);
	if (fd >= 0)
		sys->close(sys, fd);
	return fd == -EACCES;
}

static bool is_executable(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	return !sys->stat(sys, path, ret_stat) && S_ISREG(ret_stat->st_mode) &&
	       ret_stat->st_mode & 0111;
}

bool xp_command_is_privileged(struct xp_ctx *ctx, const char *command)
{
	const char *dirs = getenv("PATH");
	struct stat st;

	if (strchr(command, '/'))
		return is_executable(ctx->sys, command, &st) &&
		       is_privileged(ctx->sys, command, &st);
	for (const char *dir = dirs ? dirs : "/bin:/usr/bin";; dir++) {
		size_t len = strcspn(dir, ":");
		struct xp_str path = { 0 };

		xp_str_addf(&path, "%.*s%s%s", (int)len, dir, len ? "/" : "", command);
		xp_auto_free char *text = xp_str_detach(&path);
		if (text && is_executable(ctx->sys, text, &st))
			return is_privileged(ctx->sys, text, &st);
		dir += len;
		if (!*dir)
			return false;
	}
}
