/* SPDX-License-Identifier: MIT */
/*
 * Copies of files where perf looks for them by build id:
 *
 *   DIR/NAME/ID/elf, vdso, kallsyms or map  the copy
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
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/synth.h>

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
	int fd; /* of the file; -1: it is to be opened */
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

/* The source of a copy: as much as there was when it was decided. */
struct source {
	int fd;
	uint64_t max_bytes;
};

/* Copies a file from its beginning: as a clone where the file system can. */
static int copy_all(const struct xp_sys *sys, int to, void *data)
{
	const struct source *from = data;
	uint64_t left = from->max_bytes;
	char buf[65536];
	ssize_t n;
	int err = 0;

	if (!sys->ioctl(sys, to, FICLONE, (unsigned long)from->fd))
		return 0;
	while (!err && left &&
	       (n = sys->read(sys, from->fd, buf, left < sizeof(buf) ? left : sizeof(buf))) != 0) {
		err = n > 0         ? xp_write_all(sys, to, &(struct iovec){ buf, (size_t)n }, 1)
		      : n == -EINTR ? 0
				    : (int)n;
		left -= n > 0 ? (uint64_t)n : 0;
	}
	return err;
}

static int write_image(const struct xp_sys *sys, int fd, void *image)
{
	return xp_write_all(sys, fd, image, 1);
}

/* A link to the file, or its content. */
static int link_or_copy(const struct copy *copy, int fd, uint64_t max_bytes)
{
	struct source source = { fd, max_bytes };
	int err = copy->sys->link(copy->sys, fd, copy->to);

	if (err && err != -EEXIST)
		err = xp_replace_file(copy->sys, copy->to, copy_all, &source);
	return err == -EEXIST ? 0 : err;
}

/* A file that is open and known to be the right one; who has it may go on writing to it. */
static int copy_open(const struct copy *copy)
{
	struct stat st;

	if (fstat(copy->fd, &st) || lseek(copy->fd, 0, SEEK_SET) < 0)
		return -errno;
	struct source source = { copy->fd, (uint64_t)st.st_size };
	return xp_replace_file(copy->sys, copy->to, copy_all, &source);
}

/* Modules are kept as they are, compressed perhaps; their build id is in the kernel. */
static int copy_elf(const struct copy *copy)
{
	const struct mapped *mapped = copy->mapped;
	const struct xp_sys *sys = copy->sys;
	char path[PATH_MAX];

	if (copy->fd >= 0)
		return copy_open(copy);
	int fd = xp_mapped_file_open(copy->root, &mapped->file, path);

	if (fd < 0)
		return fd;
	close(fd);
	fd = sys->open(sys, path);
	if (fd < 0)
		return fd;
	/* Another file may bear the name by now. */
	int err = mapped->kind == MAPPED_MODULE || xp_build_id_is_of_fd(&mapped->id, fd)
			  ? link_or_copy(copy, fd, UINT64_MAX)
			  : -ESTALE;
	sys->close(sys, fd);
	return err;
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
	if (fd < 0)
		return fd;
	struct source source = { fd, UINT64_MAX };
	int err = xp_replace_file(copy->sys, copy->to, copy_all, &source);
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
	[MAPPED_MADE] = { "map", copy_elf },
};

/* The directory of a file's copies, below that of all: without what the kernel adds to the names of
 * files that are gone. */
static int name_len(const struct mapped *mapped)
{
	return (int)(xp_mapped_name_len(mapped->name) - (mapped->name[0] == '/'));
}

static const char *name_of(const struct mapped *mapped)
{
	return mapped->name + (mapped->name[0] == '/');
}

/* "../../NAME/ID": from where the link is to the directory of the copy. */
static int make_link(const struct copy *copy, char *path)
{
	char target[PATH_MAX];

	char *slash = strrchr(path, '/');
	if (snprintf(target, sizeof(target), "../../%.*s/%s", name_len(copy->mapped),
		     name_of(copy->mapped), copy->id) >= (int)sizeof(target))
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

	int len = snprintf(copy->to, sizeof(copy->to), "%s/%.*s/%s/%s", copy->dir, name_len(mapped),
			   name_of(mapped), copy->id, file);
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

static int link_path(const char *dir, const struct xp_build_id *id, char *link)
{
	char text[ID_TEXT] = "";

	id_text(id, text);
	return snprintf(link, PATH_MAX, "%s/.build-id/%.2s/%s", dir, text, text + 2) < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

bool xp_build_ids_is_cached(const struct xp_ctx *ctx, const char *dir, const struct mapped *mapped)
{
	char link[PATH_MAX];
	struct stat st;

	return !link_path(dir, &mapped->id, link) && !ctx->sys->lstat(ctx->sys, link, &st);
}

int xp_build_ids_copy(const struct xp_ctx *ctx, const char *dir, const struct mapped *mapped,
		      int fd)
{
	struct copy copy = {
		.sys = ctx->sys, .root = ctx->root, .dir = dir, .mapped = mapped, .fd = fd
	};
	char link[PATH_MAX];

	if (!is_safe(mapped->name))
		return -EINVAL;
	id_text(&mapped->id, copy.id);
	int err = link_path(dir, &mapped->id, link);
	if (err || xp_build_ids_is_cached(ctx, dir, mapped))
		return err;
	return make_copy(&copy) ?: make_link(&copy, link);
}

bool xp_build_ids_is_hopeless(int err)
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

int xp_build_ids_open_cache(const struct xp_ctx *ctx, const char *dir, struct xp_diag *diag)
{
	const struct xp_sys *sys = ctx->sys;
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

/* A file that cannot be had any more is left out; that the cache is full, or not ours, is not. */
int xp_build_ids_cache(struct xp_build_ids *ids, const char *dir, struct xp_diag *diag)
{
	int err = xp_build_ids_open_cache(ids->ctx, dir, diag);

	if (err)
		return err;
	xp_build_ids_wait(ids);
	for (const struct mapped *mapped = ids->first; mapped; mapped = mapped->next) {
		if (!mapped->id.len)
			continue;
		err = xp_build_ids_copy(ids->ctx, dir, mapped,
					mapped->ways ? mapped->ways->fd : -1);
		if (xp_build_ids_is_hopeless(err))
			return xp_diag_set(diag, err,
					   "The build id cache '%s' cannot be written: %s", dir,
					   strerror(-err));
	}
	return 0;
}
