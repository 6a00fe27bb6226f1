/* SPDX-License-Identifier: MIT */
/* The context: the seams and everything that is learnt once about the machine. */
#ifndef XPERF_CTX_H
#define XPERF_CTX_H

#include <xperf/api.h>

struct xp_sys;
struct xp_arch;

XP_BEGIN_DECLS

/**
 * struct xp_ctx - how the machine is reached, and what was learnt about it
 *
 * A context and all that is made from it are for one thread at a time; two contexts share nothing.
 * What several threads may use at once says so. In a child by fork(2) what was made before may be
 * closed and freed, which touches nothing of the parent's, and not be used: enabling, disabling and
 * reading events returns -EPERM there. A context made in the
 * child is as good as any. exec closes all descriptors.
 */
struct xp_ctx;

/** enum xp_log_level - importance of a message; more important ones have smaller numbers */
enum xp_log_level {
	XP_LOG_INFO, /* users: the library does otherwise than was asked for, and why */
	XP_LOG_DEBUG /* who looks for a fault: what was tried, where something was found */
};

/**
 * xp_log_fn - receives reports of what the library does without being asked
 * @text: a sentence, without newline or full stop; valid until it returns
 * @data: struct xp_ctx_opts, log_data
 *
 * Called in the thread that uses the context; for symbol tables, in the threads that open them,
 * perhaps several at a time. Must not call the library. Failures are not reported here but
 * returned, with a struct xp_diag.
 */
typedef void (*xp_log_fn)(enum xp_log_level level, const char *text, void *data);

/**
 * struct xp_ctx_opts - how a context reaches the machine
 * @size: sizeof(struct xp_ctx_opts), lets the struct grow
 * @sys:  kernel table; NULL: xp_sys_linux(). Borrowed until xp_ctx_free()
 * @arch: architecture table; NULL: xp_arch_native(). Borrowed until xp_ctx_free()
 * @root: put in front of every /proc, /sys and tracefs path; NULL: "". Copied
 * @log:  receives reports of what the library does without being asked; NULL: none
 * @log_data: given to @log
 * @raise_limits: where descriptors run out, raise the limit of open files (RLIMIT_NOFILE) of the
 *        whole process, as far as it is allowed; else opening fails with -EMFILE. Commands that
 *        xp_workload_prepare() starts get the limit from before
 */
struct xp_ctx_opts {
	size_t size;
	const struct xp_sys *sys;
	const struct xp_arch *arch;
	const char *root;
	xp_log_fn log;
	void *log_data;
	bool raise_limits;
	uint8_t padding[7]; /* never used */
};

/**
 * xp_ctx_new - make a context
 * @opts: may be NULL: this machine
 *
 * Opens nothing. One context is for one thread at a time; two contexts share nothing.
 *
 * Returns 0, -EINVAL, -E2BIG (@opts, or a table of it: a size that is too small, or entries that
 * this library does not know), or -ENOMEM.
 */
XP_API int xp_ctx_new(const struct xp_ctx_opts *opts, struct xp_ctx **ret_ctx);

/**
 * xp_ctx_free - free a context
 * @ctx: may be NULL. Everything made from it must be gone
 */
XP_API void xp_ctx_free(struct xp_ctx *ctx);

/**
 * xp_ctx_sys - the kernel table of a context
 *
 * Returns the table, valid as long as the context.
 */
XP_API const struct xp_sys *xp_ctx_sys(const struct xp_ctx *ctx);

/**
 * xp_ctx_now - CLOCK_MONOTONIC of the context's kernel
 *
 * Returns nanoseconds.
 */
XP_API uint64_t xp_ctx_now(const struct xp_ctx *ctx);

XP_END_DECLS

#endif
