/* SPDX-License-Identifier: MIT */
/*
 * Probes of programs that have a name in tracefs while they are open. Their attribute is a number
 * instead of a path, so the kernel passes them on to threads and processes that start later.
 *
 * The name is a change of the system: the process's own number is in it, it is removed when
 * the event is closed, and those of processes that were killed are removed by the next one. The
 * kernel keeps what is in use.
 *
 * Source: Documentation/trace/uprobetracer.rst, "Synopsis of uprobe_tracer"; linux/trace_events.h,
 * PERF_PROBE_CONFIG_IS_RETPROBE, PERF_UPROBE_REF_CTR_OFFSET_SHIFT.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "cleanup.h"
#include "event.h"
#include "probe.h"
#include "replace.h"
#include "str.h"
#include "tracefs.h"

enum { IS_RETURN = 1, SEMAPHORE_SHIFT = 32 };
#define OWN_GROUP "xperf_"

/* One command for the kernel; @text: NULL on out of memory. Opening the file with O_TRUNC would
 * remove everybody's probes. */
static int command(struct xp_ctx *ctx, const char *text)
{
	struct iovec piece = { .iov_base = (void *)text, .iov_len = text ? strlen(text) : 0 };
	struct xp_str path = { 0 };

	xp_str_addf(&path, "%s%s/uprobe_events", ctx->root, xp_tracefs_path(ctx));
	xp_auto_free char *name = xp_str_detach(&path);
	if (!name || !text)
		return -ENOMEM;
	int fd = ctx->sys->create(ctx->sys, name, 0);
	if (fd < 0)
		return fd;
	int err = xp_write_all(ctx->sys, fd, &piece, 1);
	ctx->sys->close(ctx->sys, fd);
	return err;
}

/* Removes a name, GROUP/EVENT. */
static void remove_name(struct xp_ctx *ctx, const char *name, int len)
{
	struct xp_str text = { 0 };

	xp_str_addf(&text, "-:%.*s\n", len, name);
	xp_auto_free char *line = xp_str_detach(&text);
	(void)command(ctx, line);
}

/* What processes left behind that were killed: lines "p:xperf_PID/EVENT PLACE". */
static void remove_abandoned(struct xp_ctx *ctx)
{
	xp_auto_free char *lines = NULL;
	int pid;

	if (xp_file_read(ctx, &lines, NULL, "%s/uprobe_events", xp_tracefs_path(ctx)))
		return;
	for (char *line = lines; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*[pr]:" OWN_GROUP "%d/", &pid) == 1 &&
		    !xp_file_exists(ctx, "/proc/%d", pid))
			remove_name(ctx, line + 2, (int)strcspn(line + 2, " \n"));
	}
}

/* The kernel divides its commands at blanks, and leaves out what is behind '#'. */
static bool can_be_written(const char *path)
{
	for (; *path; path++)
		if (isspace((unsigned char)*path) || *path == '#')
			return false;
	return true;
}

static void write_name(const struct xp_evsel *evsel, char *name, size_t size)
{
	snprintf(name, size, "p%" PRIxPTR, (uintptr_t)evsel);
}

static char *definition(const struct xp_evsel *evsel, const char *group, const char *name)
{
	const struct xp_attr *attr = &evsel->attr;
	uint64_t semaphore = attr->config >> SEMAPHORE_SHIFT;
	struct xp_str text = { 0 };

	xp_str_addf(&text, "%c:%s/%s %s:0x%" PRIx64, attr->config & IS_RETURN ? 'r' : 'p', group,
		    name, evsel->probe_target, attr->config2);
	if (semaphore)
		xp_str_addf(&text, "(0x%" PRIx64 ")", semaphore);
	xp_str_addf(&text, "\n");
	return xp_str_detach(&text);
}

static void remove_own_name(const struct xp_evsel *evsel)
{
	char name[64];
	int len = snprintf(name, sizeof(name), OWN_GROUP "%d/", (int)getpid());

	write_name(evsel, name + len, sizeof(name) - (size_t)len);
	remove_name(evsel->ctx, name, (int)strlen(name));
}

bool xp_probe_name(struct xp_evsel *evsel)
{
	struct xp_ctx *ctx = evsel->ctx;
	char group[32], name[32];

	if (evsel->named_id)
		return true;
	if (!evsel->probe_target || !can_be_written(evsel->probe_target) || !xp_tracefs_path(ctx))
		return false;
	remove_abandoned(ctx);
	snprintf(group, sizeof(group), OWN_GROUP "%d", (int)getpid());
	write_name(evsel, name, sizeof(name));
	xp_auto_free char *text = definition(evsel, group, name);
	if (command(ctx, text))
		return false;
	if (!xp_tracefs_id(ctx, group, name, &evsel->named_id))
		return true;
	remove_own_name(evsel);
	return false;
}

void xp_probe_remove_name(struct xp_evsel *evsel)
{
	if (evsel->named_id)
		remove_own_name(evsel);
	evsel->named_id = 0;
}

void xp_probe_use_name(const struct xp_evsel *evsel, struct xp_attr *attr)
{
	if (!evsel->named_id)
		return;
	attr->type = XP_TYPE_TRACEPOINT;
	attr->config = evsel->named_id;
	attr->config1 = 0;
	attr->config2 = 0;
}
