/* SPDX-License-Identifier: MIT */
/*
 * Contexts for commands, and what can be put around their kernel table: -vv shows every event that
 * is opened and what the library reports; PERF_TEST_ATTR=DIR describes each opened one in a file.
 *
 * Source of both forms: perf 6.1, measured; linux tools/perf/tests/attr/README for the files.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/ctx.h>
#include <xperf/sys.h>

#include "attr-text.h"
#include "cli.h"
#include "forward.h"

/* PERF_FLAG_FD_CLOEXEC, perf_event_open(2): added by the real table to what it is given. */
enum { FLAG_CLOEXEC = 8 };

/* One call's arguments. */
struct opening {
	const struct xp_attr *attr;
	pid_t pid;
	int cpu, group_fd;
	unsigned long flags;
};

/* The table, and what it remembers. */
struct trace {
	struct forward forward; /* first: see forward.h */
	bool show;
	const char *dir; /* the environment's; NULL: no files */
	/* The event shown last and where it was opened first: it is shown once, not per CPU. */
	struct xp_attr last;
	pid_t last_pid;
	int last_cpu;
};

static void show_attr(struct trace *trace, const struct opening *opening)
{
	static const char line[] = "------------------------------------------------------------";

	if (!memcmp(&trace->last, opening->attr, sizeof(trace->last)) &&
	    (trace->last_pid != opening->pid || trace->last_cpu != opening->cpu))
		return;
	trace->last = *opening->attr;
	trace->last_pid = opening->pid;
	trace->last_cpu = opening->cpu;
	fprintf(stderr, "%s\n", line);
	attr_print(stderr, opening->attr);
	fprintf(stderr, "%s\n", line);
}

static void show_result(const struct opening *opening, int fd)
{
	fprintf(stderr, "sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags %#lx",
		opening->pid, opening->cpu, opening->group_fd, opening->flags);
	if (fd < 0)
		fprintf(stderr, "\nsys_perf_event_open failed, error %d\n", fd);
	else
		fprintf(stderr, " = %d\n", fd);
}

static void write_ini(FILE *file, const char *section, const struct opening *opening, int fd)
{
	fprintf(file, "[%s]\nfd=%d\ngroup_fd=%d\ncpu=%d\npid=%d\nflags=%lu\n", section, fd,
		opening->group_fd, opening->cpu, opening->pid, opening->flags);
	attr_write_ini(file, opening->attr);
}

/* Describes a call in a file of its own; @fd is -1 for one that failed. Returns 0, or why that was
 * not possible. */
static int write_file(const char *dir, const struct opening *opening, int fd)
{
	char section[80], path[4096];

	snprintf(section, sizeof(section), "event-%u-%" PRIu64 "-%d", opening->attr->type,
		 (uint64_t)opening->attr->config, fd);
	snprintf(path, sizeof(path), "%s/%s", dir, section);
	FILE *file = fopen(path, "we");
	int err = file ? 0 : -errno;
	if (file) {
		write_ini(file, section, opening, fd);
		bool failed = ferror(file);
		if (fclose(file) || failed)
			err = -EIO;
	}
	if (err)
		fprintf(stderr, "Error: PERF_TEST_ATTR: cannot write '%s': %s\n", path,
			strerror(-err));
	return err;
}

static int trace_perf_event_open(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid,
				 int cpu, int group_fd, unsigned long flags)
{
	struct trace *trace = (struct trace *)sys;
	const struct xp_sys *under = trace->forward.under;
	const struct opening opening = { attr, pid, cpu, group_fd, flags | FLAG_CLOEXEC };

	if (trace->show)
		show_attr(trace, &opening);
	int fd = under->perf_event_open(under, attr, pid, cpu, group_fd, flags);
	if (trace->show)
		show_result(&opening, fd);
	if (!trace->dir || !write_file(trace->dir, &opening, fd < 0 ? -1 : fd))
		return fd;
	if (fd >= 0)
		under->close(under, fd);
	return -EIO;
}

static struct trace *trace_new(const struct xp_sys *under, bool show, const char *dir)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	forward_init(&trace->forward, under ? under : xp_sys_linux());
	trace->forward.sys.perf_event_open = trace_perf_event_open;
	trace->show = show;
	trace->dir = dir;
	return trace;
}

/* Puts the tracing table into @opts if it is wanted. Returns false after printing why not. */
static bool add_trace(struct xp_ctx_opts *opts, bool show, const char *dir)
{
	if (!show && !dir)
		return true;
	if (dir && access(dir, W_OK | X_OK)) {
		fprintf(stderr, "Error: PERF_TEST_ATTR: cannot write into '%s': %s\n", dir,
			strerror(errno));
		return false;
	}
	struct trace *trace = trace_new(opts->sys, show, dir);
	if (!trace) {
		fprintf(stderr, "Error: out of memory\n");
		return false;
	}
	opts->sys = &trace->forward.sys;
	return true;
}

static void trace_free(const struct xp_sys *sys)
{
	if (sys && sys->perf_event_open == trace_perf_event_open)
		free((struct trace *)sys);
}

static void show_log(enum xp_log_level level, const char *text, void *data)
{
	struct wording buf;

	(void)level, (void)data;
	fprintf(stderr, "%s\n", cli_words(text, &buf));
}

struct xp_ctx *cli_ctx_new(const struct cli *cli, int verbose)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts) };
	struct xp_ctx *ctx;

	if (cli->seam)
		opts = *cli->seam;
	opts.raise_limits = true;
	if (verbose > 1)
		opts.log = show_log;
	if (!add_trace(&opts, verbose > 1, getenv("PERF_TEST_ATTR")))
		return NULL;
	int err = xp_ctx_new(&opts, &ctx);
	if (!err)
		return ctx;
	fprintf(stderr, "Error: cannot start: %s\n", strerror(-err));
	trace_free(opts.sys);
	return NULL;
}

void cli_ctx_free(struct xp_ctx *ctx)
{
	const struct xp_sys *sys = ctx ? xp_ctx_sys(ctx) : NULL;

	xp_ctx_free(ctx);
	trace_free(sys);
}
