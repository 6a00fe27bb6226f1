/* SPDX-License-Identifier: MIT */
/*
 * The file a recording goes to, and what becomes of the one that was there.
 *
 * Nothing is followed or overwritten on the way: the new file is made where there is none
 * (O_EXCL), an old one is renamed. Source of the name PATH.old, and of what lies in the directory
 * of a recording: perf 6.1, perf.data-directory-format.txt of perf.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

#include "cleanup.h"
#include "str.h"
#include "writer-impl.h"

static char *join(const char *a, const char *b, const char *c)
{
	struct xp_str path = { 0 };

	xp_str_addf(&path, "%s%s%s", a, b, c);
	return xp_str_detach(&path);
}

static int no_memory(const char *path, struct xp_diag *diag)
{
	return xp_diag_set(diag, -ENOMEM, "Not enough memory to create '%s'", path);
}

/* 0 if @path may be renamed or removed by whoever records. */
static int check_owner(const struct xp_sys *sys, const char *path, const struct stat *st,
		       struct xp_diag *diag)
{
	if (S_ISLNK(st->st_mode)) {
		xp_diag_set(diag, -ELOOP, "'%s' is a symbolic link, which is not followed", path);
		xp_diag_hint(diag, "Remove it, or name the file that it points to");
		return -ELOOP;
	}
	if (!sys->euid(sys) && st->st_uid) {
		xp_diag_set(diag, -EPERM,
			    "'%s' belongs to another user (uid %u), and root does not replace it",
			    path, (unsigned int)st->st_uid);
		xp_diag_hint(diag, "Record to another file, or remove it");
		return -EPERM;
	}
	return 0;
}

/* --- directories --- */

struct removal {
	const struct xp_sys *sys;
	const char *dir;
};

/* What recorders put into the directory of a recording. */
static bool is_of_recording(const char *name)
{
	return !strcmp(name, "data") || !strncmp(name, "data.", 5) ||
	       !strncmp(name, "kcore_dir", 9);
}

static int check_entry(const char *name, void *data)
{
	(void)data;
	return is_of_recording(name) ? 0 : -EEXIST;
}

static int is_recording(const struct xp_sys *sys, const char *dir, struct xp_diag *diag)
{
	int err = sys->list_dir(sys, dir, check_entry, NULL);

	if (err == -EEXIST) {
		xp_diag_set(diag, err, "'%s' is a directory, but not a recording", dir);
		xp_diag_hint(diag, "Record to another file");
		return err;
	}
	return err ? xp_diag_set(diag, err, "'%s' cannot be read: %s", dir, strerror(-err)) : 0;
}

static int remove_entry(const char *name, void *data);

static int remove_tree(const struct xp_sys *sys, const char *dir)
{
	struct removal removal = { .sys = sys, .dir = dir };
	int err = sys->list_dir(sys, dir, remove_entry, &removal);

	return err ? err : sys->remove(sys, dir);
}

/* A recording's directory has one level of directories, kcore_dir. */
static int remove_entry(const char *name, void *data)
{
	const struct removal *removal = data;
	const struct xp_sys *sys = removal->sys;
	xp_auto_free char *path = join(removal->dir, "/", name);
	struct stat st;

	if (!path)
		return -ENOMEM;
	int err = sys->lstat(sys, path, &st);
	if (!err)
		err = S_ISDIR(st.st_mode) ? remove_tree(sys, path) : sys->remove(sys, path);
	return err == -ENOENT ? 0 : err;
}

/* --- rotation --- */

/* PATH.old goes; only a directory is in a rename's way. */
static int make_way(const struct xp_sys *sys, const char *old, struct xp_diag *diag)
{
	struct stat st;
	int err = sys->lstat(sys, old, &st);

	if (err == -ENOENT || (!err && S_ISLNK(st.st_mode)))
		return 0; /* a rename replaces the link itself */
	if (!err)
		err = check_owner(sys, old, &st, diag);
	else
		return xp_diag_set(diag, err, "'%s' cannot be replaced: %s", old, strerror(-err));
	if (!err && S_ISDIR(st.st_mode)) {
		err = is_recording(sys, old, diag);
		if (err)
			return err;
		err = remove_tree(sys, old);
		if (err)
			xp_diag_set(diag, err, "'%s' cannot be removed: %s", old, strerror(-err));
	}
	return err;
}

