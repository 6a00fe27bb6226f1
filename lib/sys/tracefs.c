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
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "ctx.h"
#include "names.h"

/* Longest name of a directory; longer ones cannot exist. */
enum { NAME_LEN_MAX = 255 };

/* Undoes the \ooo that /proc/mounts writes for blanks, in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 +
				       (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* The mount point of the first tracefs in /proc/mounts, the caller's; NULL: none. */
static char *mounted_at(struct xp_ctx *ctx)
{
	xp_auto_free char *mounts = NULL;
	char *line_state = NULL;

	if (xp_file_read(ctx, &mounts, NULL, "/proc/mounts"))
		return NULL;
	for (char *line = strtok_r(mounts, "\n", &line_state); line;
	     line = strtok_r(NULL, "\n", &line_state)) {
		char *state = NULL;
		const char *device = strtok_r(line, " ", &state);
		char *path = strtok_r(NULL, " ", &state);
		const char *type = strtok_r(NULL, " ", &state);

		if (!device || !path || !type || strcmp(type, "tracefs"))
			continue;
		unescape(path);
		return strdup(path);
	}
	return NULL;
}

/* The usual place costs one call, the mount table three; the table knows the unusual places, and
 * those this user may not look into. */
static char *find_tracefs(struct xp_ctx *ctx)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	if (xp_file_exists(ctx, "%s/events", usual[0]))
		return strdup(usual[0]);
	char *path = mounted_at(ctx);
	if (!path && xp_file_exists(ctx, "%s/events", usual[1]))
		return strdup(usual[1]);
	return path;
}

const char *xp_tracefs_path(struct xp_ctx *ctx)
{
	if (!ctx->tracefs)
		ctx->tracefs = find_tracefs(ctx);
	return ctx->tracefs;
}

/* A name that stays inside its directory. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= NAME_LEN_MAX;
}

int xp_tracefs_id(struct xp_ctx *ctx, const char *subsystem, const char *event, uint64_t *ret_id)
{
	const char *path = xp_tracefs_path(ctx);
	int64_t id;

	if (!path || !is_name(subsystem) || !is_name(event))
		return -ENOENT;
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
	struct xp_names names = { 0 };
	const char *path = xp_tracefs_path(ctx);

	if (!path)
		return -ENOENT;
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
