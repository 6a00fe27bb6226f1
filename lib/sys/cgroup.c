/* SPDX-License-Identifier: MIT */
/*
 * Where cgroups are mounted, and which there are. Source: Documentation/admin-guide/cgroup-v2.rst,
 * "Mounting" and "Perf_event"; cgroup-v1/cgroups.rst; perf_event_open(2), PERF_FLAG_PID_CGROUP.
 */
#include "cgroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "mounts.h"
#include "names.h"
#include "shortage.h"
#include "str.h"

static bool has_option(const char *options, const char *wanted)
{
	size_t len = strlen(wanted);

	for (const char *at = options; (at = strstr(at, wanted)); at += len)
		if ((at == options || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

/*
 * A machine may have both versions mounted; the controller is in one of them only, and where
 * version 1 has it, it is there.
 */
static int use_mount(const struct xp_mount *mount, void *data)
{
	char **path = data;
	bool is_v1 = !strcmp(mount->type, "cgroup") && has_option(mount->options, "perf_event");

	if (is_v1 || (!*path && !strcmp(mount->type, "cgroup2"))) {
		free(*path);
		*path = strdup(mount->at);
		if (!*path)
			return -ENOMEM;
	}
	return is_v1;
}

const char *xp_cgroups_path(struct xp_ctx *ctx)
{
	unsigned int since = ctx->nr_shortages;

	if (ctx->cgroups)
		return ctx->cgroups;
	int r = xp_ctx_note(ctx, xp_mounts_walk(ctx, use_mount, &ctx->cgroups));
	if (r < 0 || xp_ctx_shortage(ctx, since)) {
		free(ctx->cgroups);
		ctx->cgroups = NULL;
	}
	return ctx->cgroups;
}

/* It does not lead out of the mount. */
static bool stays_below(const char *name)
{
	while (*name) {
		size_t len = strcspn(name, "/");

		if (len == 2 && !strncmp(name, "..", 2))
			return false;
		name += len + strspn(name + len, "/");
	}
	return true;
}

int xp_cgroup_open_dir(struct xp_ctx *ctx, const char *name)
{
	unsigned int since = ctx->nr_shortages;
	const char *mounted = xp_cgroups_path(ctx);
	struct xp_str path = { 0 };

	if (!mounted)
		return xp_ctx_shortage(ctx, since) ?: -ENODEV;
	if (!stays_below(name))
		return -ENOENT;
	/* The last name makes sure that it is a directory. */
	xp_str_addf(&path, "%s%s/%s/.", ctx->root, mounted, name);
	xp_auto_free char *text = xp_str_detach(&path);
	int fd = text ? ctx->sys->open(ctx->sys, text) : -ENOMEM;
	return fd == -ENOTDIR || fd == -ENAMETOOLONG || fd == -EINVAL ? -ENOENT : fd;
}

uint64_t xp_cgroup_inode(struct xp_ctx *ctx, const char *name)
{
	struct xp_str path = { 0 };
	struct stat st = { 0 };

	xp_str_addf(&path, "%s%s/%s", ctx->root, xp_cgroups_path(ctx), name);
	xp_auto_free char *text = xp_str_detach(&path);
	return text && !ctx->sys->stat(ctx->sys, text, &st) ? st.st_ino : 0;
}

bool xp_cgroup_is_another(struct xp_ctx *ctx, const char *name, uint64_t inode)
{
	uint64_t now = xp_cgroup_inode(ctx, name);

	return now && inode && now != inode;
}

bool xp_cgroups_are_v1(struct xp_ctx *ctx)
{
	const char *mounted = xp_cgroups_path(ctx);

	return mounted && xp_file_exists(ctx, "%s/release_agent", mounted);
}

/* Of version 1 only the root has a release agent, of version 2 it alone lacks the last file. */
bool xp_cgroup_is_all(struct xp_ctx *ctx, const char *name)
{
	const char *mounted = xp_cgroups_path(ctx);

	if (!mounted || strspn(name, "/") != strlen(name))
		return false;
	return xp_cgroups_are_v1(ctx) || (xp_file_exists(ctx, "%s/cgroup.controllers", mounted) &&
					  !xp_file_exists(ctx, "%s/cgroup.events", mounted));
}

/* A directory being listed, and what is in it. */
struct listing {
	struct xp_ctx *ctx;
	const char *mounted;
	const char *dir; /* "" or "a/b/" */
	struct xp_names *names;
};

static int add_below(const char *name, void *data);

/* Returns why @dir cannot be read: most often it is a file. */
static int list_dir(const struct listing *listing)
{
	return xp_file_list(listing->ctx, add_below, (void *)listing, "%s/%s", listing->mounted,
			    listing->dir);
}

/* The kernel nests them at most so deep as files can be named; files are not listed. */
static int add_below(const char *name, void *data)
{
	const struct listing *outer = data;
	struct listing inner = *outer;
	struct xp_names *names = outer->names;
	struct xp_str path = { 0 };
	int nr = names->nr;

	xp_str_addf(&path, "%s%s/", outer->dir, name);
	xp_auto_free char *dir = xp_str_detach(&path);
	xp_auto_free char *cgroup = dir ? strndup(dir, strlen(dir) - 1) : NULL;
	if (!cgroup || xp_names_add(names, cgroup))
		return -ENOMEM;
	inner.dir = dir;
	int err = list_dir(&inner);
	if (err == -ENOTDIR && names->nr == nr + 1)
		free(names->at[--names->nr]);
	return xp_is_shortage(err) ? err : 0;
}

int xp_cgroups_list(struct xp_ctx *ctx, struct xp_names *names)
{
	unsigned int since = ctx->nr_shortages;
	struct listing listing = { ctx, xp_cgroups_path(ctx), "", names };

	if (!listing.mounted)
		return xp_ctx_shortage(ctx, since) ?: -ENODEV;
	int first = names->nr;
	int err = xp_names_add(names, "/") ?: list_dir(&listing);
	if (xp_is_shortage(err))
		return err;
	struct xp_names others = { .at = names->at + first + 1, .nr = names->nr - first - 1 };
	xp_names_sort(&others);
	return 0;
}