static int rotate(const struct xp_sys *sys, struct xp_writer_output *output, struct xp_diag *diag)
{
	xp_auto_free char *old = join(output->path, ".old", "");

	if (!old)
		return no_memory(output->path, diag);
	int err = make_way(sys, old, diag);
	if (err)
		return err;
	/* A file cannot be renamed over what make_way() left, nor a directory over a file. */
	err = sys->rename(sys, output->path, old);
	if (err == -ENOTDIR && !sys->remove(sys, old))
		err = sys->rename(sys, output->path, old);
	if (err)
		return xp_diag_set(diag, err, "'%s' cannot be renamed to '%s': %s", output->path,
				   old, strerror(-err));
	output->old = old;
	old = NULL;
	return 0;
}

/* What is there already: it is renamed, removed, or written to. */
static int prepare_path(const struct xp_sys *sys, const struct xp_data_writer_opts *opts,
			struct xp_writer_output *output, bool *ret_is_new, struct xp_diag *diag)
{
	struct stat st;
	int err = sys->lstat(sys, output->path, &st);

	*ret_is_new = true;
	if (err == -ENOENT)
		return 0;
	if (err)
		return xp_diag_set(diag, err, "'%s' cannot be created: %s", output->path,
				   strerror(-err));
	if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) {
		*ret_is_new = false;
		output->is_fifo = S_ISFIFO(st.st_mode);
		return 0;
	}
	err = check_owner(sys, output->path, &st, diag);
	if (err)
		return err;
	if (opts->keep_existing)
		return xp_diag_set(diag, -EEXIST, "'%s' exists", output->path);
	if (S_ISDIR(st.st_mode))
		err = is_recording(sys, output->path, diag);
	else if (!S_ISREG(st.st_mode))
		err = xp_diag_set(diag, -EINVAL, "'%s' is not a regular file", output->path);
	else if (!st.st_size && !sys->remove(sys, output->path))
		return 0;
	return err ? err : rotate(sys, output, diag);
}

static int create_file(const struct xp_sys *sys, const struct xp_data_writer_opts *opts,
		       struct xp_writer_output *output, bool is_new)
{
	const char *path = output->path;

	if (opts->directory && is_new) {
		int err = sys->mkdir(sys, path);

		if (err)
			return err;
		output->created = true;
		output->inner = join(path, "/", "data");
		if (!output->inner)
			return -ENOMEM;
		path = output->inner;
	}
	int fd = sys->create(sys, path, is_new ? O_CREAT | O_EXCL : 0);
	if (fd < 0)
		return fd;
	output->fd = fd;
	output->created = is_new;
	return 0;
}

int xp_writer_create(const struct xp_sys *sys, const struct xp_data_writer_opts *opts,
		     struct xp_writer_output *ret_output, struct xp_diag *diag)
{
	struct xp_writer_output output = { .fd = opts->fd };
	bool is_new;

	if (!opts->path) {
		*ret_output = output;
		return 0;
	}
	output.fd = -1;
	output.path = strdup(opts->path);
	if (!output.path)
		return no_memory(opts->path, diag);
	int err = prepare_path(sys, opts, &output, &is_new, diag);
	if (!err) {
		err = create_file(sys, opts, &output, is_new);
		if (err)
			xp_diag_set(diag, err, "'%s' cannot be created: %s", opts->path,
				    strerror(-err));
	}
	if (err) {
		xp_writer_uncreate(sys, &output);
		xp_writer_output_fini(sys, &output);
		return err;
	}
	*ret_output = output;
	return 0;
}

void xp_writer_uncreate(const struct xp_sys *sys, struct xp_writer_output *output)
{
	if (output->created && output->inner)
		sys->remove(sys, output->inner);
	if (output->created)
		sys->remove(sys, output->path);
	if (output->old)
		sys->rename(sys, output->old, output->path);
	output->created = false;
}

void xp_writer_output_fini(const struct xp_sys *sys, struct xp_writer_output *output)
{
	if (output->path && output->fd >= 0)
		sys->close(sys, output->fd);
	free(output->path);
	free(output->old);
	free(output->inner);
}
