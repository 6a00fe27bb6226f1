/* SPDX-License-Identifier: MIT */
/*
 * Files that may not be there at the end of the recording: those of containers and chroots, which
 * only their processes see, and those that were deleted or replaced while a process runs them. A
 * descriptor outlives the process.
 *
 * An open file keeps its file system from being unmounted. So what is held is on the mount of our
 * own "/", or in another mount namespace, which takes its mounts with it when it ends.
 *
 * Source: mount_namespaces(7); statx(2), STATX_MNT_ID; umount(2), EBUSY.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build-id.h"
#include "build-ids-impl.h"
#include "jit-dump.h"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x00001000U
#endif

void xp_mapped_free_ways(struct ways *ways)
{
	if (!ways)
		return;
	if (ways->fd >= 0)
		close(ways->fd);
	free(ways->path);
	free(ways);
}

/* Old headers have no field for it. 0: not known. */
static uint64_t mount_of(int fd, const char *path)
{
	enum { MOUNT_AT = 144 }; /* stx_mnt_id */
	struct statx stx;
	uint64_t mount = 0;

	if (statx(fd, path, *path ? 0 : AT_EMPTY_PATH, STATX_MNT_ID, &stx) ||
	    !(stx.stx_mask & STATX_MNT_ID))
		return 0;
	memcpy(&mount, (const char *)&stx + MOUNT_AT, sizeof(mount));
	return mount;
}

/* 0: not known. */
static uint64_t namespace_of(const struct xp_ctx *ctx, const char *who)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/proc/%s/ns/mnt", ctx->root, who) < PATH_MAX &&
			       !ctx->sys->stat(ctx->sys, path, &st)
		       ? st.st_ino
		       : 0;
}

static int max_held(void)
{
	enum { SHARE = 4 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / SHARE >= XP_HELD_MAX)
		return XP_HELD_MAX;
	return (int)(limit.rlim_cur / SHARE);
}

/* Nothing that others do with the file system is hindered by an open file. */
static bool is_harmless(struct xp_build_ids *ids, const struct mapped *mapped, int fd)
{
	struct holding *holding = &ids->holding;
	uint64_t mount = mount_of(fd, "");
	char who[16];

	if (!holding->root_mount) {
		holding->root_mount = mount_of(AT_FDCWD, "/");
		holding->own_namespace = namespace_of(ids->ctx, "self");
	}
	if (mount && mount == holding->root_mount)
		return true;
	snprintf(who, sizeof(who), "%d", mapped->file.pid);
	uint64_t its = namespace_of(ids->ctx, who);
	return its && holding->own_namespace && its != holding->own_namespace;
}

/* Another container may have the same one. */
static bool is_held(const struct holding *holding, const struct xp_build_id *id)
{
	for (int i = 0; i < holding->nr && id->len; i++)
		if (xp_build_id_equal(&holding->ids[i], id))
			return true;
	return false;
}

/* The path of an open file, as we see it. Returns NULL: it is nowhere. */
static char *path_of(int fd)
{
	char link[32], path[PATH_MAX];
	struct stat st, its;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0 || *path != '/')
		return NULL;
	path[len] = '\0';
	if (stat(path, &st) || fstat(fd, &its) || st.st_dev != its.st_dev ||
	    st.st_ino != its.st_ino)
		return NULL;
	return strdup(path);
}

bool xp_mapped_is_wanted(const struct mapped *mapped, int fd)
{
	char magic[4];

	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic))
		return false;
	return !memcmp(magic, "\177ELF", sizeof(magic)) ||
	       (xp_jit_is_dump(mapped->name, NULL) &&
		(!memcmp(magic, "JiTD", sizeof(magic)) || !memcmp(magic, "DTiJ", sizeof(magic))));
}

/* Owns @fd. */
static void hold(struct xp_build_ids *ids, const struct mapped *mapped,
		 const struct xp_build_id *id, int fd, struct ways *ways)
{
	struct holding *holding = &ids->holding;

	ways->fd = -1;
	if (ways->is_wanted && holding->nr < max_held() && !is_held(holding, id) &&
	    is_harmless(ids, mapped, fd)) {
		holding->ids[holding->nr++] = *id;
		ways->fd = fd;
	} else {
		close(fd);
	}
}

/* Owns @fd. Returns NULL without memory. */
static struct ways *ways_of(struct xp_build_ids *ids, const struct mapped *mapped,
			    const struct xp_build_id *id, int fd)
{
	struct ways *ways = calloc(1, sizeof(*ways));

	if (!ways) {
		close(fd);
		return NULL;
	}
	/* A dump is mapped before anything is in it. */
	ways->is_wanted = xp_jit_is_dump(mapped->name, NULL) || xp_mapped_is_wanted(mapped, fd);
	ways->path = path_of(fd);
	hold(ids, mapped, id, fd, ways);
	return ways;
}

bool xp_mapped_is_at_name(const struct xp_ctx *ctx, const struct mapped *mapped, uint64_t device,
			  uint64_t inode)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%s%s", ctx->root, mapped->name) < PATH_MAX &&
	       !ctx->sys->stat(ctx->sys, path, &st) && st.st_dev == device && st.st_ino == inode;
}

static void look_at_file(struct xp_build_ids *ids, const struct mapped *mapped,
			 struct looked_at *looked)
{
	char path[PATH_MAX];
	struct stat st;
	int fd = xp_mapped_file_open(ids->ctx->root, &mapped->file, path);

	if (fd < 0)
		return;
	if (mapped->file.id.len)
		looked->id = mapped->file.id;
	else if (xp_build_id_of_fd(fd, &looked->id))
		looked->id.len = 0;
	if (fstat(fd, &st)) {
		close(fd);
		return;
	}
	if (!xp_mapped_is_at_name(ids->ctx, mapped, st.st_dev, st.st_ino)) {
		looked->ways = ways_of(ids, mapped, &looked->id, fd);
		return;
	}
	looked->device = st.st_dev;
	looked->inode = st.st_ino;
	close(fd);
}

/* The list of a process that is called as we call it, and is where we see it, needs no care. What
 * is in it comes later: the directory is held. */
static struct ways *look_inside(struct xp_build_ids *ids, const struct mapped *mapped)
{
	static const struct xp_build_id none;
	struct xp_inside inside;
	int32_t pid = mapped->file.pid;

	if (xp_inside_of(ids->ctx, pid, &inside) || !inside.is_elsewhere)
		return NULL;
	int fd = xp_inside_tmp(ids->ctx, pid);
	struct ways *ways = fd < 0 ? NULL : calloc(1, sizeof(*ways));
	if (!ways) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	ways->is_wanted = true;
	ways->inside = inside;
	hold(ids, mapped, &none, fd, ways);
	return ways;
}

void xp_mapped_look(struct xp_build_ids *ids, const struct mapped *mapped,
		    struct looked_at *ret_looked)
{
	*ret_looked = (struct looked_at){ 0 };
	if (mapped->kind == MAPPED_FILE)
		look_at_file(ids, mapped, ret_looked);
	else if (mapped->kind == MAPPED_MADE)
		ret_looked->ways = look_inside(ids, mapped);
	else if (xp_mapped_build_id(ids->ctx->root, mapped, &ret_looked->id))
		ret_looked->id.len = 0;
}
