/* SPDX-License-Identifier: MIT */
/* The context from inside the library, and files under its root path. */
#ifndef SYS_CTX_H
#define SYS_CTX_H

#include <stdatomic.h>
#include <sys/resource.h>
#include <xperf/ctx.h>
#include <xperf/sys.h>

struct xp_arch;
struct xp_places;
struct xp_pmus;

/* More than any kernel allows (NR_CPUS is at most 8192 today); a bound for what users give. */
enum { XP_CPU_MAX = 65535 };

struct xp_ctx {
	const struct xp_sys *sys;
	const struct xp_arch *arch;
	char *root;
	const volatile uint32_t *here; /* 0 in a child by fork(2) */
	xp_log_fn log;                 /* NULL: nobody listens */
	void *log_data;
	bool raise_limits;        /* struct xp_ctx_opts */
	struct xp_places *places; /* place.c; NULL: not read yet */
	struct xp_pmus *pmus;     /* pmus.c; NULL: none asked for yet */
	char *tracefs; /* tracefs.c: mount point without the root; NULL: not looked for yet */
	char *cgroups; /* cgroup.c: likewise */
	unsigned int missing_features; /* lib/evsel/missing.c: what this kernel was found to lack */
	bool features_known;
	bool nofile_raised;       /* by lib/evsel/ladder.c: RLIMIT_NOFILE of this process, */
	struct rlimit nofile;     /* which was this before; workloads get it back */
	char host[64];            /* host.c: what to call this machine; "": not asked yet */
	atomic_uint nr_shortages; /* file.c: how often there was no memory, or no descriptor, */
	atomic_int shortage;      /* and which of them the last time */
};

/*
 * False in a child by fork(2): the rings and threads of the parent are not there, and its files are
 * not the child's.
 */
static inline bool xp_ctx_is_here(const struct xp_ctx *ctx)
{
	return *ctx->here;
}

/* Notifies whoever listens, struct xp_ctx_opts; what does not fit into 511 bytes is cut. */
void xp_log(const struct xp_ctx *ctx, enum xp_log_level level, const char *fmt, ...)
	XP_PRINTF(3, 4);

/*
 * Reads a whole small file of /proc or /sys; @fmt and arguments give its path without the root.
 * *ret_text is NUL-terminated, the caller's to free; *ret_len may be NULL.
 * Returns 0 or why it cannot be read.
 */
int xp_file_read(struct xp_ctx *ctx, char **ret_text, size_t *ret_len, const char *fmt, ...)
	XP_PRINTF(4, 5);

/* Reads a file that holds one decimal number. Returns 0, why it cannot be read, or -EINVAL. */
int xp_file_read_int(struct xp_ctx *ctx, int64_t *ret_value, const char *fmt, ...) XP_PRINTF(3, 4);

/* True if the file or directory can be opened for reading. */
bool xp_file_exists(struct xp_ctx *ctx, const char *fmt, ...) XP_PRINTF(2, 3);

/*
 * What could not be read for lack of memory or descriptors looks as if it were not there to
 * whoever only asks for that. Returns 0: that was not so since @nr_shortages of the context was
 * @since; -ENOMEM, -EMFILE, -ENFILE: why, and what was found since is not to be kept.
 */
int xp_ctx_shortage(struct xp_ctx *ctx, unsigned int since);
/* Counts @err if it is one of those. Returns @err. */
int xp_ctx_note(struct xp_ctx *ctx, int err);

/* Calls @fn for each name in a directory. Returns 0, what @fn returned, or why it cannot be read.
 */
int xp_file_list(struct xp_ctx *ctx, xp_dir_fn fn, void *data, const char *fmt, ...)
	XP_PRINTF(4, 5);

#endif
