/* SPDX-License-Identifier: MIT */
/*
 * Copies of files where perf looks for them by build id:
 *
 *   DIR/NAME/ID/elf, vdso or kallsyms       the copy
 *   DIR/.build-id/ID's first two/the rest   a symbolic link to DIR/NAME/ID
 *
 * A copy is complete before it bears its name, and the link comes last: several recordings at once
 * do not harm each other. Source: perf-buildid-cache(1); perf 6.1, what it left in ~/.debug.
 */
#include <errno.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "build-id.h"
#include "build-ids-impl.h"
#include "replace.h"

enum { ID_TEXT = 2 * sizeof(((struct xp_build_id *)0)->bytes) + 1 };

/* One file on its way into the cache. */
struct copy {
	const struct xp_sys *sys;
	const char *root; /* the context's, for what is read */
	const char *dir;
	const struct mapped *mapped;
	char id[ID_TEXT];
	char to[PATH_MAX]; /* of the copy */
};

/* A name of a foreign namespace may be anything: it stays below the directory. */
static bool is_safe(const char *name)
{
	for (const char *at = name; *at;) {
		size_t len = strcspn(at, "/");

		if ((len == 1 && at[0] == '.') || (len == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		at += len + strspn(at + len, "/");
	}
	return *name;
}

static void id_text(const struct xp_build_id *id, char *text)
{
	for (int i = 0; i < id->len; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
}

/* Makes a directory and those above it. @path is changed meanwhile. */
static int make_dirs(const struct xp_sys *sys, char *path)
{
	int err = 0;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		sys->mkdir(sys, path);
		*slash = '/';
	}
	err = sys->mkdir(sys, path);
	return err == -EEXIST ? 0 : err;
}

/* Copies a file from its beginning, whose descriptor is @from: as a clone where the file system
 * can. */
static int copy_all(const struct xp_sys *sys, int to, void *from)
{
	const int fd = *(const int *)from;
	char buf[65536];
	ssize_t n;
	int err = 0;

	if (!sys->ioctl(sys, to, FICLONE, (unsigned long)fd))
		return 0;
	while (!err && (n = sys->read(sys, fd, buf, sizeof(buf))) != 0)
		err = n > 0         ? xp_write_all(sys, to, &(struct iovec){ buf, (size_t)n }, 1)
		      : n == -EINTR ? 0
				    : (int)n;
	return err;
}

static int write_image(const struct xp_sys *sys, int fd, void *image)
{
	return xp_write_all(sys, fd, image, 1);
}

/* Another file may bear the name by now. */
static bool is_it(int fd, const struct mapped *mapped)
{
	struct xp_build_id id;

	return !xp_build_id_of_fd(fd, &id) && id.len == mapped->id.len &&
	       !memcmp(id.bytes, mapped->id.bytes, id.len);
}

/* Modules are kept as they are, compressed perhaps; their build id is in the kernel. */
static int copy_elf(const struct copy *copy)
{
	const struct mapped *mapped = copy->mapped;
	const struct xp_sys *sys = copy->sys;
	char path[PATH_MAX];
	int fd = xp_mapped_file_open(copy->root, &mapped->file, path);

	if (fd < 0)
		return fd;
	close(fd);
	fd = sys->open(sys, path);
	if (fd < 0)
		return fd;
	int err = mapped->kind == MAPPED_MODULE || is_it(fd, mapped) ? 0 : -ESTALE;
	if (!err) {
		err = sys->link(sys, fd, copy->to);
		if (err && err != -EEXIST)
			err = xp_replace_file(sys, copy->to, copy_all, &fd);
	}
	sys->close(sys, fd);
	return err == -EEXIST ? 0 : err;
}

static int copy_vdso(const struct copy *copy)
{
	struct iovec image;

	image.iov_base = (void *)xp_vdso_image(&image.iov_len);
	return image.iov_base ? xp_replace_file(copy->sys, copy->to, write_image, &image) : -ENOENT;
}

static int copy_kallsyms(const struct copy *copy)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/kallsyms", copy->root);
	int fd = copy->sys->open(copy->sys, path);
	int err = fd < 0 ? fd : xp_replace_file(copy->sys, copy->to, copy_all, &fd);
	if (fd >= 0)
		copy->sys->close(copy->sys, fd);
	return err;
}

static const struct {
	const char *name;
	int (*make)(const struct copy *copy);
} kinds[] = {
	[MAPPED_FILE] = { "elf", copy_elf },
	[MAPPED_VDSO] = { "vdso", copy_vdso },
	[MAPPED_KERNEL] = { "kallsyms", copy_kallsyms },
	[MAPPED_MODULE] = { "elf", copy_elf },
};

/* "../../NAME/ID": from where the link is to the directory of the copy. */
static int make_link(const struct copy *copy, char *path)
{
	const struct mapped *mapped = copy->mapped;
	const char *name = mapped->name + (mapped->name[0] == '/');
	char target[PATH_MAX];

	char *slash = strrchr(path, '/');
	if (snprintf(target, sizeof(target), "../../%s/%s", name, copy->id) >= (int)sizeof(target))
		return -ENAMETOOLONG;
	*slash = '\0';
	int err = make_dirs(copy->sys, path);
	*slash = '/';
	if (!err)
		err = copy->sys->symlink(copy->sys, target, path);
	return err == -EEXIST ? 0 : err;
}

static int make_copy(struct copy *copy)
{
	const struct mapped *mapped = copy->mapped;
	const char *file = kinds[mapped->kind].name;
	struct stat st;

	int len = snprintf(copy->to, sizeof(copy->to), "%s/%s/%s/%s", copy->dir,
			   mapped->name + (mapped->name[0] == '/'), copy->id, file);
	if (len >= (int)sizeof(copy->to))
		return -ENAMETOOLONG;
	if (!copy->sys->lstat(copy->sys, copy->to, &st))
		return 0;
	char *slash = copy->to + len - strlen(file) - 1;
	*slash = '\0';
	int err = make_dirs(copy->sys, copy->to);
	*slash = '/';
	return err ? err : kinds[mapped->kind].make(copy);
}

/* A file that cannot be had any more is left out; that the cache is full, or not ours, is not. */
static int keep(struct copy *copy)
{
	char link[PATH_MAX];
	struct stat st;

	memset(copy->id, 0, sizeof(copy->id));
	id_text(&copy->mapped->id, copy->id);
	if (snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s", copy->dir, copy->id,
		     copy->id + 2) >= (int)sizeof(link))
		return -ENAMETOOLONG;
	if (!copy->sys->lstat(copy->sys, link, &st))
		return 0;
	int err = make_copy(copy);
	return err ? err : make_link(copy, link);
}

