/* SPDX-License-Identifier: MIT */
/*
 * The directory is given by the environment, and may be anybody's: root with the HOME of a user
 * must neither believe what that user wrote there, nor leave there what only root may know. So all
 * of it has to belong to the user who runs this; files are of mode 0600.
 */
#include "cache-dir.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/sys.h>

#include "replace.h"
#include "vec.h"

/* Returns 0, -ENAMETOOLONG. */
static int path_of(char path[PATH_MAX], const char *dir, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* "/a/b" of "/a/b/c". Returns 0, -EINVAL: it is not absolute, or has none; -ENAMETOOLONG. */
static int parent_of(char path[PATH_MAX], const char *dir)
{
	const char *slash = strrchr(dir, '/');

	if (*dir != '/' || slash == dir || !slash[1])
		return -EINVAL;
	return snprintf(path, PATH_MAX, "%.*s", (int)(slash - dir), dir) < PATH_MAX ? 0
										    : -ENAMETOOLONG;
}

/* Whether nobody else can exchange what is in the parent: it is ours, or everybody may write there
 * but change only what is his own. */
static bool is_safe_parent(const struct xp_sys *sys, const struct stat *st)
{
	uid_t user = sys->euid(sys);
	bool is_ours = st->st_uid == user || !st->st_uid;

	return S_ISDIR(st->st_mode) && is_ours &&
	       (!(st->st_mode & S_IWOTH) || st->st_mode & S_ISVTX);
}

static bool is_own(const struct xp_sys *sys, const struct stat *st, mode_t type)
{
	return (st->st_mode & S_IFMT) == type && st->st_uid == sys->euid(sys) &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns 0, -EPERM, or why it is not there. */
static int check_dir(const struct xp_sys *sys, const char *dir)
{
	char parent[PATH_MAX];
	struct stat st;
	int err = parent_of(parent, dir) ?: sys->stat(sys, parent, &st);

	if (err)
		return err;
	if (!is_safe_parent(sys, &st))
		return -EPERM;
	err = sys->lstat(sys, dir, &st);
	return err ? err : is_own(sys, &st, S_IFDIR) ? 0 : -EPERM;
}

int xp_cache_open(const struct xp_sys *sys, const char *dir, const char *name, uint64_t *ret_len)
{
	char path[PATH_MAX];
	struct stat st;
	int err = path_of(path, dir, name) ?: check_dir(sys, dir) ?: sys->lstat(sys, path, &st);

	if (err)
		return err;
	if (!is_own(sys, &st, S_IFREG))
		return -EPERM;
	int fd = sys->open(sys, path);
	if (fd >= 0)
		*ret_len = (uint64_t)st.st_size;
	return fd;
}

static void make_dir(const struct xp_sys *sys, const char *dir)
{
	char parent[PATH_MAX];

	if (!parent_of(parent, dir))
		sys->mkdir(sys, parent);
	sys->mkdir(sys, dir);
}

/* A file that was found there. */
struct old_file {
	char name[NAME_MAX + 1];
	int64_t s, ns; /* when it was written */
};

struct old_files {
	const struct xp_sys *sys;
	const char *dir, *family, *newest;
	struct old_file *at;
	size_t nr, room;
};

static int note_file(const char *name, void *data)
{
	struct old_files *files = data;
	char path[PATH_MAX];
	struct stat st;

	if (strncmp(name, files->family, strlen(files->family)) != 0 ||
	    !strcmp(name, files->newest) || strlen(name) > NAME_MAX ||
	    path_of(path, files->dir, name) || files->sys->lstat(files->sys, path, &st) ||
	    !is_own(files->sys, &st, S_IFREG))
		return 0;
	if (vec_reserve(&files->at, files->nr, &files->room, sizeof(*files->at)))
		return -ENOMEM;
	struct old_file *file = &files->at[files->nr++];
	memcpy(file->name, name, strlen(name) + 1);
	file->s = st.st_mtim.tv_sec;
	file->ns = st.st_mtim.tv_nsec;
	return 0;
}

/* The newest first. */
static int compare_files(const void *a, const void *b)
{
	const struct old_file *l = a, *r = b;

	return l->s != r->s ? (l->s < r->s) - (l->s > r->s) : (l->ns < r->ns) - (l->ns > r->ns);
}

/* Removes all but the newest, which was written just now, and @max that are older. */
static void remove_old(struct old_files files, size_t max)
{
	const struct xp_sys *sys = files.sys;
	char path[PATH_MAX];

	sys->list_dir(sys, files.dir, note_file, &files);
	if (files.nr > max)
		qsort(files.at, files.nr, sizeof(*files.at), compare_files);
	for (size_t i = max; i < files.nr; i++)
		if (!path_of(path, files.dir, files.at[i].name))
			sys->remove(sys, path);
	free(files.at);
}

struct pieces {
	const struct iovec *at;
	int nr;
};

static int write_pieces(const struct xp_sys *sys, int fd, void *data)
{
	const struct pieces *pieces = data;

	return xp_write_all(sys, fd, pieces->at, pieces->nr);
}

int xp_cache_write(const struct xp_sys *sys, const char *dir, const char *name, const char *family,
		   size_t max, const struct iovec *pieces, int nr)
{
	char path[PATH_MAX];

	make_dir(sys, dir);
	int err = check_dir(sys, dir) ?: path_of(path, dir, name);
	if (err)
		return err;
	err = xp_replace_file(sys, path, write_pieces, &(struct pieces){ pieces, nr });
	if (!err)
		remove_old((struct old_files){ sys, dir, family, name, NULL, 0, 0 }, max);
	return err;
}
