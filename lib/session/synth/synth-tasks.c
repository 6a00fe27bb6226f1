/* SPDX-License-Identifier: MIT */
/*
 * Tasks that are there already: per process FORK, NAMESPACES, COMM and maps of its leader, then
 * the same without maps of its other threads. Few files are read: of a process of one thread
 * stat and maps, of each further thread its name.
 *
 * FORK has the bit of an exec, by which the reader does not copy the parent's maps. Source: perf
 * 6.1, a dump of a recording with -a.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/cpus.h>

#include "num.h"
#include "proc-text.h"
#include "synth-emit.h"
#include "vec.h"

/* Reads the beginning of a file that fits; NUL-terminated. Returns its length or why not. */
static ssize_t XP_PRINTF(4, 5)
	read_head(struct xp_ctx *ctx, char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	int fd = xp_file_open(ctx, fmt, ap);
	va_end(ap);
	if (fd < 0)
		return fd;
	do
		n = ctx->sys->read(ctx->sys, fd, buf, size - 1);
	while (n == -EINTR);
	ctx->sys->close(ctx->sys, fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

static int emit_fork(struct synth *synth, pid_t pid, pid_t tid, pid_t parent)
{
	struct xp_record_task *task = &synth->rec.task;

	xp_synth_begin(synth, XP_RECORD_FORK, XP_MISC_FORK_EXEC, sizeof(*task));
	task->pid = (uint32_t)pid;
	task->tid = (uint32_t)tid;
	/* A thread is the child of its leader. */
	task->parent_pid = task->parent_tid = (uint32_t)(pid == tid ? parent : pid);
	return xp_synth_emit(synth, sizeof(*task), NULL, 0);
}

static int emit_comm(struct synth *synth, pid_t pid, pid_t tid, const char *comm)
{
	struct xp_record_comm *rec = &synth->rec.comm;

	xp_synth_begin(synth, XP_RECORD_COMM, 0, sizeof(*rec));
	rec->pid = (uint32_t)pid;
	rec->tid = (uint32_t)tid;
	return xp_synth_emit(synth, sizeof(*rec), comm, strlen(comm));
}

static int emit_namespaces(struct synth *synth, pid_t pid, pid_t tid)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	enum { NR = sizeof(names) / sizeof(names[0]) };
	const struct xp_sys *sys = synth->ctx->sys;
	struct xp_record_namespaces *rec = &synth->rec.namespaces;
	struct xp_namespace *ns = (void *)(rec + 1);
	char path[PATH_MAX];
	struct stat st;

	xp_synth_begin(synth, XP_RECORD_NAMESPACES, 0, sizeof(*rec) + NR * sizeof(*ns));
	rec->pid = (uint32_t)pid;
	rec->tid = (uint32_t)tid;
	rec->nr = NR;
	for (int i = 0; i < NR; i++) {
		int len = snprintf(path, sizeof(path), "%s/proc/%d/ns/%s", synth->ctx->root, tid,
				   names[i]);
		if (len >= (int)sizeof(path) || sys->stat(sys, path, &st))
			continue;
		ns[i].device = st.st_dev;
		ns[i].inode = st.st_ino;
	}
	return xp_synth_emit(synth, sizeof(*rec) + NR * sizeof(*ns), NULL, 0);
}

static int emit_task(struct synth *synth, pid_t pid, pid_t tid, pid_t parent, const char *comm)
{
	int err = emit_fork(synth, pid, tid, parent);

	if (!err && synth->opts.namespaces)
		err = emit_namespaces(synth, pid, tid);
	return err ? err : emit_comm(synth, pid, tid, comm);
}

/* The process's leader, and its maps. One that has ended is left out. */
static int emit_leader(struct synth *synth, pid_t pid, struct proc_stat *ret_stat)
{
	char text[1024];
	ssize_t len = read_head(synth->ctx, text, sizeof(text), "/proc/%d/stat", pid);

	if (len < 0 || xp_proc_stat_parse(text, (size_t)len, ret_stat)) {
		*ret_stat = (struct proc_stat){ .nr_threads = 1 };
		return 0;
	}
	int err = emit_task(synth, pid, pid, ret_stat->parent, ret_stat->comm);
	if (err || synth->opts.no_maps || ret_stat->is_kernel)
		return err;
	return xp_synth_maps(synth, pid);
}

/* @ret_is_there: it is a thread of this process, and has not ended. */
static int emit_thread(struct synth *synth, pid_t pid, pid_t tid, bool *ret_is_there)
{
	char comm[PROC_COMM_LEN + 1];
	ssize_t len = read_head(synth->ctx, comm, sizeof(comm), "/proc/%d/task/%d/comm", pid, tid);

	*ret_is_there = len >= 0;
	if (len < 0)
		return 0;
	if (len > PROC_COMM_LEN - 1)
		len = PROC_COMM_LEN - 1;
	if (len && comm[len - 1] == '\n')
		len--;
	comm[len] = '\0';
	return emit_task(synth, pid, tid, 0, comm);
}

/* A listing of /proc, or of one process's task directory. */
struct listing {
	struct synth *synth;
	pid_t pid;
	bool stopped; /* by the callback of records, not by the end of the process */
};

static bool is_number(const char *name, pid_t *ret_id)
{
	uint64_t value;

	if (xp_num_parse(name, strlen(name), 10, &value) || value > INT32_MAX)
		return false;
	*ret_id = (pid_t)value;
	return true;
}

static int add_thread(const char *name, void *data)
{
	struct listing *listing = data;
	bool is_there;
	pid_t tid;

	if (!is_number(name, &tid) || tid == listing->pid)
		return 0;
	int err = emit_thread(listing->synth, listing->pid, tid, &is_there);
	listing->stopped = err;
	return err;
}

/* A process with all its threads. */
static int add_process(const char *name, void *data)
{
	struct listing *listing = data;
	struct proc_stat stat;
	pid_t pid;

	if (!is_number(name, &pid))
		return 0;
	int err = emit_leader(listing->synth, pid, &stat);
	if (!err && stat.nr_threads != 1) {
		struct listing tasks = { .synth = listing->synth, .pid = pid };

		err = xp_file_list(listing->synth->ctx, add_thread, &tasks, "/proc/%d/task", pid);
		if (!tasks.stopped)
			err = 0;
	}
	return err;
}

static int all_processes(struct synth *synth)
{
	struct listing listing = { .synth = synth };

	return xp_file_list(synth->ctx, add_process, &listing, "/proc");
}

/* Processes whose leader has been written, the latest at the end. */
struct leaders {
	pid_t *at;
	size_t nr;
};

static bool is_written(const struct leaders *leaders, pid_t pid)
{
	for (size_t i = leaders->nr; i > 0; i--)
		if (leaders->at[i - 1] == pid)
			return true;
	return false;
}

static int write_leader(struct synth *synth, struct leaders *leaders, pid_t pid)
{
	struct proc_stat stat;

	if (is_written(leaders, pid))
		return 0;
	if (vec_add(&leaders->at, leaders->nr, sizeof(*leaders->at)))
		return -ENOMEM;
	leaders->at[leaders->nr++] = pid;
	return emit_leader(synth, pid, &stat);
}

/* Threads of one process follow each other as a rule: no need to ask whose the next one is. */
static int one_thread(struct synth *synth, struct leaders *leaders, pid_t tid)
{
	char text[1024];
	bool is_there = false;

	if (tid <= 0 || is_written(leaders, tid))
		return 0;
	if (leaders->nr) {
		int err = emit_thread(synth, leaders->at[leaders->nr - 1], tid, &is_there);
		if (is_there)
			return err;
	}
	ssize_t len = read_head(synth->ctx, text, sizeof(text), "/proc/%d/status", tid);
	int pid = len < 0 ? (int)len : xp_proc_tgid_parse(text, (size_t)len);
	if (pid <= 0)
		return 0;
	int err = write_leader(synth, leaders, pid);
	if (err || tid == pid)
		return err;
	return emit_thread(synth, pid, tid, &is_there);
}

int xp_synth_threads(struct xp_ctx *ctx, struct xp_threads *threads,
		     const struct xp_synth_opts *opts, xp_record_fn fn, void *data)
{
	unsigned int since = ctx->nr_shortages;
	struct leaders leaders = { 0 };
	struct synth *synth;
	int err = xp_synth_new(ctx, opts, fn, data, &synth);

	if (err)
		return err;
	for (int i = 0; i < xp_threads_nr(threads) && !err; i++) {
		pid_t tid = xp_threads_tid(threads, i);

		err = tid == -1 ? all_processes(synth) : one_thread(synth, &leaders, tid);
	}
	free(leaders.at);
	xp_synth_free(synth);
	/* What was left out may not have ended. */
	return err ?: xp_ctx_shortage(ctx, since);
}

int xp_synth_system(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn,
		    void *data)
{
	unsigned int since = ctx->nr_shortages;
	struct synth *synth = NULL;
	int err = xp_synth_new(ctx, opts, fn, data, &synth) ?: all_processes(synth);

	xp_synth_free(synth);
	return err ?: xp_ctx_shortage(ctx, since);
}