/* What ends it all, and not the copy of one file only. */
static bool is_hopeless(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EROFS || err == -ENOMEM;
}

/* Whoever may write there could lead root to any place. */
static bool is_ours(const struct xp_sys *sys, const char *dir)
{
	uid_t user = sys->euid(sys);
	struct stat st, target;

	return !sys->lstat(sys, dir, &st) && st.st_uid == user && !sys->stat(sys, dir, &target) &&
	       target.st_uid == user;
}

static int check_dir(const struct xp_sys *sys, const char *dir, struct xp_diag *diag)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return xp_diag_set(diag, -ENAMETOOLONG,
				   "The name of the build id cache is too long");
	int err = make_dirs(sys, path);
	if (err)
		return xp_diag_set(diag, err, "The build id cache '%s' cannot be created: %s", dir,
				   strerror(-err));
	if (is_ours(sys, dir))
		return 0;
	xp_diag_set(diag, -EPERM, "The build id cache '%s' belongs to another user", dir);
	xp_diag_hint(diag, "Set HOME to a directory of your own");
	return -EPERM;
}

int xp_build_ids_cache(struct xp_build_ids *ids, const char *dir, struct xp_diag *diag)
{
	const struct xp_sys *sys = ids->ctx->sys;
	struct copy copy = { .sys = sys, .root = ids->ctx->root, .dir = dir };
	int err = check_dir(sys, dir, diag);

	if (err)
		return err;
	xp_build_ids_wait(ids);
	for (copy.mapped = ids->first; copy.mapped; copy.mapped = copy.mapped->next) {
		if (!copy.mapped->id.len || !is_safe(copy.mapped->name))
			continue;
		err = keep(&copy);
		if (is_hopeless(err))
			return xp_diag_set(diag, err,
					   "The build id cache '%s' cannot be written: %s", dir,
					   strerror(-err));
	}
	return 0;
}
