/* SPDX-License-Identifier: MIT */
/*
 * Where tracefs is mounted, and the tracepoints in it.
 *
 * Source: Documentation/trace/events.rst, "The event directory"; Documentation/trace/ftrace.rst,
 * "The File System": /sys/kernel/tracing, before Linux 4.1 and still as an automount
 * /sys/kernel/debug/tracing.
 */
#include "tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "ctx.h"
#include "mounts.h"
#include "names.h"
#include "str.h"

/* Longest name of a directory; longer ones cannot exist. */
enum { NAME_LEN_MAX = 255 };

/* One line of /proc/mounts is a place to look at: tracefs itself, or debugfs with it inside. */
static const struct place {
	const char *type;
	const char *below;
} places[] = {
	{ "tracefs", "" },
	{ "debugfs", "/tracing" },
};

static int stop(const char *name, void *data)
{
	(void)name;
	(void)data;
	return 1;
}

/* Where the tracepoints are if the mounted file system has them, the caller's; NULL: it is none, or
 * has none. *ret_readable: whether this user may look. */
static char *events_in(struct xp_ctx *ctx, const char *mounted, const char *type,
		       bool *ret_readable)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(places); i++) {
		struct xp_str path = { 0 };

		if (strcmp(type, places[i].type))
			continue;
		xp_str_addf(&path, "%s%s", mounted, places[i].below);
		int err = xp_file_list(ctx, stop, NULL, "%s/events", xp_str_text(&path));
		*ret_readable = err >= 0;
		if (path.failed)
			xp_ctx_note(ctx, -ENOMEM);
		if (*ret_readable || err == -EACCES || err == -EPERM)
			return xp_str_detach(&path);
		xp_str_fini(&path);
	}
	return NULL;
}

/* Looking through the mount table. */
struct search {
	struct xp_ctx *ctx;
	char *best; /* the first place that may be read, or else the first that is there */
	bool readable;
};

static int look_at(const struct xp_mount *mount, void *data)
{
	struct search *search = data;
	char *path = events_in(search->ctx, mount->at, mount->type, &search->readable);

	if (search->best && !search->readable) {
		free(path);
	} else {
		free(search->best);
		search->best = path;
	}
	return search->readable;
}

/* The caller's; NULL: none. */
static char *mounted_at(struct xp_ctx *ctx)
{
	struct search search = { .ctx = ctx };

	xp_mounts_walk(ctx, look_at, &search);
	return search.best;
}

static char *copy(struct xp_ctx *ctx, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		xp_ctx_note(ctx, -ENOMEM);
	return copy;
}

/* The usual place costs one call; the mount table knows the unusual ones, and those this user may
 * not look into. */
static char *find_tracefs(struct xp_ctx *ctx)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	if (xp_file_exists(ctx, "%s/events", usual[0]))
		return copy(ctx, usual[0]);
	char *path = mounted_at(ctx);
	if (!path && xp_file_exists(ctx, "%s/events", usual[1]))
		return copy(ctx, usual[1]);
	return path;
}

const char *xp_tracefs_path(struct xp_ctx *ctx)
{
	unsigned int since = ctx->nr_shortages;

	if (ctx->tracefs)
		return ctx->tracefs;
	ctx->tracefs = find_tracefs(ctx);
	/* It may be another one that could not be seen. */
	if (xp_ctx_shortage(ctx, since)) {
		free(ctx->tracefs);
		ctx->tracefs = NULL;
	}
	return ctx->tracefs;
}

/* True if the kernel was built without it; where that cannot be seen, it was not. */
static bool kernel_lacks_tracefs(struct xp_ctx *ctx)
{
	xp_auto_free char *known = NULL;

	return !xp_file_read(ctx, &known, NULL, "/proc/filesystems") && !strstr(known, "tracefs");
}

void xp_tracefs_explain(struct xp_ctx *ctx, int err, struct xp_tracefs_why *ret_why)
{
	const char *path = xp_tracefs_path(ctx);
	char *reason = ret_why->reason, *hint = ret_why->hint;

	if (!path && (err == -EMFILE || err == -ENFILE)) {
		snprintf(reason, sizeof(ret_why->reason), "%s", strerror(-err));
		snprintf(hint, sizeof(ret_why->hint), "Raise the limit with `ulimit -n`");
	} else if (!path && kernel_lacks_tracefs(ctx)) {
		snprintf(reason, sizeof(ret_why->reason), "this kernel has no tracefs");
		snprintf(hint, sizeof(ret_why->hint),
			 "Tracepoints need a kernel with CONFIG_TRACING");
	} else if (!path) {
		snprintf(reason, sizeof(ret_why->reason), "tracefs is not mounted");
		snprintf(hint, sizeof(ret_why->hint),
			 "Mount it: mount -t tracefs nodev /sys/kernel/tracing");
	} else if (err == -EACCES || err == -EPERM) {
		snprintf(reason, sizeof(ret_why->reason), "you may not read %s", path);
		snprintf(hint, sizeof(ret_why->hint),
			 "Run as root, or let everybody read it: mount -o remount,mode=755 %s",
			 path);
	} else {
		snprintf(reason, sizeof(ret_why->reason), "%s: %s", path, strerror(-err));
		snprintf(hint, sizeof(ret_why->hint), "Check that %s/events can be read", path);
	}
}

/* A name that stays inside its directory. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= NAME_LEN_MAX;
}

int xp_tracefs_id(struct xp_ctx *ctx, const char *subsystem, const char *event, uint64_t *ret_id)
{
	unsigned int since = ctx->nr_shortages;
	const char *path = xp_tracefs_path(ctx);
	int64_t id;

	if (!is_name(subsystem) || !is_name(event))
		return -ENOENT;
	if (!path)
		return xp_ctx_shortage(ctx, since) ?: -ENOENT;
	int err = xp_file_read_int(ctx, &id, "%s/events/%s/%s/id", path, subsystem, event);
	if (err)
		return err == -ENOTDIR ? -ENOENT : err;
	*ret_id = (uint64_t)id;
	return 0;
}

/* The files beside the directories of events/ and events/SUBSYSTEM/. */
static bool is_control_file(const char *name)
{
	static const char *const files[] = { "enable", "filter", "header_event", "header_page" };

	for (size_t i = 0; i < XP_ARRAY_LEN(files); i++)
		if (!strcmp(name, files[i]))
			return true;
	return false;
}

static int add_name(const char *name, void *data)
{
	return is_control_file(name) ? 0 : xp_names_add(data, name);
}

static int list_names(struct xp_ctx *ctx, const char *below, struct xp_names *ret_names)
{
	unsigned int since = ctx->nr_shortages;
	struct xp_names names = { 0 };
	const char *path = xp_tracefs_path(ctx);

	if (!path)
		return xp_ctx_shortage(ctx, since) ?: -ENOENT;
	int err = xp_file_list(ctx, add_name, &names, "%s/events%s%s", path, *below ? "/" : "",
			       below);
	if (err) {
		xp_names_fini(&names);
		return err;
	}
	xp_names_sort(&names);
	*ret_names = names;
	return 0;
}

int xp_tracefs_subsystems(struct xp_ctx *ctx, struct xp_names *ret_names)
{
	return list_names(ctx, "", ret_names);
}

int xp_tracefs_events(struct xp_ctx *ctx, const char *subsystem, struct xp_names *ret_names)
{
	return is_name(subsystem) ? list_names(ctx, subsystem, ret_names) : -ENOENT;
}
