/* SPDX-License-Identifier: MIT */
/* The measured command: held before its exec, so that counters are ready when it starts. */
#ifndef XPERF_WORKLOAD_H
#define XPERF_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>
#include <xperf/api.h>

struct rusage;
struct xp_ctx;
struct xp_diag;

XP_BEGIN_DECLS

/** struct xp_workload - a child process that will be, is, or was the command */
struct xp_workload;

/**
 * struct xp_exit - how a workload ended
 * @status:    exit status as a shell gives it: 0 .. 255, 128 + signal if it was killed
 * @signal:    the signal that killed it; 0: it exited
 * @user_ns:   user time of it and the children it waited for, nanoseconds
 * @system_ns: system time of it and the children it waited for, nanoseconds
 */
struct xp_exit {
	int status;
	int signal;
	uint64_t user_ns;
	uint64_t system_ns;
};

/**
 * xp_workload_prepare - create the process, which waits
 * @argv: NULL-terminated; @argv[0] is searched in PATH. Borrowed for the call
 *
 * Its limit of open files is what this process had before xp_evlist_open() raised it.
 *
 * Returns 0, -EINVAL (@argv is empty), -ENOMEM, or why no process could be made.
 */
XP_API int xp_workload_prepare(struct xp_ctx *ctx, char *const argv[],
			       struct xp_workload **ret_workload, struct xp_diag *diag);
/** xp_workload_pid - process number. Returns > 0. */
XP_API pid_t xp_workload_pid(const struct xp_workload *workload);
/**
 * xp_workload_start - let it exec
 *
 * Returns when the exec has succeeded or failed: 0, or
 *   -ENOENT    no such command
 *   -EACCES    it may not be executed
 *   -EPIPE     it was killed before, by a ^C for example
 *   -EALREADY  it was started, or failed to start, before
 * A process that failed to start has ended; xp_workload_wait() and xp_workload_free() collect it.
 * Other negative errno: as execve(2) gave it.
 */
XP_API int xp_workload_start(struct xp_workload *workload, struct xp_diag *diag);
/**
 * xp_workload_wait - collect the process if it has ended
 * @block: wait until it ends
 *
 * Returns 1 with @ret_exit written, 0 if it is still running, -ECHILD if it was collected before.
 */
XP_API int xp_workload_wait(struct xp_workload *workload, bool block, struct xp_exit *ret_exit);
/**
 * xp_workload_usage - what it and the children it waited for have used
 *
 * The largest resident size, ru_maxrss, is that of one process: the largest of them. It counts from
 * the fork on: a command that needs less memory than this program had then has this program's.
 *
 * Returns 0, or -ENODATA (it was not collected yet).
 *
 * Source: wait4(2), getrusage(2); fs/exec.c, exec_mmap(), Linux 6.18.
 */
XP_API int xp_workload_usage(const struct xp_workload *workload, struct rusage *ret_usage);
/**
 * xp_workload_is_privileged - its file gives privileges, or may not be read
 *
 * It is setuid, setgid or has capabilities. Where that takes effect the kernel ends the counting
 * and sampling of such a process at its exec.
 *
 * Returns true or false. Source: fs/exec.c, begin_new_exec(), Linux 6.18.
 */
XP_API bool xp_workload_is_privileged(const struct xp_workload *workload);
/** xp_workload_kill - send it a signal. Returns 0, -ESRCH (it was collected), or the kernel's
 * errno.
 */
XP_API int xp_workload_kill(struct xp_workload *workload, int sig);
/** xp_workload_free - free it; a process that was never started ends, one that runs is left alone.
 */
XP_API void xp_workload_free(struct xp_workload *workload);

XP_END_DECLS

#endif
